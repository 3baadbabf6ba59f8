"""Gradient rules of the operators that move, sum or combine elements: views, reductions, products, convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from xrelay.dialects.relay.convolution import Conv2D, Conv2DTranspose
from xrelay.dialects.relay.elementwise import Equal
from xrelay.dialects.relay.indexing import Split, StridedSlice
from xrelay.dialects.relay.linear import BatchMatmul, BiasAdd, Dense, Matmul
from xrelay.dialects.relay.normalization import LogSoftmax, Softmax
from xrelay.dialects.relay.pooling import GlobalAvgPool2D
from xrelay.dialects.relay.reduce import Max, Mean, Min, Sum, Variance, reduced_axes, reduced_shape
from xrelay.dialects.relay.shape import BatchFlatten, ExpandDims, Reshape, Squeeze
from xrelay.dialects.relay.transform import (
    BroadcastTo,
    Concatenate,
    Pad,
    Repeat,
    Reverse,
    Stack,
    Tile,
    Transpose,
    pad_pairs,
    permutation,
)
from xrelay.dialects.relay.types import as_tensor, num_elements, shape_of
from xrelay.dialects.relay.unary import Cast, Exp
from xrelay.errors import UnsupportedError
from xrelay.lowering.graph.gradients import GradientBuilder, gradient_of

# Views -------------------------------------------------------------------------------------------------------------


@gradient_of(Reshape, BatchFlatten, ExpandDims, Squeeze)
def view(op, b, grad):
    return b.reshape(grad, shape_of(op.data.type))


@gradient_of(Transpose)
def transpose(op, b, grad):
    axes = permutation(op.attrs.axes, len(shape_of(op.data.type)))
    return b.make(Transpose, grad, axes=tuple(sorted(range(len(axes)), key=lambda axis: axes[axis])))


@gradient_of(Reverse)
def reverse(op, b, grad):
    return b.make(Reverse, grad, axis=op.attrs.axis)


@gradient_of(BroadcastTo)
def broadcast_to(op, b, grad):
    return grad


@gradient_of(Concatenate)
def concatenate(op, b, grad):
    axis, begin, parts = op.attrs.axis % len(shape_of(op.result.type)), 0, []
    for operand in op.data:
        size = shape_of(operand.type)[axis]
        parts.append(_slice(b, grad, axis, begin, size))
        begin += size
    return parts


@gradient_of(Stack)
def stack(op, b, grad):
    axis = op.attrs.axis % len(shape_of(op.result.type))
    return [b.reshape(_slice(b, grad, axis, i, 1), shape_of(part.type)) for i, part in enumerate(op.data)]


@gradient_of(Split)
def split(op, b, *grads):
    return b.make(Concatenate, *grads, axis=op.attrs.axis)


@gradient_of(StridedSlice)
def strided_slice(op, b, grad):
    """Zeros around the adjoint, for steps of 1."""
    attrs, shape = op.attrs, shape_of(op.data.type)
    if attrs.slice_mode == "end" and any(stride != 1 for stride in attrs.strides or ()):
        raise UnsupportedError(
            f"relay.strided_slice with strides {attrs.strides} has no gradient rule, only steps of 1"
        )
    widths = [0] * (2 * len(shape))
    for axis, begin in zip(attrs.axes or range(len(attrs.begin)), attrs.begin, strict=True):
        size = shape[axis]
        start = min(max(begin + size if begin < 0 else begin, 0), size)
        widths[2 * (axis % len(shape))] = start
        widths[2 * (axis % len(shape)) + 1] = size - start - shape_of(op.result.type)[axis]
    return b.make(Pad, grad, pad_width=widths)


@gradient_of(Pad)
def pad(op, b, grad):
    if op.attrs.pad_mode != "constant":
        raise UnsupportedError(
            f'relay.nn.pad with pad_mode "{op.attrs.pad_mode}" has no gradient rule, only "constant"'
        )
    shape = shape_of(op.data.type)
    begin = [low for low, _ in pad_pairs(op.attrs.pad_width, len(shape))]
    return b.make(StridedSlice, grad, begin=begin, end=[low + n for low, n in zip(begin, shape, strict=True)])


@gradient_of(Repeat)
def repeat(op, b, grad):
    shape, repeats = shape_of(op.data.type), op.attrs.repeats
    axis = len(shape) - 1 if op.attrs.axis is None else op.attrs.axis % len(shape)
    apart = b.reshape(grad, (*shape[: axis + 1], repeats, *shape[axis + 1 :]))
    return b.sum(apart, [axis + 1])


@gradient_of(Tile)
def tile(op, b, grad):
    """The result has the axes (times, size) for each axis of the data."""
    shape, tiled = shape_of(op.data.type), shape_of(op.result.type)
    padded = (1,) * (len(tiled) - len(shape)) + shape
    if 0 in padded:
        return b.zeros(op.data)
    apart = [n for size, whole in zip(padded, tiled, strict=True) for n in (whole // size, size)]
    return b.reshape(b.sum(b.reshape(grad, apart), range(0, len(apart), 2)), shape)


def _slice(b: GradientBuilder, value: SSAValue, axis: int, begin: int, size: int) -> SSAValue:
    return b.make(StridedSlice, value, begin=(begin,), end=(begin + size,), axes=(axis,))


# Reductions --------------------------------------------------------------------------------------------------------


@gradient_of(Sum)
def sum_(op, b, grad):
    return _spread(op, b, grad)


@gradient_of(Mean)
def mean(op, b, grad):
    return b.scale(_spread(op, b, grad), 1 / max(_count(op), 1))


@gradient_of(Max, Min)
def extremum(op, b, grad):
    """In equal parts to the elements that have the extreme value."""
    data = op.data
    axes = reduced_axes(op.attrs, len(shape_of(data.type)))
    hits = b.make(Equal, data, _kept(op, b, op.result))
    mask = b.make(Cast, hits, dtype=as_tensor(data.type).element_type)
    return b.multiply(mask, b.divide(_kept(op, b, grad), b.sum(mask, axes, keepdims=True)))


@gradient_of(Variance)
def variance(op, b, grad):
    deviation = b.subtract(op.data, op.mean)
    slope = b.scale(b.multiply(deviation, _kept(op, b, grad)), 2 / max(_count(op) - op.attrs.unbiased, 1))
    return slope, b.negative(slope)


def _count(op) -> int:
    """How many elements a reduction folds into one."""
    shape = shape_of(op.data.type)
    return num_elements([shape[axis] for axis in reduced_axes(op.attrs, len(shape))])


def _kept(op, b: GradientBuilder, value: SSAValue) -> SSAValue:
    """A value of the shape of a reduction's result, with the folded axes as ones."""
    shape = shape_of(op.data.type)
    return b.reshape(value, reduced_shape(shape, reduced_axes(op.attrs, len(shape)), keepdims=True))


