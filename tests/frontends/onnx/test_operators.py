"""Elementwise operators, products and windows, imported and run by their meanings, against onnxruntime, over opsets."""

from __future__ import annotations

import numpy as np
import pytest

from .models import one_node, run
from .peers import IMAGE, X, check, floats, ints


@pytest.mark.parametrize("opset", [7, 13, 21])
@pytest.mark.parametrize("op_type", ["Relu", "Abs", "Exp", "Tanh", "Sigmoid", "Neg", "Ceil", "Floor", "Sin", "Atan"])
def test_unary(op_type, opset):
    check(one_node(op_type, X, opset=opset), X)


@pytest.mark.parametrize(
    ("op_type", "attributes"),
    [
        ("Elu", {"alpha": 0.7}),
        ("Selu", {}),
        ("Celu", {"alpha": 2.0}),
        ("LeakyRelu", {}),
        ("LeakyRelu", {"alpha": -0.5}),
        ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}),
        ("HardSwish", {}),
        ("Softplus", {}),
        ("Softsign", {}),
        ("ThresholdedRelu", {"alpha": 0.5}),
        ("Shrink", {"lambd": 0.4, "bias": 0.1}),
        ("LogSoftmax", {"axis": 1}),
        ("Softmax", {}),
        ("Hardmax", {"axis": 1}),
        ("Erf", {}),
        ("Round", {}),
        ("Reciprocal", {}),
        ("Sign", {}),
        ("IsNaN", {}),
        ("IsInf", {"detect_negative": 0}),
        ("Identity", {}),
        ("LpNormalization", {"axis": 1, "p": 1}),
        ("MeanVarianceNormalization", {"axes": [0, 2]}),
    ],
)
def test_activations(op_type, attributes):
    check(one_node(op_type, X, opset=17, **attributes), X)


def test_large_arguments_do_not_overflow():
    feeds = {"x": np.array([-1000, -100, 0, 100, 1000], np.float32)}
    for op_type in ("Softplus", "Elu", "Selu", "Sigmoid"):
        with np.errstate(over="raise"):
            (got,) = run(one_node(op_type, feeds), feeds)
        assert np.isfinite(got).all()


@pytest.mark.parametrize("opset", [20, 22])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(opset, approximate):
    check(one_node("Gelu", X, opset=opset, approximate=approximate), X, tolerance=1e-4)


@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_softmax_flattens_before_opset_13(op_type, axis):
    check(one_node(op_type, X, opset=11, axis=axis), X)


@pytest.mark.parametrize("op_type", ["Add", "Sub", "Mul", "Div", "Max", "Min", "Less", "GreaterOrEqual", "Equal"])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_binary(op_type, dtype):
    feeds = {"a": (floats(2, 3, 4) * 5).astype(dtype), "b": (floats(3, 1) * 5).astype(dtype) * 2 + 1}
    feeds["b"][feeds["b"] == 0] = 3
    check(one_node(op_type, feeds, opset=16), feeds)


def test_integer_division_and_modulo():
    feeds = {"a": ints(7, -7, 7, -7), "b": ints(2, 2, -2, -2)}
    assert run(one_node("Div", feeds), feeds)[0].tolist() == [3, -3, -3, 3]
    assert run(one_node("Mod", feeds), feeds)[0].tolist() == [1, 1, -1, -1]
    assert run(one_node("Mod", feeds, fmod=1), feeds)[0].tolist() == [1, -1, 1, -1]


@pytest.mark.parametrize("types", [("f4", "f4"), ("f4", "i8"), ("i8", "f4"), ("i8", "i8"), ("f4", "f8"), ("i4", "i8")])
def test_pow_of_mixed_types(types):
    feeds = {"a": np.array([1, 2, 3], types[0]), "b": np.array([2, 3, 0], types[1])}
    check(one_node("Pow", feeds, opset=15), feeds)


@pytest.mark.parametrize("opset", [7, 10])
def test_clip_by_attributes(opset):
    check(one_node("Clip", X, opset=opset, min=-0.5, max=0.25), X)
    check(one_node("Clip", X, opset=opset, max=0.25), X)


@pytest.mark.parametrize("order", [["x", "low", "high"], ["x", "", "high"], ["x", "low"], ["x"]])
@pytest.mark.parametrize("known", [True, False])
def test_clip_by_inputs(order, known):
    bounds = {"low": np.float32(-0.5).reshape(()), "high": np.float32(0.25).reshape(())}
    bounds = {name: np.asarray(value) for name, value in bounds.items() if name in order}
    feeds = X if known else {**X, **bounds}
    check(one_node("Clip", feeds, bounds if known else {}, order, opset=13), feeds)


@pytest.mark.parametrize("slope", [(4,), (3, 1), (1,), (2, 3, 4)])
def test_prelu(slope):
    check(one_node("PRelu", X, {"slope": floats(*slope)}), X)


