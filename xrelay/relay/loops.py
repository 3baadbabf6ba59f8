"""Loops: recursive functions, written as a condition and a body."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xrelay.frontends.relay_text.expr import Expr, Function, Let, Tuple, Var
from xrelay.relay.scope_builder import ScopeBuilder, written_type


def while_loop(
    cond: Callable[..., Expr], loop_vars: Sequence[Expr], loop_bodies: Callable[..., Sequence[Expr]]
) -> Let:
    """A function that repeats while a condition holds: called with first values, it gives the tuple of the last ones.

    `cond` and `loop_bodies` get the loop's variables and give the condition and the next values. `loop_vars` say how
    many there are, their names and types:

    ```python
    i = relay.var("i", "int32")
    loop = relay.loops.while_loop(lambda i: i < relay.const(10), [i], lambda i: [i + relay.const(1)])
    relay.TupleGetItem(loop(relay.const(0)), 0)
    ```
    """
    loop = Var("while_loop")
    variables = [
        Var(value.name_hint if isinstance(value, Var) else f"arg{i}", written_type(value))
        for i, value in enumerate(loop_vars)
    ]
    builder = ScopeBuilder()
    with builder.if_scope(cond(*variables)):
        builder.ret(loop(*loop_bodies(*variables)))
    with builder.else_scope():
        builder.ret(Tuple(variables))
    return Let(loop, Function(variables, builder.get()), loop)
