"""Operators that make tensors, compiled."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operators.arrays import ALL, LARGE, NUMBERS, SHAPES, array, cases, extremes
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import creation as ops
from xrelay.dialects.relay.types import element_of, f32


@pytest.mark.parametrize("operator", cases(ops.Zeros, ops.Ones))
def test_fills(operator):
    check_all((Case(operator, shape=(3, 17), dtype=element_of(dtype)) for dtype in ALL), opt_levels=(0,))


def test_shapes():
    check_all((Case(ops.Ones, shape=shape, dtype=f32) for shape in SHAPES), opt_levels=(0, 3))
    check_all((Case(ops.Full, array(), shape=shape) for shape in SHAPES), opt_levels=(0, 3))


@pytest.mark.parametrize("operator", cases(ops.Zeros, ops.Ones))
def test_fills_too_large_to_be_folded(operator):
    check(operator, shape=(300, 1001), dtype=f32)


@pytest.mark.parametrize("operator", cases(ops.ZerosLike, ops.OnesLike))
def test_fills_like_data(operator):
    check_all((Case(operator, extremes(dtype)) for dtype in ALL), opt_levels=(0,))


@pytest.mark.parametrize("number", [-2.7, 0.0, 200.5])
def test_full_casts(number):
    value = np.array(number, np.float32)
    check_all((Case(ops.Full, value, shape=(2, 7), dtype=element_of(to)) for to in ALL), opt_levels=(0,))
    check_all((Case(ops.FullLike, array(2, 7, dtype=to), value) for to in ALL), opt_levels=(0,))


def test_full_like_of_many():
    check(ops.FullLike, array(*LARGE), array())


def test_arange_of_types():
    numbers = {"start": 1, "stop": 40, "step": 3}
    check_all((Case(ops.Arange, **numbers, dtype=element_of(dtype)) for dtype in NUMBERS), opt_levels=(0,))


def test_arange():
    inputs = [(0, 1, 0.1), (5, -5, -0.75), (3, 3, 1), (3, 0, 1), (0, 70001, 1), (-1, 1, 1e-05)]
    check_all(
        (Case(ops.Arange, start=start, stop=stop, step=step, dtype=f32) for start, stop, step in inputs),
        opt_levels=(0, 3),
    )


@pytest.mark.parametrize("indices", cases(np.int8, np.uint8, np.int32, np.uint64))
def test_one_hot_of_types(indices):
    places = array(7, dtype=indices, low=-3, high=9)
    check_all(Case(ops.OneHot, places, np.array(1, dtype), np.array(0, dtype), depth=5) for dtype in ALL)


@pytest.mark.parametrize(
    ("shape", "depth", "axis"),
    [((), 5, -1), ((7,), 5, 0), ((2, 3), 4, 1), ((2, 3), 4, -2), ((0, 3), 4, -1), ((3,), 0, -1), ((17, 33), 150, -1)],
)
def test_one_hot(shape, depth, axis):
    on, off = np.array(2.5, np.float32), np.array(-1, np.float32)
    check(ops.OneHot, array(*shape, dtype=np.int64, low=-2, high=9), on, off, depth=depth, axis=axis)
