"""The meaning of elementwise operators of several operands, beside Python's integers, C's fmod and onnxruntime."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from tests.interpreters.references import meaning, onnx_node
from xrelay.dialects.relay import elementwise as ops
from xrelay.errors import ExecutionError

SIGNED, UNSIGNED = (np.int8, np.int16, np.int32, np.int64), (np.uint8, np.uint16, np.uint32, np.uint64)


def pairs(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of small and extreme numbers of an integer dtype."""
    info = np.iinfo(dtype)
    numbers = {*range(max(info.min, -9), 10), info.min, info.min + 1, info.max, info.max - 1}
    lhs, rhs = np.meshgrid(np.array(sorted(numbers), dtype), np.array(sorted(numbers), dtype))
    return lhs.reshape(-1), rhs.reshape(-1)


def wrapped(number: int, dtype: np.dtype) -> int:
    """An integer brought into the range of a dtype, as two's complement does."""
    info = np.iinfo(dtype)
    return (number - int(info.min)) % (int(info.max) - int(info.min) + 1) + int(info.min)


def expect(operator_class, lhs: np.ndarray, rhs: np.ndarray, exact) -> None:
    """The meaning is `exact`, a function of Python's unbounded integers, wrapped around."""
    expected = [wrapped(exact(a, b), lhs.dtype) for a, b in zip(lhs.tolist(), rhs.tolist(), strict=True)]
    result = meaning(operator_class, lhs, rhs)
    assert result.dtype == lhs.dtype
    np.testing.assert_array_equal(result, np.array(expected, lhs.dtype))


