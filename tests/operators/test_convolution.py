"""Convolutions, compiled."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.operators.arrays import FLOATS, NUMBERS, array, cases
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import convolution as ops
from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.types import f32, i32, i64
from xrelay.interpreters.relay.layouts import to_stored


def data(n: int, c: int, *sizes: int, **kwargs) -> np.ndarray:
    return array(n, c, *sizes, **kwargs)


def kernel(o: int, i: int, *sizes: int, **kwargs) -> np.ndarray:
    return array(o, i, *sizes, seed=1, **kwargs)


@pytest.mark.parametrize(
    ("image", "weight", "attrs"),
    [
        pytest.param((1, 3, 7, 7), (5, 3, 3, 3), {}, id="3x3"),
        pytest.param((2, 3, 7, 9), (5, 3, 3, 3), {"padding": (1, 1)}, id="padded"),
        pytest.param((1, 2, 8, 9), (4, 2, 3, 2), {"padding": (0, 1, 2, 3)}, id="padded unevenly"),
        pytest.param((1, 4, 7, 7), (17, 4, 1, 1), {}, id="1x1"),
        pytest.param((2, 33, 15, 17), (15, 33, 1, 1), {}, id="1x1 odd channels"),
        pytest.param((1, 3, 15, 15), (8, 3, 1, 1), {"strides": (2, 2)}, id="1x1 strided"),
        pytest.param((1, 3, 15, 17), (9, 3, 3, 3), {"strides": (2, 2), "padding": (1, 1)}, id="strided"),
        pytest.param((1, 2, 13, 20), (3, 2, 3, 3), {"strides": (3, 1)}, id="strided unevenly"),
        pytest.param((1, 3, 31, 31), (7, 3, 7, 7), {"strides": (2, 2), "padding": (3, 3)}, id="stem 7x7"),
        pytest.param((1, 2, 15, 17), (3, 2, 3, 3), {"dilation": (2, 3)}, id="dilated"),
        pytest.param(
            (1, 2, 17, 17), (4, 2, 3, 3), {"dilation": (2, 2), "strides": (2, 2), "padding": (2, 2)}, id="all"
        ),
        pytest.param((1, 6, 9, 9), (8, 3, 3, 3), {"groups": 2}, id="2 groups"),
        pytest.param((2, 6, 9, 9), (12, 2, 1, 1), {"groups": 3}, id="3 groups 1x1"),
        pytest.param((1, 7, 9, 9), (7, 1, 3, 3), {"groups": 7, "padding": (1, 1)}, id="depthwise"),
        pytest.param(
            (2, 5, 16, 33), (5, 1, 3, 3), {"groups": 5, "strides": (2, 2), "padding": (1, 1)}, id="depthwise strided"
        ),
        pytest.param((1, 3, 9, 9), (6, 1, 5, 5), {"groups": 3, "padding": (2, 2)}, id="depthwise multiplied"),
        pytest.param((1, 1, 1, 1), (1, 1, 1, 1), {}, id="one pixel"),
        pytest.param((1, 3, 5, 5), (17, 3, 5, 5), {}, id="one window"),
        pytest.param((1, 1, 1, 33), (1, 1, 1, 3), {}, id="one row"),
        pytest.param((1, 1, 33, 1), (1, 1, 3, 1), {}, id="one column"),
        pytest.param((0, 3, 7, 7), (5, 3, 3, 3), {}, id="no batch"),
        pytest.param((1, 0, 7, 7), (5, 0, 3, 3), {}, id="no channels"),
        pytest.param((1, 3, 7, 7), (0, 3, 3, 3), {}, id="no outputs"),
    ],
)
@pytest.mark.parametrize("constants", [(), (1,)], ids=["weight given", "weight known"])
def test_conv2d(image, weight, attrs, constants):
    check(
        ops.Conv2D,
        data(*image),
        kernel(*weight),
        constants=constants,
        opt_levels=(3,) if constants else (0, 3),
        **attrs,
    )


@pytest.mark.parametrize("attrs", [{"padding": (1, 1)}, {"groups": 3, "strides": (2, 2)}], ids=str)
def test_conv2d_of_types(attrs):
    inputs = 3 // attrs.get("groups", 1)
    check_all(
        Case(ops.Conv2D, data(1, 3, 7, 9, dtype=dtype), kernel(6, inputs, 3, 3, dtype=dtype), **attrs)
        for dtype in NUMBERS
    )


@pytest.mark.parametrize(
    ("x", "w", "out"),
    [
        (np.int8, np.int8, i32),
        (np.uint8, np.int8, i32),
        (np.int8, np.uint8, i64),
        (np.float16, np.float16, f32),
        (ml_dtypes.bfloat16, ml_dtypes.bfloat16, f32),
    ],
)
def test_conv2d_into_another_type(x, w, out):
    most = 100 if np.dtype(x).kind in "iu" else 1
    image = data(1, 4, 9, 17, dtype=x, low=-most, high=most)
    weight = kernel(9, 4, 3, 3, dtype=w, low=-most, high=most)
    check(ops.Conv2D, image, weight, padding=(1, 1), out_dtype=out)


@pytest.mark.parametrize(
    ("layout", "kernel_layout", "out_layout"),
    [
        ("NHWC", "HWIO", ""),
        ("NHWC", "OHWI", ""),
        ("NHWC", "HWIO", "NCHW"),
        ("NCHW", "HWIO", "NHWC"),
        ("HWCN", "OIHW", ""),
        ("NCHW4c", "OIHW4i8o", "NCHW8c"),
        ("NCHW", "OIHW8o", "NCHW8c"),
    ],
)
@pytest.mark.parametrize("strides", [(1, 1), (2, 2)], ids=str)
def test_conv2d_layouts(layout, kernel_layout, out_layout, strides):
    x = to_stored(data(2, 8, 9, 11), "NCHW", Layout.parse(layout))
    w = to_stored(kernel(16, 8, 3, 3), "OIHW", Layout.parse(kernel_layout))
    layouts = {"data_layout": layout, "kernel_layout": kernel_layout, "out_layout": out_layout}
    check(ops.Conv2D, x, w, strides=strides, padding=(1, 1), **layouts, opt_levels=(3,))


@pytest.mark.parametrize("groups", [2, 8])
def test_grouped_conv2d_in_nhwc(groups):
    x = to_stored(data(1, 8, 9, 11), "NCHW", Layout.parse("NHWC"))
    w = to_stored(kernel(8, 8 // groups, 3, 3), "OIHW", Layout.parse("HWIO"))
    check(ops.Conv2D, x, w, groups=groups, data_layout="NHWC", kernel_layout="HWIO", padding=(1, 1))


@pytest.mark.parametrize(
    ("image", "weight", "attrs"),
    [
        pytest.param((1, 16, 33, 31), (24, 16, 3, 3), {"padding": (1, 1)}, id="3x3"),
        pytest.param((1, 64, 28, 28), (65, 64, 1, 1), {}, id="1x1"),
        pytest.param((1, 16, 65, 65), (16, 1, 3, 3), {"padding": (1, 1), "groups": 16}, id="depthwise"),
        pytest.param((4, 8, 33, 33), (16, 8, 3, 3), {"strides": (2, 2)}, id="batch"),
    ],
)
@pytest.mark.parametrize("constants", [(), (1,)], ids=["weight given", "weight known"])
def test_large_conv2d(image, weight, attrs, constants):
    x, w = data(*image, low=-1, high=1), kernel(*weight, low=-1, high=1)
    check(ops.Conv2D, x, w, constants=constants, opt_levels=(3,), **attrs)


@pytest.mark.parametrize("dtype", cases(*FLOATS))
def test_conv2d_of_special_numbers(dtype):
    x = data(1, 2, 7, 17, dtype=dtype)
    x[0, 0, 1, 2], x[0, 1, 5, 15] = np.nan, np.inf
    check(ops.Conv2D, x, kernel(5, 2, 3, 3, dtype=dtype, low=1), padding=(1, 1), opt_levels=(3,))


def test_conv1d():
    inputs = [
        ((1, 3, 17), (5, 3, 3), {}),
        ((2, 3, 33), (5, 3, 4), {"padding": (1, 2), "strides": (2,)}),
        ((1, 4, 33), (6, 2, 3), {"groups": 2, "dilation": (3,)}),
        ((1, 5, 15), (5, 1, 3), {"groups": 5, "padding": (1,)}),
        ((2, 17, 4), (9, 17, 3), {"data_layout": "NCW"}),
        ((4, 16, 700), (16, 16, 3), {"padding": (1,)}),
    ]
    check_all(
        (Case(ops.Conv1D, data(*signal), kernel(*weight), **attrs) for signal, weight, attrs in inputs),
        opt_levels=(0, 3),
    )


def test_conv1d_in_nwc():
    check(ops.Conv1D, array(2, 17, 5), array(3, 5, 9, seed=1), data_layout="NWC", kernel_layout="WIO")


@pytest.mark.parametrize(
    ("image", "weight", "attrs"),
    [
        pytest.param((1, 3, 7, 7), (3, 5, 3, 3), {}, id="plain"),
        pytest.param((2, 3, 7, 9), (3, 5, 3, 3), {"strides": (2, 2), "padding": (1, 1)}, id="strided"),
        pytest.param((1, 3, 7, 7), (3, 5, 4, 4), {"strides": (2, 2), "padding": (1, 1, 2, 0)}, id="padded unevenly"),
        pytest.param((1, 3, 5, 5), (3, 4, 3, 3), {"strides": (3, 2), "output_padding": (2, 1)}, id="output padding"),
        pytest.param((1, 2, 6, 7), (2, 3, 3, 2), {"dilation": (2, 3)}, id="dilated"),
        pytest.param((1, 6, 5, 7), (6, 2, 3, 3), {"groups": 2, "strides": (2, 2)}, id="2 groups"),
        pytest.param((1, 5, 5, 7), (5, 1, 3, 3), {"groups": 5, "strides": (2, 2)}, id="depthwise"),
        pytest.param((1, 4, 7, 7), (4, 17, 2, 2), {"strides": (2, 2)}, id="2x2 upsampling"),
        pytest.param((1, 3, 5, 5), (3, 4, 1, 1), {"strides": (2, 2)}, id="gaps"),
        pytest.param((0, 3, 5, 5), (3, 4, 3, 3), {}, id="no batch"),
        pytest.param((2, 16, 17, 17), (16, 15, 4, 4), {"strides": (2, 2), "padding": (1, 1)}, id="large"),
    ],
)
def test_conv2d_transpose(image, weight, attrs):
    check(ops.Conv2DTranspose, data(*image), kernel(*weight), **attrs)


def test_conv2d_transpose_of_types():
    check_all(
        Case(ops.Conv2DTranspose, data(1, 3, 5, 7, dtype=dtype), kernel(3, 4, 3, 3, dtype=dtype), strides=(2, 2))
        for dtype in NUMBERS
    )


@pytest.mark.parametrize(("layout", "kernel_layout"), [("NHWC", "HWOI"), ("NHWC", "IOHW"), ("NCHW", "OIHW")])
def test_conv2d_transpose_layouts(layout, kernel_layout):
    x = to_stored(data(2, 6, 5, 7), "NCHW", Layout.parse(layout))
    w = to_stored(kernel(6, 4, 3, 3), "IOHW", Layout.parse(kernel_layout))
    check(ops.Conv2DTranspose, x, w, strides=(2, 2), data_layout=layout, kernel_layout=kernel_layout)


def test_conv1d_transpose():
    inputs = [
        ((1, 3, 7), (3, 5, 3), {}),
        ((2, 3, 15), (3, 5, 4), {"strides": (2,), "padding": (1, 2), "output_padding": (1,)}),
        ((1, 4, 9), (4, 3, 3), {"groups": 2, "dilation": (2,)}),
        ((4, 16, 200), (16, 8, 4), {"strides": (2,)}),
    ]
    check_all(
        (Case(ops.Conv1DTranspose, data(*signal), kernel(*weight), **attrs) for signal, weight, attrs in inputs),
        opt_levels=(0, 3),
    )
