"""Activation functions. Those that relay lacks are written in the operators it has."""

from __future__ import annotations

import math

import numpy as np
from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import is_float, num_elements, shape_of
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.operators import ops


@importer("Relu")
def relu(node: Node) -> SSAValue:
    return node.build(ops.Relu, node.input(0))


@importer("LeakyRelu")
def leaky_relu(node: Node) -> SSAValue:
    return node.build(ops.LeakyRelu, node.input(0), alpha=node.attr("alpha"))


@importer("PRelu")
def prelu(node: Node) -> SSAValue:
    """The slope is broadcast to x from one side; per channel it is relay's prelu."""
    x, slope = node.input(0), node.input(1)
    shape, slopes = node.shape(0), node.shape(1)
    if node.broadcast(shape, slopes) != shape:
        node.fail(f"the slope {node.type(1)} does not broadcast to {node.type(0)}")
    channels = slopes[0] if slopes else 1
    if is_float(node.element()) and len(shape) > 1 and len(slopes) == len(shape) - 1 and channels == shape[1] != 1:
        if all(size == 1 for size in slopes[1:]):
            return node.build(ops.PRelu, x, node.reshape(slope, (channels,)), axis=1)
    positive = node.build(ops.Less, x, node.constant(0, x))
    return node.build(ops.Where, positive, node.build(ops.Multiply, x, slope), x)


@importer("Gelu")
def gelu(node: Node) -> SSAValue:
    approximate = node.attr("approximate")
    if approximate not in ("none", "tanh"):
        node.fail(f'approximate is "none" or "tanh", not {approximate!r}')
    return node.build(ops.Gelu, node.input(0), approximate=approximate)


# Exponential units -------------------------------------------------------------------------------------------------


def _expm1_below_zero(node: Node, x: SSAValue, scale: float = 1.0) -> SSAValue:
    """exp(min(x, 0) · scale) - 1: no overflow where x is large and the other branch is taken."""
    below = node.build(ops.Minimum, x, node.constant(0, x))
    if scale != 1.0:
        below = node.build(ops.Multiply, below, node.constant(scale, x))
    return node.build(ops.Subtract, node.build(ops.Exp, below), node.constant(1, x))


def _positive_or(node: Node, x: SSAValue, otherwise: SSAValue) -> SSAValue:
    return node.build(ops.Where, node.build(ops.Greater, x, node.constant(0, x)), x, otherwise)


def _scaled(node: Node, x: SSAValue, factor: float) -> SSAValue:
    return x if factor == 1.0 else node.build(ops.Multiply, x, node.constant(factor, x))


@importer("Elu")
def elu(node: Node) -> SSAValue:
    x = node.input(0)
    return _positive_or(node, x, _scaled(node, _expm1_below_zero(node, x), node.attr("alpha")))


@importer("Selu")
def selu(node: Node) -> SSAValue:
    x = node.input(0)
    negative = _scaled(node, _expm1_below_zero(node, x), node.attr("alpha"))
    return _scaled(node, _positive_or(node, x, negative), node.attr("gamma"))


@importer("Celu")
def celu(node: Node) -> SSAValue:
    x, alpha = node.input(0), node.attr("alpha")
    if alpha == 0:
        node.fail("alpha must not be 0")
    return _positive_or(node, x, _scaled(node, _expm1_below_zero(node, x, 1 / alpha), alpha))


def softplus_of(node: Node, x: SSAValue) -> SSAValue:
    """log(1 + exp(x)) as max(x, 0) + log(1 + exp(-|x|)), which does not overflow."""
    decay = node.build(ops.Exp, node.build(ops.Negative, node.build(ops.Abs, x)))
    small = node.build(ops.Log, node.build(ops.Add, decay, node.constant(1, x)))
    return node.build(ops.Add, node.build(ops.Maximum, x, node.constant(0, x)), small)


@importer("Softplus")
def softplus(node: Node) -> SSAValue:
    return softplus_of(node, node.input(0))


@importer("Mish")
def mish(node: Node) -> SSAValue:
    x = node.input(0)
    return node.build(ops.Multiply, x, node.build(ops.Tanh, softplus_of(node, x)))


