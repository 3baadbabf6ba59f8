"""`relay-first-order-gradient`: gradients agree with finite differences, and with torch for a whole network."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tests.graphs import Graph
from tests.lowering.graph.graph_utils import names, parse_main
from tests.operators.arrays import array
from tests.optional_torch import torch
from xrelay.dialects.relay.activation import Gelu, LeakyRelu, PRelu, Relu
from xrelay.dialects.relay.control import Tuple, TupleGetItem
from xrelay.dialects.relay.convolution import Conv2D
from xrelay.dialects.relay.elementwise import (
    Add,
    Divide,
    Greater,
    Maximum,
    Minimum,
    Mod,
    Multiply,
    Power,
    Subtract,
    Where,
)
from xrelay.dialects.relay.indexing import Split, StridedSlice
from xrelay.dialects.relay.linear import BatchMatmul, BiasAdd, Dense, Matmul
from xrelay.dialects.relay.normalization import LogSoftmax, Softmax
from xrelay.dialects.relay.pooling import GlobalAvgPool2D
from xrelay.dialects.relay.reduce import Max, Mean, Min, Sum, Variance
from xrelay.dialects.relay.reference import Let
from xrelay.dialects.relay.shape import BatchFlatten, ExpandDims, Reshape, Squeeze
from xrelay.dialects.relay.transform import BroadcastTo, Concatenate, Pad, Repeat, Reverse, Stack, Tile, Transpose
from xrelay.dialects.relay.types import f64
from xrelay.dialects.relay.unary import (
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cast,
    Clip,
    Copy,
    Cos,
    Cosh,
    Erf,
    Exp,
    Floor,
    Log,
    Log2,
    Log10,
    Negative,
    Rsqrt,
    Sigmoid,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
)
from xrelay.errors import UnsupportedError
from xrelay.interpreters.executor import run_module
from xrelay.lowering.graph import gradients
from xrelay.lowering.graph.first_order_gradient import FirstOrderGradient


def gradient(module: ModuleOp) -> ModuleOp:
    after = module.clone()
    FirstOrderGradient().apply(Context(), after)
    after.verify()
    return after


def differences(module: ModuleOp, inputs: list[np.ndarray], step: float = 1e-6) -> list[np.ndarray]:
    """The derivatives of the sum of the result by every element of the inputs, each from two runs."""
    found = []
    for position, array_ in enumerate(inputs):
        slopes = np.zeros(array_.shape)
        for index in np.ndindex(array_.shape):
            ends = []
            for moved in (step, -step):
                changed = [a.copy() for a in inputs]
                changed[position][index] += moved
                ends.append(run_module(module, changed)[0].sum())
            slopes[index] = (ends[0] - ends[1]) / (2 * step)
        found.append(slopes)
    return found


def doubles(*shapes: tuple[int, ...], low: float = -2, high: float = 2) -> list[np.ndarray]:
    return [array(*shape, dtype=np.float64, low=low, high=high, seed=i) for i, shape in enumerate(shapes)]


def check(build, *inputs: np.ndarray) -> ModuleOp:
    """What `build(g, *values)` gives has the gradients that finite differences have."""
    g = Graph()
    result = build(g, *map(g.input, inputs))
    weights = g.constant(array(*result.type.get_shape(), dtype=np.float64, low=0.5, high=2, seed=9))
    module = g.module(g(Multiply, result, weights))
    after = gradient(module)
    value, gradients = run_module(after, list(inputs))
    np.testing.assert_array_equal(value, run_module(module, list(inputs))[0])
    for actual, expected in zip(gradients, differences(module, list(inputs)), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)
    return after


@pytest.mark.parametrize("operator", [Add, Subtract, Multiply, Divide, Power, Maximum, Minimum])
@pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (3,)), ((), (2, 2))])
def test_arithmetic(operator, shapes):
    check(lambda g, x, y: g(operator, x, y), *doubles(*shapes, low=0.5, high=3))


@pytest.mark.parametrize(
    "operator",
    [Abs, Asinh, Atan, Copy, Cos, Cosh, Erf, Exp, Floor, Gelu, LeakyRelu, Negative, Relu, Sigmoid, Sin, Sinh, Tanh],
)
def test_functions_of_all_numbers(operator):
    check(lambda g, x: g(operator, x), *doubles((3, 4)))


@pytest.mark.parametrize(
    ("operator", "low", "high"),
    [
        (Acos, -0.9, 0.9),
        (Acosh, 1.2, 3),
        (Asin, -0.9, 0.9),
        (Atanh, -0.9, 0.9),
        (Log, 0.2, 3),
        (Log10, 0.2, 3),
        (Log2, 0.2, 3),
        (Rsqrt, 0.2, 3),
        (Sqrt, 0.2, 3),
        (Tan, -1, 1),
    ],
)
def test_functions_of_some_numbers(operator, low, high):
    check(lambda g, x: g(operator, x), *doubles((5,), low=low, high=high))


def test_functions_with_options():
    check(lambda g, x: g(Gelu, x, approximate="tanh"), *doubles((7,)))
    check(lambda g, x: g(Clip, x, a_min=-0.5, a_max=1.0), *doubles((7,)))
    check(lambda g, x, alpha: g(PRelu, x, alpha, axis=1), *doubles((2, 3, 2), (3,)))


def test_a_choice():
    check(lambda g, x, y: g(Where, g(Greater, x, y), x, g(Multiply, x, y)), *doubles((2, 3), (3,)))


def test_a_power_of_zero():
    g = Graph()
    x = g.input(np.array([0.0, 2.0]))
    module = gradient(g.module(g(Power, x, g.constant(np.array([0.0, 3.0])))))
    np.testing.assert_array_equal(run_module(module, g.inputs)[1][0], [0, 12])


def test_casts_are_undone():
    g = Graph()
    x = g.input(array(3))
    module = gradient(g.module(g(Multiply, g(Cast, x, dtype=f64), g.constant(np.array([1.0, 2.0, 3.0])))))
    (found,) = run_module(module, g.inputs)[1]
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, [1, 2, 3])


@pytest.mark.parametrize(
    ("operator", "attrs"),
    [
        (Reshape, {"newshape": (4, -1)}),
        (BatchFlatten, {}),
        (ExpandDims, {"axis": 1, "num_newaxis": 2}),
        (Transpose, {"axes": (2, 0, 1)}),
        (Transpose, {}),
        (Reverse, {"axis": 1}),
        (BroadcastTo, {"shape": (2, 2, 3, 4)}),
        (Pad, {"pad_width": (0, 1, 2, 0, 1, 1), "pad_value": 3.0}),
        (StridedSlice, {"begin": (0, -2), "end": (1, 3)}),
        (StridedSlice, {"begin": (1,), "end": (2,), "axes": (-1,), "slice_mode": "size"}),
        (Repeat, {"repeats": 2, "axis": 1}),
        (Repeat, {"repeats": 2}),
        (Tile, {"reps": (2, 1, 3)}),
        (Tile, {"reps": (2, 1, 1, 2)}),
    ],
)
def test_moved_elements(operator, attrs):
    check(lambda g, x: g(operator, x, **attrs), *doubles((2, 3, 4)))


def test_joined_and_parted():
    check(lambda g, x, y: g(Concatenate, x, y, x, axis=-1), *doubles((2, 3), (2, 1)))
    check(lambda g, x, y: g(Stack, x, y, axis=1), *doubles((2, 3), (2, 3)))
    check(lambda g, x: g(Squeeze, x, axis=(1,)), *doubles((2, 1, 3)))

    def first_and_last(g, x):
        first, _, last = g.all(Split, x, indices_or_sections=3, axis=1)
        return g(Multiply, first, last)

    check(first_and_last, *doubles((2, 6)))


@pytest.mark.parametrize("operator", [Sum, Mean, Max, Min])
@pytest.mark.parametrize(
    "attrs", [{}, {"axis": (1,)}, {"axis": (0, -1), "keepdims": True}, {"axis": (1,), "exclude": True}]
)
def test_reductions(operator, attrs):
    check(lambda g, x: g(operator, x, **attrs), *doubles((2, 3, 2)))


@pytest.mark.parametrize("unbiased", [False, True])
def test_variance(unbiased):
    def build(g, x):
        return g(Variance, x, g(Mean, x, axis=(1,), keepdims=True), axis=(1,), unbiased=unbiased)

    check(build, *doubles((2, 3)))


def test_equal_extremes_share_the_gradient():
    g = Graph()
    module = gradient(g.module(g(Max, g.input(np.array([1.0, 3.0, 3.0])))))
    np.testing.assert_array_equal(run_module(module, g.inputs)[1][0], [0, 0.5, 0.5])


@pytest.mark.parametrize("operator", [Softmax, LogSoftmax])
@pytest.mark.parametrize("axis", [-1, 0])
def test_softmax(operator, axis):
    check(lambda g, x: g(operator, x, axis=axis), *doubles((3, 4)))


def test_dense_and_bias():
    check(lambda g, x, w, c: g(BiasAdd, g(Dense, x, w), c, axis=-1), *doubles((2, 3), (4, 3), (4,)))
    check(lambda g, x, w: g(Dense, x, w), *doubles((2, 2, 3), (4, 3)))
    check(lambda g, x, w: g(Dense, x, w), *doubles((3,), (4, 3)))


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_products(transpose_a, transpose_b):
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    a, b = (3, 2) if transpose_a else (2, 3), (4, 3) if transpose_b else (3, 4)
    check(lambda g, x, y: g(Matmul, x, y, **attrs), *doubles(a, b))
    check(lambda g, x, y: g(BatchMatmul, x, y, **attrs), *doubles((2, *a), (2, *b)))
    check(lambda g, x, y: g(BatchMatmul, x, y, **attrs), *doubles((1, *a), (2, *b)))


@pytest.mark.parametrize(
    "attrs",
    [
        {},
        {"padding": (1, 0, 2, 1)},
        {"strides": (2, 3)},
        {"strides": (2, 2), "padding": (1, 1)},
        {"dilation": (2, 1), "padding": (1, 1)},
        {"strides": (2, 1), "dilation": (1, 2), "padding": (1,)},
    ],
)
def test_conv2d(attrs):
    check(lambda g, x, w: g(Conv2D, x, w, **attrs), *doubles((2, 2, 6, 5), (3, 2, 3, 2)))


def test_global_avg_pool2d():
    check(lambda g, x: g(GlobalAvgPool2D, x), *doubles((1, 2, 3, 2)))


def test_a_network_against_torch():
    shapes = [(2, 3, 8, 8), (4, 3, 3, 3), (4,), (5, 4)]
    inputs = [array(*shape, low=-1, high=1, seed=i) for i, shape in enumerate(shapes)]
    g = Graph()
    x, kernel, bias, weight = map(g.input, inputs)
    y = g(Relu, g(BiasAdd, g(Conv2D, x, kernel, padding=(1, 1), strides=(2, 2)), bias))
    y = g(LogSoftmax, g(Dense, g(BatchFlatten, g(GlobalAvgPool2D, y)), weight))
    module = gradient(g.module(g(Mean, y)))
    value, gradients = run_module(module, inputs)

    tensors = [torch.tensor(a, requires_grad=True) for a in inputs]
    x, kernel, bias, weight = tensors
    y = torch.relu(torch.nn.functional.conv2d(x, kernel, bias, stride=2, padding=1)).mean((2, 3)) @ weight.T
    expected = torch.log_softmax(y, -1).mean()
    expected.backward()
    np.testing.assert_allclose(value, expected.detach(), rtol=1e-5)
    for actual, tensor in zip(gradients, tensors, strict=True):
        np.testing.assert_allclose(actual, tensor.grad, rtol=1e-4, atol=1e-6)


def test_what_has_no_influence_has_the_gradient_zero():
    g = Graph()
    x, _, number = map(g.input, (np.ones(2), np.ones(3), np.array(4, np.int32)))
    module = gradient(g.module(g(Multiply, x, g(Cast, number, dtype=f64))))
    gradients = run_module(module, g.inputs)[1]
    assert [a.dtype.name for a in gradients] == ["float64", "float64", "int32"]
    for actual, expected in zip(gradients, ([4, 4], [0, 0, 0], 0), strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_adjoints_of_constants_are_not_computed():
    g = Graph()
    module = gradient(g.module(g(Dense, g.input(array(2, 3)), g.weight(4, 3))))
    assert names(module) == ["constant", "nn.dense", "ones_like", "nn.matmul", "tuple"]


def test_tuples_are_seen_through():
    def build(g, x, y):
        pair = g(Let, g(Tuple, x, g(Multiply, x, y)), variable="pair")
        return g(Add, g(TupleGetItem, pair, index=1), g(TupleGetItem, pair, index=0))

    check(build, *doubles((2,), (2,)))


def test_operators_without_a_rule_are_named():
    g = Graph()
    x = g.input(np.ones(2))
    with pytest.raises(UnsupportedError, match=r"@main: there is no gradient rule for relay\.mod"):
        gradient(g.module(g(Mod, x, x)))


def test_a_rule_of_a_plugin(monkeypatch):
    monkeypatch.setattr(gradients, "_RULES", dict(gradients._RULES))

    @gradients.gradient_of(Mod)
    def mod(op, b, grad):
        return grad, b.negative(b.multiply(grad, b.make(Floor, b.divide(op.lhs, op.rhs))))

    check(lambda g, x, y: g(Mod, x, y), *doubles((4,), (4,), low=0.5, high=3))


@pytest.mark.parametrize(
    ("operator", "attrs", "shapes"),
    [
        (StridedSlice, {"begin": (0,), "end": (4,), "strides": (2,)}, [(4,)]),
        (Pad, {"pad_width": (1, 1), "pad_mode": "edge"}, [(4,)]),
        (Conv2D, {"groups": 2}, [(1, 2, 3, 3), (2, 1, 2, 2)]),
        (Dense, {"out_dtype": f64}, [(2, 3), (4, 3)]),
    ],
)
def test_options_without_a_rule_are_named(operator, attrs, shapes):
    g = Graph()
    operands = [g.input(array(*shape)) for shape in shapes]
    with pytest.raises(UnsupportedError, match=f"{operator.name}.* has .*gradient rule"):
        gradient(g.module(g(operator, *operands, **attrs)))


def test_operators_without_a_rule_may_work_on_constants():
    g = Graph()
    ones = g.constant(np.ones(2))
    module = gradient(g.module(g(Multiply, g.input(np.ones(2)), g(Mod, ones, ones))))
    np.testing.assert_array_equal(run_module(module, g.inputs)[1][0], [0, 0])


@pytest.mark.parametrize(
    ("argument", "body", "result", "message"),
    [
        ("tensor<?xf32>", "func.return %x : tensor<?xf32>", "tensor<?xf32>", "sizes must be known"),
        ("tensor<2xi32>", "func.return %x : tensor<2xi32>", "tensor<2xi32>", "one tensor of floats"),
        ("tensor<f32>", "func.return %x, %x : tensor<f32>, tensor<f32>", "tensor<f32>, tensor<f32>", "one tensor"),
        ("tuple<tensor<f32>>", "%y = relay.tuple_get_item %x {index = 0} : (tuple<tensor<f32>>) -> tensor<f32>\n"
         "func.return %y : tensor<f32>", "tensor<f32>", "arguments must be tensors"),
    ],
)  # fmt: skip
def test_functions_that_have_no_gradient(argument, body, result, message):
    with pytest.raises(UnsupportedError, match=message):
        gradient(parse_main(f"%x: {argument}", body, result))


def test_choices_and_calls_are_named():
    module = parse_main(
        "%c: tensor<i1>, %x: tensor<f32>",
        """
        %y = relay.if %c -> (tensor<f32>) {
          relay.yield %x : tensor<f32>
        } else {
          relay.yield %x : tensor<f32>
        }
        func.return %y : tensor<f32>""",
        "tensor<f32>",
    )
    with pytest.raises(UnsupportedError, match=r"relay\.if"):
        gradient(module)
