"""Operators that pick elements by position, compiled."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operators.arrays import ALL, FLOATS, INTEGERS, LARGE, NUMBERS, array, cases
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import indexing as ops
from xrelay.dialects.relay.types import element_of


def test_slices_of_types():
    attrs = {"begin": (1, 2), "end": (6, 16), "strides": (2, 3)}
    check_all(Case(ops.StridedSlice, array(7, 17, dtype=dtype), **attrs) for dtype in ALL)
    check_all(Case(ops.Split, array(7, 17, dtype=dtype), indices_or_sections=(3, 4, 11), axis=1) for dtype in ALL)


def test_strided_slice():
    inputs = [
        ((7,), {"begin": (2,), "end": (5,)}),
        ((17,), {"begin": (-1,), "end": (-18,), "strides": (-1,)}),
        ((33,), {"begin": (31,), "end": (0,), "strides": (-3,)}),
        ((3, 17), {"begin": (0, 1), "end": (100, 100), "strides": (1, 4)}),
        ((2, 3, 17), {"begin": (1,), "end": (2,), "axes": (-1,)}),
        ((2, 3, 17), {"begin": (1, 3), "end": (-1, 5), "slice_mode": "size"}),
        ((5, 7), {"begin": (2, 2), "end": (2, 5)}),
        ((2, 2, 3, 2, 7), {"begin": (0, 1), "end": (9, 7), "strides": (1, 2), "axes": (2, 4)}),
        (LARGE, {"begin": (0, 1), "end": (33, 2047), "strides": (1, 1)}),
        ((66, 2047), {"begin": (65, 2046), "end": (-67, -2048), "strides": (-1, -1)}),
    ]
    check_all((Case(ops.StridedSlice, array(*shape), **attrs) for shape, attrs in inputs), opt_levels=(0, 3))


def test_split():
    inputs = [
        ((8,), 4, 0),
        ((3, 15), 3, 1),
        ((6, 5), 2, 0),
        ((2, 17, 3), (5, 7), 1),
        ((7,), (0, 3, 3, 9), 0),
        ((33, 2048), 2, 1),
        ((5, 3), 1, 0),
    ]
    check_all(
        (Case(ops.Split, array(*shape), indices_or_sections=where, axis=axis) for shape, where, axis in inputs),
        opt_levels=(0, 3),
    )


@pytest.mark.parametrize("mode", ["clip", "wrap", "error"])
def test_take_by_types_of_indices(mode):
    most = 5 if mode == "error" else 12
    check_all(
        Case(ops.Take, array(5, 3), array(2, 7, dtype=indices, low=-most, high=most), axis=0, mode=mode)
        for indices in INTEGERS
    )


def test_take_of_types():
    places = array(17, dtype=np.int64, low=0, high=9)
    check_all(Case(ops.Take, array(3, 9, dtype=dtype), places, axis=1) for dtype in ALL)


@pytest.mark.parametrize(
    ("shape", "indices", "axis"),
    [
        ((7,), (), 0),
        ((7,), (17,), None),
        ((3, 5), (2, 3), None),
        ((3, 5), (4,), -1),
        ((2, 7, 3), (3, 2), 1),
        ((2, 3, 4, 5), (0,), 2),
        ((0, 3), (2,), 1),
        ((129, 65), (33, 33), 0),
        ((2, 5, 40_000), (3,), 1),
    ],
    ids=str,
)
def test_take(shape, indices, axis):
    size = int(np.prod(shape)) if axis is None else shape[axis]
    data, places = array(*shape), array(*indices, dtype=np.int32, low=-size, high=size)
    check_all(Case(ops.Take, data, places, axis=axis, mode=mode) for mode in ("clip", "wrap", "error"))


@pytest.mark.parametrize(("batch_dims", "axis"), [(1, 1), (1, 2), (2, 2)])
def test_take_of_batches(batch_dims, axis):
    data, indices = array(2, 3, 7), array(2, 3, 5, dtype=np.int64, low=0, high=3)
    check(ops.Take, data, indices, axis=axis, batch_dims=batch_dims)


def test_fast_take_of_valid_indices():
    check(ops.Take, array(7, 3), array(17, dtype=np.int64, low=0, high=7), axis=0, mode="fast")


def test_gather_of_types():
    places = array(3, 7, dtype=np.int64, low=0, high=5)
    check_all(Case(ops.Gather, array(5, 7, dtype=dtype), places, axis=0) for dtype in ALL)
    check_all(Case(ops.GatherND, array(5, 5, 5, dtype=dtype), places) for dtype in ALL)


def test_gather_by_types_of_indices():
    check_all(Case(ops.Gather, array(5, 7), array(5, 3, dtype=indices, low=0, high=7), axis=1) for indices in INTEGERS)
    check_all(Case(ops.GatherND, array(5, 7), array(1, 9, dtype=indices, low=0, high=5)) for indices in INTEGERS)


def test_gather():
    inputs = [
        ((7,), (17,), 0),
        ((3, 5), (3, 9), -1),
        ((3, 5), (2, 5), 0),
        ((2, 3, 4), (2, 7, 1), 1),
        ((3, 0), (0, 0), 1),
        (LARGE, LARGE, 1),
    ]
    check_all(
        (
            Case(ops.Gather, array(*shape), array(*indices, dtype=np.int64, low=0, high=max(shape[axis], 1)), axis=axis)
            for shape, indices, axis in inputs
        ),
        opt_levels=(0, 3),
    )


def test_gather_nd():
    inputs = [
        ((7,), (1, 5), 0),
        ((3, 4, 5), (2, 7), 0),
        ((3, 4, 5), (3, 2, 3), 0),
        ((3, 4, 5), (1, 3, 2), 1),
        ((3, 4), (0, 2), 0),
        ((33, 47, 43), (1, 33), 0),
    ]
    check_all(
        (
            Case(ops.GatherND, array(*shape), array(*indices, dtype=np.int64, low=0, high=3), batch_dims=batch_dims)
            for shape, indices, batch_dims in inputs
        ),
        opt_levels=(0, 3),
    )


@pytest.mark.parametrize("reduction", ["update", "add", "mul", "min", "max"])
def test_scatter_of_types(reduction):
    places = array(3, 7, dtype=np.int64, low=0, high=5)
    check_all(
        Case(
            ops.ScatterElements,
            array(5, 7, dtype=dtype),
            places,
            array(3, 7, dtype=dtype, seed=1),
            axis=0,
            reduction=reduction,
        )
        for dtype in NUMBERS
    )


@pytest.mark.parametrize(
    ("shape", "indices", "axis"),
    [((7,), (17,), 0), ((3, 5), (2, 9), 1), ((2, 3, 4), (2, 7, 4), 1), ((3, 5), (0, 5), 0), (LARGE, (7, 2047), 0)],
)
def test_scatter(shape, indices, axis):
    places = array(*indices, dtype=np.int32, low=0, high=shape[axis])
    check(ops.ScatterElements, array(*shape), places, array(*indices, seed=1), axis=axis)


def test_scatter_of_bools():
    places = array(3, 5, dtype=np.int64, low=0, high=4)
    check(ops.ScatterElements, array(4, 5, dtype=np.bool_), places, array(3, 5, dtype=np.bool_, seed=1))


@pytest.mark.parametrize("exclusive", [False, True])
def test_cumsum_of_types(exclusive):
    check_all(Case(ops.Cumsum, array(3, 17, dtype=dtype), axis=1, exclusive=exclusive) for dtype in NUMBERS)


@pytest.mark.parametrize("dtype", cases(np.bool_, np.int8, np.float32))
def test_cumsum_in_another_type(dtype):
    check_all(Case(ops.Cumsum, array(33, dtype=dtype, low=0), dtype=element_of(to)) for to in NUMBERS)


def test_cumsum():
    inputs = [((7,), 0), ((3, 5), None), ((3, 5), 0), ((2, 17, 3), 1), ((2, 0, 3), 1), ((0,), 0), ((65, 1025), 0)]
    check_all((Case(ops.Cumsum, array(*shape, low=0, high=1), axis=axis) for shape, axis in inputs), opt_levels=(0, 3))


@pytest.mark.parametrize("upper", [False, True])
def test_trilu(upper):
    diagonals = [np.array(k, np.int64) for k in (-9, -1, 0, 1, 9)]
    check_all(Case(ops.Trilu, array(5, 7), k, upper=upper) for k in diagonals)


def test_trilu_of_types():
    check_all(Case(ops.Trilu, array(2, 7, 5, dtype=dtype), np.array(1, np.int32)) for dtype in ALL)


def test_trilu_of_shapes():
    check_all(
        (Case(ops.Trilu, array(*shape), np.array(0, np.int64)) for shape in [(2, 0, 3), (1, 1), (2, 3, 4, 5), LARGE]),
        opt_levels=(0, 3),
    )


def test_slices_of_special_numbers():
    x = np.array([np.nan, 1, -np.inf, 2, -0.0, 3, 7.5])
    check_all(Case(ops.StridedSlice, x.astype(dtype), begin=(0,), end=(7,), strides=(2,)) for dtype in FLOATS)
