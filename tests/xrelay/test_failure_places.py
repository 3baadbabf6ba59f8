"""A run that stops says at which node of the model, also where several nodes compute the same."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

import xrelay


def info(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


@pytest.fixture(scope="module")
def model():
    nodes = [
        helper.make_node("Gather", ["x", "i"], ["a"], name="first"),
        helper.make_node("Gather", ["x", "j"], ["b"], name="second"),
        helper.make_node("Div", ["n", "d"], ["c"], name="quotient"),
    ]
    inputs = [info("x", TensorProto.FLOAT, [5, 2])]
    inputs += [info(name, TensorProto.INT64, [3]) for name in "ij"]
    inputs += [info(name, TensorProto.INT32, [4]) for name in "nd"]
    outputs = [info(name, TensorProto.FLOAT, [3, 2]) for name in "ab"] + [info("c", TensorProto.INT32, [4])]
    graph = helper.make_graph(nodes, "places", inputs, outputs)
    return xrelay.compile(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))


RIGHT = {
    "x": np.arange(10, dtype=np.float32).reshape(5, 2),
    "i": np.array([0, -1, 4]),
    "j": np.array([1, 2, -5]),
    "n": np.array([7, -7, 2**31 - 1, -(2**31)], np.int32),
    "d": np.array([2, 2, -1, -1], np.int32),
}


def test_right_values(model):
    a, b, c = model.run(RIGHT)
    np.testing.assert_array_equal(a, RIGHT["x"][RIGHT["i"]])
    np.testing.assert_array_equal(b, RIGHT["x"][RIGHT["j"]])
    # Truncated toward zero; the one quotient that does not fit wraps around.
    np.testing.assert_array_equal(c, [3, -3, -(2**31) + 1, -(2**31)])


@pytest.mark.parametrize(
    ("name", "values", "place"),
    [("i", [0, 5, 1], "first"), ("j", [-6, 0, 0], "second"), ("d", [1, 0, 1, 1], "quotient")],
)
def test_wrong_value_names_the_node(model, name, values, place):
    with pytest.raises(xrelay.XRelayError, match=place):
        model.run({**RIGHT, name: np.array(values, RIGHT[name].dtype)})
    test_right_values(model)
