"""Normalizations. Statistics of 16-bit floats are computed in float32, and so is what follows from them; variances are
those of the population (divided by n)."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from types import SimpleNamespace

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import BOOL, FLOAT, INT, INTS, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.rules import FLOATS, check_elements
from xrelay.dialects.relay.types import (
    DYNAMIC,
    as_tensor,
    format_shape,
    normalize_axes,
    normalize_axis,
    shape_of,
    tensor_type,
    unify_dim,
)


def _floats(cls: type[RelayOp], operands: Sequence[Attribute]) -> list[TensorType]:
    """The operands' types, checked to be tensors of one float type (C1)."""
    types = [as_tensor(t) for t in operands]
    check_elements(cls.name, FLOATS, types[0].element_type, "C1")
    if any(t.element_type != types[0].element_type for t in types):
        raise VerifyException(f"C1: operands have element types {', '.join(str(t.element_type) for t in types)}")
    return types


def _along_axis(types: Sequence[TensorType], axis: int) -> TensorType:
    """The type of the data, its size along `axis` unified with the vectors' (C2, C3)."""
    data, *vectors = types
    shape = list(shape_of(data))
    at = normalize_axis(axis, len(shape), "C2: axis")
    for vector in vectors:
        size = unify_dim(shape[at], shape_of(vector)[0]) if len(shape_of(vector)) == 1 else None
        if size is None:
            raise VerifyException(f"C3: {vector} must have the shape {format_shape([shape[at]])} of the axis {axis}")
        shape[at] = size
    return tensor_type(shape, data.element_type)


# With scale and shift -------------------------------------------------------------------------------------------------


@irdl_op_definition
class BatchNorm(RelayOp):
    """(data - moving_mean) / sqrt(moving_var + epsilon) · gamma + beta, a number of each an index along `axis`.

    `scale` false leaves gamma out, `center` false beta (both operands are given all the same). Results: the normalized
    data, moving_mean and moving_var as they came.

    C1: all operands have the same element type, a float.
    C2: axis is in [-rank, rank).
    C3: gamma, beta, moving_mean and moving_var have the shape (size of data along axis,).
    """

    name = "relay.nn.batch_norm"
    data = operand_def(TensorType)
    gamma = operand_def(TensorType)
    beta = operand_def(TensorType)
    moving_mean = operand_def(TensorType)
    moving_var = operand_def(TensorType)
    axis = attribute(INT, 1)
    epsilon = attribute(FLOAT, 1e-5)
    center = attribute(BOOL, True)
    scale = attribute(BOOL, True)
    result = result_def(TensorType)
    mean = result_def(TensorType)
    var = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ANCHOR))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        result = _along_axis(_floats(cls, operands), attrs.axis)
        size = shape_of(result)[attrs.axis]
        return [result, *(tensor_type([size], result.element_type) for _ in range(2))]


class StatisticsNorm(RelayOp, ABC):
    """(data - mean) / sqrt(variance + epsilon) · gamma + beta, with the statistics of data itself.

    There is a gamma and a beta for each index along `axis`; `scale` false leaves gamma out, `center` false beta (both
    operands are given all the same).

    C1: all operands have the same element type, a float.
    C2: axis is in [-rank, rank).
    C3: gamma and beta have the shape (size of data along axis,).
    """

    data = operand_def(TensorType)
    gamma = operand_def(TensorType)
    beta = operand_def(TensorType)
    axis = attribute(INT, 1)
    epsilon = attribute(FLOAT, 1e-5)
    center = attribute(BOOL, True)
    scale = attribute(BOOL, True)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ANCHOR))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        return [_along_axis(_floats(cls, operands), attrs.axis)]


@irdl_op_definition
class LayerNorm(StatisticsNorm):
    """Statistics over one axis."""

    name = "relay.nn.layer_norm"
    axis = attribute(INT, -1)


