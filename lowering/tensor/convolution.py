"""Convolutions → an explicitly padded input and one contraction, whose maps follow the layouts.

The iteration dimensions are the axes of the result in its own order, the channels in two (groups, channels of a group)
if need be, and then input channels, kernel height, kernel width, and what the kernel's layout splits off the input
channels.

A transposed convolution is a convolution, with stride 1, of the data with zeros between its elements; the kernel is
flipped by reading the data backward, so that the weight is still read in its own order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from xrelay.dialects.relay import convolution as ops
from xrelay.dialects.relay.convolution import Convolution, Geometry
from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.types import as_tensor, shape_of
from xrelay.lowering.tensor.builder import TensorBuilder, dims, lowers
from xrelay.lowering.tensor.folds import contract
from xrelay.lowering.tensor.positions import Index, Piece, index_of, pieces, position


@lowers(ops.Conv1D, ops.Conv2D)
def convolution(op, operands, b):
    g = _geometry(op)
    w = g.windows
    data = pad(b, operands[0], g.data, g.spatial, w.before, w.after)
    taps = [(stride, dilation, 0) for stride, dilation in zip(w.strides, w.dilation, strict=True)]
    return _contract(op, data, operands[1], g, taps, b)


@lowers(ops.Conv1DTranspose, ops.Conv2DTranspose)
def transposed_convolution(op, operands, b):
    g = _geometry(op)
    w = g.windows
    data = spread(b, operands[0], g.data, g.spatial, w.strides)
    # Behind the last element `spread` leaves stride - 1 zeros.
    before = [extent - 1 - cut for extent, cut in zip(w.extent, w.before, strict=True)]
    sides = zip(w.extent, w.after, w.strides, g.output_padding, strict=True)
    after = [extent - cut - stride + extra for extent, cut, stride, extra in sides]
    data = pad(b, data, g.data, g.spatial, [max(n, 0) for n in before], [max(n, 0) for n in after])
    # Where the padding cuts off more than a kernel reaches, reading starts inside the data.
    skipped = [max(-n, 0) for n in before]
    spans = zip(w.dilation, w.extent, skipped, strict=True)
    return _contract(op, data, operands[1], g, [(1, -d, extent - 1 + skip) for d, extent, skip in spans], b)


def _geometry(op: Convolution) -> Geometry:
    layout = op.geometry(op.attrs, [1] * len(op.SPATIAL)).kernel
    kernel = layout.sizes(shape_of(op.weight.type))
    return op.geometry(op.attrs, [kernel[s] for s in op.SPATIAL])


def pad(
    b: TensorBuilder,
    data: SSAValue,
    layout: Layout,
    spatial: str,
    before: Sequence[int],
    after: Sequence[int],
    number: Any = 0,
) -> SSAValue:
    """The data with one number before and behind its spatial axes."""
    low, high = [0] * layout.rank, [0] * layout.rank
    for letter, first, last in zip(spatial, before, after, strict=True):
        low[layout.index(letter)], high[layout.index(letter)] = first, last
    return b.pad(data, low, high, number)


def spread(b: TensorBuilder, data: SSAValue, layout: Layout, spatial: str, strides: Sequence[int]) -> SSAValue:
    """The data with stride - 1 zeros behind every element along the spatial axes."""
    if all(stride == 1 for stride in strides):
        return data
    shape = shape_of(data.type)
    factors = dict(zip((layout.index(letter) for letter in spatial), strides, strict=True))
    apart = [size for axis, n in enumerate(shape) for size in ((n, 1) if axis in factors else (n,))]
    wide = [size for axis, n in enumerate(shape) for size in ((n, factors[axis]) if axis in factors else (n,))]
    zeros = b.full(wide, 0, b.element(data))
    result = b.insert_slice(b.view(data, apart), zeros, [0] * len(wide))
    return b.view(result, [n * factors.get(axis, 1) for axis, n in enumerate(shape)])


Tap = tuple[int, int, int]
"""(factor of the output position, factor of the kernel position, offset): where an axis of the data is read."""


def _contract(
    op: Convolution, data: SSAValue, weight: SSAValue, g: Geometry, taps: Sequence[Tap], b: TensorBuilder
) -> SSAValue:
    transposed = isinstance(op, ops.TransposedConvolution)
    result_shape = shape_of(op.result.type)
    outputs = g.out.sizes(result_shape)["C"] // g.groups
    inputs = g.data.sizes(shape_of(data.type))["C"] // g.groups

    out = pieces(g.out, result_shape, "C", g.groups)
    kernel = pieces(g.kernel, shape_of(weight.type), "I", g.groups if transposed else 1)
    weight = b.view(weight, [piece.size for piece in kernel])
    reduced = _reduced(kernel, g, inputs)

    every = dims(len(out) + len(reduced))
    places, steps = list(zip(out, every, strict=False)), list(zip(reduced, every[len(out) :], strict=True))
    channel, ic = index_of(places, "C"), index_of(steps, "I")
    group = channel.over(outputs) if g.groups > 1 else Index()
    data_index = {"N": index_of(places, "N"), "C": group.with_lower(ic)}
    kernel_index = {"O": channel.modulo(outputs), "I": data_index["C"]} if transposed else {"O": channel, "I": ic}
    for letter, tap in zip(g.spatial, taps, strict=True):
        y, k = index_of(places, letter), index_of(steps, letter)
        length = g.data.sizes(shape_of(data.type))[letter]
        data_index[letter] = Index.of(window_position(y, k, tap, length), length)
        kernel_index[letter] = k
    x = data, position(pieces(g.data, shape_of(data.type)), data_index)
    w = weight, position(kernel, kernel_index)
    sizes = [piece.size for piece in out], [piece.size for piece in reduced]
    result = contract(b, x, w, *sizes, as_tensor(op.result.type).element_type)
    return b.view(result, result_shape)


def _reduced(kernel: Sequence[Piece], g: Geometry, inputs: int) -> list[Piece]:
    """The axes to sum over, in the order of the loops: those of the kernel, without input channels of size 1."""
    channels = [p for p in kernel if p.letter == "I" and p.size != 1 and (p.step < inputs or inputs == 0)]
    if any(p.end > inputs for p in channels):
        # A block of the kernel's layout holds channels of several groups.
        channels = [Piece("I", 1, inputs)]
    main = [p for p in channels if p.step == g.kernel.factor("I")]
    taps = [next(p for p in kernel if p.letter == letter) for letter in g.spatial]
    return [*main, *taps, *(p for p in channels if p not in main)]


def window_position(y: Index, k: Index, tap: Tap, length: int) -> AffineExpr:
    """Where the window at y sees data of this length with its tap k.

    An index of size 1 is left out, unless a bare dimension would be left, which must run over the whole axis.
    """
    of_output, of_kernel, offset = tap
    terms = [(index, factor) for index, factor in ((y, of_output), (k, of_kernel)) if index.size > 1]
    if len(terms) == 1 and terms[0][1] == 1 and not offset and terms[0][0].size != length:
        terms = [(y, of_output), (k, of_kernel)]
    exprs = [index.expr() if factor == 1 else index.expr() * factor for index, factor in terms]
    if offset or not exprs:
        exprs.append(AffineExpr.constant(offset))
    return reduce(add, exprs)
