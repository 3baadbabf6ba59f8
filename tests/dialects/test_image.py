"""Type rules of operators on images."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer
from xrelay.dialects.relay import image as ops
from xrelay.dialects.relay.types import bool_type, f32


def test_resize2d():
    assert infer(ops.Resize2D, "1x3x8x8xf32", size=[4, 16]) == "1x3x4x16xf32"
    assert infer(ops.Resize2D, "?x?x?x3xui8", size=[4, 16], layout="NHWC", out_dtype=f32) == "?x4x16x3xf32"


@pytest.mark.parametrize(
    ("data", "attrs"),
    [
        ("3x8x8xf32", {"size": [4, 4]}),
        ("1x3x8x8xf32", {"size": [4]}),
        ("1x3x8x8xf32", {"size": [4, 0]}),
        ("1x3x8x8xf32", {"size": [4, 4], "layout": "NCWH"}),
    ],
)
def test_resize2d_c1(data: str, attrs: dict):
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.Resize2D, data, **attrs)


@pytest.mark.parametrize("key", ["method", "coordinate_transformation_mode", "rounding_method"])
def test_resize2d_c2(key: str):
    with pytest.raises(VerifyException, match='C2: "bilinear" is none of '):
        infer(ops.Resize2D, "1x3x8x8xf32", size=[4, 4], **{key: "bilinear"})


@pytest.mark.parametrize(
    "attrs",
    [
        {"coordinate_transformation_mode": "tf_crop_and_resize"},
        {"coordinate_transformation_mode": "tf_crop_and_resize", "roi": [0.0, 1.0]},
        {"scales": [1.0]},
        {"scales": [1.0, 0.0]},
    ],
)
def test_resize2d_c3(attrs: dict):
    with pytest.raises(VerifyException, match="C3: "):
        infer(ops.Resize2D, "1x3x8x8xf32", size=[4, 4], **attrs)


def test_resize2d_c4():
    with pytest.raises(VerifyException, match="C4: "):
        infer(ops.Resize2D, "1x3x0x8xf32", size=[4, 4])
    with pytest.raises(VerifyException, match="C4: "):
        infer(ops.Resize2D, "1x3x8x8xi1", size=[4, 4])
    with pytest.raises(VerifyException, match="C4: "):
        infer(ops.Resize2D, "1x3x8x8xf32", size=[4, 4], out_dtype=bool_type)
