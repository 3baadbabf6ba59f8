"""Pools."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import is_bool
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.onnx.windows import Windows, read_windows, spatial_rank
from xrelay.frontends.operators import ops

_LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
_MAX = {1: "MaxPool1D", 2: "MaxPool2D", 3: "MaxPool3D"}
_AVERAGE = {1: "AvgPool1D", 2: "AvgPool2D", 3: "AvgPool3D"}


def _windows(node: Node) -> Windows:
    n = spatial_rank(node)
    kernel = node.attr("kernel_shape")
    if len(kernel) != n:
        node.fail(f"kernel_shape has {len(kernel)} numbers, {n} are needed")
    return read_windows(node, kernel)


def _pool(node: Node, data: SSAValue, name: str, windows: Windows, **more: bool) -> SSAValue:
    return node.build(
        getattr(ops, name),
        data,
        pool_size=windows.kernel,
        strides=windows.strides,
        dilation=windows.dilations,
        padding=windows.padding,
        layout=_LAYOUTS[len(windows.kernel)],
        ceil_mode=bool(node.attr("ceil_mode", 0)),
        **more,
    )


@importer("MaxPool")
def max_pool(node: Node) -> SSAValue:
    if len(node.proto.output) > 1 and node.proto.output[1]:
        node.unsupported("the output Indices is not supported")
    windows = _windows(node)
    return _pool(node, node.input(0), _MAX[len(windows.kernel)], windows)


@importer("AveragePool")
def average_pool(node: Node) -> SSAValue:
    windows = _windows(node)
    include = bool(node.attr("count_include_pad", 0))
    return _pool(node, node.input(0), _AVERAGE[len(windows.kernel)], windows, count_include_pad=include)


@importer("LpPool")
def lp_pool(node: Node) -> SSAValue:
    """(Σ |x|^p)^(1/p) of each window, from the mean that counts the padding's zeros."""
    if node.attr("ceil_mode", 0):
        node.unsupported("ceil_mode is not supported")
    windows, p = _windows(node), node.attr("p")
    powers = _power(node, node.build(ops.Abs, node.input(0)), p)
    means = _pool(node, powers, _AVERAGE[len(windows.kernel)], windows, count_include_pad=True)
    sums = node.build(ops.Multiply, means, node.constant(prod(windows.kernel), means))
    return _power(node, sums, 1 / p if p else node.fail("p must not be 0"))


def _power(node: Node, x: SSAValue, exponent: float) -> SSAValue:
    return node.build(ops.Power, x, node.constant(exponent, x))


# Over everything ---------------------------------------------------------------------------------------------------


def _spatial_axes(node: Node) -> tuple[int, ...]:
    if node.rank() < 3:
        node.fail(f"{node.input_name(0)} has no spatial axes: {node.type()}")
    return tuple(range(2, node.rank()))


@importer("GlobalAveragePool", "GlobalMaxPool")
def global_pool(node: Node) -> SSAValue:
    average, axes = node.proto.op_type == "GlobalAveragePool", _spatial_axes(node)
    if len(axes) == 2 and not is_bool(node.element()):
        return node.build(ops.GlobalAvgPool2D if average else ops.GlobalMaxPool2D, node.input(0))
    return node.build(ops.Mean if average else ops.Max, node.input(0), axis=axes, keepdims=True)


@importer("GlobalLpPool")
def global_lp_pool(node: Node) -> SSAValue:
    p = node.attr("p") or node.fail("p must not be 0")
    powers = _power(node, node.build(ops.Abs, node.input(0)), p)
    return _power(node, node.build(ops.Sum, powers, axis=_spatial_axes(node), keepdims=True), 1 / p)
