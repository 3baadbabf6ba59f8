"""Sliding windows: what convolutions and pools share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.types import DYNAMIC, unify_dim


def per_axis(values: Sequence[int], n: int, what: str, least: int = 0) -> tuple[int, ...]:
    """One value an axis: `n` are given, or one for all. Raises VerifyException for another number, or one below
    `least`."""
    if len(values) not in (1, n):
        raise VerifyException(f"{what} {tuple(values)} must have 1 or {n} items")
    if min(values) < least:
        raise VerifyException(f"{what} {tuple(values)} must not be below {least}")
    return tuple(values) if len(values) == n else tuple(values) * n


def expand_padding(padding: Sequence[int], n: int, what: str = "padding") -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(before, after) of `n` axes.

    One item holds for every side, `n` items for both sides of an axis, 2·n items are all befores, then all afters.
    Raises VerifyException for another number of items, or a negative one.
    """
    if len(padding) == 2 * n:
        return per_axis(padding[:n], n, what), per_axis(padding[n:], n, what)
    if len(padding) not in (1, n):
        raise VerifyException(f"{what} {tuple(padding)} must have {', '.join(map(str, sorted({1, n, 2 * n})))} items")
    both = per_axis(padding, n, what)
    return both, both


@dataclass(frozen=True)
class Windows:
    """Windows over some axes: along each, `size` taps `dilation` apart, the next window `stride` further, over an axis
    that is padded `before` and `after`."""

    size: tuple[int, ...]
    strides: tuple[int, ...]
    dilation: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @staticmethod
    def of(
        size: Sequence[int], strides: Sequence[int], dilation: Sequence[int], padding: Sequence[int], constraint: str
    ) -> Windows:
        """From an operator's attributes. Raises VerifyException, quoting the constraint, where they do not fit the
        axes."""
        n = len(size)
        return Windows(
            tuple(size),
            per_axis(strides, n, f"{constraint}: strides", least=1),
            per_axis(dilation, n, f"{constraint}: dilation", least=1),
            *expand_padding(padding, n, f"{constraint}: padding"),
        )

    @property
    def extent(self) -> tuple[int, ...]:
        """The length that a window spans, `DYNAMIC` where its size is unknown."""
        return tuple(
            DYNAMIC if size == DYNAMIC else (size - 1) * dilation + 1
            for size, dilation in zip(self.size, self.dilation, strict=True)
        )

    def count(self, lengths: Sequence[int], ceil_mode: bool = False) -> tuple[int, ...]:
        """The number of windows along axes of these lengths (not positive: not one fits).

        `ceil_mode` also counts a last window that reaches over the padding, unless it starts behind the data and the
        padding before it, where it would see padding only.
        """
        counts = []
        for axis, (length, extent) in enumerate(zip(lengths, self.extent, strict=True)):
            if DYNAMIC in (length, extent):
                counts.append(DYNAMIC)
                continue
            stride, before = self.strides[axis], self.before[axis]
            room = length + before + self.after[axis] - extent
            n = room // stride + 1
            if ceil_mode and room % stride and n * stride < length + before:
                n += 1
            counts.append(n)
        return tuple(counts)


# Layouts of operands -------------------------------------------------------------------------------------------------


def parse_layout(text: str, letters: str, whole: str, what: str) -> Layout:
    """A layout of the axes `letters`, of which `whole` are not split. Raises VerifyException for another one."""
    try:
        layout = Layout.parse(text)
    except ValueError as error:
        raise VerifyException(f"{what}: {error}") from None
    if set(layout.letters) != set(letters):
        raise VerifyException(f'{what} "{text}" must have the axes {", ".join(letters)}')
    for letter in whole:
        if layout.is_split(letter):
            raise VerifyException(f'{what} "{text}" must not split the axis {letter}')
    return layout


def whole_sizes(layout: Layout, shape: Sequence[int], what: str) -> dict[str, int]:
    """The whole size of each axis (`DYNAMIC` where it is unknown). Raises VerifyException where the shape does not
    fit."""
    try:
        sizes = layout.sizes(shape)
    except ValueError as error:
        raise VerifyException(f"{what}: {error}") from None
    return {letter: DYNAMIC if size < 0 else size for letter, size in sizes.items()}


def stored_shape(layout: Layout, sizes: dict[str, int], what: str) -> tuple[int, ...]:
    """The shape of a result in a layout. Raises VerifyException where a split does not divide its axis."""
    for letter, size in sizes.items():
        if size != DYNAMIC and size % layout.factor(letter):
            raise VerifyException(f'{what} "{layout}" does not divide {letter}, which has the size {size}')
    return layout.shape(sizes, DYNAMIC)


def output_layout(text: str, data: Layout, spatial: str, what: str) -> Layout:
    """The layout of a result: `text`, or that of the data where it is empty."""
    return parse_layout(text, data.letters, spatial, what) if text else data


def unify_sizes(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...] | None:
    """Sizes that fit both lists, None where they contradict or differ in number."""
    if len(a) != len(b):
        return None
    merged = [size for x, y in zip(a, b, strict=True) if (size := unify_dim(x, y)) is not None]
    return tuple(merged) if len(merged) == len(a) else None
