"""Walking over expressions of any depth: nothing here uses Python's call stack.

A walk that has to come back to a node after its parts is written as a generator that yields the walks of the parts and
is sent their results: recursion that `run` keeps on a stack of its own.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, TypeVar

from xrelay.frontends.relay_text.expr import (
    Call,
    Clause,
    Expr,
    Function,
    If,
    Let,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)

T = TypeVar("T")
Walk = Generator["Walk", Any, T]
"""A suspended recursive function: yields the calls it makes, is sent what they return."""


def run(walk: Walk[T]) -> T:
    """The result of a walk. What one of its parts raises is raised where that part was called."""
    stack: list[Walk[Any]] = [walk]
    result: Any = None
    error: BaseException | None = None
    while stack:
        try:
            called = stack[-1].send(result) if error is None else stack[-1].throw(error)
        except StopIteration as stop:
            stack.pop()
            result, error = stop.value, None
        except Exception as raised:
            stack.pop()
            error = raised
        else:
            stack.append(called)
            result = error = None
    if error is not None:
        raise error
    return result


def children(expr: Expr) -> tuple[Expr, ...]:
    """The expressions that an expression is made of, in order; variables that it binds are not among them."""
    match expr:
        case Call():
            return (expr.op, *expr.args, *(value for value in expr.attrs.values() if isinstance(value, Expr)))
        case Tuple():
            return expr.fields
        case TupleGetItem():
            return (expr.tuple_value,)
        case Let():
            return (expr.value, expr.body)
        case Function():
            return (expr.body,)
        case If():
            return (expr.cond, expr.true_branch, expr.false_branch)
        case Match():
            return (expr.data, *(clause.rhs for clause in expr.clauses))
        case RefCreate():
            return (expr.value,)
        case RefRead():
            return (expr.ref,)
        case RefWrite():
            return (expr.ref, expr.value)
    return ()


def nodes(expr: Expr) -> Iterator[Expr]:
    """Each node once, a node before its parts, in the order of the text."""
    seen: set[int] = set()
    stack = [expr]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            stack.extend(reversed(children(node)))


def bound_vars(expr: Expr) -> tuple[Var, ...]:
    """The variables that the node itself binds (not its parts)."""
    match expr:
        case Let():
            return (expr.var,)
        case Function():
            return expr.params
        case Match():
            return tuple(var for clause in expr.clauses for var in pattern_vars(clause))
    return ()


def pattern_vars(pattern: Pattern | Clause) -> list[Var]:
    """The variables of a pattern (or of a clause's), in order."""
    match pattern:
        case Clause():
            return pattern_vars(pattern.lhs)
        case PatternVar():
            return [pattern.var]
        case PatternConstructor() | PatternTuple():
            return [var for inner in pattern.patterns for var in pattern_vars(inner)]
    return []


def free_vars(expr: Expr) -> list[Var]:
    """The variables that are used and bound nowhere in the expression, in the order of their first use."""
    used: dict[Var, None] = {}
    bound: set[Var] = set()
    for node in nodes(expr):
        bound.update(bound_vars(node))
        if isinstance(node, Var):
            used[node] = None
    return [var for var in used if var not in bound]
