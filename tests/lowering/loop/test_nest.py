"""Loop nests of maps and reductions: vectors, tails, threads and positions, compiled, against their meaning."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.operators.arrays import LARGE, array
from tests.operators.harness import Case, check_all
from xrelay.dialects.relay.elementwise import Add
from xrelay.dialects.relay.indexing import StridedSlice
from xrelay.dialects.relay.reduce import Argmax, Argmin, Max, Mean, Min, Prod, Sum
from xrelay.dialects.relay.transform import Reverse, Transpose

LENGTHS = [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 40]


def folds(*shape: int) -> list[tuple[int, ...]]:
    """All non-empty choices of axes."""
    axes = range(len(shape))
    return [chosen for n in range(1, len(shape) + 1) for chosen in itertools.combinations(axes, n)]


@pytest.mark.parametrize("operator", [Sum, Prod, Max, Min, Mean, Argmax, Argmin])
def test_reductions_along_all_axes(operator: type):
    shape = (3, 5, 19)
    x = array(*shape, low=0.5, high=1.5)
    check_all(Case(operator, x, axis=axes, keepdims=len(axes) == 2) for axes in folds(*shape))


@pytest.mark.parametrize("operator", [Sum, Max, Argmax])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int8, np.uint8, np.int64])
def test_reductions_of_all_lengths(operator: type, dtype: type):
    check_all(Case(operator, array(3, length, dtype=dtype), axis=(axis,)) for length in LENGTHS[::2] for axis in (0, 1))


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("operator", [Argmax, Argmin])
def test_position_of_equal_elements_and_nan(operator: type, last: bool):
    """Ties and NaN in every lane of a vector, and behind the last whole one."""
    cases = []
    for length in (5, 16, 37):
        ties = np.zeros((length, length), np.float32)
        np.fill_diagonal(ties, 1)
        ties[:, length // 2] = 1
        nan = np.where(ties == 1, np.nan, array(length, length)).astype(np.float32)
        endless = np.full((2, length), np.float32(-np.inf))
        for x, axis in itertools.product((ties, nan, endless), ((0,), (1,), None)):
            cases.append(Case(operator, x, axis=axis, select_last_index=last))
    check_all(cases)


def test_maps_of_all_lengths():
    """Operands that move along the last axis, stand still along it, or are read across it."""
    cases = []
    for length in LENGTHS:
        x, column = array(3, length), array(3, 1, seed=1)
        cases += [
            Case(Add, x, column),
            Case(Add, x, array(length, seed=1)),
            Case(Add, column, array(1, length, seed=2)),
            Case(Transpose, x, axes=(1, 0)),
            Case(Reverse, x, axis=1),
            Case(StridedSlice, x, begin=(0, 0), end=(3, length), strides=(1, 2)),
        ]
    check_all(cases)


def test_threads_share_large_nests():
    x = array(*LARGE, low=0.5, high=1.5)
    y = array(*LARGE, seed=1)
    check_all(
        [
            Case(Add, x, y),
            Case(Add, x.reshape(-1), y.reshape(-1)),
            Case(Transpose, x, axes=(1, 0)),
            *(Case(operator, x, axis=axis) for operator in (Mean, Max, Argmax) for axis in (None, (0,), (1,))),
        ],
        opt_levels=(0, 3),
    )
