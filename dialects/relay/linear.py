"""Matrix products, and the bias that follows them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import BOOL, DTYPE, INT, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.types import (
    as_tensor,
    bit_width,
    broadcast_dim,
    f32,
    format_shape,
    i32,
    is_bool,
    is_float,
    is_integer,
    normalize_axis,
    shape_of,
    tensor_type,
    unify_dim,
)


def product_element(x: TensorType, w: TensorType, out_dtype: Attribute | None, constraint: str) -> Attribute:
    """The element type of a sum of products. Raises VerifyException, quoting the constraint, where there is none."""
    a, b = x.element_type, w.element_type
    result = out_dtype or a
    mixed = a != b and is_integer(a) and is_integer(b) and bit_width(a) == bit_width(b)
    if a != b and not mixed:
        raise VerifyException(f"{constraint}: operands have element types {a} and {b}")
    if mixed and out_dtype is None:
        raise VerifyException(f"{constraint}: operands have element types {a} and {b}: out_dtype must be given")
    if not (is_float(a) and is_float(result)) and not (is_integer(a) and is_integer(result)):
        raise VerifyException(f"{constraint}: sums of products of {a} cannot be given as {result}")
    return result


def accumulator(element: Attribute, result: Attribute) -> Attribute:
    """The type in which products of `element` are summed for a `result` type: the widest of both and of float32 or
    int32."""
    return max(result, element, f32 if is_float(element) else i32, key=bit_width)


@irdl_op_definition
class Dense(RelayOp):
    """out[…, u] = Σ over k of data[…, k] · weight[u, k]: the weight has the outputs first.

    Sums are accumulated as in `relay.nn.conv2d`.

    C1: data and weight hold numbers of one type, or integers of one width if out_dtype is given; out_dtype is of their
        kind, float or integer.
    C2: data has at least rank 1, weight rank 2.
    C3: the last axes of data and weight have the same size.
    C4: units, if given, is the first size of the weight.
    """

    name = "relay.nn.dense"
    data = operand_def(TensorType)
    weight = operand_def(TensorType)
    units = attribute(INT, None)
    out_dtype = attribute(DTYPE, None)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ANCHOR))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, weight = (as_tensor(t) for t in operands)
        element = product_element(data, weight, attrs.out_dtype, "C1")
        shape, kernel = shape_of(data), shape_of(weight)
        if not shape or len(kernel) != 2:
            raise VerifyException(f"C2: data {data} must have at least rank 1 and weight {weight} rank 2")
        _check_inner(shape[-1], kernel[1], "C3", data, weight)
        return [tensor_type((*shape[:-1], _checked_units(kernel[0], attrs.units, "C4")), element)]


@irdl_op_definition
class Matmul(RelayOp):
    """The matrix product, of transposed operands if so wished; leading axes of tensor_a are kept.

    C1: both operands hold numbers of one type, or integers of one width if out_dtype is given; out_dtype is of their
        kind, float or integer.
    C2: tensor_b has rank 2, tensor_a at least rank 1, and exactly 2 if it is transposed.
    C3: the summed axes have the same size.
    C4: units, if given, is the last size of the result.
    """

    name = "relay.nn.matmul"
    tensor_a = operand_def(TensorType)
    tensor_b = operand_def(TensorType)
    units = attribute(INT, None)
    out_dtype = attribute(DTYPE, None)
    transpose_a = attribute(BOOL, False)
    transpose_b = attribute(BOOL, False)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ANCHOR))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        a, b = (as_tensor(t) for t in operands)
        element = product_element(a, b, attrs.out_dtype, "C1")
        shape, kernel = shape_of(a), shape_of(b)
        if not shape or len(kernel) != 2 or (attrs.transpose_a and len(shape) != 2):
            raise VerifyException(f"C2: tensor_a {a} and tensor_b {b} are no matrices")
        shape = _transposed(shape, attrs.transpose_a)
        inner, units = _transposed(kernel, attrs.transpose_b)
        _check_inner(shape[-1], inner, "C3", a, b)
        return [tensor_type((*shape[:-1], _checked_units(units, attrs.units, "C4")), element)]


@irdl_op_definition
class BatchMatmul(RelayOp):
    """Matrix products of two batches; a batch of size 1 is used with every matrix of the other.

    C1: both operands hold numbers of one type, or integers of one width if out_dtype is given; out_dtype is of their
        kind, float or integer.
    C2: both operands have rank 3.
    C3: the batch sizes are equal, or one of them is 1.
    C4: the summed axes have the same size.
    """

    name = "relay.nn.batch_matmul"
    tensor_a = operand_def(TensorType)
    tensor_b = operand_def(TensorType)
    out_dtype = attribute(DTYPE, None)
    transpose_a = attribute(BOOL, False)
    transpose_b = attribute(BOOL, False)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ANCHOR))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        a, b = (as_tensor(t) for t in operands)
        element = product_element(a, b, attrs.out_dtype, "C1")
        if len(shape_of(a)) != 3 or len(shape_of(b)) != 3:
            raise VerifyException(f"C2: both operands must have rank 3, got {a} and {b}")
        batch_a, m, inner_a = _transposed(shape_of(a), attrs.transpose_a)
        batch_b, inner_b, n = _transposed(shape_of(b), attrs.transpose_b)
        batch = broadcast_dim(batch_a, batch_b)
        if batch is None:
            raise VerifyException(f"C3: batch sizes {batch_a} and {batch_b} differ, and none of them is 1")
        _check_inner(inner_a, inner_b, "C4", a, b)
        return [tensor_type((batch, m, n), element)]


def _transposed(shape: tuple[int, ...], transpose: bool) -> tuple[int, ...]:
    """The shape with its last two axes swapped, if so wished."""
    return (*shape[:-2], shape[-1], shape[-2]) if transpose else shape


def _check_inner(a: int, b: int, constraint: str, *operands: Attribute) -> None:
    if unify_dim(a, b) is None:
        raise VerifyException(f"{constraint}: cannot sum over {a} and {b} elements of {operands[0]} and {operands[1]}")


def _checked_units(size: int, units: int | None, constraint: str) -> int:
    merged = size if units is None else unify_dim(size, units)
    if merged is None:
        raise VerifyException(f"{constraint}: units {units} is not the size of the weight, {size}")
    return merged


@irdl_op_definition
class BiasAdd(RelayOp):
    """data + bias, with one bias for each position along `axis`. Integers wrap around.

    C1: both operands hold numbers of the same type.
    C2: axis is in [-rank, rank).
    C3: bias has the shape (size of data along axis,).
    """

    name = "relay.nn.bias_add"
    data = operand_def(TensorType)
    bias = operand_def(TensorType)
    axis = attribute(INT, 1)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.BROADCAST))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, bias = (as_tensor(t) for t in operands)
        if data.element_type != bias.element_type or is_bool(data.element_type):
            raise VerifyException(f"C1: operands have element types {data.element_type} and {bias.element_type}")
        shape = list(shape_of(data))
        axis = normalize_axis(attrs.axis, len(shape), "C2: axis")
        merged = unify_dim(shape[axis], shape_of(bias)[0]) if len(shape_of(bias)) == 1 else None
        if merged is None:
            raise VerifyException(f"C3: bias {bias} must have the shape {format_shape([shape[axis]])}")
        shape[axis] = merged
        return [tensor_type(shape, data.element_type)]
