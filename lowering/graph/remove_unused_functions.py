"""`relay-remove-unused-functions`: drop the functions that the entry functions (@main) do not need."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from xrelay.lowering.graph.base import RelayPass, reached_functions

MAIN = "main"


@dataclass(frozen=True)
class RemoveUnusedFunctions(RelayPass):
    """Keeps the entry functions and all that they use, directly or not. A module without them stays as it is."""

    name = "relay-remove-unused-functions"

    entry_functions: tuple[str, ...] = (MAIN,)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        reached = reached_functions(op, self.entry_functions)
        if not reached:
            return
        for function in [inner for inner in op.body.ops if isinstance(inner, FuncOp)]:
            if function.sym_name.data not in reached:
                op.body.block.erase_op(function)
