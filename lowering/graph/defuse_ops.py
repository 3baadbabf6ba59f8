"""`relay-defuse-ops`: the inverse of `relay-fuse-ops`; kernels are inlined where they are called."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp

from xrelay.lowering.graph.base import RelayPass, functions, graph_functions, inline_call, is_primitive


@dataclass(frozen=True)
class DefuseOps(RelayPass):
    """Inlines every primitive function and drops it."""

    name = "relay-defuse-ops"
    opt_level = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = {function.sym_name.data: function for function in functions(op) if is_primitive(function)}
        for function in graph_functions(op):
            for call in [inner for inner in function.walk() if isinstance(inner, CallOp)]:
                kernel = kernels.get(call.callee.string_value())
                if kernel is not None:
                    inline_call(call, kernel)
        for kernel in kernels.values():
            op.body.block.erase_op(kernel)
