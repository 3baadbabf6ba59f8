"""Reductions."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import f64, i64, is_bool, is_float
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.onnx.value import Value
from xrelay.frontends.operators import ops

Reduction = Callable[[type, SSAValue], SSAValue]


def _reduction(node: Node) -> Reduction | None:
    """`reduce(operator, x)` over the axes of the node; None where it has none and says that this means no reduction."""
    axes = node.axes(1)
    if not axes and node.attr("noop_with_empty_axes"):
        return None
    axes = tuple(node.axis(axis, node.rank()) for axis in axes or range(node.rank()))
    keepdims = bool(node.attr("keepdims", 1))

    def reduce(operator: type, x: SSAValue) -> SSAValue:
        # relay takes no axes for all axes, and a scalar has none to reduce.
        return node.build(operator, x, axis=axes, keepdims=keepdims)

    return reduce


@importer("ReduceSum", "ReduceProd", "ReduceMean", "ReduceMax", "ReduceMin")
def reduce_simple(node: Node) -> SSAValue | Value:
    reduce = _reduction(node)
    if reduce is None:
        return node.value(0)
    name = node.proto.op_type.removeprefix("Reduce")
    if is_bool(node.element()):
        name = {"Max": "Any", "Min": "All"}[name]
    return reduce(getattr(ops, name), node.input(0))


@importer("ReduceSumSquare")
def reduce_sum_square(node: Node) -> SSAValue:
    x = node.input(0)
    return _sum(node, node.build(ops.Multiply, x, x))


@importer("ReduceL1")
def reduce_l1(node: Node) -> SSAValue:
    return _sum(node, node.build(ops.Abs, node.input(0)))


def _sum(node: Node, x: SSAValue) -> SSAValue:
    reduce = _reduction(node)
    return x if reduce is None else reduce(ops.Sum, x)


def _in_floats(node: Node, x: SSAValue) -> SSAValue:
    """Integers as float64: the root or logarithm of their sum is computed there and truncated at the end."""
    return x if is_float(node.element()) else node.cast(x, f64)


@importer("ReduceL2")
def reduce_l2(node: Node) -> SSAValue:
    x = _in_floats(node, node.input(0))
    total = _sum(node, node.build(ops.Multiply, x, x))
    return node.cast(node.build(ops.Sqrt, total), node.element())


@importer("ReduceLogSum")
def reduce_log_sum(node: Node) -> SSAValue:
    total = _sum(node, _in_floats(node, node.input(0)))
    return node.cast(node.build(ops.Log, total), node.element())


@importer("ReduceLogSumExp")
def reduce_log_sum_exp(node: Node) -> SSAValue | Value:
    """log Σ exp(x), with the largest element taken out first; where that is infinite, nothing is."""
    x = _in_floats(node, node.input(0))
    reduce = _reduction(node)
    if reduce is None:
        return node.value(0)
    axes = tuple(node.axis(axis, node.rank()) for axis in node.axes(1) or range(node.rank()))
    zero = node.constant(0, x)
    largest = node.build(ops.Max, x, axis=axes, keepdims=True)
    largest = node.build(ops.Where, node.build(ops.IsFinite, largest), largest, zero)
    total = reduce(ops.Sum, node.build(ops.Exp, node.build(ops.Subtract, x, largest)))
    if not node.attr("keepdims", 1) and axes:
        largest = node.build(ops.Squeeze, largest, axis=axes)
    return node.cast(node.build(ops.Add, node.build(ops.Log, total), largest), node.element())


@importer("ArgMax", "ArgMin")
def arg_extreme(node: Node) -> SSAValue:
    found = node.build(
        ops.Argmax if node.proto.op_type == "ArgMax" else ops.Argmin,
        node.input(0),
        axis=(node.axis(node.attr("axis", 0), node.rank()),),
        keepdims=bool(node.attr("keepdims", 1)),
        select_last_index=bool(node.attr("select_last_index", 0)),
    )
    return node.cast(found, i64)
