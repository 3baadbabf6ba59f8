"""Replacing what patterns match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xrelay.errors import XRelayError
from xrelay.frontends.relay_text.expr import Expr
from xrelay.relay.analysis import post_order
from xrelay.relay.dataflow_pattern.matcher import Matcher, NodeMap, infer_if_needed
from xrelay.relay.dataflow_pattern.patterns import (
    CallPattern,
    DFPattern,
    DominatorPattern,
    FunctionPattern,
    IfPattern,
    LetPattern,
    TupleGetItemPattern,
    TuplePattern,
)
from xrelay.relay.functors import ExprMutator

MAX_ROUNDS = 100
"""After so many rounds a rewrite that still changes something never ends."""

_INNER = CallPattern | FunctionPattern | IfPattern | LetPattern | TupleGetItemPattern | TuplePattern
"""Patterns of expressions that belong to a match; what the others stand for goes into it."""


class DFPatternCallback:
    """A pattern and what replaces its matches: give `self.pattern`, and override `callback`.

    Args:
        require_type: the callback looks at `checked_type`, so types are found before each round.
        rewrite_once: matches are replaced once; otherwise until nothing changes any more.
    """

    def __init__(self, require_type: bool = False, rewrite_once: bool = False):
        self.pattern: DFPattern | None = None
        self.require_type = require_type
        self.rewrite_once = rewrite_once

    def callback(self, pre: Expr, post: Expr, node_map: Mapping[DFPattern, Sequence[Expr]]) -> Expr:
        """What replaces a match.

        `pre` is the expression as it was, `post` with the matches inside of it replaced; `node_map` gives what the
        parts of the pattern stand for in `post`, each a list.
        """
        raise NotImplementedError

    def rewrite(self, expr: Expr) -> Expr:
        """`expr` with the matches replaced."""
        return rewrite(self, expr)


def rewrite(callbacks: DFPatternCallback | Sequence[DFPatternCallback], expr: Expr, mod: Any = None) -> Expr:
    """`expr` with what the patterns match replaced; larger matches go first, those of one round do not overlap.

    `mod` is as users of Relay give it; an expression has all that is needed.

    Raises:
        XRelayError: the rewrite never ends.
    """
    from xrelay.frontends.relay_text.structural import structural_equal

    todo = [callbacks] if isinstance(callbacks, DFPatternCallback) else list(callbacks)
    for _ in range(MAX_ROUNDS):
        before = expr
        for callback in todo:
            expr = _round(callback, expr)
        todo = [callback for callback in todo if not callback.rewrite_once]
        if not todo or expr is before or structural_equal(expr, before):
            return expr
    raise XRelayError(f"after {MAX_ROUNDS} rounds the rewrite still changes the expression: callbacks undo each other")


def _round(callback: DFPatternCallback, expr: Expr) -> Expr:
    if callback.pattern is None:
        raise XRelayError(f"{type(callback).__name__} has no pattern")
    infer_if_needed([callback.pattern], expr, callback.require_type)
    matches = find_matches(callback.pattern, expr)
    return _Replace(callback, matches).visit(expr) if matches else expr


@dataclass(frozen=True)
class PatternMatch:
    """A match: its root, what the parts of the pattern stand for, and the expressions that belong to it."""

    root: Expr
    node_map: NodeMap
    inner: frozenset[Expr]


def find_matches(pattern: DFPattern, expr: Expr) -> dict[Expr, PatternMatch]:
    """The matches inside of an expression by their roots, from the result upwards, without overlaps."""
    matcher, taken, matches = Matcher(expr), set[Expr](), dict[Expr, PatternMatch]()
    for root in reversed(list(post_order(expr))):
        node_map = None if root in taken else matcher.match(pattern, root)
        if node_map is None:
            continue
        inner = _inner(node_map) | {root}
        if not inner & taken:
            taken |= inner
            matches[root] = PatternMatch(root, node_map, inner)
    return matches


def _inner(node_map: NodeMap) -> frozenset[Expr]:
    paths = {pattern.path for pattern in node_map if isinstance(pattern, DominatorPattern)}
    return frozenset(
        expr
        for pattern, exprs in node_map.items()
        if isinstance(pattern, _INNER) or pattern in paths
        for expr in exprs
    )


class _Replace(ExprMutator):
    def __init__(self, callback: DFPatternCallback, matches: Mapping[Expr, PatternMatch]):
        super().__init__()
        self._callback = callback
        self._matches = matches

    def _dispatch(self, expr: Expr) -> Expr:
        post = super()._dispatch(expr)
        match = self._matches.get(expr)
        if match is None:
            return post
        node_map = {
            pattern: [post if part is expr else self.visit(part) for part in parts]
            for pattern, parts in match.node_map.items()
        }
        return self._callback.callback(expr, post, node_map)
