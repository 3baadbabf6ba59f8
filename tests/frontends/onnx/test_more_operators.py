"""Normalizations, reductions, shapes, resizing and the rest, against onnxruntime and the ONNX reference."""

from __future__ import annotations

import numpy as np
import pytest

from .models import one_node
from .peers import IMAGE, RNG, X, check, floats, ints

# Normalizations ----------------------------------------------------------------------------------------------------


def test_batch_and_instance_normalization():
    scale, bias, mean, var = floats(4), floats(4), floats(4), np.abs(floats(4))
    constants = {"s": scale, "b": bias, "m": mean, "v": var}
    for opset in (7, 9, 14, 15):
        check(one_node("BatchNormalization", IMAGE, constants, opset=opset, epsilon=1e-3), IMAGE)
    check(one_node("InstanceNormalization", IMAGE, {"s": scale, "b": bias}, epsilon=1e-2), IMAGE)
    check(one_node("LRN", IMAGE, size=3, alpha=0.1, beta=0.5, bias=2.0), IMAGE)


@pytest.mark.parametrize("axis", [-1, 1, 0])
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("bias", [True, False])
def test_layer_normalization(axis, outputs, bias):
    shape = X["x"].shape[axis:]
    constants = {"s": floats(*shape)} | ({"b": floats(*shape)} if bias else {})
    check(one_node("LayerNormalization", X, constants, outputs=outputs, axis=axis, epsilon=1e-3), X)


@pytest.mark.parametrize(("opset", "size"), [(18, 2), (21, 4)])
def test_group_normalization(opset, size):
    constants = {"s": floats(size), "b": floats(size)}
    check(one_node("GroupNormalization", IMAGE, constants, opset=opset, num_groups=2), IMAGE, "reference")


# Reductions --------------------------------------------------------------------------------------------------------

REDUCTIONS = ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSumExp", "SumSquare")


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axes", [[1], [0, -1], None])
@pytest.mark.parametrize("keepdims", [0, 1])
def test_reductions_of_both_forms(name, axes, keepdims):
    attributes = {} if axes is None else {"axes": axes}
    check(one_node(f"Reduce{name}", X, opset=11, keepdims=keepdims, **attributes), X)
    constants = {} if axes is None else {"axes": ints(*axes)}
    check(one_node(f"Reduce{name}", X, constants, opset=18, keepdims=keepdims), X)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reduction_of_no_axes(name):
    proto = one_node(f"Reduce{name}", X, {"axes": ints()}, opset=18, noop_with_empty_axes=1)
    check(proto, X, "reference")


