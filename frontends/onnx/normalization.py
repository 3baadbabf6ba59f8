"""Normalizations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import DYNAMIC, as_tensor, f32, num_elements
from xrelay.frontends.onnx.elementwise import promote_16_bit
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.operators import ops


@importer("BatchNormalization")
def batch_normalization(node: Node) -> SSAValue:
    """Inference only; before opset 14 training shows in the outputs that the node has."""
    if node.attr("training_mode") or any(node.proto.output[1:]):
        node.unsupported("it is in training mode; xrelay compiles for inference")
    if node.attr("spatial", 1) == 0:
        node.unsupported("spatial = 0 (statistics of each element) is not supported")
    operands = node.operands()
    element = node.element()
    # From opset 15 on the statistics may have more digits than the data.
    if any(as_tensor(value.type).element_type != element for value in operands):
        operands = [node.cast(value, f32) for value in operands]
    x, scale, bias, mean, var = operands
    if node.rank() < 2:
        node.fail(f"{node.input_name(0)} has no channels: {node.type()}")
    result, _, _ = node.build(ops.BatchNorm, x, scale, bias, mean, var, axis=1, epsilon=node.attr("epsilon"))
    return node.cast(result, element)


@importer("InstanceNormalization")
def instance_normalization(node: Node) -> SSAValue:
    return node.build(ops.InstanceNorm, *node.operands(), axis=1, epsilon=node.attr("epsilon"))


@importer("GroupNormalization", since=21)
def group_normalization(node: Node) -> SSAValue:
    return _group_norm(node, node.input(1), node.input(2))


@importer("GroupNormalization", since=18, until=20)
def group_normalization_18(node: Node) -> SSAValue:
    """Scale and bias are those of the groups; each is repeated for the channels of its group."""
    channels, groups = node.static_shape()[1] if node.rank() > 1 else 0, node.attr("num_groups")
    if groups < 1 or channels % groups:
        node.fail(f"num_groups {groups} does not divide the {channels} channels")
    scale, bias = (node.build(ops.Repeat, node.input(i), repeats=channels // groups, axis=0) for i in (1, 2))
    return _group_norm(node, scale, bias)


def _group_norm(node: Node, scale: SSAValue, bias: SSAValue) -> SSAValue:
    groups, epsilon = node.attr("num_groups"), node.attr("epsilon")
    return node.build(ops.GroupNorm, node.input(0), scale, bias, num_groups=groups, axis=1, epsilon=epsilon)


@importer("LayerNormalization", since=17)
def layer_normalization(node: Node) -> list[SSAValue]:
    """Statistics over the axes from `axis` on, which are made one axis for relay."""
    rank = node.rank()
    axis = node.axis(node.attr("axis"), rank)
    inner = node.shape()[axis:]
    wants_statistics = any(node.proto.output[1:])
    same = all(node.shape(i) == inner for i in (1, 2) if node.has(i)) and DYNAMIC not in inner
    if wants_statistics or not same:
        return _layer_norm_in_steps(node, tuple(range(axis, rank)))
    size = prod(inner)
    x = node.input(0)
    if axis < rank - 1:
        outer = node.shape()[:axis]
        x = node.reshape(x, (num_elements(outer), size))
    scale = node.reshape(node.input(1), (size,))
    bias = node.reshape(node.input(2), (size,)) if node.has(2) else node.constant(np.zeros(size), x)
    result = node.build(ops.LayerNorm, x, scale, bias, axis=-1, epsilon=node.attr("epsilon"), center=node.has(2))
    return [node.reshape(result, node.shape()) if axis < rank - 1 else result]


def _layer_norm_in_steps(node: Node, axes: Sequence[int]) -> list[SSAValue]:
    """The definition, with Mean and InvStdDev as outputs and scale and bias of any shape that broadcasts."""
    element = node.element()
    x = promote_16_bit(node, node.input(0))
    mean = node.build(ops.Mean, x, axis=axes, keepdims=True)
    centered = node.build(ops.Subtract, x, mean)
    variance = node.build(ops.Mean, node.build(ops.Multiply, centered, centered), axis=axes, keepdims=True)
    inverse = node.build(ops.Rsqrt, node.build(ops.Add, variance, node.constant(node.attr("epsilon"), x)))
    result = node.cast(node.build(ops.Multiply, centered, inverse), element)
    result = node.build(ops.Multiply, result, node.input(1))
    if node.has(2):
        result = node.build(ops.Add, result, node.input(2))
    return [result, node.cast(mean, f32), node.cast(inverse, f32)]


@importer("LRN")
def lrn(node: Node) -> SSAValue:
    attributes = {name: node.attr(name) for name in ("size", "bias", "alpha", "beta")}
    return node.build(ops.LRN, node.input(0), axis=1, **attributes)


@importer("LpNormalization")
def lp_normalization(node: Node) -> SSAValue:
    """x / (Σ |x|^p)^(1/p) along the axis, 0 where that norm is 0."""
    x, p = node.input(0), node.attr("p")
    if p not in (1, 2):
        node.fail(f"p is 1 or 2, not {p}")
    axis = (node.axis(node.attr("axis"), node.rank()),)
    powers = node.build(ops.Abs, x) if p == 1 else node.build(ops.Multiply, x, x)
    norm = node.build(ops.Sum, powers, axis=axis, keepdims=True)
    norm = norm if p == 1 else node.build(ops.Sqrt, norm)
    zero = node.constant(0, x)
    return node.build(ops.Where, node.build(ops.Equal, norm, zero), zero, node.build(ops.Divide, x, norm))


@importer("MeanVarianceNormalization")
def mean_variance_normalization(node: Node) -> SSAValue:
    """(x - mean) / (standard deviation + 1e-9)."""
    x, axes = node.input(0), tuple(node.attr("axes") or (0, 2, 3))
    mean = node.build(ops.Mean, x, axis=axes, keepdims=True)
    centered = node.build(ops.Subtract, x, mean)
    variance = node.build(ops.Mean, node.build(ops.Multiply, centered, centered), axis=axes, keepdims=True)
    deviation = node.build(ops.Add, node.build(ops.Sqrt, variance), node.constant(1e-9, x))
    return node.build(ops.Divide, centered, deviation)
