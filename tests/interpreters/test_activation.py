"""The meaning of activation functions, beside onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from tests.interpreters.references import meaning, onnx_node
from xrelay.dialects.relay import activation as ops

X = np.array([-1e4, -3, -1, -0.5, -1e-3, 0, 1e-3, 0.5, 1, 3, 1e4, np.nan, np.inf], np.float32)


def test_relu():
    expected = [0, 0, 0, 0, 0, 0, X[6], 0.5, 1, 3, 1e4, np.nan, np.inf]
    np.testing.assert_array_equal(meaning(ops.Relu, X), np.float32(expected))
    assert meaning(ops.Relu, np.array([-128, 0, 5], np.int8)).tolist() == [0, 0, 5]


def test_leaky_relu():
    expected = onnx_node("LeakyRelu", [X], np.float32, alpha=0.1)
    np.testing.assert_allclose(meaning(ops.LeakyRelu, X, alpha=0.1), expected, rtol=1e-7)
    assert meaning(ops.LeakyRelu, np.float32([-4])).tolist() == [-1]


@pytest.mark.parametrize("axis", [1, -1])
def test_prelu(axis: int):
    rng = np.random.default_rng(0)
    data = rng.standard_normal((2, 3, 5)).astype(np.float32)
    alpha = rng.standard_normal(data.shape[axis]).astype(np.float32)
    slope = alpha.reshape(3, 1) if axis == 1 else alpha
    expected = onnx_node("PRelu", [data, slope], np.float32)
    np.testing.assert_allclose(meaning(ops.PRelu, data, alpha, axis=axis), expected, rtol=1e-7)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(approximate: str):
    x = X[np.isfinite(X)]
    expected = onnx_node("Gelu", [x], np.float32, approximate=approximate)
    np.testing.assert_allclose(meaning(ops.Gelu, x, approximate=approximate), expected, rtol=1e-5, atol=1e-6)
