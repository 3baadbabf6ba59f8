"""Type rules of convolutions."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer
from xrelay.dialects.relay.convolution import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose
from xrelay.dialects.relay.types import f32, i32

X = "1x8x10x12xf32"
W = "16x8x3x3xf32"


# Convolutions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({}, "1x16x8x10xf32"),
        ({"padding": [1]}, "1x16x10x12xf32"),
        ({"padding": [1, 2]}, "1x16x10x14xf32"),
        ({"padding": [1, 0, 2, 1]}, "1x16x11x11xf32"),
        ({"strides": [2]}, "1x16x4x5xf32"),
        ({"strides": [2, 3], "padding": [1]}, "1x16x5x4xf32"),
        ({"dilation": [2, 1]}, "1x16x6x10xf32"),
        ({"channels": 16, "kernel_size": [3, 3]}, "1x16x8x10xf32"),
        ({"out_layout": "NHWC"}, "1x8x10x16xf32"),
        ({"out_layout": "NCHW8c"}, "1x2x8x10x8xf32"),
    ],
)
def test_conv2d(attrs, expected):
    assert infer(Conv2D, X, W, **attrs) == expected


def test_conv1d():
    assert infer(Conv1D, "2x8x12xf32", "4x8x3xf32", padding=[1, 2], strides=[2]) == "2x4x7xf32"
    assert infer(Conv1D, "2x12x8xf32", "3x8x4xf32", data_layout="NWC", kernel_layout="WIO") == "2x10x4xf32"


def test_grouped():
    assert infer(Conv2D, X, "16x2x3x3xf32", groups=4) == "1x16x8x10xf32"
    assert infer(Conv2D, X, "16x1x3x3xf32", groups=8) == "1x16x8x10xf32"
    nhwc = {"data_layout": "NHWC", "kernel_layout": "HWOI", "groups": 8}
    assert infer(Conv2D, "1x10x12x8xf32", "3x3x8x1xf32", **nhwc) == "1x8x10x8xf32"


def test_blocked():
    attrs = {"data_layout": "NCHW16c", "kernel_layout": "OIHW16i32o", "out_layout": "NCHW32c"}
    assert infer(Conv2D, "1x4x7x7x16xf32", "2x4x1x1x16x32xf32", **attrs) == "1x2x7x7x32xf32"
    depthwise = {"data_layout": "NCHW16c", "kernel_layout": "OIHW1i16o", "groups": 64}
    assert infer(Conv2D, "1x4x7x7x16xf32", "4x1x3x3x1x16xf32", **depthwise) == "1x4x5x5x16xf32"


def test_element_types():
    assert infer(Conv2D, "1x8x9x9xi8", "4x8x3x3xi8", out_dtype=i32) == "1x4x7x7xi32"
    assert infer(Conv2D, "1x8x9x9xui8", "4x8x3x3xi8", out_dtype=i32) == "1x4x7x7xi32"
    assert infer(Conv2D, "1x8x9x9xf16", "4x8x3x3xf16", out_dtype=f32) == "1x4x7x7xf32"


def test_unknown_sizes():
    assert infer(Conv2D, "?x8x?x12xf32", W, padding=[1]) == "?x16x?x12xf32"
    assert infer(Conv2D, "?x?x10x12xf32", W) == "?x16x8x10xf32"
    assert infer(Conv2D, X, "?x?x?x?xf32") == "1x?x?x?xf32"
    assert infer(Conv2D, X, "?x?x?x?xf32", channels=16, kernel_size=[3, 3]) == "1x16x8x10xf32"
    assert infer(Conv2D, "1x?x7x7x16xf32", "2x?x1x1x16x8xf32", data_layout="NCHW16c", kernel_layout="OIHW16i8o") == (
        "1x1x7x7x16xf32"
    )


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({"data_layout": "NCH"}, 'data_layout "NCH" must have the axes N, C, H, W'),
        ({"data_layout": "NCHW4h"}, 'data_layout "NCHW4h" must not split the axis H'),
        ({"data_layout": "nchw"}, "is no layout"),
        ({"data_layout": "NCHW4c"}, 'layout "NCHW4c" has 5 axes'),
        ({"kernel_layout": "IHW"}, 'kernel_layout "IHW" must have the axes O, I, H, W'),
        ({"kernel_layout": "OIHW1w"}, 'kernel_layout "OIHW1w" must not split the axis W'),
        ({"out_layout": "NCW"}, 'out_layout "NCW" must have the axes'),
    ],
)
def test_c1_layouts(attrs, message):
    with pytest.raises(VerifyException, match=f"C1: .*{message}"):
        infer(Conv2D, X, W, **attrs)


@pytest.mark.parametrize(
    ("data", "weight", "attrs"),
    [
        (X, "16x8x3x3xf16", {}),
        (X, "16x8x3x3xf16", {"out_dtype": f32}),
        ("1x8x9x9xi1", "4x8x3x3xi1", {}),
        ("1x8x9x9xui8", "4x8x3x3xi8", {}),
        ("1x8x9x9xui8", "4x8x3x3xi16", {"out_dtype": i32}),
        (X, W, {"out_dtype": i32}),
    ],
)
def test_c2_element_types(data, weight, attrs):
    with pytest.raises(VerifyException, match="C2: "):
        infer(Conv2D, data, weight, **attrs)


@pytest.mark.parametrize(
    ("weight", "attrs", "message"),
    [
        ("16x4x3x3xf32", {}, "O = 16 and I = 4 does not fit 8 input channels in 1 groups"),
        (W, {"groups": 2}, "O = 16 and I = 8 does not fit 8 input channels in 2 groups"),
        ("16x2x3x3xf32", {"groups": 3}, "groups 3 does not divide the 8 input channels"),
        (W, {"groups": 0}, "groups 0"),
        ("6x2x3x3xf32", {"groups": 4}, "groups 4 does not divide the 6 output channels"),
        # TensorFlow's depthwise kernel (H, W, C, multiplier) must become (H, W, C · multiplier, 1).
        ("8x2x3x3xf32", {"groups": 8}, "O = 8 and I = 2 does not fit"),
    ],
)
def test_c3_channels(weight, attrs, message):
    with pytest.raises(VerifyException, match=f"C3: .*{message}"):
        infer(Conv2D, X, weight, **attrs)


@pytest.mark.parametrize("attrs", [{"channels": 8}, {"kernel_size": [3, 2]}, {"kernel_size": [3]}])
def test_c4_other_than_the_weight(attrs):
    with pytest.raises(VerifyException, match="C4: "):
        infer(Conv2D, X, W, **attrs)


@pytest.mark.parametrize(
    "attrs",
    [{"strides": [0]}, {"strides": [1, 1, 1]}, {"dilation": [1, 0]}, {"padding": [-1]}, {"padding": [1, 1, 1]}],
)
def test_c5_windows(attrs):
    with pytest.raises(VerifyException, match="C5: "):
        infer(Conv2D, X, W, **attrs)


def test_c6_no_window_fits():
    with pytest.raises(VerifyException, match=r"C6: no window of size \(3, 3\) fits"):
        infer(Conv2D, "1x8x2x12xf32", W)
    assert infer(Conv2D, "1x8x2x12xf32", W, padding=[1, 0, 0, 0]) == "1x16x1x10xf32"


def test_c7_split_does_not_divide():
    with pytest.raises(VerifyException, match='C7: out_layout "NCHW32c" does not divide C'):
        infer(Conv2D, X, W, out_layout="NCHW32c")


# Transposed convolutions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({}, "1x16x12x14xf32"),
        ({"strides": [2]}, "1x16x21x25xf32"),
        ({"strides": [2], "padding": [1]}, "1x16x19x23xf32"),
        ({"strides": [2], "padding": [1], "output_padding": [1]}, "1x16x20x24xf32"),
        ({"strides": [2], "padding": [0, 1, 1, 2], "output_padding": [0, 1]}, "1x16x20x23xf32"),
        ({"dilation": [2]}, "1x16x14x16xf32"),
        ({"groups": 2}, "1x32x12x14xf32"),
        ({"groups": 2, "channels": 32, "kernel_size": [3, 3]}, "1x32x12x14xf32"),
        ({"out_layout": "NHWC"}, "1x12x14x16xf32"),
    ],
)
def test_conv2d_transpose(attrs, expected):
    assert infer(Conv2DTranspose, X, "8x16x3x3xf32", **attrs) == expected


def test_conv1d_transpose():
    assert infer(Conv1DTranspose, "2x8x12xf32", "8x4x3xf32", strides=[3], output_padding=[2]) == "2x4x38xf32"
    assert infer(Conv1DTranspose, "2x8x?xf32", "8x4x3xf32") == "2x4x?xf32"


def test_transposed_kernel_layout():
    attrs = {"data_layout": "NHWC", "kernel_layout": "HWOI"}
    assert infer(Conv2DTranspose, "1x10x12x8xf32", "3x3x16x8xf32", **attrs) == "1x12x14x16xf32"


def test_transposed_c3_channels():
    with pytest.raises(VerifyException, match="C3: a kernel with O = 8 and I = 16 does not fit 8 input channels"):
        infer(Conv2DTranspose, X, "16x8x3x3xf32")


def test_transposed_c5_output_padding():
    with pytest.raises(VerifyException, match="C5: output_padding"):
        infer(Conv2DTranspose, X, "8x16x3x3xf32", output_padding=[-1])


def test_transposed_c6_nothing_left():
    with pytest.raises(VerifyException, match="C6: "):
        infer(Conv2DTranspose, "1x8x1x1xf32", "8x16x3x3xf32", padding=[2])
    with pytest.raises(VerifyException, match="C6: "):
        infer(Conv2DTranspose, "1x8x0x4xf32", "8x16x3x3xf32")