def _spread(op, b: GradientBuilder, value: SSAValue) -> SSAValue:
    """Each of a reduction's results, at all the elements that were folded into it."""
    return b.make(BroadcastTo, _kept(op, b, value), shape=shape_of(op.data.type))


@gradient_of(Softmax)
def softmax(op, b, grad):
    weighted = b.multiply(grad, op.result)
    total = b.sum(weighted, [op.attrs.axis], keepdims=True)
    return b.subtract(weighted, b.multiply(op.result, total))


@gradient_of(LogSoftmax)
def log_softmax(op, b, grad):
    total = b.sum(grad, [op.attrs.axis], keepdims=True)
    return b.subtract(grad, b.multiply(b.make(Exp, op.result), total))


@gradient_of(GlobalAvgPool2D)
def global_avg_pool2d(op, b, grad):
    """The result keeps the spatial axes with size 1, so that it is broadcast back."""
    shape = shape_of(op.data.type)
    if op.attrs.out_layout not in ("", op.attrs.layout):
        raise UnsupportedError("relay.nn.global_avg_pool2d has a gradient rule only where its layout stays")
    count = num_elements(shape) // max(num_elements(shape_of(op.result.type)), 1)
    return b.make(BroadcastTo, b.scale(grad, 1 / max(count, 1)), shape=shape)


# Products ----------------------------------------------------------------------------------------------------------


@gradient_of(BiasAdd)
def bias_add(op, b, grad):
    rank = len(shape_of(op.data.type))
    return grad, b.sum(grad, [i for i in range(rank) if i != op.attrs.axis % rank])