# Products ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((2, 3), (5, 3, 4)),
        ((3,), (5, 3, 4)),
        ((5, 2, 3), (3,)),
        ((6, 1, 2, 3), (1, 5, 3, 4)),
        ((6, 5, 2, 3), (1, 1, 3, 4)),
        ((1, 2, 3), (6, 5, 3, 4)),
        ((0, 3), (3, 4)),
    ],
)
@pytest.mark.parametrize("constant", [True, False])
def test_matmul(a, b, constant):
    left, right = {"a": floats(*a)}, {"b": floats(*b)}
    feeds = left if constant else {**left, **right}
    check(one_node("MatMul", feeds, right if constant else {}), feeds)


@pytest.mark.parametrize("c", [None, (), (4,), (2, 1), (1, 4), (2, 4)])
@pytest.mark.parametrize(("trans_a", "trans_b"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_gemm(c, trans_a, trans_b):
    feeds = {"a": floats(*((3, 2) if trans_a else (2, 3))), "b": floats(*((4, 3) if trans_b else (3, 4)))}
    constants = {} if c is None else {"c": floats(*c)}
    proto = one_node("Gemm", feeds, constants, transA=trans_a, transB=trans_b, alpha=0.5, beta=2.0)
    check(proto, feeds)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("bij,bjk", [(5, 2, 3), (5, 3, 4)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (1, 3, 4)]),
        ("bhid,bhjd->bhij", [(2, 3, 4, 5), (2, 3, 6, 5)]),
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("ij->ji", [(2, 3)]),
        ("ij->", [(2, 3)]),
        ("i,j->ij", [(2,), (3,)]),
        ("ij,ij->i", [(2, 3), (2, 3)]),
        ("a,b,c->cba", [(2,), (3,), (4,)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
    ],
)
def test_einsum(equation, shapes):
    feeds = {f"x{i}": floats(*shape) for i, shape in enumerate(shapes)}
    check(one_node("Einsum", feeds, equation=equation), feeds)


# Windows -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"pads": [1, 0, 2, 1], "strides": [2, 1]},
        {"dilations": [2, 2], "group": 2},
        {"auto_pad": "SAME_UPPER", "strides": [2, 3]},
        {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
        {"auto_pad": "VALID", "group": 4},
    ],
)
@pytest.mark.parametrize("bias", [True, False])
def test_conv2d(attributes, bias):
    constants = {"w": floats(8, 4 // attributes.get("group", 1), 3, 2)}
    if bias:
        constants["b"] = floats(8)
    check(one_node("Conv", IMAGE, constants, **attributes), IMAGE)


def test_conv_of_one_and_three_axes():
    line, volume = {"x": floats(2, 3, 9)}, {"x": floats(1, 2, 5, 6, 4)}
    check(one_node("Conv", line, {"w": floats(4, 3, 3), "b": floats(4)}, pads=[1, 2], strides=[2]), line)
    attributes = {"pads": [1, 0, 1, 0, 1, 1], "strides": [2, 1, 1], "dilations": [1, 2, 1]}
    check(one_node("Conv", volume, {"w": floats(3, 2, 3, 2, 3)}, **attributes), volume)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"strides": [2, 3], "output_padding": [1, 1], "pads": [1, 0, 1, 1]},
        {"dilations": [2, 1], "group": 2},
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        {"auto_pad": "SAME_LOWER", "strides": [3, 2]},
        {"output_shape": [20, 21], "strides": [2, 2]},
    ],
)
def test_conv_transpose(attributes):
    constants = {"w": floats(4, 2, 3, 2), "b": floats(2 * attributes.get("group", 1))}
    check(one_node("ConvTranspose", IMAGE, constants, **attributes), IMAGE)


@pytest.mark.parametrize("op_type", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"strides": [2, 3], "pads": [1, 1, 0, 1]},
        {"strides": [2, 2], "auto_pad": "SAME_UPPER"},
        {"strides": [2, 2], "auto_pad": "SAME_LOWER"},
        {"strides": [3, 3], "ceil_mode": 1},
        {"strides": [2, 2], "pads": [1, 1, 1, 1], "count_include_pad": 1},
    ],
)
def test_pools(op_type, attributes):
    allowed = {"MaxPool": {"ceil_mode"}, "AveragePool": {"ceil_mode", "count_include_pad"}, "LpPool": set()}[op_type]
    if not set(attributes) & {"ceil_mode", "count_include_pad"} <= allowed:
        pytest.skip("the operator has no such attribute")
    check(one_node(op_type, IMAGE, kernel_shape=[3, 2], opset=12, **attributes), IMAGE)


@pytest.mark.parametrize("op_type", ["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"])
@pytest.mark.parametrize("shape", [(2, 3, 5), (2, 3, 4, 5), (2, 3, 2, 3, 4)])
def test_global_pools(op_type, shape):
    feeds = {"x": floats(*shape)}
    check(one_node(op_type, feeds), feeds)
