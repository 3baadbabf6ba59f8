"""Operators that rearrange, repeat or join elements."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import DYNAMIC, shape_of
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.operators import ops


@importer("Transpose")
def transpose(node: Node) -> SSAValue:
    return node.build(ops.Transpose, node.input(0), axes=node.attr("perm"))


@importer("Concat")
def concat(node: Node) -> SSAValue:
    operands = node.operands()
    return node.build(ops.Concatenate, *operands, axis=node.attr("axis", 1))


@importer("Tile")
def tile(node: Node) -> SSAValue:
    reps = node.known_ints(1)
    if len(reps) != node.rank():
        node.fail(f"{len(reps)} repeats for {node.type()}, which has rank {node.rank()}")
    return node.build(ops.Tile, node.input(0), reps=reps)


@importer("DepthToSpace")
def depth_to_space(node: Node) -> SSAValue:
    return node.build(ops.DepthToSpace, node.input(0), block_size=node.attr("blocksize"), mode=node.attr("mode", "DCR"))


@importer("SpaceToDepth")
def space_to_depth(node: Node) -> SSAValue:
    return node.build(ops.SpaceToDepth, node.input(0), block_size=node.attr("blocksize"), mode=node.attr("mode", "DCR"))


# Padding -----------------------------------------------------------------------------------------------------------


@importer("Pad", until=10)
def pad_2(node: Node) -> SSAValue:
    return _pad(node, tuple(node.attr("pads")), node.attr("value"))


@importer("Pad", since=11)
def pad(node: Node) -> SSAValue:
    """From opset 18 on only the axes listed are padded."""
    given, rank = node.known_ints(1), node.rank()
    axes = node.known_ints(3) if node.has(3) else tuple(range(rank))
    if len(given) != 2 * len(axes):
        node.fail(f"{len(given)} pads for {len(axes)} axes; {2 * len(axes)} are needed")
    pads = [0] * 2 * rank
    for i, axis in enumerate(axes):
        axis = node.axis(axis, rank)
        pads[axis], pads[axis + rank] = given[i], given[i + len(axes)]
    if not node.has(2) or node.attr("mode") != "constant":
        return _pad(node, pads, 0.0)
    if node.value(2).array is not None:
        return _pad(node, pads, float(node.known_scalar(2)))
    # A value that is computed at run time is put in where the padding of a mask says so.
    kept = _pad(node, pads, 0.0, node.build(ops.OnesLike, node.input(0)))
    value = node.reshape(node.input(2), ())
    return node.build(ops.Where, node.build(ops.NotEqual, kept, node.constant(0, kept)), _pad(node, pads, 0.0), value)


def _pad(node: Node, pads: Sequence[int], value: float, data: SSAValue | None = None) -> SSAValue:
    """`pads` are all begins, then all ends; negative ones cut off."""
    data, rank, mode = node.input(0) if data is None else data, node.rank(), node.attr("mode")
    if len(pads) != 2 * rank:
        node.fail(f"{len(pads)} pads for rank {rank}; {2 * rank} are needed")
    if mode not in ("constant", "reflect", "edge", "wrap"):
        node.fail(f"mode is constant, reflect, edge or wrap, not {mode!r}")
    data = _crop(node, data, pads)
    pairs = [(max(begin, 0), max(end, 0)) for begin, end in zip(pads[:rank], pads[rank:], strict=True)]
    if not any(map(any, pairs)):
        return data
    if mode == "wrap":
        for axis, (begin, end) in enumerate(pairs):
            data = _wrap(node, data, axis, begin, end)
        return data
    width = tuple(n for pair in pairs for n in pair)
    return node.build(ops.Pad, data, pad_width=width, pad_value=value, pad_mode=mode)


def _crop(node: Node, data: SSAValue, pads: Sequence[int]) -> SSAValue:
    rank = len(pads) // 2
    axes = [axis for axis in range(rank) if pads[axis] < 0 or pads[axis + rank] < 0]
    if not axes:
        return data
    for axis, size in enumerate(shape_of(data.type)):
        if size != DYNAMIC and size + min(pads[axis], 0) + min(pads[axis + rank], 0) < 0:
            node.fail(f"pads {pads[axis]} and {pads[axis + rank]} cut more off axis {axis} than its size, {size}")
    begin = [max(-pads[axis], 0) for axis in axes]
    end = [pads[axis + rank] if pads[axis + rank] < 0 else 2**63 - 1 for axis in axes]
    return node.build(ops.StridedSlice, data, begin=begin, end=end, axes=axes)


def _wrap(node: Node, data: SSAValue, axis: int, begin: int, end: int) -> SSAValue:
    """The axis continued periodically at both sides."""
    size = shape_of(data.type)[axis]
    if not begin and not end:
        return data
    if size == DYNAMIC or max(begin, end) > size:
        node.unsupported(f"wrapping pads {begin} and {end} of an axis of size {size} go around more than once")
    pieces = [node.build(ops.StridedSlice, data, begin=(size - begin,), end=(size,), axes=(axis,))] if begin else []
    pieces.append(data)
    if end:
        pieces.append(node.build(ops.StridedSlice, data, begin=(0,), end=(end,), axes=(axis,)))
    return node.build(ops.Concatenate, *pieces, axis=axis)
