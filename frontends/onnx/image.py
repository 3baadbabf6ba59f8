"""Resizing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import shape_of
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.operators import ops

_METHODS = {"nearest": "nearest_neighbor", "linear": "linear", "cubic": "cubic"}


@dataclass
class _Plan:
    """For every axis its new size, the scale to compute with, and the region of interest; and how to sample."""

    sizes: list[int]
    scales: list[float]
    roi: list[tuple[float, float]]
    options: dict = field(default_factory=dict)

    def moved_axes(self, shape: Sequence[int]) -> list[int]:
        """The axes that are not left as they are."""
        crop = self.options.get("coordinate_transformation_mode") == "tf_crop_and_resize"
        return [
            axis
            for axis, size in enumerate(shape)
            if self.sizes[axis] != size or self.scales[axis] != 1.0 or (crop and self.roi[axis] != (0.0, 1.0))
        ]


@importer("Upsample", until=9)
def upsample(node: Node) -> SSAValue:
    scales = tuple(node.attr("scales")) if node.opset < 9 else _floats(node, 1)
    return _resize(node, _by_scales(node, scales, "asymmetric", {"rounding_method": "floor"}))


@importer("Resize", since=10, until=10)
def resize_10(node: Node) -> SSAValue:
    return _resize(node, _by_scales(node, _floats(node, 1), "asymmetric", {"rounding_method": "floor"}))


@importer("Resize", since=11)
def resize(node: Node) -> SSAValue:
    if node.attr("antialias", 0):
        node.unsupported("antialias is not supported")
    mode = node.attr("coordinate_transformation_mode")
    options = {
        "rounding_method": node.attr("nearest_mode"),
        "cubic_alpha": node.attr("cubic_coeff_a"),
        "cubic_exclude": bool(node.attr("exclude_outside")),
        "extrapolation_value": node.attr("extrapolation_value"),
    }
    # In opset 11 and 12 both may be listed, an empty one is not meant.
    if node.has(3) and node.shape(3) != (0,):
        plan = _by_sizes(node, mode, options)
    elif node.has(2):
        plan = _by_scales(node, _floats(node, 2), mode, options)
    else:
        node.fail("neither scales nor sizes are given")
    if mode == "tf_crop_and_resize":
        roi = _floats(node, 1)
        if len(roi) != 2 * len(_axes(node)):
            node.fail(f"roi has {len(roi)} numbers, {2 * len(_axes(node))} are needed")
        for i, axis in enumerate(_axes(node)):
            plan.roi[axis] = (roi[i], roi[i + len(roi) // 2])
    return _resize(node, plan)


def _floats(node: Node, i: int) -> tuple[float, ...]:
    values = node.known(i)
    if values.ndim != 1 or values.size > node.rank() * 2:
        node.fail(f"{node.input_name(i)} has the shape {list(values.shape)}, which does not fit {node.type()}")
    return tuple(map(float, values))


def _axes(node: Node) -> tuple[int, ...]:
    """The axes that scales and sizes are about: all of them, or from opset 18 on those listed."""
    axes = node.attr("axes")
    return tuple(range(node.rank())) if axes is None else tuple(node.axis(axis, node.rank()) for axis in axes)


def _plan(node: Node, mode: str, options: dict) -> _Plan:
    shape = node.static_shape()
    method = node.attr("mode")
    options = {**options, "coordinate_transformation_mode": mode, "method": _METHODS.get(method, method)}
    return _Plan(list(shape), [1.0] * len(shape), [(0.0, 1.0)] * len(shape), options)


def _by_scales(node: Node, scales: Sequence[float], mode: str, options: dict) -> _Plan:
    plan, axes = _plan(node, mode, options), _axes(node)
    if len(scales) != len(axes):
        node.fail(f"{len(scales)} scales for {len(axes)} axes of {node.type()}")
    if not all(math.isfinite(scale) and 0 < scale < 2**40 for scale in scales):
        node.fail(f"scales {list(scales)} must be positive numbers")
    for axis, scale in zip(axes, scales, strict=True):
        plan.scales[axis] = scale
        # In float32, as the peers compute it: 10 · 0.7 is 7 there.
        plan.sizes[axis] = math.floor(np.float32(plan.sizes[axis]) * np.float32(scale))
    return plan


def _by_sizes(node: Node, mode: str, options: dict) -> _Plan:
    plan, axes, sizes = _plan(node, mode, options), _axes(node), node.known_ints(3)
    shape = node.static_shape()
    if len(sizes) != len(axes) or any(size < 1 for size in sizes):
        node.fail(f"sizes {list(sizes)} do not fit {len(axes)} axes of {node.type()}")
    if 0 in shape:
        node.fail(f"cannot resize {node.type()}, which is empty")
    policy = node.attr("keep_aspect_ratio_policy", "stretch")
    if policy in ("not_larger", "not_smaller"):
        pick = min if policy == "not_larger" else max
        scale = pick(size / shape[axis] for axis, size in zip(axes, sizes, strict=True))
        for axis in axes:
            plan.sizes[axis], plan.scales[axis] = math.floor(scale * shape[axis] + 0.5), scale
        return plan
    if policy != "stretch":
        node.fail(f"keep_aspect_ratio_policy is stretch, not_larger or not_smaller, not {policy!r}")
    for axis, size in zip(axes, sizes, strict=True):
        plan.sizes[axis], plan.scales[axis] = size, size / shape[axis]
    return plan


# relay resizes two axes at a time -----------------------------------------------------------------------------------


def _resize(node: Node, plan: _Plan) -> SSAValue:
    """Two axes at a time: all methods are products of one factor an axis."""
    axes = plan.moved_axes(node.static_shape())
    mode = plan.options["coordinate_transformation_mode"]
    if len(axes) > 2 and mode == "tf_crop_and_resize":
        node.unsupported("tf_crop_and_resize of more than two axes")
    result = node.input(0)
    while axes:
        pair, axes = axes[-2:], axes[:-2]
        result = _resize_pair(node, result, pair, plan)
    return result


def _resize_pair(node: Node, data: SSAValue, axes: Sequence[int], plan: _Plan) -> SSAValue:
    """Resize one or two axes, which are brought to the end for it."""
    shape = shape_of(data.type)
    rank = len(shape)
    if len(axes) == 1 and rank > 1:
        # The neighbour goes along unchanged, so that in the usual layouts nothing is transposed.
        axes = [rank - 2, rank - 1] if axes[0] >= rank - 2 else [axes[0], rank - 1]
    order = [axis for axis in range(rank) if axis not in axes] + list(axes)
    moved = node.transpose(data, order)
    planes = [shape[axis] for axis in order[: rank - len(axes)]]
    channels = planes[-1] if planes else 1
    height_width = ([1] if len(axes) == 1 else []) + [shape[axis] for axis in axes]
    image = node.reshape(moved, (math.prod(planes[:-1]), channels, *height_width))
    scales, roi = [plan.scales[axis] for axis in axes], [plan.roi[axis] for axis in axes]
    sizes = [plan.sizes[axis] for axis in axes]
    if len(axes) == 1:
        scales, roi, sizes = [1.0, *scales], [(0.0, 1.0), *roi], [1, *sizes]
    options = dict(plan.options)
    if options["coordinate_transformation_mode"] == "tf_crop_and_resize":
        options["roi"] = (roi[0][0], roi[1][0], roi[0][1], roi[1][1])
    image = node.build(ops.Resize2D, image, size=sizes, scales=scales, layout="NCHW", **options)
    for axis in axes:
        plan.scales[axis] = 1.0
    result = node.reshape(image, (*planes, *(plan.sizes[axis] for axis in axes)))
    return node.transpose(result, [order.index(axis) for axis in range(rank)])
