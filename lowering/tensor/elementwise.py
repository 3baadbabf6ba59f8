"""Elementwise operators of several operands → linalg."""

from __future__ import annotations

from xdsl.dialects import math

from xrelay.dialects.relay import elementwise as ops
from xrelay.dialects.relay.types import bit_width, bool_type, is_float, is_unsigned
from xrelay.lowering.tensor.builder import Body, lowers
from xrelay.lowering.tensor.scalar import Scalar


def elementwise(operator: type, body: Body) -> None:
    """Lower an operator without attributes by what it does to each element."""
    lowers(operator)(lambda op, operands, b: b.elementwise(op, operands, body))


elementwise(ops.Add, lambda x, y: x + y)
elementwise(ops.Subtract, lambda x, y: x - y)
elementwise(ops.Multiply, lambda x, y: x * y)
elementwise(ops.Maximum, lambda x, y: x.maximum(y))
elementwise(ops.Minimum, lambda x, y: x.minimum(y))
elementwise(ops.BitwiseAnd, lambda x, y: x & y)
elementwise(ops.BitwiseOr, lambda x, y: x | y)
elementwise(ops.BitwiseXor, lambda x, y: x ^ y)
elementwise(ops.LogicalAnd, lambda x, y: x & y)
elementwise(ops.LogicalOr, lambda x, y: x | y)
elementwise(ops.LogicalXor, lambda x, y: x ^ y)
elementwise(ops.Equal, lambda x, y: x.eq(y))
elementwise(ops.NotEqual, lambda x, y: x.ne(y))
elementwise(ops.Less, lambda x, y: x < y)
elementwise(ops.LessEqual, lambda x, y: x <= y)
elementwise(ops.Greater, lambda x, y: x > y)
elementwise(ops.GreaterEqual, lambda x, y: x >= y)
elementwise(ops.Where, lambda condition, x, y: condition.cast(bool_type).select(x, y))


# Division ----------------------------------------------------------------------------------------------------------


def divide(x: Scalar, y: Scalar) -> Scalar:
    """x / y; integers truncate."""
    if is_float(x.element):
        return x / y
    y.ne(0).check(ops.ZERO_DIVISION)
    if is_unsigned(x.element):
        return x / y
    # The least integer divided by -1 would trap; its negative wraps around.
    return y.eq(-1).select(-x, x / _without_minus_one(y))


def remainder(x: Scalar, y: Scalar) -> Scalar:
    """What `divide` leaves, with the sign of x."""
    if is_float(x.element):
        return x.rem(y)
    y.ne(0).check(ops.ZERO_DIVISION)
    return x.rem(y if is_unsigned(x.element) else _without_minus_one(y))


def _without_minus_one(y: Scalar) -> Scalar:
    return y.eq(-1).select(y.constant(1), y)


def floor_remainder(x: Scalar, y: Scalar) -> Scalar:
    rest = remainder(x, y)
    return rest if is_unsigned(x.element) else _rounded_toward_zero(rest, y).select(rest + y, rest)


def _rounded_toward_zero(rest: Scalar, y: Scalar) -> Scalar:
    """Whether truncation left another quotient than rounding down: an i1."""
    return rest.ne(0) & ((rest < 0) ^ (y < 0))


def floor_divide(x: Scalar, y: Scalar) -> Scalar:
    if is_float(x.element):
        return _floor_divide_floats(x, y)
    quotient = divide(x, y)
    if is_unsigned(x.element):
        return quotient
    return _rounded_toward_zero(x - quotient * y, y).select(quotient - 1, quotient)


def _floor_divide_floats(x: Scalar, y: Scalar) -> Scalar:
    """Python's: exact where floor(x / y) would be off by one because x / y was rounded."""
    rest = remainder(x, y)
    quotient = (x - rest) / y  # whole but for rounding
    quotient = _rounded_toward_zero(rest, y).select(quotient - 1, quotient)
    whole = quotient.math(math.FloorOp)
    whole = (quotient - whole > 0.5).select(whole + 1, whole)
    ratio = x / y
    whole = quotient.eq(0).select(whole.constant(0).math(math.CopySignOp, ratio), whole)
    return y.eq(0).select(ratio, whole)


elementwise(ops.Divide, divide)
elementwise(ops.Mod, remainder)
elementwise(ops.FloorDivide, lambda x, y: x.in_float32(floor_divide, y))
elementwise(ops.FloorMod, lambda x, y: x.in_float32(floor_remainder, y))


# Powers and shifts -------------------------------------------------------------------------------------------------


def power(x: Scalar, y: Scalar) -> Scalar:
    return x.math(math.PowFOp, y) if is_float(x.element) else _integer_power(x, y)


def _integer_power(x: Scalar, y: Scalar) -> Scalar:
    """By repeated squaring, unrolled over the bits of the exponent."""
    result, square = x.constant(1), x
    for bit in range(bit_width(y.element) - (0 if is_unsigned(y.element) else 1)):
        if bit:
            square = square * square
        result = (y.shift_right(bit) & 1).ne(0).select(result * square, result)
    if is_unsigned(y.element):
        return result
    # A negative exponent leaves a fraction, truncated to 0, but for the powers of 1 and -1.
    of_minus_one = (y & 1).ne(0).select(x, 1)
    inverse = x.eq(1).select(x, x.eq(-1).select(of_minus_one, 0))
    return (y < 0).select(inverse, result)


def left_shift(x: Scalar, y: Scalar) -> Scalar:
    inside = y.as_unsigned() < bit_width(y.element)
    return inside.select(x.shift_left(inside.select(y, 0)), 0)


def right_shift(x: Scalar, y: Scalar) -> Scalar:
    last = bit_width(y.element) - 1
    shifted = x.shift_right(y.as_unsigned().minimum(last))
    return (y > last).select(x.constant(0), shifted) if is_unsigned(x.element) else shifted


elementwise(ops.Power, power)
elementwise(ops.LeftShift, left_shift)
elementwise(ops.RightShift, right_shift)
