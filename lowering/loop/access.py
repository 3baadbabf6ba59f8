"""Where in memory a linalg operand is read or written, as a function of the loop positions.

Buffers are contiguous, so an operand's index map and its shape give one linear expression: a coefficient for every loop
dimension, a constant, and (for floordiv and mod) terms that are not linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from xrelay.lowering.loop.builder import Index, LoopBuilder


def strides_of(shape: Sequence[int]) -> list[int]:
    """Row-major strides, in elements."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return strides[::-1]


@dataclass(frozen=True)
class Access:
    """The linear position of an operand: `offset + Σ coefficients[d] · position[d] + Σ factor · expr(positions)`."""

    flat: SSAValue
    coefficients: tuple[int, ...]
    offset: int
    nonlinear: tuple[tuple[int, AffineExpr], ...] = ()

    @staticmethod
    def of(flat: SSAValue, shape: Sequence[int], index_map: AffineMap, offsets: Sequence[int] | None = None) -> Access:
        """The access of a buffer of `shape` through `index_map`, `offsets` added to each index."""
        coefficients = [0] * index_map.num_dims
        offset = 0
        nonlinear: list[tuple[int, AffineExpr]] = []

        def collect(expr: AffineExpr, factor: int) -> None:
            nonlocal offset
            if isinstance(expr, AffineConstantExpr):
                offset += factor * expr.value
            elif isinstance(expr, AffineDimExpr):
                coefficients[expr.position] += factor
            elif isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.Add:
                collect(expr.lhs, factor)
                collect(expr.rhs, factor)
            elif (
                isinstance(expr, AffineBinaryOpExpr)
                and expr.kind is AffineBinaryOpKind.Mul
                and isinstance(expr.rhs, AffineConstantExpr)
            ):
                collect(expr.lhs, factor * expr.rhs.value)
            elif isinstance(expr, AffineBinaryOpExpr) and expr == expr.lhs // 1:  # a slice from the front of an axis
                collect(expr.lhs, factor)
            else:
                nonlinear.append((factor, expr))

        for axis, (stride, expr) in enumerate(zip(strides_of(shape), index_map.results, strict=True)):
            collect(expr, stride)
            offset += stride * (offsets[axis] if offsets else 0)
        return Access(flat, tuple(coefficients), offset, tuple(nonlinear))

    @property
    def nonlinear_dims(self) -> set[int]:
        return {d for _, expr in self.nonlinear for d in expr.used_dims()}

    def stride(self, dim: int) -> int | None:
        """By how many elements a step along `dim` moves; None where that depends on the position."""
        return None if dim in self.nonlinear_dims else self.coefficients[dim]

    def position(self, b: LoopBuilder, positions: Sequence[Index]) -> Index:
        """Emit the linear position."""
        total: Index = 0
        for coefficient, position in zip(self.coefficients, positions, strict=True):
            if coefficient:
                total = b.add(total, b.mul(position, coefficient))
        for factor, expr in self.nonlinear:
            total = b.add(total, b.mul(b.evaluate(expr, positions), factor))
        return b.add(total, self.offset)


@dataclass(frozen=True)
class Merge:
    """A renumbering of loop dimensions: each group of old ones is one new dimension, the others stay at position 0."""

    groups: tuple[tuple[int, ...], ...]
    sizes: list[int]
    kinds: list[str]

    def __call__(self, access: Access) -> Access:
        """The access over the new dimensions: a group moves by the step of its innermost member."""
        exprs: list[AffineExpr] = [AffineExpr.constant(0)] * len(access.coefficients)
        for new, group in enumerate(self.groups):
            exprs[group[-1]] = AffineExpr.dimension(new)
        nonlinear = tuple((f, e.replace_dims_and_symbols(exprs, [])) for f, e in access.nonlinear)
        return Access(access.flat, tuple(access.coefficients[g[-1]] for g in self.groups), access.offset, nonlinear)


def coalescing(sizes: Sequence[int], kinds: Sequence[str], accesses: Sequence[Access]) -> Merge:
    """Merge adjacent dimensions of one kind that every access walks as if they were one; drop those of size 1."""
    frozen = {d for access in accesses for d in access.nonlinear_dims}
    groups: list[list[int]] = []
    for dim, size in enumerate(sizes):
        if size == 1 and dim not in frozen:
            continue
        last = groups[-1][-1] if groups else None
        if (
            last is not None
            and kinds[last] == kinds[dim]
            and not frozen & {last, dim}
            and all(a.coefficients[last] == a.coefficients[dim] * size for a in accesses)
        ):
            groups[-1].append(dim)
        else:
            groups.append([dim])
    return Merge(
        tuple(map(tuple, groups)), [prod(sizes[d] for d in g) for g in groups], [kinds[g[-1]] for g in groups]
    )
