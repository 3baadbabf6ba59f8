"""An ONNX initializer that is also an input is that input's default."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import xrelay

X = np.array([1.0, 2.0], np.float32)
DEFAULT = np.array([10.0, 20.0], np.float32)
OTHER = np.array([5.0, 7.0], np.float32)


def scaled_model():
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in ("x", "w", "y")]
    node = helper.make_node("Mul", ["x", "w"], ["y"], name="scale")
    graph = helper.make_graph([node], "scaled", tensors[:2], tensors[2:], [numpy_helper.from_array(DEFAULT, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.fixture(params=["in place", "saved", "library"])
def model(request, tmp_path):
    compiled = xrelay.compile(scaled_model())
    if request.param == "saved":
        compiled.save(tmp_path / "model.xr")
        return xrelay.load(tmp_path / "model.xr")
    if request.param == "library":
        compiled.export_library(tmp_path / "model.so")
        return xrelay.load(tmp_path / "model.so")
    return compiled


def test_default_and_other_value(model):
    for inputs, factor in [({"x": X}, DEFAULT), ({"x": X, "w": OTHER}, OTHER), ([X], DEFAULT), ([X, OTHER], OTHER)]:
        np.testing.assert_array_equal(model.run(inputs)[0], X * factor)


def test_input_without_default_is_still_needed(model):
    with pytest.raises(xrelay.XRelayError, match="input 'x' is missing"):
        model.run({"w": OTHER})


def test_other_value_is_checked(model):
    with pytest.raises(xrelay.XRelayError, match=r"input 'w' is float32\[2\]"):
        model.run({"x": X, "w": OTHER[:1]})
