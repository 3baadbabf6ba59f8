"""The passes `relay-combine-parallel-…` compute branches together."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.graph.graph_builder import Builder
from tests.lowering.graph.graph_utils import check, names
from xrelay.dialects.relay.activation import Relu
from xrelay.dialects.relay.convolution import Conv2D
from xrelay.dialects.relay.elementwise import Add, Multiply, Subtract
from xrelay.dialects.relay.linear import BatchMatmul, BiasAdd, Dense
from xrelay.errors import XRelayError
from xrelay.lowering.graph.combine_parallel_batch_matmul import CombineParallelBatchMatmul
from xrelay.lowering.graph.combine_parallel_conv2d import CombineParallelConv2D
from xrelay.lowering.graph.combine_parallel_dense import CombineParallelDense


def left(pass_, b: Builder, *results) -> list[str]:
    after = names(check(pass_, b.module(*results), rtol=1e-5, atol=1e-4))
    return [name for name in after if name not in ("constant", "concatenate")]


# Convolutions --------------------------------------------------------------------------------------------------------


def test_convolutions_with_all_that_follows_alike():
    b = Builder((1, 4, 6, 6))
    results = []
    for channels in (2, 3, 5):
        y = b(BiasAdd.make(b.conv(b.args[0], channels), b.constant(channels)))
        results.append(b(Relu.make(b(Multiply.make(b.constant(channels, 1, 1), y)))))
    assert left(CombineParallelConv2D(), b, *results) == ["nn.conv2d", "nn.bias_add", "multiply", "nn.relu", "split"]


def test_scalars_of_their_own_end_what_is_common():
    b = Builder((1, 4, 6, 6))
    results = [b(Subtract.make(b.conv(b.args[0], n), b.constant())) for n in (2, 3, 5)]
    assert left(CombineParallelConv2D(), b, *results) == ["nn.conv2d", "split", *["subtract"] * 3]


def test_steps_with_one_operand_for_all():
    b = Builder((1, 4, 6, 6))
    scalar = b.array(np.float32(2))
    results = [b(Relu.make(b(Multiply.make(scalar, b.conv(b.args[0], n))))) for n in (2, 3, 5)]
    assert left(CombineParallelConv2D(), b, *results) == ["nn.conv2d", "multiply", "nn.relu", "split"]


def test_branches_that_go_on_differently():
    b = Builder((1, 4, 6, 6))
    x, y, z = (b.conv(b.args[0]) for _ in range(3))
    results = b(Relu.make(x)), b(Add.make(y, z)), z
    assert left(CombineParallelConv2D(), b, *results) == ["nn.conv2d", "split", "nn.relu", "add"]


def test_layouts_and_weights_that_come_as_arguments():
    b = Builder((1, 6, 6, 4), (3, 3, 4, 2), (3, 3, 4, 3))
    attrs = {"data_layout": "NHWC", "kernel_layout": "HWIO", "padding": (1, 1)}
    results = [b(Conv2D.make(b.args[0], weight, **attrs)) for weight in b.args[1:]]
    assert left(CombineParallelConv2D(min_num_branches=2), b, *results) == ["nn.conv2d", "split"]


def test_too_few_branches():
    b = Builder((1, 4, 6, 6))
    assert left(CombineParallelConv2D(), b, b.conv(b.args[0]), b.conv(b.args[0])) == ["nn.conv2d"] * 2


@pytest.mark.parametrize("attrs", [{"strides": (2, 2)}, {"groups": 4}, {"dilation": (2, 2)}])
def test_other_attributes_stay_apart(attrs):
    b = Builder((1, 4, 6, 6))
    results = b.conv(b.args[0]), b.conv(b.args[0], **attrs)
    assert left(CombineParallelConv2D(min_num_branches=2), b, *results) == ["nn.conv2d"] * 2


def test_a_weight_that_depends_on_another_branch():
    b = Builder((1, 4, 3, 3), (4, 4, 1, 1))
    x = b(Conv2D.make(b.args[0], b.args[1]))
    y = b(Conv2D.make(b.args[0], x))
    assert left(CombineParallelConv2D(min_num_branches=2), b, x, y) == ["nn.conv2d"] * 2


# Dense ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_dense_with_different_units(rank):
    """Pieces are cut along the units, not always along the last axis of what follows (apache/tvm PR 13597)."""
    b = Builder((2, 3, 4)[3 - rank :])
    results = [b(BiasAdd.make(b(Dense.make(b.args[0], b.constant(n, 4))), b.constant(n), axis=-1)) for n in (2, 3, 5)]
    assert left(CombineParallelDense(to_batch=False), b, *results) == ["nn.dense", "nn.bias_add", "split"]


def test_a_step_that_broadcasts_ends_what_is_common():
    b = Builder((3, 4), (7, 3, 1))
    results = [b(Add.make(b(Dense.make(b.args[0], b.constant(n, 4))), b.args[1])) for n in (2, 3, 5)]
    assert left(CombineParallelDense(to_batch=False), b, *results) == ["nn.dense", "split", "add", "add", "add"]


def test_dense_to_batch():
    b = Builder((3, 4))
    results = [b(Relu.make(b(Dense.make(b.args[0], b.constant(5, 4))))) for _ in range(3)]
    found = left(CombineParallelDense(), b, *results)
    assert found == [
        "stack",
        "expand_dims",
        "nn.batch_matmul",
        "split",
        "squeeze",
        "squeeze",
        "squeeze",
        *["nn.relu"] * 3,
    ]


def test_dense_of_different_units_are_no_batch():
    b = Builder((3, 4))
    results = [b(Dense.make(b.args[0], b.constant(n, 4))) for n in (2, 3, 5)]
    assert left(CombineParallelDense(), b, *results) == ["nn.dense"] * 3


# Batches -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("transpose_b", [False, True])
def test_batch_matmul(transpose_b):
    b = Builder((2, 3, 4))
    shapes = [(2, n, 4) if transpose_b else (2, 4, n) for n in (2, 3, 5)]
    results = [b(BatchMatmul.make(b.args[0], b.constant(*shape), transpose_b=transpose_b)) for shape in shapes]
    assert left(CombineParallelBatchMatmul(), b, *results) == ["nn.batch_matmul", "split"]


def test_one_branch_is_none():
    b = Builder((3, 4))
    with pytest.raises(XRelayError, match="min_num_branches must be at least 2"):
        left(CombineParallelDense(min_num_branches=1), b, b.args[0])
