"""`relay-forward-fold-scale-axis` moves scales into the weight behind them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.graph.graph_builder import Builder
from tests.lowering.graph.graph_utils import check, names
from xrelay.dialects.relay.activation import LeakyRelu, Relu
from xrelay.dialects.relay.convolution import Conv1D, Conv2D
from xrelay.dialects.relay.elementwise import Add, Divide, Multiply, Subtract
from xrelay.dialects.relay.linear import BiasAdd, Dense, Matmul
from xrelay.lowering.graph.forward_fold_scale_axis import ForwardFoldScaleAxis


def left(b: Builder, *results) -> list[str]:
    after = names(check(ForwardFoldScaleAxis(), b.module(*results), rtol=1e-4, atol=1e-3))
    return [name for name in after if name != "constant"]


def positive(b: Builder, *shape: int):
    return b.array(np.abs(b.rng.standard_normal(shape)).astype(b.dtype) + np.float32(0.5))


@pytest.mark.parametrize(
    ("operator", "data", "weight", "vector", "attrs"),
    [
        (Conv2D, (2, 4, 6, 6), (8, 4, 3, 3), (4, 1, 1), {"padding": (1, 1)}),
        (Conv2D, (2, 4, 6, 6), (8, 1, 3, 3), (4, 1, 1), {"groups": 4}),
        (Conv2D, (2, 6, 6, 4), (3, 3, 4, 8), (4,), {"data_layout": "NHWC", "kernel_layout": "HWIO"}),
        (Conv1D, (2, 4, 6), (8, 4, 3), (1, 4, 1), {}),
        (Dense, (3, 4), (8, 4), (4,), {}),
        (Matmul, (3, 4), (4, 8), (1, 4), {}),
        (Matmul, (3, 4), (8, 4), (), {"transpose_b": True}),
    ],
)
def test_scale(operator, data, weight, vector, attrs):
    b = Builder(data)
    y = b(Multiply.make(b.constant(*vector), b.args[0]))
    y = b(operator.make(y, b.constant(*weight), **attrs))
    assert left(b, y) == [operator.name.removeprefix("relay.")]


def test_a_normalization_in_front_of_an_activation():
    b = Builder((2, 4, 6, 6))
    y = b(Divide.make(b.args[0], positive(b, 4, 1, 1)))
    y = b(Subtract.make(y, b.constant(4, 1, 1)))
    y = b(LeakyRelu.make(b(BiasAdd.make(y, b.constant(4)))))
    assert left(b, b.conv(y)) == ["add", "add", "nn.leaky_relu", "nn.conv2d"]


def test_a_scale_that_may_be_negative_does_not_pass_relu():
    b = Builder((2, 4, 6, 6))
    y = b(Relu.make(b(Multiply.make(b.args[0], b.array(np.float32([1, -1, 2, 3]).reshape(4, 1, 1))))))
    assert left(b, b.conv(y)) == ["multiply", "nn.relu", "nn.conv2d"]


def test_a_scale_of_zero_does_not_pass_a_shift():
    b = Builder((2, 4, 6, 6))
    y = b(Multiply.make(b.args[0], b.array(np.float32([1, 0, 2, 3]).reshape(4, 1, 1))))
    assert left(b, b.conv(b(Add.make(y, b.constant(4, 1, 1))))) == ["multiply", "add", "nn.conv2d"]


def test_a_scale_that_others_read_too():
    """Squeeze and excitation (apache/tvm#17151)."""
    b = Builder((2, 4, 6, 6))
    y = b(Multiply.make(b.args[0], b.constant(4, 1, 1)))
    assert left(b, b.conv(y), y) == ["multiply", "nn.conv2d"]


@pytest.mark.parametrize("vector", [(6,), (2, 1, 1, 1)])
def test_other_axes(vector):
    b = Builder((2, 4, 6, 6))
    assert left(b, b.conv(b(Multiply.make(b.args[0], b.constant(*vector))))) == ["multiply", "nn.conv2d"]


def test_groups():
    b = Builder((2, 4, 6, 6))
    assert left(b, b.conv(b(Multiply.make(b.args[0], b.constant(4, 1, 1))), groups=2)) == ["multiply", "nn.conv2d"]
