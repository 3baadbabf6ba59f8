"""Reductions, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.operators.arrays import FLOATS, INTEGERS, LARGE, NUMBERS, array, cases, extremes
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import reduce as ops

FOLDS = (ops.Sum, ops.Prod, ops.Max, ops.Min, ops.Mean)
POSITIONS = (ops.Argmax, ops.Argmin)
LOGIC = (ops.All, ops.Any)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("operator", cases(*FOLDS, *POSITIONS))
def test_types(operator, axis):
    check_all(Case(operator, array(17, 33, dtype=dtype, low=-100, high=100), axis=(axis,)) for dtype in NUMBERS)


@pytest.mark.parametrize("operator", cases(ops.Sum, ops.Max, ops.Argmin))
def test_axes(operator):
    inputs = [
        ((), None),
        ((1,), (0,)),
        ((7,), None),
        ((17,), (0,)),
        ((3, 1), (1,)),
        ((1, 3), (0,)),
        ((3, 33), (-1,)),
        ((33, 3), (0,)),
        ((2, 15, 3), (1,)),
        ((2, 3, 4, 5), (0, 2)),
        ((2, 3, 4, 5), (1, 3)),
        ((2, 3, 2, 3, 17), (2, 3, 4)),
        ((2, 1, 3, 1, 5), (1, 3)),
        (LARGE, (0,)),
        (LARGE, (1,)),
        ((65537,), None),
    ]
    check_all((Case(operator, array(*shape, low=-1, high=1), axis=axis) for shape, axis in inputs), opt_levels=(0, 3))


@pytest.mark.parametrize("operator", cases(*FOLDS, *POSITIONS))
def test_attributes(operator):
    choices = [{"keepdims": True}, {"exclude": True}, {"keepdims": True, "exclude": True}]
    check_all(Case(operator, array(2, 7, 3), axis=(1,), **attrs) for attrs in choices)


@pytest.mark.parametrize("operator", cases(*FOLDS))
def test_one_element_along_the_axis(operator):
    shapes = [(3, 1), (1, 3), (1, 1, 5)]
    check_all(Case(operator, array(*shape, low=-4, high=-1), axis=(shape.index(1),)) for shape in shapes)


@pytest.mark.parametrize("operator", cases(*FOLDS))
def test_no_elements(operator):
    shapes = [((2, 0, 3), (1,)), ((2, 0, 3), (0,)), ((0,), None)]
    check_all(Case(operator, array(*shape, dtype=dtype), axis=axis) for shape, axis in shapes for dtype in NUMBERS)


@pytest.mark.parametrize("operator", cases(ops.Max, ops.Min, *POSITIONS))
def test_extremes(operator):
    both_ways = [np.stack([extremes(dtype), extremes(dtype)[::-1]]) for dtype in INTEGERS]
    check_all(Case(operator, x, axis=(1,)) for x in both_ways)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("operator", cases(*FOLDS, *POSITIONS))
def test_nan_and_infinity(operator, axis):
    x = array(17, 17)
    x[3, 0], x[0, 3], x[16, 16], x[5, 5], x[5, 6], x[6, 5] = np.nan, np.nan, np.nan, np.inf, -np.inf, np.inf
    check_all(Case(operator, x.astype(dtype), axis=(axis,)) for dtype in FLOATS)


@pytest.mark.parametrize("select_last_index", [False, True])
@pytest.mark.parametrize("operator", cases(*POSITIONS))
def test_positions_of_ties(operator, select_last_index):
    x = array(3, 17, 5, dtype=np.int32, low=0, high=3)
    axes = [None, (0,), (1,), (0, 2)]
    check_all(Case(operator, x, axis=axis, select_last_index=select_last_index) for axis in axes)


def test_sums_of_integers_wrap_around():
    check_all(Case(ops.Sum, np.full((3, 300), np.iinfo(dtype).max, dtype), axis=(1,)) for dtype in INTEGERS)
    check_all(Case(ops.Mean, array(3, 300, dtype=dtype, low=-100, high=100), axis=(1,)) for dtype in INTEGERS)


@pytest.mark.parametrize("axis", [(1,), (0, 2), (2,)], ids=str)
@pytest.mark.parametrize("unbiased", [False, True])
def test_variance(unbiased, axis):
    def case(dtype: Any) -> Case:
        x = array(3, 17, 5, dtype=dtype)
        mean = x.astype(np.float64).mean(axis, keepdims=True).astype(dtype)
        return Case(ops.Variance, x, mean, axis=axis, unbiased=unbiased)

    check_all(case(dtype) for dtype in FLOATS)


def test_variance_of_many():
    x = array(*LARGE)
    check(ops.Variance, x, x.mean(1, keepdims=True), axis=(1,))


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((), None), ((33,), None), ((3, 17), (1,)), ((17, 3), (0,)), ((2, 0), (1,)), ((3, 1), (1,)), (LARGE, (1,))],
)
@pytest.mark.parametrize("operator", cases(*LOGIC))
def test_logic(operator, shape, axis):
    x = array(*shape, dtype=np.bool_)
    check_all(Case(operator, data, axis=axis) for data in (x, np.ones_like(x), np.zeros_like(x)))
