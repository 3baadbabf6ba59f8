"""The meaning of operators on images, against PyTorch and the ONNX reference."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from tests.lowering.lowering_utils import run_meaning
from tests.optional_torch import functional, torch
from xrelay.dialects.relay import image as ops

X = np.random.default_rng(0).standard_normal((1, 2, 5, 6))


def resize(data: np.ndarray, **attrs) -> np.ndarray:
    (result,) = run_meaning(ops.Resize2D, [data], **attrs)
    return result


@pytest.mark.parametrize("size", [(10, 3), (4, 7)])
@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize(("method", "torch_mode"), [("linear", "bilinear"), ("cubic", "bicubic")])
def test_against_torch(method: str, torch_mode: str, align_corners: bool, size: tuple[int, int]):
    expected = functional.interpolate(torch.from_numpy(X), size, mode=torch_mode, align_corners=align_corners)
    mode = "align_corners" if align_corners else "pytorch_half_pixel"
    got = resize(X, size=size, method=method, coordinate_transformation_mode=mode, cubic_alpha=-0.75)
    np.testing.assert_allclose(got, expected.numpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("size", [(10, 3), (4, 7)])
def test_nearest_of_torch(size: tuple[int, int]):
    expected = functional.interpolate(torch.from_numpy(X), size, mode="nearest")
    got = resize(
        X, size=size, method="nearest_neighbor", coordinate_transformation_mode="asymmetric", rounding_method="floor"
    )
    np.testing.assert_array_equal(got, expected.numpy())


def onnx_resize(data: np.ndarray, size=None, scales=None, roi=(), **attrs) -> np.ndarray:
    names = ["x", "roi" if roi else "", "scales" if scales else "", "sizes" if size else ""]
    node = helper.make_node("Resize", names, ["y"], **attrs)
    inputs = [helper.make_tensor_value_info("x", TensorProto.DOUBLE, data.shape)]
    feeds = {"x": data}
    if roi:
        feeds["roi"] = np.array([0, 0, *roi[:2], 1, 1, *roi[2:]], np.float64)
        inputs.append(helper.make_tensor_value_info("roi", TensorProto.DOUBLE, [8]))
    if scales:
        feeds["scales"] = np.array([1, 1, *scales], np.float32)
        inputs.append(helper.make_tensor_value_info("scales", TensorProto.FLOAT, [4]))
    else:
        feeds["sizes"] = np.array([*data.shape[:2], *size])
        inputs.append(helper.make_tensor_value_info("sizes", TensorProto.INT64, [4]))
    outputs = [helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)]
    graph = helper.make_graph([node], "resize", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)])
    return ReferenceEvaluator(model).run(None, feeds)[0]


@pytest.mark.parametrize("scales", [(2.0, 0.5), (0.6, 1.7)])
@pytest.mark.parametrize("mode", ["half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"])
@pytest.mark.parametrize("method", ["linear", "cubic"])
def test_scales_of_onnx(method: str, mode: str, scales: tuple[float, float]):
    expected = onnx_resize(X, scales=scales, mode=method, coordinate_transformation_mode=mode, cubic_coeff_a=-0.5)
    got = resize(X, size=expected.shape[2:], scales=scales, method=method, coordinate_transformation_mode=mode)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("mode", ["half_pixel", "align_corners", "asymmetric"])
@pytest.mark.parametrize("size", [(10, 3), (3, 8)])
def test_nearest_of_onnx(rounding: str, mode: str, size: tuple[int, int]):
    expected = onnx_resize(X, size=size, mode="nearest", coordinate_transformation_mode=mode, nearest_mode=rounding)
    got = resize(
        X, size=size, method="nearest_neighbor", coordinate_transformation_mode=mode, rounding_method=rounding
    )
    np.testing.assert_array_equal(got, expected)


def test_cubic_exclude_of_onnx():
    expected = onnx_resize(X, size=(7, 4), mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5)
    got = resize(X, size=(7, 4), method="cubic", cubic_exclude=True)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_crop_and_resize_of_onnx():
    roi = (0.4, 0.6, 1.3, 0.9)
    attrs = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 10.0}
    expected = onnx_resize(X, size=(4, 4), roi=roi, mode="linear", **attrs)
    np.testing.assert_allclose(resize(X, size=(4, 4), roi=roi, **attrs), expected, rtol=1e-5, atol=1e-5)


def test_layout_and_integers():
    image = np.random.default_rng(0).integers(0, 255, (1, 5, 6, 3)).astype(np.uint8)
    got = resize(image, size=(7, 7), layout="NHWC", method="cubic")
    exact = resize(image.astype(np.float64), size=(7, 7), layout="NHWC", method="cubic")
    np.testing.assert_array_equal(got, np.clip(np.rint(exact), 0, 255))
