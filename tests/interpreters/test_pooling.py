"""The meaning of pools, beside PyTorch and onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from tests.interpreters.references import meaning, onnx_node
from tests.optional_torch import functional, torch
from xrelay.dialects.relay import pooling as ops

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 7, 9), dtype=np.float32)
TOLERANCE = {"rtol": 1e-5, "atol": 1e-6}
BOTH = (False, True)


def torch_result(function, x: np.ndarray, *args, **attrs) -> np.ndarray:
    return function(torch.from_numpy(x), *args, **attrs).numpy()


# Among them strides longer than the window and windows that start in the padding.
WINDOWS = [((3, 2), (1, 1), (1, 1)), ((3, 2), (2, 3), (0, 1)), ((2, 3), (4, 5), (1, 0)), ((2, 2), (3, 3), (1, 1))]


@pytest.mark.parametrize(("size", "strides", "padding"), WINDOWS)
@pytest.mark.parametrize("ceil_mode", BOTH)
@pytest.mark.parametrize("include_pad", BOTH)
def test_avg_pool2d(size, strides, padding, ceil_mode, include_pad):
    expected = torch_result(functional.avg_pool2d, X, size, strides, padding, ceil_mode, include_pad)
    attrs = {"ceil_mode": ceil_mode, "count_include_pad": include_pad}
    actual = meaning(ops.AvgPool2D, X, pool_size=size, strides=strides, padding=padding, **attrs)
    np.testing.assert_allclose(actual, expected, **TOLERANCE)


@pytest.mark.parametrize(("size", "strides", "padding"), WINDOWS)
@pytest.mark.parametrize("ceil_mode", BOTH)
@pytest.mark.parametrize("dilation", [1, 2])
def test_max_pool2d(size, strides, padding, ceil_mode, dilation):
    expected = torch_result(functional.max_pool2d, X, size, strides, padding, dilation, ceil_mode)
    attrs = {"padding": padding, "dilation": [dilation], "ceil_mode": ceil_mode}
    np.testing.assert_array_equal(meaning(ops.MaxPool2D, X, pool_size=size, strides=strides, **attrs), expected)


@pytest.mark.parametrize("include_pad", BOTH)
@pytest.mark.parametrize("dilation", [1, 2])
def test_avg_pool2d_padded_on_one_side(include_pad, dilation):
    attrs = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 2, 1], "dilations": [dilation] * 2}
    expected = onnx_node("AveragePool", [X], np.float32, count_include_pad=int(include_pad), **attrs)
    attrs = {"pool_size": [3, 2], "strides": [2, 1], "padding": [1, 0, 2, 1], "dilation": [dilation]}
    actual = meaning(ops.AvgPool2D, X, count_include_pad=include_pad, **attrs)
    np.testing.assert_allclose(actual, expected, **TOLERANCE)


def test_other_ranks():
    line, cube = X[:, :, 0], RNG.standard_normal((1, 2, 5, 6, 7), dtype=np.float32)
    window = {"pool_size": [3], "strides": [2], "padding": [1], "ceil_mode": True}
    for (max_pool, avg_pool), data, rank in (
        ((ops.MaxPool1D, ops.AvgPool1D), line, 1),
        ((ops.MaxPool3D, ops.AvgPool3D), cube, 3),
    ):
        expected = torch_result(getattr(functional, f"max_pool{rank}d"), data, 3, 2, 1, ceil_mode=True)
        np.testing.assert_array_equal(meaning(max_pool, data, **window), expected)
        expected = torch_result(getattr(functional, f"avg_pool{rank}d"), data, 3, 2, 1, True, False)
        np.testing.assert_allclose(meaning(avg_pool, data, **window), expected, **TOLERANCE)


def test_layouts():
    x = RNG.standard_normal((1, 8, 6, 5), dtype=np.float32)
    window = {"pool_size": [3, 2], "strides": [2]}
    expected = torch_result(functional.max_pool2d, x, (3, 2), 2)
    nhwc, blocked = x.transpose(0, 2, 3, 1), x.reshape(1, 2, 4, 6, 5).transpose(0, 1, 3, 4, 2)
    actual = meaning(ops.MaxPool2D, nhwc, layout="NHWC", **window)
    np.testing.assert_array_equal(actual, expected.transpose(0, 2, 3, 1))
    actual = meaning(ops.MaxPool2D, blocked, layout="NCHW4c", **window)
    np.testing.assert_array_equal(actual.transpose(0, 1, 4, 2, 3).reshape(expected.shape), expected)
    actual = meaning(ops.MaxPool2D, blocked, layout="NCHW4c", out_layout="NCHW", **window)
    np.testing.assert_array_equal(actual, expected)


def test_padding_is_never_the_largest():
    window = {"pool_size": [3], "strides": [2], "padding": [1]}
    assert meaning(ops.MaxPool1D, np.full((1, 1, 3), -np.inf, np.float32), **window).tolist() == [[[-np.inf] * 2]]
    assert meaning(ops.MaxPool1D, np.full((1, 1, 3), -128, np.int8), **window).tolist() == [[[-128] * 2]]
    # A window over the padding alone, which PyTorch and ONNX do not allow.
    assert meaning(ops.MaxPool1D, np.ones((1, 1, 1), np.float32), pool_size=[1], padding=[1]).tolist() == [
        [[-np.inf, 1, -np.inf]]
    ]
    assert meaning(ops.AvgPool1D, np.ones((1, 1, 1), np.float32), pool_size=[1], padding=[1]).tolist() == [[[0, 1, 0]]]


def test_nan():
    x = np.float32([[[1, np.nan, 3, 4]]])
    np.testing.assert_array_equal(meaning(ops.MaxPool1D, x, pool_size=[2]), [[[np.nan, np.nan, 4]]])


def test_integer_means_truncate():
    assert meaning(ops.AvgPool1D, np.int8([[[-7, -8, 127, 127]]]), pool_size=[2]).tolist() == [[[-7, 59, 127]]]
    assert meaning(ops.AvgPool1D, np.uint8([[[255, 255, 0]]]), pool_size=[2]).tolist() == [[[255, 127]]]


def test_half_is_summed_in_float32():
    assert meaning(ops.GlobalAvgPool2D, np.full((1, 1, 64, 64), 32, np.float16)).item() == 32  # float16 ends at 65504


@pytest.mark.parametrize("size", [(1, 1), (7, 9), (3, 4), (14, 20), (5, 18)])
def test_adaptive2d(size):
    expected = torch_result(functional.adaptive_avg_pool2d, X, size)
    np.testing.assert_allclose(meaning(ops.AdaptiveAvgPool2D, X, output_size=size), expected, **TOLERANCE)
    expected = torch_result(functional.adaptive_max_pool2d, X, size)
    np.testing.assert_array_equal(meaning(ops.AdaptiveMaxPool2D, X, output_size=size), expected)
    nhwc = meaning(ops.AdaptiveMaxPool2D, X.transpose(0, 2, 3, 1), output_size=size, layout="NHWC")
    np.testing.assert_array_equal(nhwc, expected.transpose(0, 2, 3, 1))


def test_adaptive1d():
    line = X[:, :, 0]
    expected = torch_result(functional.adaptive_avg_pool1d, line, 4)
    np.testing.assert_allclose(meaning(ops.AdaptiveAvgPool1D, line, output_size=[4]), expected, **TOLERANCE)
    expected = torch_result(functional.adaptive_max_pool1d, line, 4)
    np.testing.assert_array_equal(meaning(ops.AdaptiveMaxPool1D, line, output_size=[4]), expected)
    np.testing.assert_array_equal(meaning(ops.AdaptiveMaxPool1D, line), line)


def test_global():
    np.testing.assert_allclose(meaning(ops.GlobalAvgPool2D, X), X.mean((2, 3), keepdims=True), **TOLERANCE)
    np.testing.assert_array_equal(meaning(ops.GlobalMaxPool2D, X), X.max((2, 3), keepdims=True))