@pytest.mark.parametrize("op_type", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("attributes", [{}, {"axis": -1, "keepdims": 0}, {"axis": 1, "select_last_index": 1}])
def test_arg_extremes(op_type, attributes):
    feeds = {"x": np.round(floats(3, 4, 5))}
    check(one_node(op_type, feeds, opset=13, **attributes), feeds)


# Shapes and positions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op_type", "constants", "attributes"),
    [
        ("Reshape", {"s": ints(0, -1)}, {}),
        ("Reshape", {"s": ints(4, 0, -1)}, {}),
        ("Flatten", {}, {"axis": -1}),
        ("Flatten", {}, {"axis": 0}),
        ("Transpose", {}, {}),
        ("Transpose", {}, {"perm": [1, 2, 0]}),
        ("Unsqueeze", {"a": ints(-1, 0, 2)}, {}),
        ("Expand", {"s": ints(5, 1, 3, 1)}, {}),
        ("Tile", {"r": ints(2, 1, 3)}, {}),
        ("Slice", {"s": ints(1, 5), "e": ints(9, -9), "a": ints(1, -1), "t": ints(1, -2)}, {}),
        ("Gather", {"i": np.array([[0, -1], [2, 1]])}, {"axis": 1}),
        ("Gather", {"i": np.array(-2)}, {"axis": -1}),
        ("GatherElements", {"i": np.array([[[0, -1, 1, 0]]])}, {"axis": 1}),
        ("GatherND", {"i": np.array([[0, 1], [1, -1]])}, {}),
        ("GatherND", {"i": np.array([[1], [2]])}, {"batch_dims": 1}),
        ("ScatterElements", {"i": np.array([[[0, -1, 1, 0]]]), "u": floats(1, 1, 4)}, {"axis": 1}),
        ("ScatterND", {"i": np.array([[0, 1], [1, -1]]), "u": floats(2, 4)}, {}),
        ("ScatterND", {"i": np.array([[0, 1], [0, 1]]), "u": floats(2, 4)}, {"reduction": "add"}),
        ("CumSum", {"a": np.array(-1)}, {"reverse": 1}),
        ("CumSum", {"a": np.array(0)}, {"exclusive": 1}),
        ("Trilu", {"k": np.array(1)}, {"upper": 0}),
        ("Trilu", {}, {}),
        ("Pad", {"p": ints(0, 1, 2, 1, 0, 1), "v": np.float32(3.0).reshape(())}, {}),
        ("Pad", {"p": ints(0, 1, 2, 1, 0, 1)}, {"mode": "reflect"}),
        ("Pad", {"p": ints(0, -1, 2, 1, 0, -1)}, {"mode": "edge"}),
        ("ReverseSequence", {"l": ints(1, 3, 2)}, {"time_axis": 0, "batch_axis": 1}),
    ],
)
def test_shape_operators(op_type, constants, attributes):
    feeds = {"x": floats(3, 3, 4)} if op_type == "ReverseSequence" else X
    check(one_node(op_type, feeds, {k: np.asarray(v) for k, v in constants.items()}, opset=17, **attributes), feeds)


@pytest.mark.parametrize(
    ("op_type", "attributes", "opset"),
    [
        ("Squeeze", {"axes": [1, -1]}, 11),
        ("Squeeze", {}, 11),
        ("Unsqueeze", {"axes": [0, 3]}, 11),
        ("Slice", {"starts": [0, -3], "ends": [9, -1], "axes": [1, 2]}, 9),
        ("Pad", {"pads": [0, 1, 0, 1, 0, 2], "value": 2.0}, 10),
        ("ReduceSum", {"axes": [1]}, 11),
        ("Dropout", {"ratio": 0.3}, 10),
        ("Upsample", {"scales": [1.0, 1.0, 2.0], "mode": "nearest"}, 7),
    ],
)
def test_attributes_of_older_opsets(op_type, attributes, opset):
    feeds = {"x": floats(2, 1, 1)} if op_type == "Squeeze" else X
    check(one_node(op_type, feeds, opset=opset, **attributes), feeds)


@pytest.mark.parametrize("opset", [11, 13, 18])
def test_split(opset):
    sizes = {"split": [1, 3]} if opset < 13 else {}
    check(one_node("Split", X, {} if sizes else {"s": ints(1, 3)}, outputs=2, opset=opset, axis=-1, **sizes), X)
    uneven = {"num_outputs": 3} if opset >= 18 else {}
    feeds = {"x": floats(2, 7 if uneven else 6)}
    check(one_node("Split", feeds, outputs=3, opset=opset, axis=1, **uneven), feeds)


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot(axis):
    feeds = {"i": np.array([[0, -1, 2], [5, 1, -4]])}
    constants = {"depth": np.array(4), "values": np.array([-1.0, 2.0], np.float32)}
    check(one_node("OneHot", feeds, constants, axis=axis), feeds)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_and_space(mode):
    feeds = {"x": floats(2, 8, 4, 6)}
    check(one_node("DepthToSpace", feeds, blocksize=2, mode=mode), feeds)
    check(one_node("SpaceToDepth", feeds, blocksize=2), feeds)


