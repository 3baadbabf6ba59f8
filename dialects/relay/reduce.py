"""Operators that fold one or more axes of a tensor into one value each."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from types import SimpleNamespace

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import BOOL, INTS, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.types import (
    as_tensor,
    compatible,
    i32,
    is_bool,
    is_float,
    normalize_axes,
    shape_of,
    tensor_type,
)


def reduced_axes(attrs: SimpleNamespace, rank: int) -> tuple[int, ...]:
    """The axes a reduction folds, ascending: all where `axis` is absent or empty; with `exclude`, those not listed."""
    axes = set(normalize_axes(attrs.axis or (), rank))
    if attrs.exclude:
        axes = set(range(rank)) - axes
    elif not axes:
        axes = set(range(rank))
    return tuple(sorted(axes))


def reduced_shape(shape: Sequence[int], axes: Sequence[int], keepdims: bool) -> tuple[int, ...]:
    """The shape left when `axes` are folded: without them, or with size 1 there."""
    if keepdims:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


class ReduceOp(RelayOp, ABC):
    """A reduction of `data` over some axes.

    `axis` lists them (absent or empty: all axes); with `exclude` the axes that are *not* listed are folded. `keepdims`
    leaves them with size 1.

    C1: every axis is in [-rank, rank) and named once.
    C2: the operator has a value for the element type of `data`.
    """

    data = operand_def(TensorType)
    axis = attribute(INTS, None)
    keepdims = attribute(BOOL, False)
    exclude = attribute(BOOL, False)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.REDUCTION))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data = as_tensor(operands[0])
        shape = shape_of(data)
        try:
            axes = reduced_axes(attrs, len(shape))
        except VerifyException as error:
            raise VerifyException(f"C1: {error}") from None
        return [tensor_type(reduced_shape(shape, axes, attrs.keepdims), cls.result_element(data.element_type))]

    @classmethod
    def result_element(cls, element: Attribute) -> Attribute:
        """The element type of the result for one of the operand. Raises VerifyException where there is none."""
        if is_bool(element):
            raise VerifyException(f"C2: {cls.name} needs numbers, got {element}")
        return element


class BoolReduceOp(ReduceOp, ABC):
    @classmethod
    def result_element(cls, element: Attribute) -> Attribute:
        if not is_bool(element):
            raise VerifyException(f"C2: {cls.name} needs i1 elements, got {element}")
        return element


@irdl_op_definition
class Sum(ReduceOp):
    """The sum. Integers wrap around in their own type; 16-bit floats are accumulated in float32. 0 for no elements."""

    name = "relay.sum"


@irdl_op_definition
class Prod(ReduceOp):
    """The product, accumulated as in `relay.sum`. 1 for no elements."""

    name = "relay.prod"


@irdl_op_definition
class Max(ReduceOp):
    """The largest element; NaN if one is NaN. For no elements, the least value of the type (-inf for floats)."""

    name = "relay.max"


@irdl_op_definition
class Min(ReduceOp):
    """The smallest element; NaN if one is NaN. For no elements, the greatest value of the type (inf for floats)."""

    name = "relay.min"


@irdl_op_definition
class Mean(ReduceOp):
    """The sum divided by the number of elements, toward zero for integers. For no elements, NaN (integers: 0)."""

    name = "relay.mean"


@irdl_op_definition
class All(BoolReduceOp):
    """Whether every element holds. True for no elements."""

    name = "relay.all"


@irdl_op_definition
class Any(BoolReduceOp):
    """Whether one element holds. False for no elements."""

    name = "relay.any"


class ArgReduceOp(ReduceOp, ABC):
    """The int32 position of an extreme element along the folded axes (row-major where there are several).

    The first of equal ones, or the last with `select_last_index`. The first NaN wins over all numbers (with
    `select_last_index`, the last NaN).

    C3: the folded axes are not known to hold no element.
    """

    select_last_index = attribute(BOOL, False)

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        results = super().infer(operands, attrs)
        shape = shape_of(operands[0])
        if 0 in (shape[axis] for axis in reduced_axes(attrs, len(shape))):
            raise VerifyException(f"C3: {cls.name} of no elements: a folded axis of {operands[0]} has size 0")
        return results

    @classmethod
    def result_element(cls, element: Attribute) -> Attribute:
        return i32


@irdl_op_definition
class Argmax(ArgReduceOp):
    """The position of the largest element."""

    name = "relay.argmax"


@irdl_op_definition
class Argmin(ArgReduceOp):
    """The position of the smallest element."""

    name = "relay.argmin"


@irdl_op_definition
class Variance(ReduceOp):
    """The mean of (data - mean)², with the mean given; `unbiased` divides by one less than the number of elements.

    C2: the elements are floats.
    C3: `mean` has the type of `relay.mean` of data with keepdims.
    """

    name = "relay.variance"
    data = operand_def(TensorType)
    mean = operand_def(TensorType)
    unbiased = attribute(BOOL, False)

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        results = super().infer(operands, attrs)
        data, mean = operands
        kept = reduced_shape(shape_of(data), reduced_axes(attrs, len(shape_of(data))), keepdims=True)
        expected = tensor_type(kept, as_tensor(data).element_type)
        if not compatible(expected, mean):
            raise VerifyException(f"C3: the mean must be {expected}, got {mean}")
        return results

    @classmethod
    def result_element(cls, element: Attribute) -> Attribute:
        if not is_float(element):
            raise VerifyException(f"C2: {cls.name} needs floats, got {element}")
        return element
