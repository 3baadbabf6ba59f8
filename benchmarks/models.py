"""The models that are measured: those of the onnx package, and small ones that each stress one kind of operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LIGHT = ("squeezenet", "shufflenet", "resnet50", "inception_v1", "densenet121")
OPSET = 18


def light_models() -> Iterator[tuple[str, onnx.ModelProto]]:
    """Well-known networks, shipped in the onnx package; their weights are constants of one value."""
    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    for name in LIGHT:
        path = folder / f"light_{name}.onnx"
        if path.is_file():
            yield name, onnx.load(str(path))


def _model(nodes: list, inputs: dict[str, tuple], weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "bench",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
    return onnx.shape_inference.infer_shapes(model)


def _normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32) / 10


def conv(channels: int, size: int, kernel: int) -> onnx.ModelProto:
    """A convolution of as many output as input channels, a bias and a relu, with padding."""
    pads = [kernel // 2] * 4
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=pads), helper.make_node("Relu", ["c"], ["y"])]
    weights = {"w": _normal(channels, channels, kernel, kernel), "b": _normal(channels)}
    return _model(nodes, {"x": (1, channels, size, size)}, weights)


def dense(rows: int, inner: int, columns: int) -> onnx.ModelProto:
    """x · w + b."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Add", ["m", "b"], ["y"])]
    return _model(nodes, {"x": (rows, inner)}, {"w": _normal(inner, columns), "b": _normal(columns)})


def softmax(rows: int, columns: int) -> onnx.ModelProto:
    return _model([helper.make_node("Softmax", ["x"], ["y"], axis=-1)], {"x": (rows, columns)}, {})


def layer_norm(rows: int, columns: int) -> onnx.ModelProto:
    node = helper.make_node("LayerNormalization", ["x", "scale", "bias"], ["y"], axis=-1)
    return _model([node], {"x": (rows, columns)}, {"scale": _normal(columns), "bias": _normal(columns)})


def chain(size: int) -> onnx.ModelProto:
    """Eight elementwise operators in a row: what fusion is for."""
    names = ["Tanh", "Exp", "Sigmoid", "Neg", "Abs", "Sqrt", "Relu", "Log"]
    values = ["x", *(f"v{i}" for i in range(len(names) - 1)), "y"]
    nodes = [helper.make_node(op, [values[i]], [values[i + 1]]) for i, op in enumerate(names)]
    return _model(nodes, {"x": (size,)}, {})


OPERATORS: dict[str, Callable[[], onnx.ModelProto]] = {
    "conv 3×3, 64 at 56²": lambda: conv(64, 56, 3),
    "conv 1×1, 256 at 14²": lambda: conv(256, 14, 1),
    "dense 128·768·768": lambda: dense(128, 768, 768),
    "softmax 512·512": lambda: softmax(512, 512),
    "layer norm 512·768": lambda: layer_norm(512, 768),
    "8 elementwise, 1 M": lambda: chain(1 << 20),
}


def operator_models() -> Iterator[tuple[str, onnx.ModelProto]]:
    for name, make in OPERATORS.items():
        yield name, make()
