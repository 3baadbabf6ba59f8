"""Cutting what a pattern matches out into functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xrelay.frontends.relay_text.expr import Call, Constant, Constructor, Expr, Function, GlobalVar, Op, Var
from xrelay.relay.analysis import post_order
from xrelay.relay.dataflow_pattern.matcher import Matcher, infer_if_needed
from xrelay.relay.dataflow_pattern.patterns import ConstantPattern, DFPattern, ExprPattern
from xrelay.relay.dataflow_pattern.rewriter import PatternMatch, find_matches
from xrelay.relay.functors import ExprMutator, Substitution, children

_ALWAYS_INSIDE = (Op, Constructor, GlobalVar)


def partition(
    pattern: DFPattern,
    expr: Expr,
    attrs: Mapping[str, Any] | None = None,
    check: Callable[[Expr], bool] | None = None,
) -> Expr:
    """`expr` with every match as a call of a function that computes it from what goes into it.

    The functions have `attrs`, and `PartitionedFromPattern`, the names of their operators in order
    (`nn.conv2d_nn.relu_`). Constants that the pattern names stay inside. A match stays where it is if something inside
    of it is used outside too, or `check` says no of it.
    """
    infer_if_needed([pattern], expr)
    matcher = Matcher(expr)
    matches = {
        root: match
        for root, match in find_matches(pattern, expr).items()
        if _is_closed(match, matcher) and (check is None or check(root))
    }
    return _Partition(matches, dict(attrs or {})).visit(expr) if matches else expr


def _is_closed(match: PatternMatch, matcher: Matcher) -> bool:
    """Whether nothing but the result of a match is used outside of it."""
    return all(match.inner.issuperset(matcher.users(expr)) for expr in match.inner if expr is not match.root)


class _Partition(ExprMutator):
    def __init__(self, matches: Mapping[Expr, PatternMatch], attrs: dict[str, Any]):
        super().__init__()
        self._matches = matches
        self._numbers = {root: number for number, root in enumerate(reversed(list(matches)))}
        self._attrs = attrs

    def _dispatch(self, expr: Expr) -> Expr:
        match = self._matches.get(expr)
        if match is None:
            return super()._dispatch(expr)
        inputs = _inputs(match)
        number = self._numbers[expr]
        params = {
            value: Var(f"FunctionVar_{number}_{i}", value.checked_type or getattr(value, "type_annotation", None))
            for i, value in enumerate(inputs)
        }
        calls = [part for part in post_order(expr) if part in match.inner and isinstance(part, Call)]
        names = [call.op.name for call in calls if isinstance(call.op, Op)]
        attrs = {**self._attrs, "PartitionedFromPattern": "".join(f"{name}_" for name in names)}
        body = Substitution(params).visit(expr)
        return Call(Function(list(params.values()), body, attrs=attrs), [self.visit(value) for value in inputs])


def _inputs(match: PatternMatch) -> list[Expr]:
    """What goes into a match, in the order in which it is computed."""
    named = {
        expr
        for pattern, exprs in match.node_map.items()
        if isinstance(pattern, ConstantPattern | ExprPattern)
        for expr in exprs
        if isinstance(expr, Constant)
    }
    found = [
        part
        for inner in post_order(match.root)
        if inner in match.inner
        for part in children(inner)
        if part not in match.inner and part not in named and not isinstance(part, _ALWAYS_INSIDE)
    ]
    return list(dict.fromkeys(found))