@gradient_of(Dense)
def dense(op, b, grad):
    """data · weightᵀ."""
    _check_out_dtype(op)
    data = b.make(Matmul, grad, op.weight)
    return data, b.make(Matmul, _matrix(b, grad), _matrix(b, op.data), transpose_a=True)


@gradient_of(Matmul)
def matmul(op, b, grad):
    _check_out_dtype(op)
    a, weight, attrs = op.tensor_a, op.tensor_b, op.attrs
    if attrs.transpose_a:
        left = b.make(Matmul, weight, grad, transpose_a=attrs.transpose_b, transpose_b=True)
    else:
        left = b.make(Matmul, grad, weight, transpose_b=not attrs.transpose_b)
    a, grad = _matrix(b, a), _matrix(b, grad)
    if attrs.transpose_b:
        return left, b.make(Matmul, grad, a, transpose_a=True, transpose_b=attrs.transpose_a)
    return left, b.make(Matmul, a, grad, transpose_a=not attrs.transpose_a)


@gradient_of(BatchMatmul)
def batch_matmul(op, b, grad):
    """A batch of size 1 gets the sum over the batch, as whatever is broadcast."""
    _check_out_dtype(op)
    a, other, attrs = op.tensor_a, op.tensor_b, op.attrs
    if attrs.transpose_a:
        left = b.make(BatchMatmul, other, grad, transpose_a=attrs.transpose_b, transpose_b=True)
    else:
        left = b.make(BatchMatmul, grad, other, transpose_b=not attrs.transpose_b)
    if attrs.transpose_b:
        return left, b.make(BatchMatmul, grad, a, transpose_a=True, transpose_b=attrs.transpose_a)
    return left, b.make(BatchMatmul, a, grad, transpose_a=not attrs.transpose_a)


def _matrix(b: GradientBuilder, value: SSAValue) -> SSAValue:
    """The value with all axes but the last as one."""
    shape = shape_of(value.type)
    return b.reshape(value, (num_elements(shape[:-1]), shape[-1]))


def _check_out_dtype(op) -> None:
    if as_tensor(op.operands[0].type).element_type != as_tensor(op.result.type).element_type:
        raise UnsupportedError(f"{op.name} has a gradient rule only where its result has the dtype of its operands")


@gradient_of(Conv2D)
def conv2d(op, b, grad):
    """By the data a transposed convolution, by the weight a convolution of the data with the adjoint."""
    _check_out_dtype(op)
    attrs = op.attrs
    if attrs.groups != 1 or (attrs.data_layout, attrs.kernel_layout) != ("NCHW", "OIHW") or attrs.out_layout:
        raise UnsupportedError("relay.nn.conv2d has a gradient rule for NCHW, OIHW and one group only")
    lengths, kernel = shape_of(op.data.type)[2:], shape_of(op.weight.type)[2:]
    windows = op.geometry(attrs, kernel).windows
    padding = (*windows.before, *windows.after)
    geometry = zip(lengths, windows.extent, windows.before, windows.after, windows.strides, strict=True)
    rest = [(n + low + high - extent) % stride for n, extent, low, high, stride in geometry]
    data = b.make(
        Conv2DTranspose,
        grad,
        op.weight,
        strides=attrs.strides,
        padding=padding,
        dilation=attrs.dilation,
        output_padding=rest,
    )
    swapped = _swap(b, op.data), _swap(b, grad)
    weight = b.make(Conv2D, *swapped, strides=attrs.dilation, padding=padding, dilation=attrs.strides)
    return data, _swap(b, _cropped(b, weight, kernel))


def _swap(b: GradientBuilder, value: SSAValue) -> SSAValue:
    """The two first axes of four exchanged."""
    return b.make(Transpose, value, axes=(1, 0, 2, 3))


def _cropped(b: GradientBuilder, value: SSAValue, kernel: Sequence[int]) -> SSAValue:
    """The first rows and columns: windows beyond them come from data that the strides left unread."""
    if shape_of(value.type)[2:] == tuple(kernel):
        return value
    return b.make(StridedSlice, value, begin=(0, 0), end=tuple(kernel), axes=(2, 3))
