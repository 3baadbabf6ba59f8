"""Affine expressions as sums of dimensions."""

from __future__ import annotations

from collections import defaultdict

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr


class LinearTerms(defaultdict[int, int]):
    """`constant + Σ factor · dimension`, as a mapping from dimension to factor."""

    def __init__(self) -> None:
        super().__init__(int)
        self.constant = 0


def linear_terms(expr: AffineExpr) -> LinearTerms | None:
    """The terms of an expression; None if it has a floordiv or mod."""
    terms = LinearTerms()

    def collect(e: AffineExpr, factor: int) -> bool:
        if isinstance(e, AffineConstantExpr):
            terms.constant += factor * e.value
        elif isinstance(e, AffineDimExpr):
            terms[e.position] += factor
        elif isinstance(e, AffineBinaryOpExpr) and e.kind is AffineBinaryOpKind.Add:
            return collect(e.lhs, factor) and collect(e.rhs, factor)
        elif (
            isinstance(e, AffineBinaryOpExpr)
            and e.kind is AffineBinaryOpKind.Mul
            and isinstance(e.rhs, AffineConstantExpr)
        ):
            return collect(e.lhs, factor * e.rhs.value)
        elif isinstance(e, AffineBinaryOpExpr) and e == e.lhs // 1:  # a slice from the front of an axis
            return collect(e.lhs, factor)
        else:
            return False
        return True

    return terms if collect(expr, 1) else None
