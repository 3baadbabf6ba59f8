"""The meaning of operators that pick elements by position."""

from __future__ import annotations

import numpy as np

from xrelay.dialects.relay import indexing as ops
from xrelay.dialects.relay.indexing import slice_bounds, split_points, take_axis
from xrelay.dialects.relay.types import dtype_of
from xrelay.errors import ExecutionError
from xrelay.interpreters.relay.reduce import accumulator
from xrelay.interpreters.relay.registry import meaning


@meaning(ops.StridedSlice)
def strided_slice(attrs, data):
    # The end before the front (-1) is written None, as Python counts -1 from the back.
    bounds = slice_bounds(data.shape, attrs)
    return data[tuple(slice(begin, end if end >= 0 else None, stride) for begin, end, stride in bounds)]


@meaning(ops.Split)
def split(attrs, data):
    points = split_points(data.shape[attrs.axis], attrs.indices_or_sections)
    return tuple(np.split(data, points[1:-1], attrs.axis))


def checked(indices, size, what):
    """Indices as int64. Raises ExecutionError for one outside [0, size)."""
    indices = indices.astype(np.int64)
    if np.any((indices < 0) | (indices >= size)):
        raise ExecutionError(f"{what}: an index is outside its axis of size {size}")
    return indices


@meaning(ops.Take)
def take(attrs, data, indices):
    axis, batch, shape = take_axis(attrs, data.shape, indices.ndim)
    data, size = data.reshape(shape), shape[axis]
    if attrs.mode == "wrap":
        indices = indices.astype(np.int64) % max(size, 1)
    elif attrs.mode == "error":
        indices = indices.astype(np.int64)
        indices = checked(np.where(indices < 0, indices + size, indices), size, "take")
    else:
        indices = np.clip(indices.astype(np.int64), 0, max(size - 1, 0))
    if batch == 0:
        return np.take(data, indices, axis)
    pieces = [np.take(data[i], indices[i], axis - batch) for i in np.ndindex(shape[:batch])]
    out_shape = (*shape[:axis], *indices.shape[batch:], *shape[axis + 1 :])
    return np.stack(pieces).reshape(out_shape) if pieces else np.empty(out_shape, data.dtype)


@meaning(ops.Gather)
def gather(attrs, data, indices):
    axis = attrs.axis % data.ndim
    position = list(np.indices(indices.shape, sparse=True))
    position[axis] = checked(indices, data.shape[axis], "gather")
    return data[tuple(position)]


@meaning(ops.GatherND)
def gather_nd(attrs, data, indices):
    batch, places = attrs.batch_dims, indices.shape[1:]
    position = [
        *np.indices(places, sparse=True)[:batch],
        *(checked(index, data.shape[batch + axis], "gather_nd") for axis, index in enumerate(indices)),
    ]
    taken = data[tuple(np.broadcast_to(index, places) for index in position)]
    return np.broadcast_to(taken, places + data.shape[len(position) :])


_UFUNCS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


@meaning(ops.ScatterElements)
def scatter_elements(attrs, data, indices, updates):
    axis = attrs.axis % data.ndim
    indices = checked(indices, data.shape[axis], "scatter_elements")
    out = data.copy()
    for position in np.ndindex(indices.shape):
        place = (*position[:axis], indices[position], *position[axis + 1 :])
        update = updates[position]
        out[place] = update if attrs.reduction == "update" else _UFUNCS[attrs.reduction](out[place], update)
    return out


@meaning(ops.Cumsum)
def cumsum(attrs, data):
    axis = 0 if attrs.axis is None else attrs.axis
    data = data.reshape(-1) if attrs.axis is None else data
    data = data.astype(accumulator(data.dtype if attrs.dtype is None else dtype_of(attrs.dtype)))
    sums = np.moveaxis(np.cumsum(data, axis, dtype=data.dtype), axis, 0)
    if attrs.exclusive:
        shifted = np.zeros_like(sums)
        shifted[1:] = sums[:-1]
        sums = shifted
    return np.moveaxis(sums, 0, axis)


@meaning(ops.Trilu)
def trilu(attrs, data, k):
    return np.triu(data, int(k)) if attrs.upper else np.tril(data, int(k))
