"""Lowered normalizations, run by the interpreter of the tensor level, beside their meanings."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.lowering.lowering_utils import assert_lowering_matches
from xrelay.dialects.relay import normalization as ops

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 6, 4, 5))
VECTORS = RNG.random((4, 6))
TOLERANCE = {np.float32: 2e-5, np.float64: 1e-12, np.float16: 1e-3, ml_dtypes.bfloat16: 1e-2}
"""Some units in the last place: sums in another order, and products with a reciprocal for quotients."""
DTYPES = pytest.mark.parametrize("dtype", TOLERANCE)
SCALES = pytest.mark.parametrize(("scale", "center"), [(True, True), (True, False), (False, True), (False, False)])


def arrays(dtype, count: int, axis: int = 1) -> list[np.ndarray]:
    """The data, its six channels along `axis`, and vectors."""
    return [np.ascontiguousarray(np.moveaxis(X, 1, axis)).astype(dtype), *VECTORS[:count].astype(dtype)]


@DTYPES
@SCALES
def test_scale_and_center(dtype, scale, center):
    attrs = {"rtol": TOLERANCE[dtype], "scale": scale, "center": center}
    assert_lowering_matches(ops.BatchNorm, arrays(dtype, 4), **attrs)
    assert_lowering_matches(ops.InstanceNorm, arrays(dtype, 2), **attrs)
    assert_lowering_matches(ops.GroupNorm, arrays(dtype, 2), num_groups=3, **attrs)
    assert_lowering_matches(ops.LayerNorm, arrays(dtype, 2, -1), **attrs)


@pytest.mark.parametrize("axis", [1, 2, -1])
def test_axis(axis):
    attrs = {"rtol": 2e-5, "axis": axis, "epsilon": 0.1}
    assert_lowering_matches(ops.BatchNorm, arrays(np.float32, 4, axis), **attrs)
    assert_lowering_matches(ops.InstanceNorm, arrays(np.float32, 2, axis), **attrs)
    assert_lowering_matches(ops.GroupNorm, arrays(np.float32, 2, axis), num_groups=2, **attrs)
    assert_lowering_matches(ops.LayerNorm, arrays(np.float32, 2, axis), **attrs)


@DTYPES
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax(dtype, axis):
    x = (X * 20).astype(dtype)
    assert_lowering_matches(ops.Softmax, [x], TOLERANCE[dtype], axis=axis)
    assert_lowering_matches(ops.LogSoftmax, [x], TOLERANCE[dtype], axis=axis)


def test_softmax_of_large_numbers():
    x = np.float32([[1e30, 1e30], [-1e30, 0], [np.nan, 1], [np.inf, 1]])
    assert_lowering_matches(ops.Softmax, [x])
    assert_lowering_matches(ops.LogSoftmax, [x])


@DTYPES
@pytest.mark.parametrize("axis", [[1], [-1, 1], [2, 3]])
def test_l2_normalize(dtype, axis):
    assert_lowering_matches(ops.L2Normalize, [X.astype(dtype)], TOLERANCE[dtype], eps=3.0, axis=axis)


@DTYPES
@pytest.mark.parametrize(("size", "axis"), [(1, 1), (4, 1), (5, -1), (13, 2)])
def test_lrn(dtype, size, axis):
    assert_lowering_matches(ops.LRN, [X.astype(dtype)], TOLERANCE[dtype], size=size, axis=axis, alpha=0.3)


def test_dropout():
    assert_lowering_matches(ops.Dropout, [X.astype(np.float16)])


def test_no_elements():
    empty = np.zeros((0, 3), np.float32)
    for x in (empty, empty.T.copy()):
        assert_lowering_matches(ops.Softmax, [x])
        assert_lowering_matches(ops.LogSoftmax, [x])
        vector = np.ones(x.shape[1], np.float32)
        assert_lowering_matches(ops.LayerNorm, [x, vector, vector])
