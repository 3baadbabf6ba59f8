"""The plugin's operator, from its definition to machine code, against the formula in float64."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.builtin import TensorType, f32
from xdsl.utils.test_value import create_ssa_value

import xrelay
from xrelay.interpreters.relay.registry import evaluate
from xrelay.plugins import load_plugins
from xrelay_plugin_example.dialect import Snake

RNG = np.random.default_rng(7)
X = RNG.standard_normal((2, 4, 9)).astype(np.float32)
ALPHA = np.array([[0.5], [2.0], [-1.0], [0.0]], np.float32)


def expected(x: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    x, alpha = x.astype(np.float64), np.broadcast_to(alpha, x.shape).astype(np.float64)
    result = x.copy()
    inside = alpha != 0
    result[inside] += np.sin(alpha[inside] * x[inside]) ** 2 / alpha[inside]
    return result


def model() -> bytes:
    graph = helper.make_graph(
        [helper.make_node("Snake", ["x", "alpha"], ["y"], domain="xrelay.example")],
        "snake",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, X.shape)],
        [onnx.numpy_helper.from_array(ALPHA, "alpha")],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("xrelay.example", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def test_plugin_is_found():
    assert "example" in load_plugins()


def test_meaning():
    load_plugins()
    op = Snake.make(create_ssa_value(TensorType(f32, X.shape)), create_ssa_value(TensorType(f32, ALPHA.shape)))
    (result,) = evaluate(op, (X, ALPHA))
    np.testing.assert_allclose(result, expected(X, ALPHA), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("opt_level", [0, 3])
def test_model_with_the_custom_node_compiles(opt_level):
    compiled = xrelay.compile(model(), opt_level=opt_level)
    (result,) = compiled.run({"x": X})
    np.testing.assert_allclose(result, expected(X, ALPHA), rtol=1e-5, atol=1e-6)
