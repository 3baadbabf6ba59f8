"""Networks with random weights, and what onnxruntime computes with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from tests.frontends.onnx.models import info, model, node, tensor

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
"""The structure of known networks; their weights are left out: `ConstantOfShape` stands for each."""


def light_network(name: str) -> onnx.ModelProto:
    """A network of the onnx package, given weights as training would leave them: layers neither swell nor fade.

    It ends before its softmax, which would hide all but the largest number.
    """
    network = onnx.load(LIGHT / f"light_{name}.onnx")
    graph = network.graph
    shapes = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    users = {name: (user.op_type, position) for user in graph.node for position, name in enumerate(user.input)}
    random = np.random.default_rng(0)
    kept = []
    for made in graph.node:
        if made.op_type == "ConstantOfShape":
            shape = tuple(shapes[made.input[0]])
            weight = _weight(random, shape, *users[made.output[0]])
            graph.initializer.append(numpy_helper.from_array(weight, made.output[0]))
        elif made.op_type == "Softmax":
            graph.output[0].name = made.input[0]
        else:
            kept.append(made)
    del graph.node[:]
    graph.node.extend(kept)
    return network


def _weight(random: np.random.Generator, shape: tuple[int, ...], op_type: str, position: int) -> np.ndarray:
    if len(shape) > 1:
        fan_in = shape[0] if op_type == "Reshape" else np.prod(shape[1:])
        return (random.standard_normal(shape, np.float32) * np.float32(np.sqrt(2 / fan_in))).astype(np.float32)
    if op_type == "BatchNormalization" and position in (1, 4):  # the scale and the variance
        return random.uniform(0.5, 1.5, shape).astype(np.float32)
    return random.uniform(-0.1, 0.1, shape).astype(np.float32)


def small_network() -> onnx.ModelProto:
    """Convolution, batch normalization, relu; a residual of depthwise and 1x1; two branches, joined; pools, gemm."""
    random = np.random.default_rng(0)
    weights: list[onnx.TensorProto] = []

    def weight(*shape: int, low: float = -0.4, high: float = 0.4) -> str:
        weights.append(tensor(f"w{len(weights)}", random.uniform(low, high, shape), np.float32))
        return weights[-1].name

    def normalization(x: str, y: str, channels: int) -> onnx.NodeProto:
        vectors = (weight(channels, low=low, high=1) for low in (0.5, -1, -1, 0.5))
        return node("BatchNormalization", [x, *vectors], [y])

    nodes = [
        node("Conv", ["x", weight(16, 3, 3, 3), weight(16)], ["a"], strides=[2, 2], pads=[1, 1, 1, 1]),
        normalization("a", "b", 16),
        node("Relu", ["b"], ["c"]),
        node("Conv", ["c", weight(16, 1, 3, 3)], ["d"], group=16, pads=[1, 1, 1, 1]),
        normalization("d", "e", 16),
        node("Conv", ["e", weight(16, 16, 1, 1), weight(16)], ["f"]),
        node("Add", ["c", "f"], ["g"]),
        node("Relu", ["g"], ["h"]),
        node("MaxPool", ["h"], ["i"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Conv", ["i", weight(7, 16, 1, 1)], ["j"]),
        node("Conv", ["i", weight(10, 8, 3, 3), weight(10)], ["k"], pads=[1, 1, 1, 1], group=2),
        node("Concat", ["j", "k"], ["l"], axis=1),
        node("AveragePool", ["l"], ["m"], kernel_shape=[3, 3], strides=[2, 2]),
        node("GlobalAveragePool", ["m"], ["n"]),
        node("Flatten", ["n"], ["o"]),
        node("Gemm", ["o", weight(11, 17), weight(11)], ["logits"], transB=1),
        node("Softmax", ["logits"], ["y"], axis=1),
    ]
    return model(nodes, [info("x", shape=[2, 3, 33, 29])], ["y", "logits"], weights)


def image(network: onnx.ModelProto) -> dict[str, np.ndarray]:
    """A random input, by name."""
    known = {t.name for t in network.graph.initializer}
    (given,) = (i for i in network.graph.input if i.name not in known)
    shape = [dim.dim_value for dim in given.type.tensor_type.shape.dim]
    return {given.name: np.random.default_rng(1).standard_normal(shape, np.float32)}


def reference(network: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    """What onnxruntime gives."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(network.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, dict(inputs))


def assert_outputs_close(results: list[Any], expected: list[np.ndarray]) -> None:
    """Every output within 1e-4 of its largest element: float32 through dozens of layers, summed in another order."""
    for got, want in zip(results, expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())