RESIZES = [
    {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
    {"mode": "nearest", "nearest_mode": "round_prefer_ceil"},
    {"mode": "linear"},
    {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
    {"mode": "linear", "coordinate_transformation_mode": "pytorch_half_pixel"},
    {"mode": "cubic", "cubic_coeff_a": -0.5},
]


@pytest.mark.parametrize("attributes", RESIZES)
@pytest.mark.parametrize("target", [{"s": np.array([1, 1, 1.5, 0.75], np.float32)}, {"t": ints(1, 4, 13, 6)}])
def test_resize(attributes, target):
    order = ["x", "", "s"] if "s" in target else ["x", "", "", "t"]
    # With scales, onnxruntime aligns the corners of the rounded size, the definition those of the exact one.
    by_definition = "s" in target and attributes.get("coordinate_transformation_mode") == "align_corners"
    proto = one_node("Resize", IMAGE, target, order, opset=13, **attributes)
    check(proto, IMAGE, "reference" if by_definition else "onnxruntime")


def test_resized_length_is_computed_in_float32():
    scales = {"s": np.array([1, 1, 1, 0.7], np.float32)}
    check(one_node("Resize", IMAGE, scales, ["x", "", "s"], opset=13, mode="linear"), IMAGE)


def test_resize_of_other_ranks():
    line = {"x": floats(2, 3, 5)}
    scales = {"s": np.array([1, 1, 2], np.float32)}
    check(one_node("Resize", line, scales, ["x", "", "s"], mode="linear"), line, "reference")
    volume = {"x": floats(1, 2, 3, 4, 5)}
    scales = {"s": np.array([1, 1, 2, 2, 2], np.float32)}
    check(one_node("Resize", volume, scales, ["x", "", "s"], mode="linear"), volume, "reference")


# Quantized, recurrent ----------------------------------------------------------------------------------------------


def test_quantize_and_dequantize():
    constants = {"s": np.array([0.1, 0.5, 0.02], np.float32), "z": np.array([-3, 0, 7], np.int8)}
    check(one_node("QuantizeLinear", X, constants, opset=13, axis=1), X)
    feeds = {"x": RNG.integers(-128, 128, (2, 3, 4), np.int8)}
    check(one_node("DequantizeLinear", feeds, constants, opset=13, axis=1), feeds)


@pytest.mark.parametrize("zero", [0, 5])
def test_integer_products(zero):
    feeds = {"x": RNG.integers(0, 255, (1, 3, 6, 6), np.uint8)}
    zero_point = {"z": np.array(zero, np.uint8)}
    weight = {"w": RNG.integers(0, 255, (2, 3, 3, 3), np.uint8)}
    check(one_node("ConvInteger", feeds, weight | zero_point, pads=[1, 1, 1, 1]), feeds)
    weight = {"w": RNG.integers(0, 255, (6, 4), np.uint8)}
    check(one_node("MatMulInteger", feeds, weight | zero_point), feeds)


@pytest.mark.parametrize(("op_type", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_recurrent(op_type, gates, direction):
    steps, batch, inputs, hidden = 4, 2, 3, 5
    d = 2 if direction == "bidirectional" else 1
    feeds = {"x": floats(steps, batch, inputs)}
    constants = {
        "w": floats(d, gates * hidden, inputs),
        "r": floats(d, gates * hidden, hidden),
        "b": floats(d, 2 * gates * hidden),
        "l": np.array([4, 2], np.int32),
        "h": floats(d, batch, hidden),
    }
    outputs = 3 if op_type == "LSTM" else 2
    proto = one_node(op_type, feeds, constants, outputs=outputs, opset=14, hidden_size=hidden, direction=direction)
    check(proto, feeds)


@pytest.mark.parametrize(
    ("op_type", "constants", "attributes"),
    [
        ("Gelu", {}, {}),
        ("BiasGelu", {"b": floats(4)}, {}),
        ("FastGelu", {"b": floats(4)}, {}),
        ("QuickGelu", {}, {"alpha": 1.5}),
        ("FusedMatMul", {"w": floats(5, 4)}, {"transB": 1, "alpha": 0.5}),
        ("SkipLayerNormalization", {"s": floats(2, 3, 4), "g": floats(4), "b": floats(4)}, {"epsilon": 1e-3}),
    ],
)
def test_operators_of_onnxruntime(op_type, constants, attributes):
    proto = one_node(op_type, X, constants, **attributes)
    proto.graph.node[0].domain = "com.microsoft"
    proto.opset_import.add(domain="com.microsoft", version=1)
    check(proto, X, tolerance=1e-4)
