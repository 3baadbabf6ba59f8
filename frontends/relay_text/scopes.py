"""Where the nodes of an expression are computed.

A node used at several places is computed once: in the innermost scope around all of them. A function body, a branch of
an `if` and a clause of a `match` are scopes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Block

from xrelay.frontends.relay_text.expr import Constructor, Expr, Function, GlobalVar, If, Match, Op, Var
from xrelay.frontends.relay_text.traversal import children


@dataclass(eq=False)
class Scope:
    """A block to be filled, and the scope around it."""

    outer: Scope | None = None
    block: Block = field(default_factory=Block)
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        self.depth = 0 if self.outer is None else self.outer.depth + 1


class Scopes:
    """The scope of every node below a root, and the scopes that nodes open."""

    def __init__(self, root: Expr):
        self.root = Scope()
        self._homes: dict[int, Scope] = {id(root): self.root}
        self._opened: dict[int, list[Scope]] = {}
        for node in _parents_first(root):
            home = self._homes[id(node)]
            for child, opens in _edges(node):
                scope = self._open(node, home) if opens else home
                known = self._homes.get(id(child))
                self._homes[id(child)] = scope if known is None else _common(known, scope)

    def _open(self, node: Expr, home: Scope) -> Scope:
        scope = Scope(home)
        self._opened.setdefault(id(node), []).append(scope)
        return scope

    def home(self, node: Expr) -> Scope:
        """The scope that the node is computed in."""
        return self._homes[id(node)]

    def opened(self, node: Expr) -> list[Scope]:
        """The scopes of a node's branches, clauses or body, in order."""
        return self._opened[id(node)]


def is_leaf(node: Expr) -> bool:
    """Whether a node is only a name: nothing is computed for it."""
    return isinstance(node, Var | GlobalVar | Op | Constructor)


def _edges(node: Expr) -> list[tuple[Expr, bool]]:
    """The parts of a node that are computed, and whether each opens a scope."""
    match node:
        case If():
            return [(node.cond, False), (node.true_branch, True), (node.false_branch, True)]
        case Match():
            return [(node.data, False), *((clause.rhs, True) for clause in node.clauses)]
        case Function():
            return [(node.body, True)]
    return [(child, False) for child in children(node)]


def _common(a: Scope, b: Scope) -> Scope:
    """The innermost scope around both."""
    while a is not b:
        if a.depth < b.depth:
            a, b = b, a
        assert a.outer is not None
        a = a.outer
    return a


def _parents_first(root: Expr) -> list[Expr]:
    """Each node once, a node behind all that use it."""
    order: list[Expr] = []
    seen = {id(root)}
    stack: list[tuple[Expr, Iterator[Expr]]] = [(root, iter(children(root)))]
    while stack:
        node, rest = stack[-1]
        child = next(rest, None)
        if child is None:
            order.append(node)
            stack.pop()
        elif id(child) not in seen:
            seen.add(id(child))
            stack.append((child, iter(children(child))))
    return order[::-1]
