"""Type rules of pools."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer
from tests.optional_torch import torch
from xrelay.dialects.relay import pooling as ops

X = "1x8x10x12xf32"


@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({"pool_size": [3]}, "1x8x8x10xf32"),
        ({"pool_size": [2, 3], "strides": [2]}, "1x8x5x5xf32"),
        ({"pool_size": [3], "strides": [2], "padding": [1]}, "1x8x5x6xf32"),
        ({"pool_size": [3], "strides": [2], "padding": [0, 0, 1, 1]}, "1x8x5x6xf32"),
        ({"pool_size": [3], "dilation": [2, 3]}, "1x8x6x6xf32"),
        ({"pool_size": [3], "strides": [2], "ceil_mode": True}, "1x8x5x6xf32"),
        ({"pool_size": [3], "out_layout": "NCHW4c"}, "1x2x8x10x4xf32"),
    ],
)
@pytest.mark.parametrize("operator", [ops.MaxPool2D, ops.AvgPool2D])
def test_pool2d(operator, attrs, expected):
    assert infer(operator, X, **attrs) == expected


def test_other_ranks():
    assert infer(ops.MaxPool1D, "1x8x10xf32", pool_size=[2], strides=[2], padding=[0, 1]) == "1x8x5xf32"
    assert infer(ops.AvgPool1D, "1x10x8xf32", pool_size=[3], layout="NWC") == "1x8x8xf32"
    assert infer(ops.MaxPool3D, "1x8x4x6x6xf32", pool_size=[2, 3, 3], strides=[2, 3, 3]) == "1x8x2x2x2xf32"
    assert infer(ops.AvgPool3D, "1x4x6x6x8xf32", pool_size=[2], layout="NDHWC") == "1x3x5x5x8xf32"


def test_other_layouts():
    assert infer(ops.MaxPool2D, "1x10x12x8xi8", pool_size=[2], layout="NHWC") == "1x9x11x8xi8"
    assert infer(ops.MaxPool2D, "1x2x10x12x4xf32", pool_size=[2], layout="NCHW4c") == "1x2x9x11x4xf32"


def test_unknown_sizes():
    assert infer(ops.MaxPool2D, "?x8x?x12xf32", pool_size=[2]) == "?x8x?x11xf32"
    assert infer(ops.AdaptiveAvgPool2D, "?x8x?x?xf32", output_size=[7]) == "?x8x7x7xf32"
    assert infer(ops.GlobalAvgPool2D, "1x?x?x4xf32") == "1x?x1x1xf32"


@pytest.mark.parametrize("length", range(3, 12))
@pytest.mark.parametrize(("size", "stride", "padding"), [(2, 3, 1), (3, 2, 1), (2, 5, 0), (1, 4, 0), (3, 3, 0)])
def test_ceil_mode_is_that_of_pytorch(length, size, stride, padding):
    attrs = {"pool_size": [size], "strides": [stride], "padding": [padding], "ceil_mode": True}
    expected = torch.nn.functional.max_pool1d(torch.zeros(1, 1, length), size, stride, padding, 1, ceil_mode=True)
    assert infer(ops.MaxPool1D, f"1x1x{length}xf32", **attrs) == f"1x1x{expected.shape[2]}xf32"


def test_adaptive():
    assert infer(ops.AdaptiveMaxPool1D, "1x8x10xf32", output_size=[4]) == "1x8x4xf32"
    assert infer(ops.AdaptiveAvgPool1D, "1x8x10xf32") == "1x8x10xf32"
    assert infer(ops.AdaptiveMaxPool2D, X, output_size=[4, 20]) == "1x8x4x20xf32"
    assert infer(ops.AdaptiveAvgPool2D, "1x10x12x8xf32", output_size=[3], layout="NHWC") == "1x3x3x8xf32"


def test_global():
    assert infer(ops.GlobalMaxPool2D, X) == "1x8x1x1xf32"
    assert infer(ops.GlobalAvgPool2D, "1x2x10x12x4xf32", layout="NCHW4c", out_layout="NHWC") == "1x1x1x8xf32"


@pytest.mark.parametrize(
    ("data", "attrs", "message"),
    [
        (X, {"layout": "NCW"}, 'layout "NCW" must have the axes N, C, H, W'),
        (X, {"layout": "NCHW2h"}, 'layout "NCHW2h" must not split the axis H'),
        (X, {"layout": "NCHW4c"}, "has 5 axes"),
        (X, {"out_layout": "NCHW2w"}, 'out_layout "NCHW2w" must not split the axis W'),
        (X, {"out_layout": "NCHW3c"}, 'out_layout "NCHW3c" does not divide C'),
        ("1x8x10x12xi1", {}, "takes numbers, got i1"),
    ],
)
@pytest.mark.parametrize("operator", [ops.MaxPool2D, ops.AvgPool2D, ops.AdaptiveMaxPool2D, ops.GlobalAvgPool2D])
def test_c1_layouts(operator, data, attrs, message):
    window = {"pool_size": [2]} if issubclass(operator, ops.WindowPooling) else {}
    with pytest.raises(VerifyException, match=f"C1: .*{message}"):
        infer(operator, data, **attrs, **window)


@pytest.mark.parametrize(
    "attrs",
    [
        {"pool_size": [0]},
        {"pool_size": [1, 1, 1]},
        {"pool_size": [2], "strides": [0]},
        {"pool_size": [2], "dilation": [0]},
        {"pool_size": [2], "padding": [-1]},
        {"pool_size": [2], "padding": [1, 1, 1]},
    ],
)
def test_c2_windows(attrs):
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.MaxPool2D, X, **attrs)


def test_c3_no_window_fits():
    with pytest.raises(VerifyException, match="C3: no window of"):
        infer(ops.MaxPool2D, X, pool_size=[11, 1])


@pytest.mark.parametrize("size", [[0, 1], [-1], [1, 1, 1]])
def test_adaptive_c2_output_size(size):
    with pytest.raises(VerifyException, match="C2: output_size"):
        infer(ops.AdaptiveAvgPool2D, X, output_size=size)


def test_empty_data():
    with pytest.raises(VerifyException, match="C3: the data is empty"):
        infer(ops.AdaptiveAvgPool2D, "1x8x0x12xf32", output_size=[1])
    with pytest.raises(VerifyException, match="C2: the data is empty"):
        infer(ops.GlobalMaxPool2D, "1x8x0x12xf32")
    assert infer(ops.GlobalMaxPool2D, "0x8x3x3xf32") == "0x8x1x1xf32"
