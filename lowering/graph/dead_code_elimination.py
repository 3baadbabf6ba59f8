"""`relay-dead-code-elimination`: drop operators whose results nobody uses, and private functions that nobody calls."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from xrelay.lowering.graph.base import RelayPass, functions, is_private, reached_functions


@dataclass(frozen=True)
class DeadCodeElimination(RelayPass):
    """Erases what no result depends on. Calls stay: what a function does is not looked into."""

    name = "relay-dead-code-elimination"
    opt_level = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            erase_dead_operations(function.body)
        erase_unused_functions(op)


def erase_dead_operations(region: Region) -> None:
    """One walk from the end: users come before what they use."""
    for block in reversed(list(region.blocks)):
        _sweep(block)


def _sweep(block: Block) -> None:
    for op in reversed(list(block.ops)):
        if is_trivially_dead(op):
            block.erase_op(op)
            continue
        for region in op.regions:
            erase_dead_operations(region)


def erase_unused_functions(module: ModuleOp) -> None:
    """Erase the private functions that no public one reaches."""
    declared = {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}
    reached = reached_functions(module, [name for name, function in declared.items() if not is_private(function)])
    for name, function in declared.items():
        if name not in reached:
            module.body.block.erase_op(function)
