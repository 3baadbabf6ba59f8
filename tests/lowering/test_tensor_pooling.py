"""Lowered pools, run by the interpreter of the tensor level, beside their meanings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lowering.lowering_utils import assert_lowering_matches
from xrelay.dialects.relay import pooling as ops

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 7, 9), dtype=np.float32)
RTOL = 1e-5
"""Sums in another order."""
BOTH = (False, True)


@pytest.mark.parametrize("ceil_mode", BOTH)
@pytest.mark.parametrize("dilation", [[1], [2, 3]])
@pytest.mark.parametrize(
    ("size", "strides", "padding"),
    [([3, 2], [1], [0]), ([3, 2], [2, 3], [2, 1, 0, 3]), ([2], [4, 5], [1]), ([1], [1], [1]), ([3], [9], [0])],
)
def test_windows(size, strides, padding, dilation, ceil_mode):
    attrs = {"pool_size": size, "strides": strides, "padding": padding, "dilation": dilation, "ceil_mode": ceil_mode}
    assert_lowering_matches(ops.MaxPool2D, [X], **attrs)
    for include_pad in BOTH:
        assert_lowering_matches(ops.AvgPool2D, [X], RTOL, count_include_pad=include_pad, **attrs)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.float16, np.float64])
def test_element_types(dtype):
    info = None if np.dtype(dtype).kind == "f" else np.iinfo(dtype)
    x = RNG.standard_normal((1, 2, 5, 5)) if info is None else RNG.integers(info.min, info.max, (1, 2, 5, 5), dtype)
    window = {"pool_size": [3, 2], "strides": [2], "padding": [1], "ceil_mode": True}
    for operator in (ops.MaxPool2D, ops.AvgPool2D):
        assert_lowering_matches(operator, [x.astype(dtype)], 1e-3 if dtype == np.float16 else RTOL, **window)
    assert_lowering_matches(ops.AdaptiveAvgPool2D, [x.astype(dtype)], 1e-3, output_size=[3])
    assert_lowering_matches(ops.AdaptiveMaxPool2D, [x.astype(dtype)], output_size=[3])


def test_nan_and_infinities():
    x = np.float32([[[1, np.nan, 3, -np.inf, -np.inf, 4, np.inf]]])
    assert_lowering_matches(ops.MaxPool1D, [x], pool_size=[2], padding=[1])
    assert_lowering_matches(ops.AvgPool1D, [x], pool_size=[2], padding=[1])
    # What lies behind a region's end must not be seen.
    assert_lowering_matches(ops.AdaptiveMaxPool1D, [x], output_size=[5])
    assert_lowering_matches(ops.AdaptiveAvgPool1D, [x], output_size=[5])


def test_other_ranks():
    window = {"pool_size": [3], "strides": [2], "padding": [1], "ceil_mode": True}
    cube = RNG.standard_normal((1, 4, 5, 6, 2), dtype=np.float32)
    for max_pool, avg_pool, data, layout in (
        (ops.MaxPool1D, ops.AvgPool1D, X[:, :, 0], "NCW"),
        (ops.MaxPool3D, ops.AvgPool3D, cube, "NDHWC"),
    ):
        assert_lowering_matches(max_pool, [data], layout=layout, **window)
        assert_lowering_matches(avg_pool, [data], RTOL, layout=layout, **window)


@pytest.mark.parametrize(("layout", "out"), [("NCHW4c", ""), ("NCHW4c", "NHWC"), ("NHWC8n", "NCHW2c"), ("CHWN", "")])
def test_layouts(layout, out):
    shape = {"NCHW4c": (1, 2, 6, 5, 4), "NHWC8n": (1, 6, 5, 4, 8), "CHWN": (4, 6, 5, 2)}[layout]
    x = RNG.standard_normal(shape, dtype=np.float32)
    layouts = {"layout": layout, "out_layout": out}
    assert_lowering_matches(ops.MaxPool2D, [x], pool_size=[2], **layouts)
    assert_lowering_matches(ops.AvgPool2D, [x], RTOL, pool_size=[2], padding=[1], **layouts)
    assert_lowering_matches(ops.GlobalAvgPool2D, [x], RTOL, **layouts)
    assert_lowering_matches(ops.AdaptiveMaxPool2D, [x], output_size=[4, 2], **layouts)


@pytest.mark.parametrize("size", [[], [1], [4], [7, 3], [14, 2], [5, 20]])
def test_adaptive(size):
    assert_lowering_matches(ops.AdaptiveMaxPool2D, [X], output_size=size)
    assert_lowering_matches(ops.AdaptiveAvgPool2D, [X], RTOL, output_size=size)
    assert_lowering_matches(ops.AdaptiveMaxPool1D, [X[0]], output_size=size[:1])
    assert_lowering_matches(ops.AdaptiveAvgPool1D, [X[0]], RTOL, output_size=size[:1])


def test_global():
    assert_lowering_matches(ops.GlobalMaxPool2D, [X])
    assert_lowering_matches(ops.GlobalAvgPool2D, [X], RTOL)
    assert_lowering_matches(ops.GlobalMaxPool2D, [X[:0]])


small = st.integers(1, 3)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 8), small, st.integers(1, 5), small, st.integers(0, 3), st.integers(0, 3), st.booleans())
def test_random_windows(length, size, stride, dilation, before, after, ceil_mode):
    if before + length + after < (size - 1) * dilation + 1:
        return
    x = RNG.standard_normal((1, 2, length), dtype=np.float32)
    attrs = {"strides": [stride], "dilation": [dilation], "padding": [before, after], "ceil_mode": ceil_mode}
    assert_lowering_matches(ops.MaxPool1D, [x], pool_size=[size], **attrs)
    for include_pad in BOTH:
        assert_lowering_matches(ops.AvgPool1D, [x], RTOL, pool_size=[size], count_include_pad=include_pad, **attrs)
