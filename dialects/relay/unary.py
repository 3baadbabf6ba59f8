"""Elementwise operators of one operand: mathematics, predicates, conversion of the element type."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Sequence
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import DTYPE, FLOAT, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp, View
from xrelay.dialects.relay.rules import ANY, BITS, BOOLS, FLOATS, NUMBERS, ElementRule, check_elements
from xrelay.dialects.relay.types import (
    as_tensor,
    bit_width,
    bool_type,
    check_element_type,
    dtype_of,
    is_float,
    shape_of,
    tensor_type,
)


class UnaryOp(RelayOp, ABC):
    """One operand, the result of its shape.

    C1: the operator takes this element type.
    """

    ELEMENTS: ClassVar[ElementRule] = FLOATS

    data = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ELEMENTWISE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data = as_tensor(operands[0])
        check_elements(cls.name, cls.ELEMENTS, data.element_type, "C1")
        return [tensor_type(shape_of(data), cls.result_element(data.element_type, attrs))]

    @classmethod
    def result_element(cls, element: Attribute, attrs: SimpleNamespace) -> Attribute:
        return element


class PredicateOp(UnaryOp, ABC):
    """A question to each float; the result is i1."""

    @classmethod
    def result_element(cls, element: Attribute, attrs: SimpleNamespace) -> Attribute:
        return bool_type


@irdl_op_definition
class Abs(UnaryOp):
    """The absolute value. The least signed integer has none and stays."""

    name = "relay.abs"
    ELEMENTS: ClassVar[ElementRule] = NUMBERS


@irdl_op_definition
class Negative(UnaryOp):
    """-data. Integers wrap around."""

    name = "relay.negative"
    ELEMENTS: ClassVar[ElementRule] = NUMBERS


@irdl_op_definition
class Sign(UnaryOp):
    """-1, 0 or 1; NaN for NaN."""

    name = "relay.sign"
    ELEMENTS: ClassVar[ElementRule] = NUMBERS


@irdl_op_definition
class Ceil(UnaryOp):
    """Rounded up."""

    name = "relay.ceil"


@irdl_op_definition
class Floor(UnaryOp):
    """Rounded down."""

    name = "relay.floor"


@irdl_op_definition
class Trunc(UnaryOp):
    """Rounded toward zero."""

    name = "relay.trunc"


@irdl_op_definition
class Round(UnaryOp):
    """Rounded to the nearest whole number, halves away from zero (C's round)."""

    name = "relay.round"


@irdl_op_definition
class RoundEven(UnaryOp):
    """Rounded to the nearest whole number, halves to the even one (NumPy's and ONNX's round)."""

    name = "relay.round_even"


@irdl_op_definition
class Sqrt(UnaryOp):
    """The square root."""

    name = "relay.sqrt"


@irdl_op_definition
class Rsqrt(UnaryOp):
    """1 / sqrt(data)."""

    name = "relay.rsqrt"


@irdl_op_definition
class Exp(UnaryOp):
    """e to the power of data."""

    name = "relay.exp"


@irdl_op_definition
class Log(UnaryOp):
    """The natural logarithm."""

    name = "relay.log"


@irdl_op_definition
class Log2(UnaryOp):
    """The logarithm to the base 2."""

    name = "relay.log2"


@irdl_op_definition
class Log10(UnaryOp):
    """The logarithm to the base 10."""

    name = "relay.log10"


@irdl_op_definition
class Sigmoid(UnaryOp):
    """1 / (1 + exp(-data))."""

    name = "relay.sigmoid"


@irdl_op_definition
class Erf(UnaryOp):
    """The error function."""

    name = "relay.erf"


@irdl_op_definition
class Sin(UnaryOp):
    """The sine of radians."""

    name = "relay.sin"


@irdl_op_definition
class Cos(UnaryOp):
    """The cosine of radians."""

    name = "relay.cos"


@irdl_op_definition
class Tan(UnaryOp):
    """The tangent of radians."""

    name = "relay.tan"


@irdl_op_definition
class Asin(UnaryOp):
    """The angle in [-π/2, π/2] with this sine."""

    name = "relay.asin"


@irdl_op_definition
class Acos(UnaryOp):
    """The angle in [0, π] with this cosine."""

    name = "relay.acos"


@irdl_op_definition
class Atan(UnaryOp):
    """The angle in [-π/2, π/2] with this tangent."""

    name = "relay.atan"


@irdl_op_definition
class Sinh(UnaryOp):
    """The hyperbolic sine."""

    name = "relay.sinh"


@irdl_op_definition
class Cosh(UnaryOp):
    """The hyperbolic cosine."""

    name = "relay.cosh"


@irdl_op_definition
class Tanh(UnaryOp):
    """The hyperbolic tangent."""

    name = "relay.tanh"


@irdl_op_definition
class Asinh(UnaryOp):
    """The inverse of sinh."""

    name = "relay.asinh"


@irdl_op_definition
class Acosh(UnaryOp):
    """The inverse of cosh, not negative."""

    name = "relay.acosh"


@irdl_op_definition
class Atanh(UnaryOp):
    """The inverse of tanh."""

    name = "relay.atanh"


@irdl_op_definition
class IsNaN(PredicateOp):
    """Whether it is NaN."""

    name = "relay.isnan"


@irdl_op_definition
class IsInf(PredicateOp):
    """Whether it is an infinity of either sign."""

    name = "relay.isinf"


@irdl_op_definition
class IsFinite(PredicateOp):
    """Whether it is neither NaN nor an infinity."""

    name = "relay.isfinite"


@irdl_op_definition
class LogicalNot(UnaryOp):
    """Whether data does not hold."""

    name = "relay.logical_not"
    ELEMENTS: ClassVar[ElementRule] = BOOLS


@irdl_op_definition
class BitwiseNot(UnaryOp):
    """Every bit turned."""

    name = "relay.bitwise_not"
    ELEMENTS: ClassVar[ElementRule] = BITS


@irdl_op_definition
class Copy(UnaryOp):
    """data as it is."""

    name = "relay.copy"
    ELEMENTS: ClassVar[ElementRule] = ANY
    traits = traits_def(View())


@irdl_op_definition
class Clip(UnaryOp):
    """min(max(data, a_min), a_max); NaN stays NaN.

    For integers the bounds lose their fraction and are brought into the range of the type.

    C2: no bound is NaN.
    """

    name = "relay.clip"
    ELEMENTS: ClassVar[ElementRule] = NUMBERS
    a_min = attribute(FLOAT)
    a_max = attribute(FLOAT)

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        if math.isnan(attrs.a_min) or math.isnan(attrs.a_max):
            raise VerifyException(f"C2: bounds {attrs.a_min} and {attrs.a_max}")
        return super().infer(operands, attrs)


def clip_bounds(attrs: SimpleNamespace, element: Attribute) -> tuple[float, float] | tuple[int, int]:
    """The bounds of a `relay.clip` as numbers of the element type."""
    dtype = dtype_of(element)
    if is_float(element):
        with np.errstate(over="ignore"):
            low, high = dtype.type(attrs.a_min), dtype.type(attrs.a_max)
        return float(low), float(high)
    info = np.iinfo(dtype)
    low, high = (
        int(min(max(bound, info.min), info.max)) if math.isfinite(bound) else (info.max if bound > 0 else info.min)
        for bound in (attrs.a_min, attrs.a_max)
    )
    return int(low), int(high)


@irdl_op_definition
class Cast(UnaryOp):
    """data in another element type.

    To a float: rounded to nearest. Float to integer: truncated toward zero and saturated, NaN gives 0. Integer to
    integer: wrapped around. To i1: whether it is not zero.

    C2: dtype is an element type of relay.
    """

    name = "relay.cast"
    ELEMENTS: ClassVar[ElementRule] = ANY
    dtype = attribute(DTYPE)

    @classmethod
    def result_element(cls, element: Attribute, attrs: SimpleNamespace) -> Attribute:
        check_element_type(attrs.dtype, "C2: dtype")
        return attrs.dtype


@irdl_op_definition
class Reinterpret(UnaryOp):
    """The bits of data read as another element type of the same width.

    C2: dtype is an element type of relay.
    C3: dtype has the width of the elements of data.
    """

    name = "relay.reinterpret"
    ELEMENTS: ClassVar[ElementRule] = NUMBERS
    dtype = attribute(DTYPE)

    @classmethod
    def result_element(cls, element: Attribute, attrs: SimpleNamespace) -> Attribute:
        check_element_type(attrs.dtype, "C2: dtype")
        if bit_width(attrs.dtype) != bit_width(element):
            raise VerifyException(f"C3: cannot read {element} as {attrs.dtype}, which has another width")
        return attrs.dtype
