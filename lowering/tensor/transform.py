"""Rearranging operators → linalg: parallel generics whose input maps say where elements come from; slice insertions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from xrelay.dialects.relay import transform as ops
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.transform import pad_pairs, permutation
from xrelay.dialects.relay.types import num_elements, shape_of, tensor_type
from xrelay.lowering.tensor.builder import TensorBuilder, dims, lowers
from xrelay.lowering.tensor.positions import index_of, pieces, position
from xrelay.lowering.tensor.scalar import Scalar


def rearrange(op: RelayOp, source: SSAValue, b: TensorBuilder, exprs: Sequence[AffineExpr]) -> SSAValue:
    """The operator's result, whose element at (d0, d1, …) is the element of `source` at `exprs`."""
    return rearrange_to(op.results[0].type, source, b, exprs)


def rearrange_to(result_type: Attribute, source: SSAValue, b: TensorBuilder, exprs: Sequence[AffineExpr]) -> SSAValue:
    """`rearrange` to a given type."""
    sizes = shape_of(result_type)
    # A plain dimension says that the whole axis is walked; a slice from its front is written `d0 floordiv 1`.
    exprs = [
        expr // 1 if isinstance(expr, AffineDimExpr) and sizes[expr.position] != size else expr
        for expr, size in zip(exprs, shape_of(source.type), strict=True)
    ]
    return b.map(result_type, [source], [AffineMap(len(sizes), 0, tuple(exprs))], lambda _, x: x)


# Axes --------------------------------------------------------------------------------------------------------------


@lowers(ops.Transpose)
def transpose(op, operands, b):
    axes = permutation(op.attrs.axes, len(shape_of(operands[0].type)))
    return rearrange(op, operands[0], b, [AffineExpr.dimension(axes.index(axis)) for axis in range(len(axes))])


@lowers(ops.Reverse)
def reverse(op, operands, b):
    shape = shape_of(operands[0].type)
    position = dims(len(shape))
    axis = op.attrs.axis % len(shape)
    position[axis] = position[axis] * -1 + (shape[axis] - 1)
    return rearrange(op, operands[0], b, position)


@lowers(ops.LayoutTransform)
def layout_transform(op, operands, b):
    """One map where every split divides its axis; otherwise the data is first arranged without splits, and padded."""
    (data,) = operands
    source, target = Layout.parse(op.attrs.src_layout), Layout.parse(op.attrs.dst_layout)
    sizes, result_type = source.sizes(shape_of(data.type)), op.results[0].type
    padded = target.sizes(shape_of(result_type))
    if sizes != padded:
        plain = Layout.parse(target.letters)
        data = _store(data, source, tensor_type(plain.shape(sizes), b.element(data)), plain, b)
        behind = [padded[letter] - sizes[letter] for letter in target.letters]
        data, source = b.pad(data, [0] * len(behind), behind, 0), plain
    return _store(data, source, result_type, target, b)


def _store(data: SSAValue, source: Layout, result_type: Attribute, target: Layout, b: TensorBuilder) -> SSAValue:
    """Data of one layout in another, whose splits divide its axes."""
    here = list(zip(pieces(target, shape_of(result_type)), dims(target.rank), strict=True))
    indices = {letter: index_of(here, letter) for letter in source.letters}
    return rearrange_to(result_type, data, b, position(pieces(source, shape_of(data.type)), indices))


# Joining -----------------------------------------------------------------------------------------------------------


@lowers(ops.Concatenate)
def concatenate(op, operands, b):
    return _join(op, operands, b, op.attrs.axis)


@lowers(ops.Stack)
def stack(op, operands, b):
    shape = list(shape_of(op.results[0].type))
    shape[op.attrs.axis] = 1
    return _join(op, [b.view(piece, shape) for piece in operands], b, op.attrs.axis)


def _join(op: RelayOp, pieces: Sequence[SSAValue], b: TensorBuilder, axis: int) -> SSAValue:
    shape = shape_of(op.results[0].type)
    out = b.empty(shape, b.element(pieces[0]))
    offsets = [0] * len(shape)
    for piece in pieces:
        out = b.insert_slice(piece, out, offsets)
        offsets[axis] += shape_of(piece.type)[axis]
    return out


# Repeating ---------------------------------------------------------------------------------------------------------


@lowers(ops.BroadcastTo)
def broadcast_to(op, operands, b):
    return b.elementwise(op, operands, lambda x: x)


