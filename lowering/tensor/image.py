"""Images → linalg.

The pixels that a row or column of the result is made of depend on that row or column alone: they are computed once an
axis, as small 1-D tensors of places and weights, and the image reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from xrelay.dialects.relay import image as ops
from xrelay.dialects.relay.image import spatial_axes
from xrelay.dialects.relay.types import bool_type, f32, f64, i32, is_float, is_integer, shape_of, tensor_type
from xrelay.interpreters.relay.image import nearest, positions
from xrelay.lowering.tensor.builder import TensorBuilder, dims, lowers
from xrelay.lowering.tensor.scalar import Scalar, index
from xrelay.lowering.tensor.transform import rearrange_to


@lowers(ops.Resize2D)
def resize2d(op, operands, b):
    (data,) = operands
    attrs, result_type = op.attrs, op.results[0].type
    shape, element = shape_of(data.type), b.element(data)
    axes = spatial_axes(attrs.layout)
    if attrs.method == "nearest_neighbor" and attrs.coordinate_transformation_mode != "tf_crop_and_resize":
        position = dims(4)
        places = [_affine_place(attrs, which, shape[axis], axis) for which, axis in enumerate(axes)]
        for axis, place in zip(axes, places, strict=True):
            position[axis] = place or position[axis]
        if None not in places and element == result_type.element_type:
            return rearrange_to(result_type, data, b, position)
    # Integers are rounded at the end, where float32 could fall on the other side of a half.
    wide = f64 if element == f64 or is_integer(element) else f32
    rows, columns = (_axis_taps(attrs, which, shape[axis], wide, b) for which, axis in enumerate(axes))
    inputs = [*rows.tensors, *columns.tensors]
    maps = [
        AffineMap(4, 0, (AffineExpr.dimension(axis),))
        for axis, taps in zip(axes, (rows, columns), strict=True)
        for _ in taps.tensors
    ]

    def pixel(b, *values: Scalar) -> Scalar:
        h_places, h_weights, h_inside = rows.unpack(values[: len(rows.tensors)])
        w_places, w_weights, w_inside = columns.unpack(values[len(rows.tensors) :])

        def read(h: Scalar, w: Scalar) -> Scalar:
            position = [b.index(dim) for dim in range(4)]
            position[axes[0]], position[axes[1]] = h.cast(index), w.cast(index)
            return b.read(data, position, element)

        if attrs.method == "nearest_neighbor":
            out = read(h_places[0], w_places[0])
        else:
            lines = [_weighted([read(h, w).cast(wide) for w in w_places], w_weights) for h in h_places]
            out = _weighted(lines, h_weights)
            if not is_float(result_type.element_type):
                out = out.math(math.RoundEvenOp)
        out = out.cast(result_type.element_type)
        return (h_inside[0] & w_inside[0]).select(out, attrs.extrapolation_value) if rows.inside else out

    return b.map(result_type, inputs, maps, pixel)


def _weighted(pixels: Sequence[Scalar], weights: Sequence[Scalar]) -> Scalar:
    total = pixels[0] * weights[0]
    for x, weight in zip(pixels[1:], weights[1:], strict=True):
        total = total + x * weight
    return total


def _affine_place(attrs: SimpleNamespace, which: int, size: int, axis: int) -> AffineExpr | None:
    """The nearest pixel of an axis as an affine expression, where enlarging or reducing by a whole number makes it
    one."""
    out = attrs.size[which]
    places = np.clip(nearest(attrs, positions(attrs, which, size)), 0, size - 1)
    dim = AffineExpr.dimension(axis)
    if out % size == 0 and np.array_equal(places, np.arange(out) // (out // size)):
        return dim if out == size else dim // (out // size)
    if size % out == 0 and np.array_equal(places, np.arange(out) * (size // out) + places[0]):
        return dim * (size // out) + int(places[0])
    return None


@dataclass(frozen=True)
class _Taps:
    """1-D tensors over an axis of the result: the places of its pixels in the data (int32), their weights, and whether
    the position lies inside the data (i1, where it matters)."""

    places: Sequence[SSAValue]
    weights: Sequence[SSAValue]
    inside: Sequence[SSAValue]

    @property
    def tensors(self) -> list[SSAValue]:
        return [*self.places, *self.weights, *self.inside]

    def unpack(self, values: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]]:
        """The elements of `tensors` as places, weights and inside."""
        weights, inside = len(self.places), len(self.places) + len(self.weights)
        return values[:weights], values[weights:inside], values[inside:]


def _axis_taps(attrs: SimpleNamespace, which: int, size: int, wide: Attribute, b: TensorBuilder) -> _Taps:
    def along(element: Attribute, compute: Callable[[Scalar], Scalar]) -> SSAValue:
        """`compute` of every position in the data, as a tensor."""
        result_type = tensor_type([attrs.size[which]], element)
        return b.map(
            result_type, [], [], lambda bb: compute(_position(attrs, which, size, bb.index(0).cast(f64))).cast(element)
        )

    def place(tap: int) -> SSAValue:
        return along(i32, lambda x: _place(attrs, x, tap).maximum(0).minimum(size - 1))

    def weight(tap: int) -> SSAValue:
        return along(wide, lambda x: _weight(attrs, size, x, tap))

    taps = range({"nearest_neighbor": 1, "linear": 2, "cubic": 4}[attrs.method])
    cropped = attrs.coordinate_transformation_mode == "tf_crop_and_resize"
    return _Taps(
        [place(tap) for tap in taps],
        [weight(tap) for tap in taps if attrs.method != "nearest_neighbor"],
        [along(bool_type, lambda x: (x >= 0) & (x <= size - 1))] if cropped else [],
    )


def _position(attrs: SimpleNamespace, which: int, size: int, x: Scalar) -> Scalar:
    """`positions` of the meaning, for one pixel."""
    out = attrs.size[which]
    length = out if attrs.scales is None else attrs.scales[which] * size
    match attrs.coordinate_transformation_mode:
        case "align_corners":
            return x * (size - 1) / (length - 1) if out > 1 else x * 0
        case "asymmetric":
            return x * size / length
        case "tf_half_pixel_for_nn":
            return (x + 0.5) * size / length
        case "tf_crop_and_resize":
            first, last = (attrs.roi[which] * (size - 1), attrs.roi[which + 2] * (size - 1))
            return x * (last - first) / (length - 1) + first if out > 1 else x * 0 + (first + last) / 2
        case "half_pixel_symmetric":
            return (x + 0.5) * size / length + (size / 2 * (1 - out / length) - 0.5)
        case "pytorch_half_pixel" if out == 1:
            return x * 0
    return (x + 0.5) * size / length - 0.5


def _place(attrs: SimpleNamespace, x: Scalar, tap: int) -> Scalar:
    """The place of a tap of the meaning's `axis_taps`, for one pixel."""
    if attrs.method == "nearest_neighbor":
        return _nearest(attrs, x)
    return x.math(math.FloorOp) + (tap if attrs.method == "linear" else tap - 1)


