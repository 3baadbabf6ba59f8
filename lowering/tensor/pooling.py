"""Pools → a reduction over the window of the padded data; means are then divided by the number of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from xrelay.dialects.relay import pooling as ops
from xrelay.dialects.relay.pooling import Pooling
from xrelay.dialects.relay.types import f32, i64, is_float, is_unsigned, shape_of, u64
from xrelay.dialects.relay.window import Windows
from xrelay.lowering.tensor.builder import BodyBuilder, TensorBuilder, dims, lowers
from xrelay.lowering.tensor.convolution import pad, window_position
from xrelay.lowering.tensor.folds import fold
from xrelay.lowering.tensor.positions import Index, index_of, pieces, position
from xrelay.lowering.tensor.reduce import limits
from xrelay.lowering.tensor.scalar import Scalar, is_half

Count = int | Callable[[Scalar], Scalar]
"""The number of elements under a window along an axis: the same for all, or a function of the window's position."""


class Pool:
    """The iteration space of a pool: the axes of the result, then those of the window."""

    def __init__(self, op: Pooling, data: SSAValue, b: TensorBuilder):
        self.op, self.data, self.b = op, data, b
        self.layout, self.out = op.layouts(op.attrs)
        self.element = b.element(data)
        self.shape = shape_of(op.result.type)
        self.lengths = [self.layout.sizes(shape_of(data.type))[s] for s in op.SPATIAL]
        self.counts = [self.shape[self.out.index(s)] for s in op.SPATIAL]

    def fold(
        self,
        window: Sequence[int],
        place: Callable[[int, Index, Index, int], AffineExpr],
        padding: tuple[Sequence[int], Sequence[int], Any],
        initial: tuple[Any, Attribute],
        body: Callable[..., Any],
    ) -> SSAValue:
        """`acc = body(b, x, acc)` over the elements under each window.

        `place(axis, y, k, length)` says where window y has its tap k along an axis of the padded data; `padding` is how
        much is put before and behind the spatial axes, and the number there.
        """
        before, after, number = padding
        data = pad(self.b, self.data, self.layout, self.op.SPATIAL, before, after, number)
        stored, shape = pieces(self.out, self.shape), shape_of(data.type)
        every = dims(len(stored) + len(window))
        places = list(zip(stored, every, strict=False))
        indices = {letter: index_of(places, letter) for letter in "NC"}
        for axis, letter in enumerate(self.op.SPATIAL):
            tap = Index.of(every[len(stored) + axis], window[axis])
            length = shape[self.layout.index(letter)]
            indices[letter] = Index.of(place(axis, index_of(places, letter), tap, length), length)
        reads = data, position(pieces(self.layout, shape), indices)
        return fold(self.b, [reads], self.shape, window, initial, body)

    # Sliding windows ----------------------------------------------------------------------------------------------

    def slide(self, windows: Windows, number: Any, initial: tuple[Any, Attribute], body: Callable) -> SSAValue:
        """The fold over sliding windows, with `number` in the padding."""

        def place(axis: int, y: Index, k: Index, length: int) -> AffineExpr:
            return window_position(y, k, (windows.strides[axis], windows.dilation[axis], 0), length)

        axes = zip(self.counts, windows.strides, windows.extent, windows.before, self.lengths, strict=True)
        # In ceil_mode the last window reaches over the padding; behind it nothing is read.
        after = [max((n - 1) * s + extent - before - length, 0) for n, s, extent, before, length in axes]
        return self.fold(windows.size, place, (windows.before, after, number), initial, body)

    def max(self, windows: Windows) -> SSAValue:
        lowest = limits(self.element)[0]
        return self.slide(windows, lowest, (lowest, self.element), lambda _, x, acc: acc.maximum(x))

    def average(self, windows: Windows, include_pad: bool = False) -> SSAValue:
        wide = self.accumulator
        total = self.slide(windows, 0, (0, wide), lambda _, x, acc: acc + x.cast(wide))
        return self.divide(total, [self._window_count(windows, axis, include_pad) for axis in range(len(self.counts))])

    def _window_count(self, w: Windows, axis: int, include_pad: bool) -> Count:
        """How many taps of a window see an element of the data (or, if so wished, the padding), at least 1."""
        size, stride, dilation = w.size[axis], w.strides[axis], w.dilation[axis]
        # From `first` to `end`, in the padded data, elements count.
        first = 0 if include_pad else w.before[axis]
        end = w.before[axis] + self.lengths[axis] + (w.after[axis] if include_pad else 0)
        taps = range(0, size * dilation, dilation)
        counts = {max(sum(first <= y * stride + tap < end for tap in taps), 1) for y in range(self.counts[axis])}
        if len(counts) == 1:
            return counts.pop()

        def count(y: Scalar) -> Scalar:
            start = y * stride
            skipped, seen = ((bound - start).maximum(0) for bound in (first, end))
            if dilation > 1:
                skipped, seen = ((n + (dilation - 1)) / dilation for n in (skipped, seen))
            return (seen.minimum(size) - skipped).maximum(1)

        return count

    # Regions ------------------------------------------------------------------------------------------------------

    def regions(self) -> Windows | None:
        """The regions of an adaptive or global pool as sliding windows; None where their lengths differ."""
        if any(length % count for length, count in zip(self.lengths, self.counts, strict=True)):
            return None
        size = tuple(length // count for length, count in zip(self.lengths, self.counts, strict=True))
        zeros = (0,) * len(size)
        return Windows(size, size, (1,) * len(size), zeros, zeros)

    def fold_regions(self, number: Any, initial: tuple[Any, Attribute], body: Callable[..., Any]) -> SSAValue:
        """The fold over regions of different lengths: windows of the greatest, with `number` behind a region's end."""
        axes = list(zip(self.lengths, self.counts, strict=True))
        starts = [[y * length // count for y in range(count)] for length, count in axes]
        window = [
            max(-(-(y + 1) * length // count) - start for y, start in enumerate(of_axis))
            for (length, count), of_axis in zip(axes, starts, strict=True)
        ]
        behind = [
            max(max(of_axis) + size - length, 0)
            for of_axis, size, length in zip(starts, window, self.lengths, strict=True)
        ]

        def place(axis: int, y: Index, k: Index, _: int) -> AffineExpr:
            length, count = axes[axis]
            return (y.expr() * length) // count + k.expr()

        def masked(bb: BodyBuilder, x: Scalar, acc: Scalar) -> Scalar:
            for axis, letter in enumerate(self.op.SPATIAL):
                length = self.region_length(axis)
                if not isinstance(length, int):
                    inside = bb.index(len(self.shape) + axis) < length(bb.index(self.out.index(letter)))
                    x = inside.select(x, number)
            return body(bb, x, acc)

        return self.fold(window, place, ([0] * len(axes), behind, number), initial, masked)

    def region_length(self, axis: int) -> Count:
        length, count = self.lengths[axis], self.counts[axis]
        if length % count == 0:
            return length // count
        return lambda y: ((y + 1) * length + (count - 1)) / count - (y * length) / count

    # Means --------------------------------------------------------------------------------------------------------

    @property
    def accumulator(self) -> Attribute:
        if is_float(self.element):
            return f32 if is_half(self.element) else self.element
        return u64 if is_unsigned(self.element) else i64

    def divide(self, total: SSAValue, counts: Sequence[Count]) -> SSAValue:
        """Each sum divided by the product of its counts, as the pool's result."""

        def mean(bb: BodyBuilder, x: Scalar) -> Scalar:
            divisor: int = 1
            varying: Scalar | None = None
            for letter, count in zip(self.op.SPATIAL, counts, strict=True):
                if isinstance(count, int):
                    divisor *= count
                else:
                    of_axis = count(bb.index(self.out.index(letter)))
                    varying = of_axis if varying is None else varying * of_axis
            by = divisor if varying is None else (varying * divisor).cast(x.element)
            return (x / by).cast(self.element)

        result_type = self.op.result.type
        return self.b.map(result_type, [total], [AffineMap.identity(len(self.shape))], mean)


@lowers(ops.MaxPool1D, ops.MaxPool2D, ops.MaxPool3D)
def max_pool(op, operands, b):
    return Pool(op, operands[0], b).max(op.windows(op.attrs))


@lowers(ops.AvgPool1D, ops.AvgPool2D, ops.AvgPool3D)
def avg_pool(op, operands, b):
    return Pool(op, operands[0], b).average(op.windows(op.attrs), op.attrs.count_include_pad)


@lowers(ops.AdaptiveMaxPool1D, ops.AdaptiveMaxPool2D, ops.GlobalMaxPool2D)
def region_max(op, operands, b):
    pool = Pool(op, operands[0], b)
    windows = pool.regions()
    if windows is not None:
        return pool.max(windows)
    lowest = limits(pool.element)[0]
    return pool.fold_regions(lowest, (lowest, pool.element), lambda _, x, acc: acc.maximum(x))


@lowers(ops.AdaptiveAvgPool1D, ops.AdaptiveAvgPool2D, ops.GlobalAvgPool2D)
def region_mean(op, operands, b):
    pool = Pool(op, operands[0], b)
    windows = pool.regions()
    if windows is not None:
        return pool.average(windows)
    wide = pool.accumulator
    total = pool.fold_regions(0, (0, wide), lambda _, x, acc: acc + x.cast(wide))
    return pool.divide(total, [pool.region_length(axis) for axis in range(len(pool.counts))])
