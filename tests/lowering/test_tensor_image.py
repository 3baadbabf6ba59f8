"""Image operators: the lowering gives what the meaning gives."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.lowering_utils import assert_lowering_matches
from xrelay.dialects.relay.image import COORDINATE_MODES, METHODS, ROUNDING_METHODS, Resize2D

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 2, 5, 6)).astype(np.float32)


@pytest.mark.parametrize("size", [(7, 3), (10, 12), (1, 2)])
@pytest.mark.parametrize("mode", COORDINATE_MODES)
@pytest.mark.parametrize("method", METHODS)
def test_modes(method: str, mode: str, size: tuple[int, int]):
    attrs = {"method": method, "coordinate_transformation_mode": mode, "roi": (-0.2, 0.0, 1.3, 0.7)}
    assert_lowering_matches(Resize2D, [X], rtol=1e-5, size=size, extrapolation_value=3.0, **attrs)


@pytest.mark.parametrize("mode", ["half_pixel", "asymmetric", "align_corners"])
@pytest.mark.parametrize("rounding_method", ROUNDING_METHODS)
def test_rounding(rounding_method: str, mode: str):
    attrs = {"coordinate_transformation_mode": mode, "rounding_method": rounding_method}
    assert_lowering_matches(Resize2D, [X], size=(8, 3), method="nearest_neighbor", **attrs)


def test_layout_scales_and_excluded_pixels():
    data = X.transpose(0, 2, 3, 1)
    assert_lowering_matches(Resize2D, [data], rtol=1e-5, size=(7, 4), layout="NHWC")
    for cubic_exclude in (False, True):
        attrs = {"method": "cubic", "cubic_exclude": cubic_exclude, "cubic_alpha": -0.75}
        assert_lowering_matches(Resize2D, [X], rtol=1e-5, size=(7, 3), scales=(7.3 / 5, 3.1 / 6), **attrs)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float16, np.float64])
def test_dtypes(dtype, method: str):
    data = (RNG.random((1, 2, 5, 6)) * 200).astype(dtype)
    rtol = {np.float16: 2e-3, np.float64: 1e-12}.get(dtype, 0)
    assert_lowering_matches(Resize2D, [data], rtol=rtol, size=(7, 4), method=method)
