"""The meaning of operators on images."""

from __future__ import annotations

from functools import reduce

import numpy as np

from xrelay.dialects.relay import image as ops
from xrelay.dialects.relay.image import spatial_axes
from xrelay.dialects.relay.types import dtype_of
from xrelay.interpreters.relay.arrays import cast_array
from xrelay.interpreters.relay.registry import meaning


@meaning(ops.Resize2D)
def resize2d(attrs, data):
    """Every pixel of an axis is a weighted sum of a few: first the rows are resized, then the columns."""
    dtype = data.dtype if attrs.out_dtype is None else dtype_of(attrs.out_dtype)
    exact = attrs.method == "nearest_neighbor"
    out = data if exact else data.astype(np.float64)
    for which, axis in enumerate(spatial_axes(attrs.layout)):
        size = data.shape[axis]
        taps = axis_taps(attrs, which, size)
        picked = [np.take(out, np.clip(place, 0, size - 1).astype(np.int64), axis) for place, _ in taps]
        weights = [_along(axis, weight) for _, weight in taps]
        if exact:
            out = picked[0]
        else:
            out = reduce(np.add, (pixels * weight for pixels, weight in zip(picked, weights, strict=True)))
    if attrs.coordinate_transformation_mode == "tf_crop_and_resize":
        out = _extrapolate(attrs, out, data.shape)
    if dtype.kind in "iu" and not exact:
        out = np.clip(np.rint(out), np.iinfo(dtype).min, np.iinfo(dtype).max)
    return cast_array(out, dtype)


def _along(axis, values):
    """A 1-D array along one of four axes."""
    return values.reshape([-1 if a == axis else 1 for a in range(4)])


def positions(attrs, which, size):
    """Where the pixels of the result lie along an axis (0 height, 1 width) of the data of this size; in float64."""
    out = attrs.size[which]
    length = out if attrs.scales is None else attrs.scales[which] * size
    x = np.arange(out, dtype=np.float64)
    match attrs.coordinate_transformation_mode:
        case "align_corners":
            return x * (size - 1) / (length - 1) if out > 1 else 0 * x
        case "asymmetric":
            return x * size / length
        case "tf_half_pixel_for_nn":
            return (x + 0.5) * size / length
        case "tf_crop_and_resize":
            first, last = (attrs.roi[which] * (size - 1), attrs.roi[which + 2] * (size - 1))
            return first + x * (last - first) / (length - 1) if out > 1 else (first + last) / 2 + 0 * x
        case "half_pixel_symmetric":
            return size / 2 * (1 - out / length) + (x + 0.5) * size / length - 0.5
        case "pytorch_half_pixel" if out == 1:
            return 0 * x
    return (x + 0.5) * size / length - 0.5


def nearest(attrs, x):
    """Positions rounded to whole ones. Closer than 1e-5 to a multiple of a half counts as there: scales are inexact."""
    halves = np.rint(2 * x) / 2
    x = np.where(abs(x - halves) < 1e-5, halves, x)
    method = attrs.rounding_method
    if not method:
        method = "round" if attrs.coordinate_transformation_mode == "align_corners" else "floor"
    match method:
        case "floor":
            return np.floor(x)
        case "ceil":
            return np.ceil(x)
        case "round_prefer_floor":
            return np.ceil(x - 0.5)
    return np.floor(x + 0.5)


def cubic_weight(distance, alpha):
    """Keys' cubic kernel."""
    d = abs(distance)
    near = ((alpha + 2) * d - (alpha + 3)) * d * d + 1
    far = ((alpha * d - 5 * alpha) * d + 8 * alpha) * d - 4 * alpha
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def axis_taps(attrs, which, size):
    """The (place, weight) of each pixel of the data that a pixel of the result is made of, one pair of arrays a tap.

    Places may lie outside the data, where the border stands for them.
    """
    x = positions(attrs, which, size)
    if attrs.method == "nearest_neighbor":
        return [(nearest(attrs, x), np.ones_like(x))]
    first = np.floor(x)
    if attrs.method == "linear":
        return [(first, 1 - (x - first)), (first + 1, x - first)]
    taps = [(first + k, cubic_weight(x - first - k, attrs.cubic_alpha)) for k in (-1, 0, 1, 2)]
    if attrs.cubic_exclude:
        inside = [np.where((place >= 0) & (place < size), weight, 0) for place, weight in taps]
        taps = [(place, weight / sum(inside)) for (place, _), weight in zip(taps, inside, strict=True)]
    return taps


def _extrapolate(attrs, out, shape):
    """The extrapolation value where a pixel lies outside the data."""
    for which, axis in enumerate(spatial_axes(attrs.layout)):
        x = positions(attrs, which, shape[axis])
        outside = (x < 0) | (x > shape[axis] - 1)
        out = np.where(_along(axis, outside), attrs.extrapolation_value, out)
    return out
