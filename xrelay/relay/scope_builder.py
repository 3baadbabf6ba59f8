"""Building nested scopes of `let` and `if` from Python, statement by statement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from xrelay.errors import InputError
from xrelay.frontends.relay_text.expr import Constant, Expr, If, Let, Var
from xrelay.frontends.relay_text.types import Hole, Type, tensor_type_of
from xrelay.relay.expr import const


class _Scope:
    def __init__(self) -> None:
        self.bindings: list[tuple[Var, Expr]] = []
        self.result: Expr | None = None
        self.branch: tuple[Expr, Expr] | None = None
        """The condition and the true branch of an `if` whose else is still to come."""

    def expr(self) -> Expr:
        if self.branch is not None:
            raise InputError("ScopeBuilder: an if_scope has no else_scope")
        if self.result is None:
            raise InputError("ScopeBuilder: a scope ends without ret()")
        body = self.result
        for var, value in reversed(self.bindings):
            body = Let(var, value, body)
        return body


class ScopeBuilder:
    """Collects the bindings of nested scopes.

    ```python
    sb = relay.ScopeBuilder()
    y = sb.let("y", relay.add(x, x))
    with sb.if_scope(cond):
        sb.ret(y)
    with sb.else_scope():
        sb.ret(x)
    body = sb.get()
    ```
    """

    def __init__(self) -> None:
        self._scopes = [_Scope()]

    def let(self, var: Var | str | tuple[str, Type], value: Any) -> Var:
        """Bind a value, here and in the scopes inside, to a variable or to a new one of a name (and type): it."""
        if isinstance(var, str):
            var = Var(var)
        elif isinstance(var, tuple):
            name, annotation = var
            var = Var(name, annotation)
        self._scopes[-1].bindings.append((var, _expr(value)))
        return var

    @contextmanager
    def if_scope(self, cond: Expr) -> Iterator[None]:
        """The true branch; an `else_scope` follows."""
        if self._scopes[-1].result is not None or self._scopes[-1].branch is not None:
            raise InputError("ScopeBuilder: a scope has one result, and an if is it")
        branch = yield from self._inside()
        self._scopes[-1].branch = (cond, branch)

    @contextmanager
    def else_scope(self) -> Iterator[None]:
        """The false branch of the `if_scope` just before."""
        if self._scopes[-1].branch is None:
            raise InputError("ScopeBuilder: else_scope follows an if_scope")
        false_branch = yield from self._inside()
        scope = self._scopes[-1]
        assert scope.branch is not None
        cond, true_branch = scope.branch
        scope.result, scope.branch = If(cond, true_branch, false_branch), None

    def ret(self, value: Any) -> None:
        """The scope's result."""
        scope = self._scopes[-1]
        if scope.result is not None or scope.branch is not None:
            raise InputError("ScopeBuilder: ret() twice in one scope")
        scope.result = _expr(value)

    def get(self) -> Expr:
        """What was built. Raises InputError where a scope has no result."""
        return self._scopes[-1].expr()

    def type_of(self, expr: Expr) -> Type:
        """The type of an expression as far as it is written, a hole otherwise."""
        return written_type(expr)

    def _inside(self) -> Iterator[None]:
        scope = _Scope()
        self._scopes.append(scope)
        try:
            yield
        finally:
            self._scopes.pop()
        return scope.expr()


def written_type(expr: Expr) -> Type:
    """The type that inference found or the program says; a hole where neither does."""
    if expr.checked_type is not None:
        return expr.checked_type
    match expr:
        case Var(type_annotation=Type() as annotation):
            return annotation
        case Constant(data=array):
            return tensor_type_of(array)
    return Hole()


def _expr(value: Any) -> Expr:
    return const(value) if isinstance(value, int | float | np.ndarray | np.generic) else value
