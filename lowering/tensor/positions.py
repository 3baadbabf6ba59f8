"""Positions in split layouts, as affine expressions.

The index of a whole axis (channel c) is a mixed-radix number whose digits are iteration dimensions; a layout stores the
axis in pieces, each of which is a range of the index. Where pieces end between digits, no division is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from xdsl.ir.affine import AffineExpr

from xrelay.dialects.relay.layout import Layout


@dataclass(frozen=True)
class Digit:
    """`expr`, in [0, size), moves the index by `step` where it moves by one."""

    expr: AffineExpr
    step: int
    size: int

    @property
    def end(self) -> int:
        return self.step * self.size


@dataclass(frozen=True)
class Index:
    """The index of a whole axis: Σ digit · step, the most significant digit first. Without digits it is 0."""

    digits: tuple[Digit, ...] = ()

    @staticmethod
    def of(expr: AffineExpr, size: int) -> Index:
        """An index that is one expression."""
        return Index((Digit(expr, 1, size),))

    @property
    def size(self) -> int:
        return max((d.end for d in self.digits), default=1)

    def expr(self) -> AffineExpr:
        terms = [d.expr if d.step == 1 else d.expr * d.step for d in self.digits]
        return reduce(add, terms) if terms else AffineExpr.constant(0)

    def with_lower(self, lower: Index) -> Index:
        """The index whose less significant digits are those of `lower`."""
        size = lower.size
        return Index((*(Digit(d.expr, d.step * size, d.size) for d in self.digits), *lower.digits))

    def over(self, divisor: int) -> Index:
        """The index divided by a number, rounded down."""
        if self._parts_at(divisor):
            return Index(tuple(Digit(d.expr, d.step // divisor, d.size) for d in self.digits if d.step >= divisor))
        return Index.of(self.expr() // divisor, -(-self.size // divisor))

    def modulo(self, divisor: int) -> Index:
        """The remainder of the index divided by a number."""
        if self.size <= divisor:
            return self
        if self._parts_at(divisor):
            return Index(tuple(d for d in self.digits if d.step < divisor))
        return Index.of(self.expr() % divisor, divisor)

    def _parts_at(self, step: int) -> bool:
        """Whether every digit is either below `step` or a multiple of it."""
        return all(d.end <= step or d.step % step == 0 for d in self.digits)


@dataclass(frozen=True)
class Piece:
    """An axis of a stored tensor: a digit of the index of the whole axis that `letter` names."""

    letter: str
    step: int
    size: int

    @property
    def end(self) -> int:
        return self.step * self.size


def pieces(layout: Layout, shape: Sequence[int], letter: str = "", groups: int = 1) -> list[Piece]:
    """The axes of a stored tensor; that of `letter` falls into groups of equal length where it can."""
    result = []
    for axis, size in zip(layout.axes, shape, strict=True):
        if axis.letter == letter and axis.is_main and groups > 1 and size % groups == 0:
            result.append(Piece(letter, size // groups * axis.step, groups))
            size //= groups
            if size == 1:
                continue
        result.append(Piece(axis.letter, axis.step, size))
    return result


def index_of(digits: Iterable[tuple[Piece, AffineExpr]], letter: str) -> Index:
    """The index of a whole axis whose pieces are at the given expressions."""
    own = [Digit(expr, piece.step, piece.size) for piece, expr in digits if piece.letter == letter]
    return Index(tuple(sorted(own, key=lambda d: -d.end)))


def position(stored: Sequence[Piece], indices: Mapping[str, Index]) -> list[AffineExpr]:
    """Where a tensor of these axes holds the element at the indices of its whole axes."""
    return [indices[piece.letter].over(piece.step).modulo(piece.size).expr() for piece in stored]
