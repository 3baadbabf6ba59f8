"""Operators on images, compiled."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operators.arrays import NUMBERS, array
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import image as ops
from xrelay.dialects.relay.types import f32, u8

METHODS = ("nearest_neighbor", "linear", "cubic")
MODES = (
    "half_pixel",
    "pytorch_half_pixel",
    "half_pixel_symmetric",
    "tf_half_pixel_for_nn",
    "align_corners",
    "asymmetric",
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", METHODS)
def test_modes(method, mode):
    attrs = {"method": method, "coordinate_transformation_mode": mode}
    check_all(Case(ops.Resize2D, array(1, 2, 7, 9), size=size, **attrs) for size in ((14, 18), (5, 3), (1, 1)))


@pytest.mark.parametrize("method", METHODS)
def test_crops(method):
    attrs = {
        "roi": (0.1, -0.2, 0.8, 1.3),
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 9.0,
    }
    check(ops.Resize2D, array(1, 2, 7, 9), size=(5, 11), method=method, **attrs)


@pytest.mark.parametrize("rounding", ["", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_rounding_of_the_nearest(rounding):
    attrs = {"method": "nearest_neighbor", "rounding_method": rounding}
    check_all(Case(ops.Resize2D, array(1, 2, 6, 8), size=size, **attrs) for size in ((9, 12), (3, 5)))


@pytest.mark.parametrize("method", METHODS)
def test_types(method):
    images = [array(1, 2, 5, 7, dtype=dtype, low=-100, high=100) for dtype in NUMBERS]
    check_all(Case(ops.Resize2D, x, size=(8, 9), method=method) for x in images)


@pytest.mark.parametrize("method", METHODS)
def test_other_results_layouts_and_scales(method):
    x = array(2, 5, 7, 3, low=-50, high=300)
    check_all(
        [
            Case(ops.Resize2D, x, size=(9, 4), method=method, layout="NHWC"),
            Case(ops.Resize2D, x, size=(9, 4), method=method, out_dtype=u8),
            Case(ops.Resize2D, np.abs(x).astype(np.uint8), size=(9, 4), method=method, out_dtype=f32),
            Case(ops.Resize2D, x, size=(11, 5), method=method, scales=(1.6, 1.7)),
        ]
    )


def test_cubic():
    attributes = [{"cubic_alpha": -0.75}, {"cubic_exclude": True}]
    check_all(Case(ops.Resize2D, array(1, 2, 6, 7), size=(9, 5), method="cubic", **attrs) for attrs in attributes)


@pytest.mark.parametrize("method", METHODS)
def test_large_images(method):
    check(ops.Resize2D, array(1, 3, 77, 91), size=(154, 182), method=method)
