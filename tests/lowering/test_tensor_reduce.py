"""Reductions: the lowering gives what the meaning gives."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.lowering.lowering_utils import assert_lowering_matches
from xrelay.dialects.relay import reduce as ops

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 4, 5)).astype(np.float32)
NUMERIC = (ops.Sum, ops.Prod, ops.Max, ops.Min, ops.Mean)


@pytest.mark.parametrize("operator", NUMERIC)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, (0,), (1, -1), (0, 1, 2)])
def test_axes(operator, axis, keepdims: bool):
    assert_lowering_matches(operator, [X], rtol=1e-5, axis=axis, keepdims=keepdims)
    assert_lowering_matches(operator, [X], rtol=1e-5, axis=axis, keepdims=keepdims, exclude=True)


@pytest.mark.parametrize("operator", NUMERIC)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float64, np.float16, ml_dtypes.bfloat16])
def test_dtypes(operator, dtype):
    exact = np.dtype(dtype).kind in "iu"
    rtol = 0 if exact else 2 * float(ml_dtypes.finfo(dtype).eps)
    data = (X * 40).astype(np.int32).astype(dtype) if exact else X.astype(dtype)
    assert_lowering_matches(operator, [data], rtol=rtol, axis=(1,))


@pytest.mark.parametrize("operator", NUMERIC)
@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.float32])
def test_no_elements_and_scalars(operator, dtype):
    assert_lowering_matches(operator, [np.empty((2, 0, 3), dtype)], axis=(1,))
    assert_lowering_matches(operator, [np.empty((2, 0, 3), dtype)], axis=(0,))
    assert_lowering_matches(operator, [np.array(3, dtype)])


@pytest.mark.parametrize("operator", [ops.Max, ops.Min])
def test_nan_propagates(operator):
    data = X.copy()
    data[1, 2, 3] = np.nan
    assert_lowering_matches(operator, [data], axis=(2,))


@pytest.mark.parametrize("operator", [ops.Argmax, ops.Argmin])
@pytest.mark.parametrize("select_last_index", [False, True])
@pytest.mark.parametrize("axis", [None, (0,), (1, 2)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint8, np.bool_])
def test_argmax_with_ties(operator, dtype, axis, select_last_index: bool):
    data = RNG.integers(0, 3, (3, 4, 5)).astype(dtype)
    assert_lowering_matches(operator, [data], axis=axis, select_last_index=select_last_index)


@pytest.mark.parametrize("operator", [ops.Argmax, ops.Argmin])
@pytest.mark.parametrize("select_last_index", [False, True])
def test_argmax_of_special_values(operator, select_last_index: bool):
    data = np.array([[1, np.nan, 9, np.nan], [-np.inf] * 4, [np.inf] * 4], np.float32)
    assert_lowering_matches(operator, [data], axis=(1,), keepdims=True, select_last_index=select_last_index)


@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_variance(dtype, unbiased: bool):
    data = X.astype(dtype)
    mean = data.mean(axis=(0, 2), keepdims=True)
    assert_lowering_matches(ops.Variance, [data, mean], rtol=2e-3, axis=(0, 2), unbiased=unbiased)


@pytest.mark.parametrize("operator", [ops.All, ops.Any])
def test_logic(operator):
    assert_lowering_matches(operator, [X > 0.8], axis=(1,))
    assert_lowering_matches(operator, [X < 10])
