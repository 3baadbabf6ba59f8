"""The meaning of pools."""

from __future__ import annotations

from functools import partial, reduce

import numpy as np

from xrelay.dialects.relay import pooling as ops
from xrelay.interpreters.relay.arrays import widen
from xrelay.interpreters.relay.convolution import taps
from xrelay.interpreters.relay.layouts import to_stored, to_whole
from xrelay.interpreters.relay.registry import meaning


def lowest(dtype):
    """What no element is less than."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def for_sums(data):
    """The array in the type that means are summed in: 64 bits for integers, float32 for 16-bit floats."""
    if data.dtype.kind in "iu":
        return data.astype(np.uint64 if data.dtype.kind == "u" else np.int64)
    return widen(data)


def quotient(total, count):
    """The mean; that of integers is truncated toward zero."""
    if total.dtype.kind not in "iu":
        return total / count.astype(total.dtype)
    return np.sign(total) * (abs(total) // count.astype(total.dtype))


# Sliding windows ------------------------------------------------------------------------------------------------------


def max_pool(op, attrs, data):
    """A max pool, `op` being its class."""
    layout, out = op.layouts(attrs)
    x = to_whole(data, layout, "NC" + op.SPATIAL)
    result = reduce(np.maximum, windowed(op, attrs, x, lowest(x.dtype)))
    return to_stored(result, "NC" + op.SPATIAL, out)


def avg_pool(op, attrs, data):
    """An average pool, `op` being its class."""
    layout, out = op.layouts(attrs)
    x = for_sums(to_whole(data, layout, "NC" + op.SPATIAL))
    total = sum(windowed(op, attrs, x, 0))
    return to_stored(quotient(total, window_counts(op, attrs, x.shape[2:])), "NC" + op.SPATIAL, out)


def windowed(op, attrs, x, padding):
    """For each tap of the window, the elements (N, C, …) of all windows under it."""
    w = op.windows(attrs)
    counts = op.output_lengths(attrs, x.shape[2:])
    # In ceil_mode the last window reaches over the padding; where strides are long, not all of it is read.
    reach = [(n - 1) * s + extent for n, s, extent in zip(counts, w.strides, w.extent, strict=True)]
    behind = [max(r - b - size, 0) for r, b, size in zip(reach, w.before, x.shape[2:], strict=True)]
    x = np.pad(x, [(0, 0), (0, 0), *zip(w.before, behind, strict=True)], constant_values=padding)
    for _, places in taps(w, counts):
        yield x[:, :, *places]


def window_counts(op, attrs, lengths):
    """By how much the sum of each window is divided."""
    w = op.windows(attrs)
    counts = op.output_lengths(attrs, lengths)
    result = np.ones([1] * len(lengths), np.int64)
    for axis, length in enumerate(lengths):
        places = np.arange(counts[axis])[:, None] * w.strides[axis] + np.arange(w.size[axis]) * w.dilation[axis]
        places -= w.before[axis]
        if attrs.count_include_pad:
            inside = places < length + w.after[axis]
        else:
            inside = (places >= 0) & (places < length)
        shape = [1] * len(lengths)
        shape[axis] = -1
        result = result * inside.sum(axis=1).reshape(shape)
    return np.maximum(result, 1)


# Regions --------------------------------------------------------------------------------------------------------------


def largest(region, axes):
    return region.max(axes)


def mean(region, axes):
    count = np.prod([region.shape[axis] for axis in axes], dtype=np.int64)
    return quotient(for_sums(region).sum(axes), count)


def over_regions(op, fold, attrs, data):
    """`fold(region, spatial axes)` of every region of an adaptive or global pool, `op` being its class."""
    layout, out = op.layouts(attrs)
    x = to_whole(data, layout, "NC" + op.SPATIAL)
    counts = op.output_lengths(attrs, x.shape[2:])
    result = np.empty((*x.shape[:2], *counts), x.dtype)
    for place in np.ndindex(*counts):
        axes = zip(place, x.shape[2:], counts, strict=True)
        region = x[:, :, *(slice(i * n // o, -(-(i + 1) * n // o)) for i, n, o in axes)]
        result[:, :, *place] = fold(region, tuple(range(2, x.ndim)))
    return to_stored(result, "NC" + op.SPATIAL, out)


for _operator in (ops.MaxPool1D, ops.MaxPool2D, ops.MaxPool3D):
    meaning(_operator)(partial(max_pool, _operator))
for _operator in (ops.AvgPool1D, ops.AvgPool2D, ops.AvgPool3D):
    meaning(_operator)(partial(avg_pool, _operator))
for _operator in (ops.AdaptiveMaxPool1D, ops.AdaptiveMaxPool2D, ops.GlobalMaxPool2D):
    meaning(_operator)(partial(over_regions, _operator, largest))
for _operator in (ops.AdaptiveAvgPool1D, ops.AdaptiveAvgPool2D, ops.GlobalAvgPool2D):
    meaning(_operator)(partial(over_regions, _operator, mean))
