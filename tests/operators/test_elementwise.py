"""Elementwise operators of several operands, compiled."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operators.arrays import ALL, FLOATS, INTEGERS, LARGE, NUMBERS, SHAPES, SIGNED, array, cases, extremes, pairs
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import elementwise as ops

ARITHMETIC = (ops.Add, ops.Subtract, ops.Multiply, ops.Maximum, ops.Minimum)
DIVISIONS = (ops.Divide, ops.Mod, ops.FloorDivide, ops.FloorMod)
COMPARISONS = (ops.Equal, ops.NotEqual, ops.Less, ops.LessEqual, ops.Greater, ops.GreaterEqual)
BITWISE = (ops.BitwiseAnd, ops.BitwiseOr, ops.BitwiseXor)
LOGICAL = (ops.LogicalAnd, ops.LogicalOr, ops.LogicalXor)
SHIFTS = (ops.LeftShift, ops.RightShift)


@pytest.mark.parametrize("operator", cases(*ARITHMETIC))
def test_arithmetic(operator):
    check_all(Case(operator, *pairs(dtype)) for dtype in NUMBERS)


@pytest.mark.parametrize("operator", cases(*DIVISIONS))
def test_division(operator):
    check_all(Case(operator, *pairs(dtype, nonzero=dtype in INTEGERS)) for dtype in NUMBERS)


@pytest.mark.parametrize("operator", cases(*DIVISIONS))
def test_division_of_many(operator):
    check_all(
        Case(operator, array(*LARGE, dtype=dtype, low=-100, high=100), array(2047, dtype=dtype, low=1, high=9))
        for dtype in (np.int32, np.float32)
    )


def test_power_of_floats():
    check_all((Case(ops.Power, *pairs(dtype)) for dtype in FLOATS), opt_levels=(0, 3))
    check_all(Case(ops.Power, array(5, 17, dtype=dtype, low=0), array(17, dtype=dtype)) for dtype in FLOATS)


@pytest.mark.parametrize("dtype", cases(np.int8, np.uint8, np.int32, np.uint64))
def test_power_of_integers(dtype):
    check(ops.Power, *pairs(dtype), opt_levels=(3,))


@pytest.mark.parametrize("operator", cases(*COMPARISONS))
def test_comparisons(operator):
    check_all(Case(operator, *pairs(dtype)) for dtype in ALL)


@pytest.mark.parametrize("operator", cases(*BITWISE))
def test_bitwise(operator):
    check_all(Case(operator, *pairs(dtype)) for dtype in (np.bool_, *INTEGERS))


@pytest.mark.parametrize("operator", cases(*LOGICAL))
def test_logic(operator):
    check(operator, *pairs(np.bool_))
    check(operator, array(*LARGE, dtype=np.bool_), array(*LARGE, dtype=np.bool_, seed=1))


@pytest.mark.parametrize("operator", cases(*SHIFTS))
def test_shifts(operator):
    amounts = np.array([0, 1, 3, 7, 8, 15, 31, 32, 63, 64, 100, -1, -100])
    check_all(
        Case(operator, extremes(dtype)[:, None], amounts[amounts >= (-128 if dtype in SIGNED else 0)].astype(dtype))
        for dtype in INTEGERS
    )


def test_shapes():
    check_all((Case(ops.Add, array(*shape), array(*shape, seed=1)) for shape in SHAPES), opt_levels=(0, 3))


def test_broadcasting():
    inputs = [
        ((), (17,)),
        ((17,), ()),
        ((33, 1), (1, 15)),
        ((1, 15), (33, 1)),
        ((15,), (3, 7, 15)),
        ((3, 7, 15), (7, 1)),
        ((2, 1, 4, 1), (3, 1, 5)),
        ((1, 1, 1, 1, 1), (2, 3, 2, 3, 17)),
        ((4, 1, 3), (0, 3)),
        ((0, 1), (1, 7)),
        ((1, 2047), (33, 1)),
        (LARGE, (33, 1)),
        ((2047,), LARGE),
        ((65537,), ()),
    ]
    check_all((Case(ops.Subtract, array(*lhs), array(*rhs, seed=1)) for lhs, rhs in inputs), opt_levels=(0, 3))


def test_where_of_types():
    check_all(
        Case(ops.Where, array(5, 1, dtype=np.bool_), array(17, dtype=dtype), array(5, 17, dtype=dtype, seed=1))
        for dtype in ALL
    )


def test_where_of_a_condition_of_numbers():
    check_all(Case(ops.Where, extremes(dtype), array(), array(seed=1)) for dtype in NUMBERS)


@pytest.mark.parametrize(
    "shapes",
    [((), (), ()), ((), (7,), (3, 1)), ((3, 1), (7,), ()), ((0, 1), (7,), (1,)), ((33, 1), (2047,), LARGE)],
    ids=str,
)
def test_where_of_shapes(shapes):
    condition, x, y = shapes
    check(ops.Where, array(*condition, dtype=np.bool_), array(*x), array(*y, seed=1))
