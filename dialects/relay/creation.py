"""Operators that make a tensor from attributes, from a scalar, or in the shape of another tensor."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Sequence
from types import SimpleNamespace
from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import DTYPE, FLOAT, INT, INTS, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.rules import ANY, INTEGERS, NUMBERS, ElementRule, check_elements, check_scalar
from xrelay.dialects.relay.types import as_tensor, check_element_type, is_integer, normalize_axis, shape_of, tensor_type
from xrelay.dialects.relay.unary import UnaryOp


def _created(shape: Sequence[int], element: Attribute) -> TensorType:
    """The type of a tensor made from attributes. Raises VerifyException for C1 and C2 of the operators below."""
    if any(size < 0 for size in shape):
        raise VerifyException(f"C1: shape {list(shape)} has a negative size")
    check_element_type(element, "C2: dtype")
    return tensor_type(shape, element)


class FillOp(RelayOp, ABC):
    """A tensor of one number.

    C1: no size in shape is negative.
    C2: dtype is an element type of relay.
    """

    shape = attribute(INTS)
    dtype = attribute(DTYPE)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ELEMENTWISE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        return [_created(attrs.shape, attrs.dtype)]


@irdl_op_definition
class Zeros(FillOp):
    """A tensor of zeros (of false for i1)."""

    name = "relay.zeros"


@irdl_op_definition
class Ones(FillOp):
    """A tensor of ones (of true for i1)."""

    name = "relay.ones"


@irdl_op_definition
class Full(RelayOp):
    """A tensor of one value, which is cast to `dtype` (absent: its own type).

    C1: no size in shape is negative.
    C2: dtype is an element type of relay.
    C3: fill_value has rank 0.
    """

    name = "relay.full"
    fill_value = operand_def(TensorType)
    shape = attribute(INTS)
    dtype = attribute(DTYPE, None)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ELEMENTWISE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        fill = check_scalar(operands[0], "C3: fill_value")
        return [_created(attrs.shape, attrs.dtype or fill.element_type)]


@irdl_op_definition
class ZerosLike(UnaryOp):
    """Zeros in the shape and type of data."""

    name = "relay.zeros_like"
    ELEMENTS: ClassVar[ElementRule] = ANY


@irdl_op_definition
class OnesLike(UnaryOp):
    """Ones in the shape and type of data."""

    name = "relay.ones_like"
    ELEMENTS: ClassVar[ElementRule] = ANY


@irdl_op_definition
class FullLike(RelayOp):
    """One value, cast to the element type of data, in the shape of data.

    C1: fill_value has rank 0.
    """

    name = "relay.full_like"
    data = operand_def(TensorType)
    fill_value = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ELEMENTWISE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        check_scalar(operands[1], "C1: fill_value")
        return [as_tensor(operands[0])]


@irdl_op_definition
class Arange(RelayOp):
    """start, start + step, … as far as it stays before stop: 1-D, of ceil((stop - start) / step) elements.

    Every element is start + i · step, computed in float64 for floats and then rounded to `dtype`.

    C1: step is not zero, all three are finite, and so is the number of elements.
    C2: dtype is a number type.
    C3: for an integer dtype, start, stop and step are whole.
    """

    name = "relay.arange"
    start = attribute(FLOAT)
    stop = attribute(FLOAT)
    step = attribute(FLOAT)
    dtype = attribute(DTYPE)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.OPAQUE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        numbers = (attrs.start, attrs.stop, attrs.step)
        if attrs.step == 0 or not all(map(math.isfinite, (*numbers, (attrs.stop - attrs.start) / attrs.step))):
            raise VerifyException(f"C1: no range from {attrs.start} to {attrs.stop} by {attrs.step}")
        check_element_type(attrs.dtype, "C2: dtype")
        check_elements(cls.name, NUMBERS, attrs.dtype, "C2")
        if is_integer(attrs.dtype) and not all(number.is_integer() for number in numbers):
            raise VerifyException(f"C3: {numbers} are not all whole, as {attrs.dtype} needs")
        return [tensor_type([arange_length(attrs)], attrs.dtype)]


def arange_length(attrs: SimpleNamespace) -> int:
    """The number of elements of a `relay.arange`."""
    return max(0, math.ceil((attrs.stop - attrs.start) / attrs.step))


@irdl_op_definition
class OneHot(RelayOp):
    """on_value where the position along a new axis equals the index, else off_value.

    The new axis has `depth` positions and stands at `axis` of the result (-1: last). An index outside [0, depth)
    matches no position.

    C1: the indices are integers.
    C2: on_value and off_value have rank 0 and one element type.
    C3: dtype is that element type (absent: the same).
    C4: depth is not negative.
    C5: axis is in [-rank, rank) of the result.
    """

    name = "relay.one_hot"
    indices = operand_def(TensorType)
    on_value = operand_def(TensorType)
    off_value = operand_def(TensorType)
    depth = attribute(INT)
    axis = attribute(INT, -1)
    dtype = attribute(DTYPE, None)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ANCHOR))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        indices = as_tensor(operands[0])
        check_elements(cls.name, INTEGERS, indices.element_type, "C1")
        on, off = (check_scalar(value, "C2: on_value and off_value") for value in operands[1:])
        if on != off:
            raise VerifyException(f"C2: on_value is {on}, off_value {off}")
        if attrs.dtype not in (None, on.element_type):
            raise VerifyException(f"C3: dtype is {attrs.dtype}, the values are {on.element_type}")
        if attrs.depth < 0:
            raise VerifyException(f"C4: depth {attrs.depth} is negative")
        shape = list(shape_of(indices))
        shape.insert(normalize_axis(attrs.axis, len(shape) + 1, "C5: axis"), attrs.depth)
        return [tensor_type(shape, on.element_type)]
