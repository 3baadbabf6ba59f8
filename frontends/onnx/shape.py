"""Operators on shapes: reading them, and giving the same elements another one."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import DYNAMIC, i64, num_elements
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.onnx.value import Value
from xrelay.frontends.operators import ops


@importer("Shape")
def shape(node: Node) -> SSAValue | np.ndarray:
    """The sizes, or from opset 15 on a range of them; known where no size of the range is dynamic."""
    sizes = node.shape()[node.attr("start", 0) : node.attr("end")]
    if DYNAMIC not in sizes:
        return np.array(sizes, np.int64)
    begin, end, _ = slice(node.attr("start", 0), node.attr("end")).indices(node.rank())
    all_sizes = node.build(ops.ShapeOf, node.input(0), dtype=i64)
    return node.build(ops.StridedSlice, all_sizes, begin=(begin,), end=(end,))


@importer("Size")
def size(node: Node) -> SSAValue | np.ndarray:
    if DYNAMIC not in node.shape():
        return np.array(prod(node.shape()), np.int64)
    return node.build(ops.Prod, node.build(ops.ShapeOf, node.input(0), dtype=i64))


@importer("Reshape")
def reshape(node: Node) -> SSAValue:
    """The codes 0 and -1 are those of relay; its further ones are no sizes in ONNX."""
    sizes, allowzero = node.known_ints(1), bool(node.attr("allowzero", 0))
    if any(size < -1 for size in sizes) or sizes.count(-1) > 1 or (allowzero and 0 in sizes and -1 in sizes):
        node.fail(f"{list(sizes)} is not a shape: each size is positive, 0, or once -1")
    return node.build(ops.Reshape, node.input(0), newshape=sizes, allowzero=allowzero)


@importer("Flatten")
def flatten(node: Node) -> SSAValue:
    """The axes before `axis` as rows, the others as columns."""
    shape, axis = node.shape(), node.attr("axis")
    if not -len(shape) <= axis <= len(shape):
        node.fail(f"axis {axis} is outside [-{len(shape)}, {len(shape)}]")
    axis = axis + len(shape) if axis < 0 else axis
    return node.reshape(node.input(0), (num_elements(shape[:axis]), num_elements(shape[axis:])))


@importer("Squeeze")
def squeeze(node: Node) -> SSAValue | Value:
    axes = node.axes(1)
    if axes is None:
        return node.build(ops.Squeeze, node.input(0))
    return node.build(ops.Squeeze, node.input(0), axis=axes) if axes else node.value(0)


@importer("Unsqueeze")
def unsqueeze(node: Node) -> SSAValue:
    axes = node.axes(1) or ()
    rank = node.rank() + len(axes)
    inserted = sorted(node.axis(axis, rank) for axis in axes)
    if len(set(inserted)) != len(inserted):
        node.fail(f"axes {list(axes)} name an axis twice")
    result = node.input(0)
    for axis in inserted:
        result = node.build(ops.ExpandDims, result, axis=axis)
    return result


@importer("Expand")
def expand(node: Node) -> SSAValue | Value:
    """Broadcast both ways: a size of 1 in the target keeps that of the data."""
    target = node.broadcast(node.shape(), node.known_ints(1))
    if DYNAMIC in target:
        node.unsupported(f"the size of {node.type()} on an axis that is kept must be known; shapes= can fix it")
    return node.value(0) if target == node.shape() else node.build(ops.BroadcastTo, node.input(0), shape=target)
