"""Elementwise operators of one operand, compiled."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from tests.operators.arrays import (
    ALL,
    FLOATS,
    INTEGERS,
    LARGE,
    NUMBERS,
    SHAPES,
    array,
    cases,
    extremes,
)
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import unary as ops
from xrelay.dialects.relay.types import element_of

DOMAINS = {
    # Where each function is defined, away from the places where a rounded argument changes everything.
    ops.Sqrt: (0, 100),
    ops.Rsqrt: (0.01, 100),
    ops.Exp: (-10, 10),
    ops.Log: (0.01, 100),
    ops.Log2: (0.01, 100),
    ops.Log10: (0.01, 100),
    ops.Sigmoid: (-20, 20),
    ops.Erf: (-4, 4),
    ops.Sin: (-20, 20),
    ops.Cos: (-20, 20),
    ops.Tan: (-1.5, 1.5),
    ops.Asin: (-1, 1),
    ops.Acos: (-1, 1),
    ops.Atan: (-20, 20),
    ops.Sinh: (-5, 5),
    ops.Cosh: (-5, 5),
    ops.Tanh: (-10, 10),
    ops.Asinh: (-20, 20),
    ops.Acosh: (1, 20),
    ops.Atanh: (-0.99, 0.99),
}
ROUNDING = (ops.Ceil, ops.Floor, ops.Trunc, ops.Round, ops.RoundEven)
PREDICATES = (ops.IsNaN, ops.IsInf, ops.IsFinite)
HALVES = np.array([-2.5, -1.5, -0.5, -0.49999997, 0.49999997, 0.5, 1.5, 2.5, 8388609.0, -8388609.0])


@pytest.mark.parametrize("operator", cases(*DOMAINS))
def test_functions(operator):
    low, high = DOMAINS[operator]
    check_all(Case(operator, np.linspace(low, high, 167).astype(dtype)) for dtype in FLOATS)


@pytest.mark.parametrize("operator", cases(*DOMAINS))
def test_functions_of_extremes(operator):
    check_all(Case(operator, extremes(dtype)) for dtype in (np.float32, np.float64))


@pytest.mark.parametrize("operator", cases(ops.Exp, ops.Tanh, ops.Erf, ops.Sqrt))
def test_functions_of_many(operator):
    low, high = DOMAINS[operator]
    check(operator, array(*LARGE, low=low, high=high))


@pytest.mark.parametrize("operator", cases(*ROUNDING))
def test_rounding(operator):
    with np.errstate(over="ignore"):
        values = np.concatenate([HALVES, np.linspace(-3, 3, 33)])
        check_all(Case(operator, np.concatenate([extremes(dtype), values.astype(dtype)])) for dtype in FLOATS)


@pytest.mark.parametrize("operator", cases(ops.Abs, ops.Negative, ops.Sign))
def test_signs(operator):
    check_all(Case(operator, extremes(dtype)) for dtype in NUMBERS)


@pytest.mark.parametrize("operator", cases(*PREDICATES))
def test_predicates(operator):
    check_all(Case(operator, extremes(dtype)) for dtype in FLOATS)


def test_logical_not():
    check(ops.LogicalNot, extremes(np.bool_))
    check(ops.LogicalNot, array(*LARGE, dtype=np.bool_))


def test_bitwise_not():
    check_all(Case(ops.BitwiseNot, extremes(dtype)) for dtype in (np.bool_, *INTEGERS))


def test_copy():
    check_all((Case(ops.Copy, array(3, 5, dtype=dtype)) for dtype in ALL), opt_levels=(0, 3))


@pytest.mark.parametrize("bounds", [(-1.5, 6.7), (-math.inf, 3), (0, math.inf), (-1e30, 1e30), (5, 2)], ids=str)
def test_clip(bounds):
    low, high = bounds
    check_all(Case(ops.Clip, extremes(dtype), a_min=low, a_max=high) for dtype in NUMBERS)


@pytest.mark.parametrize("dtype", cases(*ALL))
def test_cast(dtype):
    check_all(Case(ops.Cast, extremes(dtype), dtype=element_of(to)) for to in ALL)


def test_reinterpret():
    same_width = [
        (np.float32, np.int32),
        (np.uint32, np.float32),
        (np.float64, np.uint64),
        (np.int64, np.float64),
        (np.float16, ml_dtypes.bfloat16),
        (np.uint16, np.float16),
        (np.int8, np.uint8),
    ]
    check_all(
        Case(ops.Reinterpret, array(2, 17, dtype=dtype, low=1, high=100), dtype=element_of(to))
        for dtype, to in same_width
    )


def test_shapes():
    check_all((Case(ops.Negative, array(*shape)) for shape in SHAPES), opt_levels=(0, 3))
