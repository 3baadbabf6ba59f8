"""The meaning of convolutions, beside PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from tests.interpreters.references import meaning
from tests.optional_torch import functional, torch
from xrelay.dialects.relay.convolution import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose
from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.types import i32
from xrelay.interpreters.relay.layouts import to_stored, to_whole

RNG = np.random.default_rng(0)
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}
"""Sums of about a hundred float32 products, added in another order."""


def randoms(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape, dtype=np.float32)


def torch_result(function, *arrays: np.ndarray, **attrs) -> np.ndarray:
    return function(*map(torch.from_numpy, arrays), **attrs).numpy()


@pytest.mark.parametrize("groups", [1, 2, 8])
@pytest.mark.parametrize(
    ("strides", "padding", "dilation"), [((1, 1), (0, 0), (1, 1)), ((2, 1), (1, 2), (1, 1)), ((2, 3), (0, 2), (2, 1))]
)
def test_conv2d(groups, strides, padding, dilation):
    x, w = randoms(2, 8, 9, 10), randoms(16, 8 // groups, 3, 2)
    attrs = {"padding": padding, "dilation": dilation, "groups": groups}
    expected = torch_result(functional.conv2d, x, w, stride=strides, **attrs)
    np.testing.assert_allclose(meaning(Conv2D, x, w, strides=strides, **attrs), expected, **TOLERANCE)


def test_conv2d_padding_on_one_side():
    x, w = randoms(1, 3, 6, 6), randoms(2, 3, 3, 3)
    padded = np.pad(x, [(0, 0), (0, 0), (1, 0), (0, 2)])
    expected = torch_result(functional.conv2d, padded, w)
    np.testing.assert_allclose(meaning(Conv2D, x, w, padding=[1, 0, 0, 2]), expected, **TOLERANCE)


def test_conv1d():
    x, w = randoms(2, 6, 11), randoms(4, 3, 3)
    expected = torch_result(functional.conv1d, x, w, stride=2, padding=2, dilation=2, groups=2)
    actual = meaning(Conv1D, x, w, strides=[2], padding=[2], dilation=[2], groups=2)
    np.testing.assert_allclose(actual, expected, **TOLERANCE)


@pytest.mark.parametrize("groups", [1, 2, 8])
@pytest.mark.parametrize(
    ("strides", "padding", "dilation", "output_padding"),
    [
        ((1, 1), (0, 0), (1, 1), (0, 0)),
        ((2, 3), (1, 2), (1, 1), (1, 0)),
        ((2, 3), (1, 0), (2, 1), (1, 2)),
        ((3, 2), (2, 2), (1, 1), (2, 1)),
    ],
)
def test_conv2d_transpose(groups, strides, padding, dilation, output_padding):
    x, w = randoms(2, 8, 4, 5), randoms(8, 2, 3, 3)
    attrs = {"padding": padding, "dilation": dilation, "groups": groups, "output_padding": output_padding}
    expected = torch_result(functional.conv_transpose2d, x, w, stride=strides, **attrs)
    np.testing.assert_allclose(meaning(Conv2DTranspose, x, w, strides=strides, **attrs), expected, **TOLERANCE)


def test_conv1d_transpose():
    x, w = randoms(2, 6, 5), randoms(6, 2, 3)
    attrs = {"padding": [1], "output_padding": [1], "groups": 3}
    expected = torch_result(functional.conv_transpose1d, x, w, stride=2, padding=1, output_padding=1, groups=3)
    np.testing.assert_allclose(meaning(Conv1DTranspose, x, w, strides=[2], **attrs), expected, **TOLERANCE)


def test_transposed_padding_on_one_side():
    x, w = randoms(1, 2, 4, 4), randoms(2, 3, 3, 3)
    expected = torch_result(functional.conv_transpose2d, x, w, stride=2)[:, :, 1:, :-2]
    np.testing.assert_allclose(meaning(Conv2DTranspose, x, w, strides=[2], padding=[1, 0, 0, 2]), expected, **TOLERANCE)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(
    ("data", "kernel", "out"),
    [
        ("NHWC", "HWIO", ""),
        ("NHWC", "OHWI", "NCHW"),
        ("NCHW", "HWOI", "NCHW4c"),
        ("NCHW4c", "OIHW4i8o", "NCHW8c"),
        ("NCHW2c", "OIHW2i8o2i", ""),
        ("CHWN", "OIHW", ""),
    ],
)
def test_layouts(data, kernel, out, groups):
    x, w = randoms(2, 8, 5, 6), randoms(16, 8 // groups, 3, 2)
    expected = torch_result(functional.conv2d, x, w, groups=groups)
    stored = to_stored(x, "NCHW", Layout.parse(data)), to_stored(w, "OIHW", Layout.parse(kernel))
    actual = meaning(Conv2D, *stored, data_layout=data, kernel_layout=kernel, out_layout=out, groups=groups)
    np.testing.assert_allclose(to_whole(actual, Layout.parse(out or data), "NCHW"), expected, **TOLERANCE)


def test_depthwise_hwoi():
    x, w = randoms(1, 6, 7, 8), randoms(3, 3, 8, 1)
    expected = torch_result(functional.conv2d, x.transpose(0, 3, 1, 2), w.transpose(2, 3, 0, 1), groups=8)
    actual = meaning(Conv2D, x, w, groups=8, data_layout="NHWC", kernel_layout="HWOI")
    np.testing.assert_allclose(actual, expected.transpose(0, 2, 3, 1), **TOLERANCE)


def test_integers():
    x, w = RNG.integers(-128, 128, (1, 4, 5, 5), np.int8), RNG.integers(-128, 128, (3, 4, 3, 3), np.int8)
    expected = torch_result(functional.conv2d, x.astype(np.int64), w.astype(np.int64))
    np.testing.assert_array_equal(meaning(Conv2D, x, w, out_dtype=i32), expected.astype(np.int32))
    np.testing.assert_array_equal(meaning(Conv2D, x, w), expected.astype(np.int8))  # wraps around
    unsigned = x.view(np.uint8)
    expected = torch_result(functional.conv2d, unsigned.astype(np.int64), w.astype(np.int64))
    np.testing.assert_array_equal(meaning(Conv2D, unsigned, w, out_dtype=i32), expected.astype(np.int32))


def test_half_is_summed_in_float32():
    # In float16 the sum would stop growing at 2048.
    ones = np.ones((1, 4096, 1, 1), np.float16)
    assert meaning(Conv2D, ones, ones).item() == 4096


def test_no_batch():
    assert meaning(Conv2D, randoms(0, 3, 5, 5), randoms(2, 3, 3, 3)).shape == (0, 2, 3, 3)


def test_layouts_round_trip():
    x = randoms(2, 48, 3, 1)
    layout = Layout.parse("HNCW4c3c")
    stored = to_stored(x, "NCHW", layout)
    assert stored.shape == (3, 2, 4, 1, 4, 3)
    assert stored[2, 1, 3, 0, 2, 1] == x[1, 3 * 12 + 2 * 3 + 1, 2, 0]
    np.testing.assert_array_equal(to_whole(stored, layout, "NCHW"), x)
    padded = to_stored(x, "NCHW", Layout.parse("NCHW32c"))
    assert padded.shape == (2, 2, 3, 1, 32)
    np.testing.assert_array_equal(padded[:, 1, :, :, 16:], 0)
