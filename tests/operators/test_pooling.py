"""Pools, compiled."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operators.arrays import NUMBERS, array, cases
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import pooling as ops
from xrelay.dialects.relay.layout import Layout
from xrelay.interpreters.relay.layouts import to_stored

WINDOWS = (ops.MaxPool2D, ops.AvgPool2D)
ADAPTIVE = (ops.AdaptiveMaxPool2D, ops.AdaptiveAvgPool2D)
GLOBAL = (ops.GlobalMaxPool2D, ops.GlobalAvgPool2D)


@pytest.mark.parametrize(
    ("shape", "attrs"),
    [
        pytest.param((1, 3, 7, 7), {"pool_size": (2, 2)}, id="2x2"),
        pytest.param((2, 3, 15, 17), {"pool_size": (2, 2), "strides": (2, 2)}, id="strided"),
        pytest.param((1, 3, 15, 15), {"pool_size": (3, 3), "strides": (2, 2), "padding": (1, 1)}, id="padded"),
        pytest.param((1, 2, 8, 9), {"pool_size": (3, 2), "padding": (0, 1, 2, 0)}, id="padded unevenly"),
        pytest.param((1, 2, 8, 10), {"pool_size": (3, 3), "strides": (2, 3), "ceil_mode": True}, id="ceil"),
        pytest.param(
            (1, 2, 7, 7), {"pool_size": (3, 3), "strides": (3, 3), "padding": (1, 1), "ceil_mode": True}, id="all"
        ),
        pytest.param((1, 2, 17, 15), {"pool_size": (3, 3), "dilation": (2, 3)}, id="dilated"),
        pytest.param((1, 1, 1, 1), {"pool_size": (1, 1)}, id="one pixel"),
        pytest.param((1, 5, 7, 7), {"pool_size": (7, 7)}, id="one window"),
        pytest.param((1, 1, 3, 3), {"pool_size": (2, 2), "strides": (4, 4)}, id="stride beyond"),
        pytest.param((0, 3, 7, 7), {"pool_size": (2, 2)}, id="no batch"),
        pytest.param((2, 17, 33, 31), {"pool_size": (3, 3), "padding": (1, 1)}, id="large"),
    ],
)
@pytest.mark.parametrize("operator", cases(*WINDOWS))
def test_pool2d(operator, shape, attrs):
    check(operator, array(*shape), **attrs, opt_levels=(3,))


@pytest.mark.parametrize("padding", [(1, 1), (2, 0, 1, 2)], ids=str)
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_avg_pool_counts_the_padding(padding, ceil_mode):
    attrs = {"pool_size": (3, 3), "strides": (2, 2), "padding": padding, "ceil_mode": ceil_mode}
    check(ops.AvgPool2D, array(2, 3, 8, 9), count_include_pad=True, **attrs)


@pytest.mark.parametrize("operator", cases(*WINDOWS))
def test_windows_over_padding_only(operator):
    check(operator, array(1, 2, 3, 3), pool_size=(2, 2), padding=(2, 2))


@pytest.mark.parametrize("operator", cases(*WINDOWS, *ADAPTIVE, *GLOBAL))
def test_types(operator):
    attrs = {"pool_size": (3, 3), "strides": (2, 2), "padding": (1, 1)} if operator in WINDOWS else {}
    attrs |= {"output_size": (3, 2)} if operator in ADAPTIVE else {}
    check_all(Case(operator, array(1, 3, 7, 9, dtype=dtype, low=-100, high=100), **attrs) for dtype in NUMBERS)


@pytest.mark.parametrize("operator", cases(*WINDOWS))
def test_special_numbers(operator):
    x = array(1, 2, 9, 9)
    x[0, 0, 4, 4], x[0, 1, 0, 0], x[0, 1, 8, 8] = np.nan, np.inf, -np.inf
    check(operator, x, pool_size=(3, 3), padding=(1, 1))


@pytest.mark.parametrize("operator", cases(*WINDOWS, *ADAPTIVE, *GLOBAL))
def test_layouts(operator):
    attrs = {"pool_size": (3, 2), "strides": (2, 2), "padding": (1, 1)} if operator in WINDOWS else {}
    attrs |= {"output_size": (3, 2)} if operator in ADAPTIVE else {}
    layouts = [("NHWC", ""), ("HWCN", ""), ("NCHW4c", ""), ("NCHW", "NCHW8c"), ("NHWC", "NCHW")]
    check_all(
        Case(
            operator,
            to_stored(array(2, 8, 7, 9), "NCHW", Layout.parse(layout)),
            layout=layout,
            out_layout=out_layout,
            **attrs,
        )
        for layout, out_layout in layouts
    )


@pytest.mark.parametrize("operator", cases(ops.MaxPool1D, ops.AvgPool1D))
def test_pool1d(operator):
    check(operator, array(2, 3, 33), pool_size=(3,), strides=(2,), padding=(1, 0))
    check(operator, array(1, 17, 15), pool_size=(2,), ceil_mode=True, strides=(2,))
    check(operator, array(2, 15, 7), pool_size=(3,), layout="NWC", dilation=(2,))


@pytest.mark.parametrize("operator", cases(ops.MaxPool3D, ops.AvgPool3D))
def test_pool3d(operator):
    check(operator, array(1, 3, 5, 7, 9), pool_size=(2, 3, 2), strides=(2, 1, 2), padding=(1, 1, 0))
    check(operator, array(1, 5, 7, 9, 3), pool_size=(2, 2, 2), strides=(2, 2, 2), ceil_mode=True, layout="NDHWC")


@pytest.mark.parametrize("operator", cases(*ADAPTIVE))
def test_adaptive_pool2d(operator):
    sizes = [(), (1, 1), (3,), (2, 5), (7, 9), (14, 10)]
    check_all((Case(operator, array(2, 3, 7, 9), output_size=size) for size in sizes), opt_levels=(0, 3))


@pytest.mark.parametrize("operator", cases(ops.AdaptiveMaxPool1D, ops.AdaptiveAvgPool1D))
def test_adaptive_pool1d(operator):
    sizes = [(), (1,), (4,), (20,)]
    check_all((Case(operator, array(2, 3, 15), output_size=size) for size in sizes), opt_levels=(0, 3))


@pytest.mark.parametrize("operator", cases(*GLOBAL))
def test_global_pool2d(operator):
    inputs = [(1, 1, 1, 1), (2, 17, 7, 7), (1, 3, 1, 33), (0, 3, 2, 2), (4, 64, 17, 17)]
    check_all((Case(operator, array(*shape)) for shape in inputs), opt_levels=(0, 3))
