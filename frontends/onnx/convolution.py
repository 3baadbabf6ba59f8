"""Convolutions."""

from __future__ import annotations

from functools import reduce

from xdsl.ir import Attribute, SSAValue

from xrelay.dialects.relay.types import DYNAMIC, shape_of
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.onnx.windows import Windows, auto_pad, per_axis, read_windows, spatial_rank, split_padding
from xrelay.frontends.operators import ops

_DATA_LAYOUTS = {1: "NCW", 2: "NCHW"}
_KERNEL_LAYOUTS = {1: "OIW", 2: "OIHW"}


@importer("Conv")
def conv(node: Node) -> SSAValue:
    return add_bias(node, convolve(node, node.input(0), node.input(1)))


def convolve(node: Node, data: SSAValue, weight: SSAValue, out_dtype: Attribute | None = None) -> SSAValue:
    """The convolution of `data` by the attributes of the node, whose input 0 has the shape of `data`."""
    n = spatial_rank(node)
    windows = read_windows(node, kernel_size(node, weight, n))
    if n == 3:
        return _conv3d(node, data, weight, windows, out_dtype)
    operator = ops.Conv1D if n == 1 else ops.Conv2D
    return node.build(
        operator,
        data,
        weight,
        strides=windows.strides,
        padding=windows.padding,
        dilation=windows.dilations,
        groups=node.attr("group", 1),
        channels=_known_size(weight, 0),
        kernel_size=windows.kernel,
        data_layout=_DATA_LAYOUTS[n],
        kernel_layout=_KERNEL_LAYOUTS[n],
        out_dtype=out_dtype,
    )


def kernel_size(node: Node, weight: SSAValue, n: int) -> tuple[int, ...]:
    """The spatial sizes of the weight, which `kernel_shape` must agree with where it is given."""
    shape = shape_of(weight.type)
    if len(shape) != n + 2:
        node.fail(f"the weight {weight.type} must have the rank of the data, {node.type()}")
    size = shape[2:]
    given = node.attr("kernel_shape")
    if DYNAMIC in size:
        size = tuple(given or node.unsupported("the size of the kernel is not known"))
    elif given is not None and tuple(given) != size:
        node.fail(f"kernel_shape {given} is not that of the weight {weight.type}")
    return size


def _known_size(value: SSAValue, axis: int) -> int | None:
    size = shape_of(value.type)[axis]
    return None if size == DYNAMIC else size


def add_bias(node: Node, result: SSAValue, i: int = 2) -> SSAValue:
    """The result of a convolution with the bias that input i is, if there is one."""
    bias = node.optional(i)
    return result if bias is None else node.build(ops.BiasAdd, result, bias, axis=1)


def _conv3d(
    node: Node, data: SSAValue, weight: SSAValue, windows: Windows, out_dtype: Attribute | None
) -> SSAValue:
    """A sum of 2-D convolutions, one a tap along the depth, with the depth of the result as part of the batch."""
    batch, channels, *lengths = node.static_shape()
    front, top, left, back, bottom, right = windows.padding
    stride, dilation = windows.strides[0], windows.dilations[0]
    depth = (lengths[0] + front + back - windows.extent[0]) // stride + 1
    if depth < 1:
        node.fail(f"no window of depth {windows.extent[0]} fits into {node.type()}")
    padded = node.build(ops.Pad, data, pad_width=(0, 0, 0, 0, front, back, 0, 0, 0, 0)) if front or back else data
    terms = []
    for tap in range(windows.kernel[0]):
        begin = tap * dilation
        end = begin + (depth - 1) * stride + 1
        planes = node.build(ops.StridedSlice, padded, begin=(begin,), end=(end,), strides=(stride,), axes=(2,))
        images = node.reshape(node.transpose(planes, (0, 2, 1, 3, 4)), (batch * depth, channels, *lengths[1:]))
        kernel = node.build(ops.StridedSlice, weight, begin=(tap,), end=(tap + 1,), axes=(2,))
        terms.append(
            node.build(
                ops.Conv2D,
                images,
                node.build(ops.Squeeze, kernel, axis=(2,)),
                strides=windows.strides[1:],
                padding=(top, left, bottom, right),
                dilation=windows.dilations[1:],
                groups=node.attr("group", 1),
                out_dtype=out_dtype,
            )
        )
    total = reduce(lambda a, b: node.build(ops.Add, a, b), terms)
    _, out_channels, height, width = shape_of(total.type)
    return node.transpose(node.reshape(total, (batch, depth, out_channels, height, width)), (0, 2, 1, 3, 4))


# Transposed --------------------------------------------------------------------------------------------------------


@importer("ConvTranspose")
def conv_transpose(node: Node) -> SSAValue:
    n = spatial_rank(node)
    if n == 3:
        node.unsupported("transposed convolutions have 1 or 2 spatial axes")
    weight = node.input(1)
    windows = Windows(
        kernel_size(node, weight, n),
        per_axis(node, "strides", n, 1),
        per_axis(node, "dilations", n, 1),
        per_axis(node, "pads", 2 * n, 0),
    )
    padding, output_padding = _transposed_padding(node, windows)
    result = node.build(
        ops.Conv1DTranspose if n == 1 else ops.Conv2DTranspose,
        node.input(0),
        weight,
        strides=windows.strides,
        padding=padding,
        output_padding=output_padding,
        dilation=windows.dilations,
        groups=node.attr("group", 1),
        kernel_size=windows.kernel,
        data_layout=_DATA_LAYOUTS[n],
        kernel_layout=_KERNEL_LAYOUTS[n].replace("OI", "IO"),
    )
    return add_bias(node, result)


def _transposed_padding(node: Node, windows: Windows) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(padding, output padding): as given, or what makes the output as long as `output_shape` or `auto_pad` ask."""
    n, mode = len(windows.kernel), auto_pad(node)
    output_padding = per_axis(node, "output_padding", n, 0)
    wanted = node.attr("output_shape")
    if wanted is None and mode in ("NOTSET", "VALID"):
        return windows.padding if mode == "NOTSET" else (0,) * 2 * n, output_padding
    lengths = node.static_shape()[2:]
    if wanted is None:
        wanted = [length * stride for length, stride in zip(lengths, windows.strides, strict=True)]
    elif len(wanted) not in (n, n + 2):
        node.fail(f"output_shape has {len(wanted)} numbers, {n} are needed")
    axes = zip(lengths, windows.strides, windows.extent, output_padding, wanted[-n:], strict=True)
    totals = [stride * (length - 1) + extent + extra - size for length, stride, extent, extra, size in axes]
    # A result longer than the windows reach is filled up with zeros behind.
    extra = tuple(more - min(total, 0) for more, total in zip(output_padding, totals, strict=True))
    return split_padding([max(total, 0) for total in totals], more_at_end=mode == "SAME_UPPER"), extra
