"""Matrix products, compiled."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.operators.arrays import FLOATS, LARGE, NUMBERS, array, cases
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import linear as ops
from xrelay.dialects.relay.types import f32, i32, i64

SIZES = [
    (1, 1, 1),
    (1, 7, 15),
    (7, 15, 1),
    (17, 33, 15),
    (5, 1, 9),
    (33, 64, 16),
    (65, 17, 67),
    (3, 0, 4),
    (0, 3, 4),
    (3, 4, 0),
]
"""(rows, summed, columns)"""


def small(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers whose long sums of products stay near 1, as the tolerances want it."""
    return array(*shape, low=-1, high=1, seed=seed)


@pytest.mark.parametrize("constants", [(), (1,)], ids=["weight given", "weight known"])
def test_dense(constants):
    check_all(
        (Case(ops.Dense, array(m, k), array(n, k, seed=1), constants=constants) for m, k, n in SIZES),
        opt_levels=(0, 3),
    )


@pytest.mark.parametrize("shape", [(7,), (2, 3, 7), (2, 1, 3, 7), (0, 2, 7)], ids=str)
def test_dense_of_ranks(shape):
    check(ops.Dense, array(*shape), array(17, 7, seed=1), units=17)
    check(ops.Matmul, array(*shape), array(7, 17, seed=1), units=17)


@pytest.mark.parametrize("columns", [5, 33])
def test_dense_of_types(columns):
    check_all(Case(ops.Dense, array(7, 15, dtype=dtype), array(columns, 15, dtype=dtype, seed=1)) for dtype in NUMBERS)


@pytest.mark.parametrize(
    ("data", "weight", "out"),
    [
        (np.int8, np.int8, i32),
        (np.uint8, np.int8, i32),
        (np.int8, np.uint8, i64),
        (np.uint16, np.int16, i64),
        (np.float16, np.float16, f32),
        (ml_dtypes.bfloat16, ml_dtypes.bfloat16, f32),
    ],
)
def test_dense_into_another_type(data, weight, out):
    most = 100 if np.dtype(data).kind in "iu" else 1
    x = array(9, 40, dtype=data, low=-most, high=most)
    w = array(19, 40, dtype=weight, low=-most, high=most, seed=1)
    check(ops.Dense, x, w, out_dtype=out)


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("transpose_a", [False, True])
def test_matmul(transpose_a, transpose_b):
    check_all(
        Case(
            ops.Matmul,
            array(*((k, m) if transpose_a else (m, k))),
            array(*((n, k) if transpose_b else (k, n)), seed=1),
            transpose_a=transpose_a,
            transpose_b=transpose_b,
        )
        for m, k, n in SIZES
    )


@pytest.mark.parametrize("batches", [(3, 3), (1, 3), (3, 1), (0, 0), (0, 1)], ids=str)
def test_batch_matmul(batches):
    m, k, n = 7, 15, 33
    check_all(
        Case(
            ops.BatchMatmul,
            array(batches[0], *((k, m) if transpose_a else (m, k))),
            array(batches[1], *((n, k) if transpose_b else (k, n)), seed=1),
            transpose_a=transpose_a,
            transpose_b=transpose_b,
        )
        for transpose_a in (False, True)
        for transpose_b in (False, True)
    )


def test_batch_matmul_of_types():
    check_all(
        Case(ops.BatchMatmul, array(2, 5, 9, dtype=dtype), array(2, 9, 17, dtype=dtype, seed=1)) for dtype in NUMBERS
    )


def test_large_products():
    check(ops.Dense, small(65, 129), small(97, 129, seed=1))
    check(ops.Matmul, small(129, 65), small(65, 97, seed=1))
    check(ops.BatchMatmul, small(8, 33, 65), small(8, 65, 47, seed=1))


def test_vector_times_large_matrix():
    check(ops.Dense, small(1, 513), small(301, 513, seed=1), constants=(1,))
    check(ops.Matmul, small(1, 513), small(513, 301, seed=1), constants=(1,))


def test_bias_add_of_types():
    check_all(
        Case(ops.BiasAdd, array(2, 5, 17, dtype=dtype, high=100), array(5, dtype=dtype, high=100, seed=1))
        for dtype in NUMBERS
    )


def test_bias_add():
    inputs = [((7,), 0), ((3, 33), -1), ((2, 3, 4, 5), 1), ((2, 0, 3), 1), (LARGE, 0)]
    check_all(
        (Case(ops.BiasAdd, array(*shape), array(shape[axis], seed=1), axis=axis) for shape, axis in inputs),
        opt_levels=(0, 3),
    )


@pytest.mark.parametrize("dtype", cases(*FLOATS))
def test_products_of_special_numbers(dtype):
    x = array(5, 7, dtype=dtype)
    x[1, 2], x[2, 3], x[3, 4] = np.nan, np.inf, -np.inf
    check(ops.Dense, x, array(17, 7, dtype=dtype, low=1, seed=1), opt_levels=(3,))
