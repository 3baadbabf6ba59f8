"""`relay-fold-scale-axis` moves scales and shifts into the weight and one bias."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from tests.lowering.graph.graph_utils import check, names
from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.convolution import Conv1D, Conv2D, Conv2DTranspose
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.elementwise import Add, Divide, Multiply, Subtract
from xrelay.dialects.relay.linear import BiasAdd, Dense, Matmul
from xrelay.dialects.relay.types import element_of, tensor_type
from xrelay.lowering.graph.fold_scale_axis import FoldScaleAxis

RNG = np.random.default_rng(1)


class Builder:
    """Appends operators to @main of one argument."""

    def __init__(self, shape: Sequence[int], dtype=np.float32):
        self.block = Block(arg_types=[tensor_type(shape, element_of(dtype))])
        self.x = self.block.args[0]
        self.dtype = dtype

    def constant(self, *shape: int) -> SSAValue:
        return self(Constant.of((RNG.standard_normal(shape) + 2).astype(self.dtype)))

    def __call__(self, op: RelayOp) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def module(self, *results: SSAValue) -> ModuleOp:
        self.block.add_op(ReturnOp(*results))
        types = self.block.arg_types, [value.type for value in results]
        return ModuleOp([FuncOp("main", types, Region(self.block))])


def left(module: ModuleOp, rtol: float = 2e-5, atol: float = 2e-4) -> list[str]:
    return [name for name in names(check(FoldScaleAxis(), module, rtol, atol)) if name != "constant"]


@pytest.mark.parametrize(
    ("operator", "data", "weight", "vector", "attrs"),
    [
        (Conv2D, (2, 4, 6, 6), (8, 4, 3, 3), (8, 1, 1), {}),
        (Conv2D, (2, 4, 6, 6), (8, 2, 3, 3), (8, 1, 1), {"groups": 2}),
        (Conv2D, (2, 4, 6, 6), (4, 1, 3, 3), (4, 1, 1), {"groups": 4}),
        (Conv2D, (2, 6, 6, 4), (3, 3, 4, 8), (8,), {"data_layout": "NHWC", "kernel_layout": "HWIO"}),
        (
            Conv2D,
            (2, 6, 6, 4),
            (3, 3, 4, 8),
            (8, 1, 1),
            {"data_layout": "NHWC", "kernel_layout": "HWIO", "out_layout": "NCHW"},
        ),
        (Conv1D, (2, 4, 6), (8, 4, 3), (1, 8, 1), {}),
        (Conv2DTranspose, (2, 4, 6, 6), (4, 8, 3, 3), (8, 1, 1), {}),
        (Dense, (3, 4), (8, 4), (8,), {}),
        (Matmul, (3, 4), (4, 8), (1, 8), {}),
        (Matmul, (3, 4), (8, 4), (), {"transpose_b": True}),
    ],
)
def test_scale_and_shift(operator, data, weight, vector, attrs):
    b = Builder(data)
    y = b(operator.make(b.x, b.constant(*weight), **attrs))
    y = b(Multiply.make(y, b.constant(*vector)))
    y = b(Add.make(b.constant(*vector), y))
    name = operator.name.removeprefix("relay.")
    assert left(b.module(y)) == [name, "add"]


def test_a_whole_chain_becomes_one_bias():
    b = Builder((2, 4, 6, 6))
    y = b(Conv2D.make(b.x, b.constant(8, 4, 3, 3)))
    y = b(BiasAdd.make(y, b.constant(8)))
    y = b(Multiply.make(y, b.constant(8, 1, 1)))
    y = b(Subtract.make(y, b.constant(1, 8, 1, 1)))
    y = b(Divide.make(y, b.constant(1)))
    assert left(b.module(y)) == ["nn.conv2d", "add"]


def test_a_scale_alone_leaves_the_contraction():
    b = Builder((3, 4))
    assert left(b.module(b(Multiply.make(b(Dense.make(b.x, b.constant(8, 4))), b.constant())))) == ["nn.dense"]


def test_one_shift_is_left_as_it_is():
    b = Builder((3, 4))
    assert left(b.module(b(BiasAdd.make(b(Dense.make(b.x, b.constant(8, 4))), b.constant(8))))) == [
        "nn.dense",
        "nn.bias_add",
    ]


def test_other_users_of_a_value_stop_the_chain():
    b = Builder((2, 4, 6, 6))
    conv = b(Conv2D.make(b.x, b.constant(8, 4, 3, 3)))
    scaled = b(Multiply.make(conv, b.constant(8, 1, 1)))
    assert left(b.module(scaled, conv)) == ["nn.conv2d", "multiply"]


def test_a_shared_weight_stays_shared():
    b = Builder((3, 4))
    weight = b.constant(4, 4)
    y = b(Multiply.make(b(Dense.make(b.x, weight)), b.constant(4)))
    y = b(Multiply.make(b(Dense.make(y, weight)), b.constant(4)))
    assert left(b.module(y)) == ["nn.dense", "multiply"] * 2


@pytest.mark.parametrize("vector", [(6,), (6, 6), (2, 1, 1, 1), (8, 6, 1)])
def test_other_axes_are_not_folded(vector):
    b = Builder((2, 4, 6, 6))
    y = b(Conv2D.make(b.x, b.constant(8, 4, 3, 3), padding=(1, 1)))
    assert left(b.module(b(Multiply.make(y, b.constant(*vector))))) == ["nn.conv2d", "multiply"]


def test_a_scale_that_broadcasts_the_result_is_not_folded():
    b = Builder((1, 4))
    y = b(Dense.make(b.x, b.constant(1, 4)))
    assert left(b.module(b(Multiply.make(y, b.constant(5))))) == ["nn.dense", "multiply"]


def test_a_computed_scale_is_not_folded():
    b = Builder((3, 4))
    y = b(Dense.make(b.x, b.constant(4, 4)))
    assert left(b.module(b(Multiply.make(y, b.x)))) == ["nn.dense", "multiply"]


def test_integers_are_left_alone():
    b = Builder((3, 4), np.int32)
    y = b(Multiply.make(b(Dense.make(b.x, b.constant(8, 4))), b.constant(8)))
    assert left(b.module(y)) == ["nn.dense", "multiply"]


def test_a_weight_that_would_overflow_is_left_alone():
    b = Builder((3, 4))
    weight = b(Constant.of(np.full((2, 4), 1e30, np.float32)))
    scale = b(Constant.of(np.float32(1e30)))
    module = b.module(b(Multiply.make(b(Dense.make(b.x, weight)), scale)))
    assert left(module) == ["nn.dense", "multiply"]


def test_squeeze_and_excitation_keeps_its_gate():
    """The gate scales by a computed vector (apache/tvm#17151)."""
    b = Builder((2, 4, 6, 6))
    y = b(Conv2D.make(b.x, b.constant(4, 4, 3, 3), padding=(1, 1)))
    y = b(Multiply.make(y, b.constant(4, 1, 1)))
    gate = b(Conv2D.make(y, b.constant(4, 4, 6, 6)))
    gate = b(Multiply.make(gate, b.constant(4, 1, 1)))
    module = b.module(b(Multiply.make(y, gate)))
    assert left(module, atol=5e-2, rtol=1e-4) == ["nn.conv2d", "nn.conv2d", "multiply"]
