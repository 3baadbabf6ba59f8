"""Operators that pick elements by position, and those that put them there."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import DYNAMIC, as_tensor, dtype_of, i64, is_unsigned, shape_of
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.onnx.value import Value
from xrelay.frontends.operators import ops

# Slices ------------------------------------------------------------------------------------------------------------


def slice_arguments(node: Node) -> list[tuple[int, int, int, int]]:
    """(begin, end, axis, step) of each axis that a Slice cuts, as the operator clamps them.

    Raises ModelError for lists that do not fit together.
    """
    if node.opset < 10:
        starts, ends, axes, steps = tuple(node.attr("starts")), tuple(node.attr("ends")), node.attr("axes"), None
    else:
        starts, ends = node.known_ints(1), node.known_ints(2)
        axes = node.known_ints(3) if node.has(3) else None
        steps = node.known_ints(4) if node.has(4) else None
    axes = tuple(range(len(starts))) if axes is None else tuple(axes)
    steps = (1,) * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps):
        node.fail(f"starts, ends, axes and steps have {len(starts)}, {len(ends)}, {len(axes)} and {len(steps)} numbers")
    if 0 in steps:
        node.fail("a step is 0")
    axes = tuple(node.axis(axis, node.rank()) for axis in axes)
    if len(set(axes)) != len(axes):
        node.fail(f"axes {list(axes)} name an axis twice")
    shape = node.shape()
    return [_clamped(*cut, shape[cut[2]]) for cut in zip(starts, ends, axes, steps, strict=True)]


def _clamped(begin: int, end: int, axis: int, step: int, size: int) -> tuple[int, int, int, int]:
    """The start of a negative step is moved onto the axis from either side; a slice may be empty."""
    if size == DYNAMIC:
        return begin, end, axis, step
    begin, end = (n + size if n < 0 else n for n in (begin, end))
    if step > 0:
        begin, end = (min(max(n, 0), size) for n in (begin, end))
        return begin, max(begin, end), axis, step
    begin, end = min(max(begin, 0), size - 1), min(max(end, -1), size - 1)
    # An end before the front is written so that counting from the end of the axis cannot catch it.
    return begin, min(begin, end) if min(begin, end) >= 0 else -size - 1, axis, step


@importer("Slice")
def slice_(node: Node) -> SSAValue | Value:
    cuts = slice_arguments(node)
    if not cuts:
        return node.value(0)
    begin, end, axes, strides = zip(*cuts, strict=True)
    return node.build(ops.StridedSlice, node.input(0), begin=begin, end=end, axes=axes, strides=strides)


def split_sizes(node: Node, axis: int) -> list[int]:
    """The sizes of the pieces of a Split. Without sizes they are equal, the last one smaller where they must be."""
    given = node.axes(1, "split")
    total, count = node.shape()[axis], len(node.proto.output)
    if total == DYNAMIC:
        node.unsupported(f"the size of {node.type()} on axis {axis} must be known; shapes= can fix it")
    if given is not None:
        if len(given) != count or sum(given) != total or min(given) < 0:
            node.fail(f"an axis of size {total} cannot be split into the {count} outputs by {list(given)}")
        return list(given)
    if node.attr("num_outputs", count) != count:
        node.fail(f"num_outputs is {node.attr('num_outputs')}, the node has {count} outputs")
    step = -(-total // count)
    if node.opset < 18 and total % count:
        node.fail(f"an axis of size {total} cannot be split into {count} equal pieces")
    return [min(step, max(total - i * step, 0)) for i in range(count)]


@importer("Split")
def split(node: Node) -> list[Any]:
    axis = node.axis(node.attr("axis", 0), node.rank())
    bounds = np.cumsum(split_sizes(node, axis))[:-1]
    if not len(bounds):
        return [node.value(0)]
    return list(node.build(ops.Split, node.input(0), indices_or_sections=tuple(map(int, bounds)), axis=axis))


# Gathers -----------------------------------------------------------------------------------------------------------


@importer("Gather")
def gather(node: Node) -> SSAValue:
    axis = node.axis(node.attr("axis", 0), node.rank())
    indices = node.value(1).array
    if indices is not None and indices.size and node.shape()[axis] != DYNAMIC:
        size = node.shape()[axis]
        if indices.min() < -size or indices.max() >= size:
            found = indices.max() if indices.max() >= size else indices.min()
            node.fail(f"the index {found} is outside [-{size}, {size}), axis {axis} of {node.type()}")
    return node.build(ops.Take, node.input(0), node.input(1), axis=axis, mode="error")


def from_front(node: Node, indices: SSAValue, sizes: SSAValue) -> SSAValue:
    """Indices that count from the end, counted from the front; those outside stay outside."""
    if is_unsigned(as_tensor(indices.type).element_type):
        return indices
    negative = node.build(ops.Less, indices, node.constant(0, indices))
    return node.build(ops.Where, negative, node.build(ops.Add, indices, sizes), indices)


def _size(node: Node, axis: int) -> SSAValue:
    """The size of an axis of input 0 as a scalar of the type of the indices, which are input 1."""
    size = node.shape()[axis]
    if size != DYNAMIC:
        return node.constant(size, node.element(1))
    sizes = node.build(ops.ShapeOf, node.input(0), dtype=node.element(1))
    return node.build(ops.Take, sizes, node.constant(axis, i64), axis=0)


@importer("GatherElements")
def gather_elements(node: Node) -> SSAValue:
    axis = node.axis(node.attr("axis", 0), node.rank())
    indices = from_front(node, node.input(1), _size(node, axis))
    return node.build(ops.Gather, node.input(0), indices, axis=axis)


@importer("GatherND")
def gather_nd(node: Node) -> SSAValue:
    """The position stands in the last axis of the indices; relay has it in the first."""
    batch, rank = node.attr("batch_dims", 0), node.rank(1)
    depth = _depth(node)
    indices = node.transpose(node.input(1), (rank - 1, *range(rank - 1)))
    sizes = np.array(_indexed_sizes(node, batch, depth)).reshape(depth, *(1,) * (rank - 1))
    indices = from_front(node, indices, node.constant(sizes, indices))
    return node.build(ops.GatherND, node.input(0), indices, batch_dims=batch)


def _depth(node: Node) -> int:
    """How many axes an index names: the last size of the indices."""
    if node.rank(1) < 1 or node.shape(1)[-1] == DYNAMIC:
        node.unsupported(f"the last size of {node.input_name(1)}, {node.type(1)}, must be known")
    return node.shape(1)[-1]


def _indexed_sizes(node: Node, batch: int, depth: int) -> tuple[int, ...]:
    sizes = node.shape()[batch : batch + depth]
    if batch < 0 or len(sizes) < depth:
        node.fail(f"{depth} indices behind {batch} batch axes do not fit {node.type()}")
    if DYNAMIC in sizes:
        node.unsupported(f"the sizes of {node.type()} that are indexed must be known; shapes= can fix them")
    return sizes


# Scatters ----------------------------------------------------------------------------------------------------------

_REDUCTIONS = {"none": "update", "add": "add", "mul": "mul", "max": "max", "min": "min"}


def _reduction(node: Node) -> str:
    reduction = node.attr("reduction", "none")
    if reduction not in _REDUCTIONS:
        node.fail(f"reduction is one of {', '.join(_REDUCTIONS)}, not {reduction!r}")
    return _REDUCTIONS[reduction]


@importer("ScatterElements", "Scatter")
def scatter_elements(node: Node) -> SSAValue:
    axis = node.axis(node.attr("axis", 0), node.rank())
    indices = from_front(node, node.input(1), _size(node, axis))
    return node.build(ops.ScatterElements, node.input(0), indices, node.input(2), axis=axis, reduction=_reduction(node))


@importer("ScatterND")
def scatter_nd(node: Node) -> SSAValue:
    """Scattered along one axis: the axes that are indexed are made one, and so are those behind them."""
    depth = _depth(node)
    sizes = _indexed_sizes(node, 0, depth)
    count, rest = prod(sizes), prod(node.static_shape()[depth:])
    rows = prod(node.static_shape(1)[:-1])
    if node.static_shape(2) != (*node.shape(1)[:-1], *node.shape()[depth:]):
        node.fail(f"updates {node.type(2)} do not fit indices {node.type(1)} and data {node.type()}")
    flat = node.reshape(_flat_index(node, sizes, rows), (rows, 1))
    indices = node.build(ops.BroadcastTo, flat, shape=(rows, rest))
    data = node.reshape(node.input(0), (count, rest))
    updates = node.reshape(node.input(2), (rows, rest))
    result = node.build(ops.ScatterElements, data, indices, updates, axis=0, reduction=_reduction(node))
    return node.reshape(result, node.shape())


def _flat_index(node: Node, sizes: tuple[int, ...], rows: int) -> SSAValue:
    """Positions in row-major order; one with an index outside its axis becomes one outside the whole."""
    indices = node.reshape(node.input(1), (rows, len(sizes)))
    limits = node.constant(np.array(sizes, np.int64), indices)
    indices = from_front(node, indices, limits)
    outside = node.build(
        ops.LogicalOr,
        node.build(ops.Less, indices, node.constant(0, indices)),
        node.build(ops.GreaterEqual, indices, limits),
    )
    strides = np.array([prod(sizes[i + 1 :]) for i in range(len(sizes))], dtype_of(indices.type))
    weighted = node.build(ops.Multiply, indices, node.constant(strides, indices))
    flat = node.build(ops.Sum, weighted, axis=(1,)) if sizes else node.constant(np.zeros(rows), indices)
    if not sizes:
        return flat
    return node.build(ops.Where, node.build(ops.Any, outside, axis=(1,)), node.constant(prod(sizes), flat), flat)


# Along an axis -----------------------------------------------------------------------------------------------------


@importer("CumSum")
def cum_sum(node: Node) -> SSAValue:
    axis = node.axis(int(node.known_scalar(1)), node.rank())
    x, backwards = node.input(0), node.attr("reverse")
    if backwards:
        x = node.build(ops.Reverse, x, axis=axis)
    x = node.build(ops.Cumsum, x, axis=axis, exclusive=bool(node.attr("exclusive")))
    return node.build(ops.Reverse, x, axis=axis) if backwards else x


@importer("Trilu")
def trilu(node: Node) -> SSAValue:
    k = node.reshape(node.input(1), ()) if node.has(1) else node.constant(0, i64)
    return node.build(ops.Trilu, node.input(0), k, upper=bool(node.attr("upper")))


@importer("OneHot")
def one_hot(node: Node) -> SSAValue:
    """Negative indices count from the end; `values` holds the value off and the value on."""
    depth = int(node.known_scalar(1))
    if node.shape(2) != (2,):
        node.fail(f"{node.input_name(2)} must hold two values, not {node.type(2)}")
    indices = node.cast(node.input(0), i64)
    indices = from_front(node, indices, node.constant(depth, indices))
    off, on = (
        node.reshape(node.build(ops.StridedSlice, node.input(2), begin=(i,), end=(i + 1,)), ()) for i in (0, 1)
    )
    return node.build(ops.OneHot, indices, on, off, depth=depth, axis=node.axis(node.attr("axis"), node.rank() + 1))


@importer("ReverseSequence")
def reverse_sequence(node: Node) -> SSAValue:
    """data[t] of sample b becomes data[length_b - 1 - t] below the length of the sample, and stays behind it."""
    time_axis, batch_axis = node.attr("time_axis"), node.attr("batch_axis")
    if {time_axis, batch_axis} != {0, 1} or node.rank() < 2:
        node.fail(f"time_axis {time_axis} and batch_axis {batch_axis} must be 0 and 1")
    shape = node.static_shape()
    steps = node.constant(np.arange(shape[time_axis]).reshape((-1, 1) if time_axis == 0 else (1, -1)), i64)
    lengths = node.cast(node.input(1), i64)
    lengths = node.build(ops.ExpandDims, lengths, axis=time_axis)
    mirrored = node.build(ops.Subtract, node.build(ops.Subtract, lengths, node.constant(1, i64)), steps)
    indices = node.build(ops.Where, node.build(ops.Less, steps, lengths), mirrored, steps)
    indices = node.reshape(indices, (*shape_of(indices.type), *(1,) * (node.rank() - 2)))
    return node.build(ops.Gather, node.input(0), node.build(ops.BroadcastTo, indices, shape=shape), axis=time_axis)
