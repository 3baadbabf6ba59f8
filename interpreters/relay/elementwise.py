"""The meaning of elementwise operators of several operands."""

from __future__ import annotations

import numpy as np

from xrelay.dialects.relay import elementwise as ops
from xrelay.errors import ExecutionError
from xrelay.interpreters.relay.arrays import in_float32, is_float_array
from xrelay.interpreters.relay.registry import meaning

_UFUNCS = {
    ops.Add: np.add,
    ops.Subtract: np.subtract,
    ops.Multiply: np.multiply,
    ops.Maximum: np.maximum,
    ops.Minimum: np.minimum,
    ops.BitwiseAnd: np.bitwise_and,
    ops.BitwiseOr: np.bitwise_or,
    ops.BitwiseXor: np.bitwise_xor,
    ops.LeftShift: np.left_shift,
    ops.RightShift: np.right_shift,
    ops.LogicalAnd: np.logical_and,
    ops.LogicalOr: np.logical_or,
    ops.LogicalXor: np.logical_xor,
    ops.Equal: np.equal,
    ops.NotEqual: np.not_equal,
    ops.Less: np.less,
    ops.LessEqual: np.less_equal,
    ops.Greater: np.greater,
    ops.GreaterEqual: np.greater_equal,
}
"""Operators that mean what a NumPy function means."""

for _operator, _ufunc in _UFUNCS.items():
    meaning(_operator)(lambda attrs, lhs, rhs, ufunc=_ufunc: ufunc(lhs, rhs))


def check_divisor(rhs: np.ndarray) -> None:
    """Raises ExecutionError where an integer is zero."""
    if not is_float_array(rhs) and not np.all(rhs):
        raise ExecutionError(ops.ZERO_DIVISION)


@meaning(ops.Divide)
def divide(attrs, lhs, rhs):
    if is_float_array(lhs):
        return lhs / rhs
    check_divisor(rhs)
    floor = np.floor_divide(lhs, rhs)
    rounded_down = (floor * rhs != lhs) & ((lhs < 0) != (rhs < 0))
    return floor + rounded_down.astype(floor.dtype)


@meaning(ops.Mod)
@in_float32
def mod(attrs, lhs, rhs):
    check_divisor(rhs)
    return np.fmod(lhs, rhs)


@meaning(ops.FloorDivide)
@in_float32
def floor_divide(attrs, lhs, rhs):
    check_divisor(rhs)
    return np.floor_divide(lhs, rhs)


@meaning(ops.FloorMod)
@in_float32
def floor_mod(attrs, lhs, rhs):
    check_divisor(rhs)
    return np.mod(lhs, rhs)


@meaning(ops.Power)
def power(attrs, lhs, rhs):
    if is_float_array(lhs):
        return np.power(lhs, rhs)
    # Below 1 in magnitude truncates to 0, so a negative exponent leaves only the powers of 1 and -1.
    inverse = np.where(lhs == 1, 1, np.where(lhs + 1 == 0, 1 - 2 * (rhs & 1), 0)).astype(lhs.dtype)
    return np.where(rhs < 0, inverse, np.power(lhs, np.maximum(rhs, 0)))


@meaning(ops.Where)
def where(attrs, condition, x, y):
    return np.where(condition != 0, x, y)