def _check_not_batch(axis: int, data: Attribute) -> None:
    if normalize_axis(axis, len(shape_of(data))) == 0:
        raise VerifyException("C4: axis 0 is the batch; the channels must be along another axis")


@irdl_op_definition
class InstanceNorm(StatisticsNorm):
    """Statistics of each sample and channel: over every axis but 0 and `axis`.

    C4: axis is not 0, which is the batch.
    """

    name = "relay.nn.instance_norm"

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        types = super().infer(operands, attrs)
        _check_not_batch(attrs.axis, operands[0])
        return types


@irdl_op_definition
class GroupNorm(StatisticsNorm):
    """Statistics of each sample and group of neighbouring channels: over the group and every axis but 0 and `axis`.

    C4: axis is not 0, which is the batch.
    C5: num_groups is positive and divides the channels.
    """

    name = "relay.nn.group_norm"
    num_groups = attribute(INT)

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        types = super().infer(operands, attrs)
        _check_not_batch(attrs.axis, operands[0])
        channels = shape_of(types[0])[attrs.axis]
        if attrs.num_groups < 1 or (channels != DYNAMIC and channels % attrs.num_groups):
            raise VerifyException(f"C5: num_groups {attrs.num_groups} does not divide the {channels} channels")
        return types


# Without --------------------------------------------------------------------------------------------------------------


class SoftmaxOp(RelayOp, ABC):
    """One operand, normalized along `axis`; stable, as the largest element is subtracted first.

    C1: data holds floats.
    C2: axis is in [-rank, rank).
    """

    data = operand_def(TensorType)
    axis = attribute(INT, -1)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ANCHOR))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        return [_along_axis(_floats(cls, operands), attrs.axis)]


@irdl_op_definition
class Softmax(SoftmaxOp):
    """exp(data) / Σ exp(data) along the axis."""

    name = "relay.nn.softmax"


@irdl_op_definition
class LogSoftmax(SoftmaxOp):
    """data - log Σ exp(data) along the axis."""

    name = "relay.nn.log_softmax"


@irdl_op_definition
class L2Normalize(RelayOp):
    """data / sqrt(max(Σ data², eps)), the sum over the axes: `eps` bounds the sum from below.

    C1: data holds floats.
    C2: every axis is in [-rank, rank) and named once.
    """

    name = "relay.nn.l2_normalize"
    data = operand_def(TensorType)
    eps = attribute(FLOAT)
    axis = attribute(INTS)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ANCHOR))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        (data,) = _floats(cls, operands)
        normalize_axes(attrs.axis, len(shape_of(data)), "C2: axis")
        return [data]


@irdl_op_definition
class LRN(RelayOp):
    """Local response normalization: data / (bias + alpha / size · Σ data²)^beta.

    The sum is over `size` neighbours along the axis, from (size - 1) // 2 before to size // 2 behind, those outside
    left out.

    C1: data holds floats.
    C2: axis is in [-rank, rank).
    C3: size is positive.
    """

    name = "relay.nn.lrn"
    data = operand_def(TensorType)
    size = attribute(INT, 5)
    axis = attribute(INT, 1)
    bias = attribute(FLOAT, 2.0)
    alpha = attribute(FLOAT, 1e-4)
    beta = attribute(FLOAT, 0.75)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.OPAQUE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        if attrs.size < 1:
            raise VerifyException(f"C3: size {attrs.size} must be positive")
        return [_along_axis(_floats(cls, operands), attrs.axis)]


@irdl_op_definition
class Dropout(RelayOp):
    """In inference the data itself, and a mask of ones.

    C1: data holds floats.
    C2: rate is in [0, 1).
    """

    name = "relay.nn.dropout"
    data = operand_def(TensorType)
    rate = attribute(FLOAT, 0.5)
    result = result_def(TensorType)
    mask = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.OPAQUE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        (data,) = _floats(cls, operands)
        if not 0 <= attrs.rate < 1:
            raise VerifyException(f"C2: rate {attrs.rate} must be in [0, 1)")
        return [data, data]