def truncated(a: int, b: int) -> int:
    """C's quotient."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def truncated_power(a: int, b: int) -> int:
    if b >= 0:
        return pow(a, b, 1 << 64)
    return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
class TestIntegers:
    def test_arithmetic_wraps_around(self, dtype):
        lhs, rhs = pairs(dtype)
        expect(ops.Add, lhs, rhs, operator.add)
        expect(ops.Subtract, lhs, rhs, operator.sub)
        expect(ops.Multiply, lhs, rhs, operator.mul)
        expect(ops.Power, lhs, rhs, truncated_power)

    def test_division(self, dtype):
        lhs, rhs = pairs(dtype)
        lhs, rhs = lhs[rhs != 0], rhs[rhs != 0]
        expect(ops.Divide, lhs, rhs, truncated)
        expect(ops.Mod, lhs, rhs, lambda a, b: a - truncated(a, b) * b)
        expect(ops.FloorDivide, lhs, rhs, operator.floordiv)
        expect(ops.FloorMod, lhs, rhs, operator.mod)

    @pytest.mark.parametrize("division", [ops.Divide, ops.Mod, ops.FloorDivide, ops.FloorMod])
    def test_division_by_zero_stops_the_run(self, dtype, division):
        with pytest.raises(ExecutionError, match="division of an integer by zero"):
            meaning(division, np.array([1, 2], dtype), np.array([1, 0], dtype))

    def test_shifts(self, dtype):
        lhs, rhs = pairs(dtype)
        width = 8 * lhs.dtype.itemsize

        def amount(b: int) -> int:
            return b if 0 <= b < width else width

        expect(ops.LeftShift, lhs, rhs, lambda a, b: a << amount(b))
        expect(ops.RightShift, lhs, rhs, lambda a, b: a >> amount(b))

    def test_bits_and_order(self, dtype):
        lhs, rhs = pairs(dtype)
        expect(ops.BitwiseAnd, lhs, rhs, operator.and_)
        expect(ops.BitwiseOr, lhs, rhs, operator.or_)
        expect(ops.BitwiseXor, lhs, rhs, operator.xor)
        expect(ops.Maximum, lhs, rhs, max)
        expect(ops.Minimum, lhs, rhs, min)


X = np.array([-4.3, 7.2, 5.0, 4.3, -7.2, 8.0, 1.0, 0.5, np.inf, 3.0, np.nan, -0.0], np.float32)
Y = np.array([2.1, -3.4, 8.0, -2.1, 3.4, 5.0, 0.1, np.inf, 2.0, np.nan, 1.0, -2.0], np.float32)


@pytest.mark.parametrize(
    ("operator_class", "op_type", "attrs"),
    [
        (ops.Add, "Add", {}),
        (ops.Subtract, "Sub", {}),
        (ops.Multiply, "Mul", {}),
        (ops.Divide, "Div", {}),
        (ops.Power, "Pow", {}),
        (ops.Mod, "Mod", {"fmod": 1}),
        (ops.Maximum, "Max", {}),
        (ops.Minimum, "Min", {}),
    ],
)
def test_floats(operator_class, op_type, attrs):
    expected = onnx_node(op_type, [X, Y], np.float32, **attrs)
    np.testing.assert_allclose(meaning(operator_class, X, Y), expected, rtol=1e-6)


def test_floor_division_of_floats_is_that_of_python():
    finite = np.isfinite(X) & np.isfinite(Y)
    x, y = X[finite].astype(np.float64), Y[finite].astype(np.float64)
    pairs_ = list(zip(x.tolist(), y.tolist(), strict=True))
    np.testing.assert_array_equal(meaning(ops.FloorDivide, x, y), [a // b for a, b in pairs_])
    np.testing.assert_array_equal(meaning(ops.FloorMod, x, y), [a % b for a, b in pairs_])
    np.testing.assert_array_equal(meaning(ops.Mod, x, y), [math.fmod(a, b) for a, b in pairs_])
    by_zero = meaning(ops.FloorDivide, np.float32([1, -1, 0]), np.float32(0))
    np.testing.assert_array_equal(by_zero, [np.inf, -np.inf, np.nan])


@pytest.mark.parametrize(
    ("operator_class", "exact"),
    [
        (ops.Equal, operator.eq),
        (ops.NotEqual, operator.ne),
        (ops.Less, operator.lt),
        (ops.LessEqual, operator.le),
        (ops.Greater, operator.gt),
        (ops.GreaterEqual, operator.ge),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint64, np.bool_])
def test_comparisons(operator_class, exact, dtype):
    lhs, rhs = (X, Y) if dtype == np.float32 else pairs(np.int8 if dtype == np.int8 else np.uint64)
    lhs, rhs = lhs.astype(dtype), rhs.astype(dtype)
    result = meaning(operator_class, lhs, rhs)
    assert result.dtype == np.bool_
    assert result.tolist() == [exact(a, b) for a, b in zip(lhs.tolist(), rhs.tolist(), strict=True)]


def test_logic():
    lhs, rhs = np.array([False, False, True, True]), np.array([False, True, False, True])
    assert meaning(ops.LogicalAnd, lhs, rhs).tolist() == [False, False, False, True]
    assert meaning(ops.LogicalOr, lhs, rhs).tolist() == [False, True, True, True]
    assert meaning(ops.LogicalXor, lhs, rhs).tolist() == [False, True, True, False]


def test_where():
    x, y = np.array([1.0, 2.0, 3.0], np.float32), np.float32(-1)
    assert meaning(ops.Where, np.array([True, False, True]), x, y).tolist() == [1, -1, 3]
    assert meaning(ops.Where, np.array([0.0, -0.0, np.nan], np.float32), x, y).tolist() == [-1, -1, 3]
    assert meaning(ops.Where, np.array([[1], [0]], np.uint8), x, y).tolist() == [[1, 2, 3], [-1, -1, -1]]


def test_broadcast():
    lhs, rhs = np.arange(6, dtype=np.float32).reshape(2, 1, 3), np.arange(4, dtype=np.float32).reshape(4, 1)
    expected = [[[a + b for a in row[0]] for b in rhs[:, 0]] for row in lhs]
    np.testing.assert_array_equal(meaning(ops.Add, lhs, rhs), expected)
