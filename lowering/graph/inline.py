"""`relay-inline`: calls of ordinary functions are replaced by what the functions compute; kernels stay functions."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from xrelay.lowering.graph.base import (
    RelayPass,
    functions,
    inline_call,
    is_primitive,
    is_private,
    reached_functions,
    used_functions,
)


@dataclass(frozen=True)
class Inline(RelayPass):
    """Inline every call of a function that is not a kernel, then drop the private functions that nobody uses any more.

    Calls of functions that use themselves, directly or not, stay: they have no end to inline to.
    """

    name = "relay-inline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        ordinary = {f.sym_name.data: f for f in functions(op) if not is_primitive(f)}
        callees = {name: f for name, f in ordinary.items() if name not in reached_functions(op, used_functions(f))}
        done: set[str] = set()
        for function in ordinary.values():
            _inline_calls(function, callees, done)
        roots = [name for name, f in ordinary.items() if name == "main" or not is_private(f)]
        for name in ordinary.keys() - reached_functions(op, roots):
            op.body.block.erase_op(ordinary[name])


def _inline_calls(function: FuncOp, callees: dict[str, FuncOp], done: set[str]) -> None:
    """Inline the calls in a function, callees' own calls first."""
    name = function.sym_name.data
    if name in done:
        return
    done.add(name)
    for call in [op for op in function.body.walk() if isinstance(op, CallOp)]:
        callee = callees.get(call.callee.string_value())
        if callee is not None:
            _inline_calls(callee, callees, done)
            inline_call(call, callee)