@importer("Softsign")
def softsign(node: Node) -> SSAValue:
    x = node.input(0)
    return node.build(ops.Divide, x, node.build(ops.Add, node.build(ops.Abs, x), node.constant(1, x)))


@importer("Swish")
def swish(node: Node) -> SSAValue:
    x = node.input(0)
    return node.build(ops.Multiply, x, node.build(ops.Sigmoid, _scaled(node, x, node.attr("alpha"))))


# Piecewise linear --------------------------------------------------------------------------------------------------


def _hard_sigmoid(node: Node, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    line = node.build(ops.Add, _scaled(node, x, alpha), node.constant(beta, x))
    return node.build(ops.Clip, line, a_min=0.0, a_max=1.0)


@importer("HardSigmoid")
def hard_sigmoid(node: Node) -> SSAValue:
    return _hard_sigmoid(node, node.input(0), node.attr("alpha"), node.attr("beta"))


@importer("HardSwish")
def hard_swish(node: Node) -> SSAValue:
    x = node.input(0)
    return node.build(ops.Multiply, x, _hard_sigmoid(node, x, 1 / 6, 0.5))


@importer("ThresholdedRelu")
def thresholded_relu(node: Node) -> SSAValue:
    x = node.input(0)
    above = node.build(ops.Greater, x, node.constant(node.attr("alpha"), x))
    return node.build(ops.Where, above, x, node.constant(0, x))


@importer("Shrink")
def shrink(node: Node) -> SSAValue:
    """x + bias below -lambd, x - bias above lambd, 0 between. Integers are computed in their own type."""
    x, lambd, bias = node.input(0), node.attr("lambd"), node.attr("bias")
    if not is_float(node.element()):
        # x > 1.5 is x > 1 and x < -1.5 is x < -1 for integers, whose bounds must be whole.
        lambd, bias = math.floor(lambd), np.trunc(bias)
    zero, offset = node.constant(0, x), node.constant(bias, x)
    below = node.build(ops.Less, x, node.constant(-lambd, x))
    above = node.build(ops.Greater, x, node.constant(lambd, x))
    upper = node.build(ops.Where, above, node.build(ops.Subtract, x, offset), zero)
    return node.build(ops.Where, below, node.build(ops.Add, x, offset), upper)


# Over an axis ------------------------------------------------------------------------------------------------------


@importer("Softmax", "LogSoftmax", since=13)
def softmax(node: Node) -> SSAValue:
    operator = ops.Softmax if node.proto.op_type == "Softmax" else ops.LogSoftmax
    return node.build(operator, node.input(0), axis=node.axis(node.attr("axis"), node.rank()))


def _flattened(node: Node, default_axis: int) -> tuple[SSAValue, int]:
    """The data as a matrix, cut into rows and columns before the axis: how these operators read it before opset 13."""
    shape = node.shape()
    axis = node.axis(node.attr("axis", default_axis), max(len(shape), 1))
    if axis == len(shape) - 1:
        return node.input(0), axis
    return node.reshape(node.input(0), (num_elements(shape[:axis]), num_elements(shape[axis:]))), 1


@importer("Softmax", "LogSoftmax", until=12)
def softmax_1(node: Node) -> SSAValue:
    matrix, axis = _flattened(node, default_axis=1)
    operator = ops.Softmax if node.proto.op_type == "Softmax" else ops.LogSoftmax
    return node.reshape(node.build(operator, matrix, axis=axis), node.shape())


@importer("Hardmax", until=12)
def hardmax_1(node: Node) -> SSAValue:
    matrix, axis = _flattened(node, default_axis=1)
    return node.reshape(_hardmax(node, matrix, axis), node.shape())


@importer("Hardmax", since=13)
def hardmax(node: Node) -> SSAValue:
    return _hardmax(node, node.input(0), node.axis(node.attr("axis"), node.rank()))


def _hardmax(node: Node, x: SSAValue, axis: int) -> SSAValue:
    """1 at the first of the largest elements along the axis, else 0."""
    best = node.build(ops.Argmax, x, axis=(axis,))
    one, zero = node.constant(1, x), node.constant(0, x)
    return node.build(ops.OneHot, best, one, zero, depth=shape_of(x.type)[axis], axis=axis)
