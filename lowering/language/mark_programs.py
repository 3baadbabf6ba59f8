"""`relay-mark-programs`: say which functions compute with more than tensors.

A @main that only calls kernels, looks at tensors under other shapes and chooses between tensors is planned at compile
time: its intermediate tensors have places in one arena. All else is a program, with a heap, and `relay.program` on
every function.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.control import If, Yield
from xrelay.dialects.relay.core import View
from xrelay.lowering.graph.base import PROGRAM, RelayPass, graph_functions, is_primitive


@dataclass(frozen=True)
class MarkPrograms(RelayPass):
    """Marks the functions of a fused module, but its kernels, if one of them computes with more than tensors."""

    name = "relay-mark-programs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = {f.sym_name.data for f in op.body.ops if isinstance(f, FuncOp) and is_primitive(f)}
        found = graph_functions(op)
        if not all(_is_first_order(function, kernels) for function in found):
            for function in found:
                function.attributes[PROGRAM] = UnitAttr()


def _is_first_order(function: FuncOp, kernels: set[str]) -> bool:
    values: list[SSAValue] = list(function.args)
    for op in function.body.walk():
        if not _is_simple(op, kernels):
            return False
        values += op.results
    return all(isinstance(value.type, TensorType) for value in values)


def _is_simple(op: Operation, kernels: set[str]) -> bool:
    if isinstance(op, CallOp):
        return op.callee.string_value() in kernels
    return isinstance(op, Constant | If | Yield | ReturnOp) or op.has_trait(View)