def _weight(attrs: SimpleNamespace, size: int, x: Scalar, tap: int) -> Scalar:
    """The weight of a tap of the meaning's `axis_taps`, for one pixel."""
    fraction = x - x.math(math.FloorOp)
    if attrs.method == "linear":
        return fraction if tap else 1 - fraction
    if not attrs.cubic_exclude:
        return _cubic_weight(fraction - (tap - 1), attrs.cubic_alpha)
    weights = []
    for k in range(4):
        place = _place(attrs, x, k)
        weights.append(((place >= 0) & (place < size)).select(_cubic_weight(fraction - (k - 1), attrs.cubic_alpha), 0))
    return weights[tap] / (weights[0] + weights[1] + weights[2] + weights[3])


def _nearest(attrs: SimpleNamespace, x: Scalar) -> Scalar:
    """`nearest` of the meaning, for one pixel."""
    halves = (x * 2).math(math.RoundEvenOp) * 0.5
    x = ((x - halves).math(math.AbsFOp) < 1e-5).select(halves, x)
    method = attrs.rounding_method
    if not method:
        method = "round" if attrs.coordinate_transformation_mode == "align_corners" else "floor"
    match method:
        case "floor":
            return x.math(math.FloorOp)
        case "ceil":
            return x.math(math.CeilOp)
        case "round_prefer_floor":
            return (x - 0.5).math(math.CeilOp)
    return (x + 0.5).math(math.FloorOp)


def _cubic_weight(distance: Scalar, alpha: float) -> Scalar:
    d = distance.math(math.AbsFOp)
    near = (d * (alpha + 2) - (alpha + 3)) * d * d + 1
    far = ((d * alpha - 5 * alpha) * d + 8 * alpha) * d - 4 * alpha
    return (d <= 1).select(near, (d < 2).select(far, 0))
