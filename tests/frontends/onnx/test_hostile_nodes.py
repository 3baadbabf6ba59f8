"""Nodes whose types, attributes or sizes do not fit: refused with the node's name before memory is taken."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from xrelay.errors import TypeInferenceError, UnsupportedError

from .models import F32, I64, info, model, node, tensor
from .refusal import HUGE, IMAGE, X, one, reject

# Types and attributes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape_and_type",
    [([-2, 3], F32), ([HUGE, HUGE], F32), ([1] * 100, F32), ([2], 0), ([2], 77), ([2], TensorProto.STRING)],
)
def test_input_declarations(shape_and_type):
    shape, dtype = shape_and_type
    reject(model([node("Relu", ["x"], ["y"])], [info("x", dtype, shape)], ["y"]), "'x'")


def test_inputs_that_are_no_tensors():
    sequence = helper.make_tensor_sequence_value_info("x", F32, [2])
    reject(model([node("Identity", ["x"], ["y"])], [sequence], ["y"]), "'x'", "sequence", error=UnsupportedError)
    reject(model([node("Relu", ["x"], ["y"])], [onnx.ValueInfoProto(name="x")], ["y"]), "'x'", error=UnsupportedError)


def test_element_types_must_fit():
    w = tensor("w", 1, np.int64)
    reject(one("Add", ["x", "w"], [w]), "the_node", "Add", "tensor(int64)", "tensor(float)", error=TypeInferenceError)
    reject(one("And", ["x", "x"]), "the_node", error=TypeInferenceError)


def test_shapes_must_fit():
    w = tensor("w", np.ones((4, 4)), np.float32)
    proto = one("MatMul", ["x", "w"], [w])
    reject(proto, "the_node", "MatMul", "tensor<2x3xf32>", "tensor<4x4xf32>", error=TypeInferenceError)


@pytest.mark.parametrize(
    ("op_type", "attributes"),
    [
        ("Transpose", {"perm": [1.0, 0.0]}),
        ("Transpose", {"perm": 1}),
        ("Transpose", {"perm": [0, 0]}),
        ("Transpose", {"perm": [0, 7]}),
        ("Transpose", {"perm": [0]}),
        ("Softmax", {"axis": 9}),
        ("Softmax", {"axis": "1"}),
        ("Softmax", {"axes": 1}),
        ("Flatten", {"axis": -7}),
        ("LeakyRelu", {"alpha": "much"}),
        ("Cast", {}),
        ("Cast", {"to": 99}),
        ("Cast", {"to": TensorProto.STRING}),
        ("ReduceMean", {"axes": [5]}),
        ("ArgMax", {"axis": 3}),
        ("MaxPool", {"kernel_shape": [2, 2]}),
        ("Gelu", {}),
    ],
)
def test_attributes_that_do_not_fit(op_type, attributes):
    reject(one(op_type, ["x"], **attributes), "the_node")


KERNEL = tensor("w", np.ones((4, 2, 3, 3)), np.float32)


@pytest.mark.parametrize(
    "attributes",
    [
        {"strides": [0, 0]},
        {"strides": [-1, 1]},
        {"strides": [1]},
        {"dilations": [0, 1]},
        {"dilations": [HUGE, 1]},
        {"pads": [1]},
        {"pads": [-1, 0, 0, 0]},
        {"pads": [HUGE, 0, 0, 0]},
        {"kernel_shape": [5, 5]},
        {"kernel_shape": [HUGE, HUGE]},
        {"group": 0},
        {"group": 3},
        {"group": -1},
        {"auto_pad": "BOTH"},
        {"pads": [1] * 100_000},
    ],
)
def test_convolution_attributes(attributes):
    proto = model([node("Conv", ["x", "w"], ["y"], name="the_node", **attributes)], [IMAGE], ["y"], [KERNEL])
    reject(proto, "the_node")


@pytest.mark.parametrize(
    "attributes",
    [{"kernel_shape": [HUGE, HUGE]}, {"kernel_shape": [0, 1]}, {"kernel_shape": [2, 2], "pads": [HUGE] * 4}],
)
def test_pool_attributes(attributes):
    for op_type in ("MaxPool", "AveragePool", "LpPool"):
        reject(model([node(op_type, ["x"], ["y"], name="the_node", **attributes)], [IMAGE], ["y"]), "the_node")


# Sizes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op_type", "inputs", "constants"),
    [
        ("ConstantOfShape", ["s"], {"s": [HUGE]}),
        ("ConstantOfShape", ["s"], {"s": [2**40, 2**40]}),
        ("ConstantOfShape", ["s"], {"s": [-1]}),
        ("Expand", ["x", "s"], {"s": [HUGE, 2, 3]}),
        ("Expand", ["x", "s"], {"s": [5]}),
        ("Tile", ["x", "s"], {"s": [HUGE, HUGE]}),
        ("Tile", ["x", "s"], {"s": [-1, 1]}),
        ("Tile", ["x", "s"], {"s": [1]}),
        ("Reshape", ["x", "s"], {"s": [HUGE]}),
        ("Reshape", ["x", "s"], {"s": [-1, -1]}),
        ("Reshape", ["x", "s"], {"s": [-3, 2]}),
        ("Reshape", ["x", "s"], {"s": [0, 0, 0]}),
        ("Range", ["a", "b", "c"], {"a": 0, "b": HUGE, "c": 1}),
        ("Range", ["a", "b", "c"], {"a": 0, "b": 5, "c": 0}),
        ("Pad", ["x", "s"], {"s": [HUGE, 0, 0, 0]}),
        ("Pad", ["x", "s"], {"s": [1]}),
        ("Pad", ["x", "s"], {"s": [-9, 0, 0, 0]}),
        ("Unsqueeze", ["x", "s"], {"s": [9]}),
        ("Unsqueeze", ["x", "s"], {"s": [0, 0]}),
        ("Squeeze", ["x", "s"], {"s": [0]}),
        ("Slice", ["x", "a", "b"], {"a": [0], "b": [1, 2]}),
        ("Slice", ["x", "a", "b", "c", "d"], {"a": [0], "b": [1], "c": [0], "d": [0]}),
        ("Slice", ["x", "a", "b", "c"], {"a": [0], "b": [1], "c": [4]}),
        ("Gather", ["x", "s"], {"s": [7]}),
        ("Split", ["x", "s"], {"s": [7]}),
        ("TopK", ["x", "s"], {"s": [7]}),
        ("OneHot", ["a", "b", "c"], {"a": [1], "b": HUGE, "c": [0, 1]}),
        ("Unsqueeze", ["x", "s"], {"s": list(range(5000))}),
    ],
)
def test_sizes_are_checked_before_memory_is_taken(op_type, inputs, constants):
    proto = one(op_type, inputs, [tensor(k, v, np.int64) for k, v in constants.items()])
    reject(proto, "the_node")


@pytest.mark.parametrize("scale", [0, -2, np.inf, np.nan, 1e30])
@pytest.mark.parametrize("count", [0, 1, 4])
def test_resize_scales(scale, count):
    scales = [scale] * count
    nodes = [node("Resize", ["x", "", "s"], ["y"], name="the_node")]
    reject(model(nodes, [IMAGE], ["y"], [tensor("s", scales, np.float32)]), "the_node")


def test_a_size_known_only_at_run_time():
    nodes = [node("Reshape", ["x", "s"], ["y"], name="the_node")]
    reject(model(nodes, [X, info("s", I64, [2])], ["y"]), "the_node", "shape", "shapes=", error=UnsupportedError)
