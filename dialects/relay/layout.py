"""Layout strings: in which order, and in how many pieces, the axes of a tensor are stored.

A capital letter is an axis of the tensor as one thinks of it: `NCHW`, `HWIO`. A number and a small letter split that
axis: `NCHW16c` stores channel c at (n, c // 16, h, w, c % 16), `OIHW4i16o4i` splits I twice, the outer four first. The
capital then stands for what is left of its axis, rounded up.

Sizes below zero are unknown, and what is computed from them is unknown too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import prod

_TOKEN = re.compile(r"([A-Z])|(\d+)([a-z])")
UNKNOWN = -1


@dataclass(frozen=True)
class Axis:
    """One axis of the stored tensor: a digit in the index of the axis that the letter names."""

    letter: str
    """The capital letter."""
    step: int
    """How far the index of the whole axis moves when this one moves by one."""
    factor: int | None
    """The size of a split-off axis, None for a main one (written as a capital)."""

    @property
    def is_main(self) -> bool:
        return self.factor is None


@dataclass(frozen=True)
class Layout:
    """A parsed layout string; `Layout.parse("NCHW16c")`."""

    text: str
    axes: tuple[Axis, ...]

    @staticmethod
    @cache
    def parse(text: str) -> Layout:
        """Raises ValueError for a string that is no layout."""
        tokens = [(m[1] or m[3].upper(), None if m[1] else int(m[2])) for m in _TOKEN.finditer(text)]
        if not text or _TOKEN.sub("", text):
            raise ValueError(f'"{text}" is no layout: write axes as capitals, splits as <factor><small letter>')
        mains = [letter for letter, factor in tokens if factor is None]
        if len(set(mains)) != len(mains):
            raise ValueError(f'layout "{text}" names an axis twice')
        for letter, factor in tokens:
            if letter not in mains:
                raise ValueError(f'layout "{text}" splits the axis {letter}, which it does not have')
            if factor == 0:
                raise ValueError(f'layout "{text}" splits the axis {letter} by 0')
        axes = []
        for position, (letter, factor) in enumerate(tokens):
            behind = tokens if factor is None else tokens[position + 1 :]
            axes.append(Axis(letter, prod(f for other, f in behind if other == letter and f is not None), factor))
        return Layout(text, tuple(axes))

    def __str__(self) -> str:
        return self.text

    @property
    def rank(self) -> int:
        """The number of axes of the stored tensor."""
        return len(self.axes)

    @cached_property
    def letters(self) -> str:
        """The capitals, in order."""
        return "".join(axis.letter for axis in self.axes if axis.is_main)

    def index(self, letter: str) -> int:
        """The position of a main axis in the stored tensor. Raises ValueError if there is none."""
        for position, axis in enumerate(self.axes):
            if axis.letter == letter and axis.is_main:
                return position
        raise ValueError(f'layout "{self.text}" has no axis {letter}')

    def factor(self, letter: str) -> int:
        """By how much a main axis is split in all (1 where it is whole)."""
        return self.axes[self.index(letter)].step

    def is_split(self, letter: str) -> bool:
        return self.factor(letter) != 1 or any(a.letter == letter and not a.is_main for a in self.axes)

    def sizes(self, shape: Sequence[int]) -> dict[str, int]:
        """The whole size of each axis, for a stored shape. Raises ValueError where the shape does not fit the
        layout."""
        if len(shape) != self.rank:
            raise ValueError(f'layout "{self.text}" has {self.rank} axes, the shape {tuple(shape)} has {len(shape)}')
        for axis, size in zip(self.axes, shape, strict=True):
            if axis.factor is not None and size >= 0 and size != axis.factor:
                raise ValueError(f'layout "{self.text}" splits {axis.letter} by {axis.factor}, not by {size}')
        mains = ((axis, size) for axis, size in zip(self.axes, shape, strict=True) if axis.is_main)
        return {axis.letter: size * axis.step if size >= 0 else UNKNOWN for axis, size in mains}

    def shape(self, sizes: Mapping[str, int], unknown: int = UNKNOWN) -> tuple[int, ...]:
        """The stored shape for whole sizes; `unknown` stands where a size is unknown."""
        return tuple(self._stored_size(axis, sizes[axis.letter], unknown) for axis in self.axes)

    @staticmethod
    def _stored_size(axis: Axis, size: int, unknown: int) -> int:
        if axis.factor is not None:
            return axis.factor
        return -(-size // axis.step) if size >= 0 else unknown


def convertible(source: Layout, target: Layout) -> bool:
    """Whether a tensor can be stored in the other layout: both name the same axes."""
    return set(source.letters) == set(target.letters)


def convert_shape(shape: Sequence[int], source: Layout, target: Layout, unknown: int = UNKNOWN) -> tuple[int, ...]:
    """The shape in another layout. A split that does not divide its axis is padded.

    Raises ValueError where the layouts name different axes, or the shape does not fit its own.
    """
    if not convertible(source, target):
        raise ValueError(f'layouts "{source}" and "{target}" name different axes')
    return target.shape(source.sizes(shape), unknown)