@lowers(ops.Tile)
def tile(op, operands, b):
    shape, result = shape_of(operands[0].type), shape_of(op.results[0].type)
    shape = (1,) * (len(result) - len(shape)) + shape
    position = [
        dim if size == out else AffineExpr.constant(0) if size == 1 else dim % size
        for dim, size, out in zip(dims(len(shape)), shape, result, strict=True)
    ]
    return rearrange(op, b.view(operands[0], shape), b, position)


@lowers(ops.Repeat)
def repeat(op, operands, b):
    (data,) = operands
    shape = shape_of(op.results[0].type)
    if op.attrs.axis is None:
        data = b.view(data, [num_elements(shape_of(data.type))])
    position = dims(len(shape))
    axis = (op.attrs.axis or 0) % len(shape)
    position[axis] = position[axis] // max(op.attrs.repeats, 1)
    return rearrange(op, data, b, position)


# Padding -----------------------------------------------------------------------------------------------------------


@lowers(ops.Pad)
def pad(op, operands, b):
    pairs = pad_pairs(op.attrs.pad_width, len(shape_of(operands[0].type)))
    if op.attrs.pad_mode == "constant":
        low, high = ([pair[side] for pair in pairs] for side in (0, 1))
        return b.pad(operands[0], low, high, op.attrs.pad_value)
    return _pad_from_data(op, operands[0], b, pairs, _nearest if op.attrs.pad_mode == "edge" else _reflected)


@lowers(ops.MirrorPad)
def mirror_pad(op, operands, b):
    pairs = pad_pairs(op.attrs.pad_width, len(shape_of(operands[0].type)))
    return _pad_from_data(op, operands[0], b, pairs, _reflected if op.attrs.mode == "REFLECT" else _mirrored)


def _pad_from_data(
    op: RelayOp,
    data: SSAValue,
    b: TensorBuilder,
    pairs: Sequence[tuple[int, int]],
    inside: Callable[[Scalar, int], Scalar],
) -> SSAValue:
    """`inside(position, size)` maps a position from before the front to behind the end of an axis to one on it."""
    shape, element = shape_of(data.type), b.element(data)

    def body(b):
        position = [
            inside(b.index(axis) - low, size) if low or high else b.index(axis)
            for axis, (size, (low, high)) in enumerate(zip(shape, pairs, strict=True))
        ]
        return b.read(data, position, element)

    return b.map(op.results[0].type, [], [], body)


def _nearest(position: Scalar, size: int) -> Scalar:
    return position.maximum(0).minimum(size - 1)


def _reflected(position: Scalar, size: int) -> Scalar:
    """About the border elements: 2 1 | 0 1 2 | 1 0."""
    position = position.maximum(-position)
    return position.minimum(2 * (size - 1) - position)


def _mirrored(position: Scalar, size: int) -> Scalar:
    """About the borders: 1 0 | 0 1 2 | 2 1."""
    position = position.maximum(-1 - position)
    return position.minimum(2 * size - 1 - position)


# Blocks ------------------------------------------------------------------------------------------------------------


@lowers(ops.DepthToSpace)
def depth_to_space(op, operands, b):
    n, c, h, w = _nchw(op, dims(4))
    block, channels = op.attrs.block_size, _nchw(op, shape_of(op.results[0].type))[1]
    row, column = h % block, w % block
    if op.attrs.mode == "DCR":
        source = (row * block + column) * channels + c
    else:
        source = (c * block + row) * block + column
    return rearrange(op, operands[0], b, _from_nchw(op, [n, source, h // block, w // block]))


@lowers(ops.SpaceToDepth)
def space_to_depth(op, operands, b):
    n, c, h, w = _nchw(op, dims(4))
    block, channels = op.attrs.block_size, max(_nchw(op, shape_of(operands[0].type))[1], 1)
    if op.attrs.mode == "DCR":
        row, column, source = c // (block * channels), c // channels % block, c % channels
    else:
        row, column, source = c // block % block, c % block, c // (block * block)
    return rearrange(op, operands[0], b, _from_nchw(op, [n, source, h * block + row, w * block + column]))


def _nchw(op: RelayOp, items: Sequence) -> list:
    return [items[op.attrs.layout.index(letter)] for letter in "NCHW"]


def _from_nchw(op: RelayOp, items: Sequence) -> list:
    return [items["NCHW".index(letter)] for letter in op.attrs.layout]
