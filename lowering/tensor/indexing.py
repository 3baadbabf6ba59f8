"""Picking operators → linalg: affine maps where positions are known, checked or clipped reads where they are data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from xrelay.dialects.relay import indexing as ops
from xrelay.dialects.relay.indexing import slice_bounds, split_points, take_axis
from xrelay.dialects.relay.types import f32, i32, shape_of, tensor_type
from xrelay.lowering.tensor.builder import PARALLEL, REDUCTION, TensorBuilder, dims, lowers
from xrelay.lowering.tensor.reduce import limits
from xrelay.lowering.tensor.scalar import Scalar, index, is_half
from xrelay.lowering.tensor.transform import rearrange, rearrange_to

# Slices ------------------------------------------------------------------------------------------------------------


@lowers(ops.StridedSlice)
def strided_slice(op, operands, b):
    bounds = slice_bounds(shape_of(operands[0].type), op.attrs)
    position = [dim * stride + begin for dim, (begin, _, stride) in zip(dims(len(bounds)), bounds, strict=True)]
    return rearrange(op, operands[0], b, position)


@lowers(ops.Split)
def split(op, operands, b):
    shape = shape_of(operands[0].type)
    axis = op.attrs.axis % len(shape)
    pieces = []
    for result, begin in zip(op.results, split_points(shape[axis], op.attrs.indices_or_sections), strict=False):
        position = dims(len(shape))
        position[axis] = position[axis] + begin
        pieces.append(rearrange_to(result.type, operands[0], b, position))
    return pieces


# Gathers -----------------------------------------------------------------------------------------------------------


def checked(position: Scalar, size: int, what: str) -> Scalar:
    """An index of the model as a position; the run stops where it is outside [0, size)."""
    place = position.cast(index)
    ((place >= 0) & (place < size)).check(f"{what}: an index is outside its axis of size {size}")
    return place


def _counted_from_end(place: Scalar, size: int) -> Scalar:
    return (place < 0).select(place + size, place)


def _place(mode: str, position: Scalar, size: int) -> Scalar:
    """What an index means in a mode of `relay.take`."""
    place = position.cast(index)
    if mode == "wrap":
        return _counted_from_end(place.rem(size), size)
    if mode == "error":
        return checked(_counted_from_end(place, size), size, "take")
    return place.maximum(0).minimum(size - 1)


@lowers(ops.Take)
def take(op, operands, b):
    data, indices = operands
    result_type, index_rank = op.results[0].type, len(shape_of(indices.type))
    axis, batch, shape = take_axis(op.attrs, shape_of(data.type), index_rank)
    data, element = b.view(data, shape), b.element(data)
    rank, behind = len(shape_of(result_type)), axis + index_rank - batch
    position = dims(rank)

    def body(b, picked):
        place = _place(op.attrs.mode, picked, shape[axis])
        return b.read(data, [*map(b.index, range(axis)), place, *map(b.index, range(behind, rank))], element)

    read = AffineMap(rank, 0, (*position[:batch], *position[axis:behind]))
    return b.map(result_type, [indices], [read], body)


@lowers(ops.Gather)
def gather(op, operands, b):
    data, indices = operands
    shape, element = shape_of(data.type), b.element(data)
    axis = op.attrs.axis % len(shape)

    def body(b, picked):
        position = [b.index(dim) for dim in range(len(shape))]
        position[axis] = checked(picked, shape[axis], "gather")
        return b.read(data, position, element)

    return b.map(op.results[0].type, [indices], [AffineMap.identity(len(shape))], body)


@lowers(ops.GatherND)
def gather_nd(op, operands, b):
    data, indices = operands
    shape, element, batch = shape_of(data.type), b.element(data), op.attrs.batch_dims
    depth, *places = shape_of(indices.type)
    rank = len(shape_of(op.results[0].type))

    def body(b, *picked):
        position = [checked(i, shape[batch + axis], "gather_nd") for axis, i in enumerate(picked)]
        return b.read(data, [*map(b.index, range(batch)), *position, *map(b.index, range(len(places), rank))], element)

    maps = [AffineMap(rank, 0, (AffineExpr.constant(i), *dims(len(places)))) for i in range(depth)]
    return b.map(op.results[0].type, [indices] * depth, maps, body)


# Scatters ----------------------------------------------------------------------------------------------------------

_COMBINE = {"add": Scalar.__add__, "mul": Scalar.__mul__, "min": Scalar.minimum, "max": Scalar.maximum}


@lowers(ops.ScatterElements)
def scatter_elements(op, operands, b):
    """Every element looks through the indices of its line for those that hit it: so that none is written twice."""
    data, indices, updates = operands
    shape, element = shape_of(data.type), b.element(data)
    axis = op.attrs.axis % len(shape)
    block_shape = list(shape_of(indices.type))
    block_shape[axis] = shape[axis]
    block_type = tensor_type(block_shape, element)
    block = rearrange_to(block_type, data, b, dims(len(shape)))
    if op.attrs.reduction == "update":
        scattered = _last_update(block, indices, updates, axis, b)
    else:
        folded = _folded_updates(op.attrs.reduction, block, indices, updates, axis, b)
        combine, identity = _COMBINE[op.attrs.reduction], AffineMap.identity(len(shape))
        meet = (lambda _, x, u: combine(x.cast(u.element), u).cast(element))  # noqa: E731
        scattered = b.map(block_type, [block, folded], [identity] * 2, meet)
    return scattered if block_shape == list(shape) else b.insert_slice(scattered, data, [0] * len(shape))


def _last_update(block: SSAValue, indices: SSAValue, updates: SSAValue, axis: int, b: TensorBuilder) -> SSAValue:
    """First the number of the last update that hits each element (-1 for none), then what it brings."""
    rank, element = len(shape_of(block.type)), b.element(block)

    def later(b, hit, place):
        return hit.select(b.index(rank).cast(i32), place)

    place = _over_indices(block, indices, [], axis, (-1, i32), later, b)

    def pick(b, x, place):
        position = [b.index(dim) for dim in range(rank)]
        position[axis] = place.maximum(0).cast(index)
        return (place >= 0).select(b.read(updates, position, element), x)

    if 0 in shape_of(updates.type):
        return block
    return b.map(tensor_type(shape_of(block.type), element), [block, place], [AffineMap.identity(rank)] * 2, pick)


def _folded_updates(
    reduction: str, block: SSAValue, indices: SSAValue, updates: SSAValue, axis: int, b: TensorBuilder
) -> SSAValue:
    """All updates that hit each element, combined; in float32 for 16-bit floats."""
    element = b.element(block)
    wide = f32 if is_half(element) else element
    low, high = limits(wide)
    neutral = {"add": 0, "mul": 1, "min": high, "max": low}[reduction]

    def fold(b, hit, update, total):
        return hit.select(_COMBINE[reduction](total, update.cast(wide)), total)

    return _over_indices(block, indices, [updates], axis, (neutral, wide), fold, b)


def _over_indices(
    block: SSAValue,
    indices: SSAValue,
    others: Sequence[SSAValue],
    axis: int,
    initial: tuple[Any, Attribute],
    body: Callable[..., Scalar],
    b: TensorBuilder,
) -> SSAValue:
    """A reduction over the line of indices of each element: `body(b, hit, *others, accumulator)`."""
    shape = shape_of(block.type)
    rank = len(shape)
    line = dims(rank)
    line[axis] = AffineExpr.dimension(rank)

    def compare(b, picked, *args):
        return body(b, checked(picked, shape[axis], "scatter_elements").eq(b.index(axis)), *args)

    exprs = [*[line] * (1 + len(others)), dims(rank)]
    maps = [AffineMap(rank + 1, 0, tuple(e)) for e in exprs]
    out = b.full(shape, *initial)
    return b.generic([indices, *others], maps, out, [PARALLEL] * rank + [REDUCTION], compare)


# Scans and triangles -----------------------------------------------------------------------------------------------


@lowers(ops.Cumsum)
def cumsum(op, operands, b):
    """A sum over all positions k that counts those up to the result's: n² additions, in order."""
    result_type = op.results[0].type
    shape, element = shape_of(result_type), result_type.element_type
    wide = f32 if is_half(element) else element
    data = b.view(operands[0], shape)
    axis, rank = (op.attrs.axis or 0) % len(shape), len(shape)
    read = dims(rank)
    read[axis] = AffineExpr.dimension(rank)

    def body(b, x, total):
        k, here = b.index(rank), b.index(axis)
        counts = k < here if op.attrs.exclusive else k <= here
        return total + counts.select(x.cast(wide), 0)

    maps = [AffineMap(rank + 1, 0, tuple(exprs)) for exprs in (read, dims(rank))]
    sums = b.generic([data], maps, b.full(shape, 0, wide), [PARALLEL] * rank + [REDUCTION], body)
    return sums if wide == element else b.elementwise(op, [sums], lambda x: x.cast(element))


@lowers(ops.Trilu)
def trilu(op, operands, b):
    rank = len(shape_of(operands[0].type))

    def body(b, x, k):
        diagonal = b.index(rank - 1) - b.index(rank - 2)
        k = k.cast(index)
        return (diagonal >= k if op.attrs.upper else diagonal <= k).select(x, 0)

    return b.map(op.results[0].type, operands, [AffineMap.identity(rank), AffineMap(rank, 0, ())], body)
