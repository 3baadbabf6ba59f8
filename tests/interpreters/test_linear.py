"""The meaning of matrix products and bias, beside NumPy in float64."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.interpreters.references import meaning
from xrelay.dialects.relay.linear import BatchMatmul, BiasAdd, Dense, Matmul
from xrelay.dialects.relay.types import i32

RNG = np.random.default_rng(0)
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}


def randoms(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape, dtype=np.float32)


def einsum(formula: str, *arrays: np.ndarray) -> np.ndarray:
    return np.einsum(formula, *(a.astype(np.float64) for a in arrays))


@pytest.mark.parametrize("shape", [(7,), (2, 7), (2, 3, 7), (0, 7)])
def test_dense(shape):
    x, w = randoms(*shape), randoms(5, 7)
    np.testing.assert_allclose(meaning(Dense, x, w), einsum("...k,uk->...u", x, w), **TOLERANCE)


def test_sum_of_nothing():
    np.testing.assert_array_equal(meaning(Dense, randoms(2, 0), randoms(3, 0)), np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("transpose_a", "transpose_b", "formula"),
    [(False, False, "mk,kn->mn"), (True, False, "km,kn->mn"), (False, True, "mk,nk->mn"), (True, True, "km,nk->mn")],
)
def test_matmul(transpose_a, transpose_b, formula):
    sizes = {"m": 3, "k": 7, "n": 4}
    a, b = (randoms(*(sizes[i] for i in term)) for term in formula.split("->")[0].split(","))
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    np.testing.assert_allclose(meaning(Matmul, a, b, **attrs), einsum(formula, a, b), **TOLERANCE)
    a, b = np.stack([a, -a]), b[None]
    expected = einsum(formula, a[0], b[0])
    np.testing.assert_allclose(meaning(BatchMatmul, a, b, **attrs), [expected, -expected], **TOLERANCE)


def test_batch_matmul():
    a, b = randoms(3, 2, 5), randoms(3, 5, 4)
    np.testing.assert_allclose(meaning(BatchMatmul, a, b), einsum("bmk,bkn->bmn", a, b), **TOLERANCE)
    np.testing.assert_allclose(meaning(BatchMatmul, a[:1], b), einsum("mk,bkn->bmn", a[0], b), **TOLERANCE)


def test_narrow_types():
    x, w = RNG.integers(-128, 128, (2, 50), np.int8), RNG.integers(-128, 128, (3, 50), np.int8)
    exact = x.astype(np.int64) @ w.astype(np.int64).T
    np.testing.assert_array_equal(meaning(Dense, x, w, out_dtype=i32), exact)
    np.testing.assert_array_equal(meaning(Dense, x, w), exact.astype(np.int8))  # wraps around
    for dtype in (np.float16, ml_dtypes.bfloat16):
        ones = np.ones((1, 4096), dtype)
        assert meaning(Dense, ones, ones).item() == 4096  # summed in float32


def test_bias_add():
    x, bias = randoms(2, 3, 4, 3), randoms(3)
    np.testing.assert_array_equal(meaning(BiasAdd, x, bias), x + bias[:, None, None])
    np.testing.assert_array_equal(meaning(BiasAdd, x, bias, axis=-1), x + bias)
    assert meaning(BiasAdd, np.int8([[120]]), np.int8([10])).tolist() == [[-126]]
