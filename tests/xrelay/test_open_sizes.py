"""Sizes that a model leaves open have to be given, and the error says how."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

import xrelay


@pytest.fixture
def open_model():
    x = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 3])
    graph = helper.make_graph([helper.make_node("Relu", ["image"], ["y"])], "open", [x], [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_error_names_the_input_and_the_argument(open_model):
    with pytest.raises(xrelay.XRelayError, match=r"input 'image'.*shapes=\{'image': \(1, 3\)\}"):
        xrelay.compile(open_model)


@pytest.mark.parametrize("batch", [1, 5])
def test_given_sizes(open_model, batch):
    model = xrelay.compile(open_model, shapes={"image": (batch, 3)})
    x = np.linspace(-1, 1, 3 * batch, dtype=np.float32).reshape(batch, 3)
    np.testing.assert_array_equal(model.run([x])[0], np.maximum(x, 0))
