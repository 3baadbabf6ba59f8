"""The meaning of reductions."""

from __future__ import annotations

import numpy as np

from xrelay.dialects.relay import reduce as ops
from xrelay.dialects.relay.reduce import reduced_axes, reduced_shape
from xrelay.interpreters.relay.registry import meaning


def accumulator(dtype: np.dtype) -> np.dtype:
    """The dtype that sums are held in: float32 for the 16-bit floats, else the type itself."""
    return np.dtype(np.float32) if dtype.kind not in "iub" and dtype.itemsize == 2 else dtype


def _lowest(dtype: np.dtype):
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _highest(dtype: np.dtype):
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


def _over(attrs, data):
    return {"axis": reduced_axes(attrs, data.ndim), "keepdims": attrs.keepdims}


def _count(attrs, data):
    return int(np.prod([data.shape[axis] for axis in reduced_axes(attrs, data.ndim)], dtype=np.int64))


@meaning(ops.Sum)
def sum_(attrs, data):
    return data.sum(**_over(attrs, data), dtype=accumulator(data.dtype))


@meaning(ops.Prod)
def prod(attrs, data):
    return data.prod(**_over(attrs, data), dtype=accumulator(data.dtype))


@meaning(ops.Max)
def max_(attrs, data):
    return np.max(data, **_over(attrs, data), initial=_lowest(data.dtype))


@meaning(ops.Min)
def min_(attrs, data):
    return np.min(data, **_over(attrs, data), initial=_highest(data.dtype))


@meaning(ops.Mean)
def mean(attrs, data):
    total = sum_(attrs, data)
    count = _count(attrs, data)
    if total.dtype.kind not in "iu":
        return total / total.dtype.type(count)
    if count == 0:
        return np.zeros_like(total)
    # The count may not fit the type (256 elements of uint8), so the division is done in int64 or uint64; it truncates.
    wide = total.astype(np.uint64 if total.dtype.kind == "u" else np.int64)
    return np.sign(wide) * (abs(wide) // wide.dtype.type(count))


@meaning(ops.All)
def all_(attrs, data):
    return data.all(**_over(attrs, data))


@meaning(ops.Any)
def any_(attrs, data):
    return data.any(**_over(attrs, data))


def _position(attrs, data, find):
    """Where `find` (np.argmax or np.argmin) finds its element along the folded axes, in row-major order."""
    axes = reduced_axes(attrs, data.ndim)
    kept = [axis for axis in range(data.ndim) if axis not in axes]
    flat = data.transpose([*kept, *axes]).reshape([*(data.shape[axis] for axis in kept), -1])
    if attrs.select_last_index:
        position = flat.shape[-1] - 1 - find(flat[..., ::-1], axis=-1)
    else:
        position = find(flat, axis=-1)
    return position.reshape(reduced_shape(data.shape, axes, attrs.keepdims))


@meaning(ops.Argmax)
def argmax(attrs, data):
    return _position(attrs, data, np.argmax)


@meaning(ops.Argmin)
def argmin(attrs, data):
    return _position(attrs, data, np.argmin)


@meaning(ops.Variance)
def variance(attrs, data, mean):
    wide = accumulator(data.dtype)
    squares = (data.astype(wide) - mean.astype(wide)) ** 2
    return squares.sum(**_over(attrs, data)) / wide.type(_count(attrs, data) - attrs.unbiased)
