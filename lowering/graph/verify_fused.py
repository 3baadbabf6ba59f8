"""`verify-fused`: the invariants of the fused relay level."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.core import FusionKind, RelayOp, View, fusion_kind
from xrelay.dialects.relay.types import shape_of
from xrelay.errors import CompilationError
from xrelay.lowering.graph.base import RelayPass, functions, graph_functions, is_primitive
from xrelay.lowering.graph.fusion_groups import is_fusable
from xrelay.lowering.graph.verify_relay import VerifyRelay


@dataclass(frozen=True)
class VerifyFused(RelayPass):
    """Changes nothing. Raises CompilationError unless the module is valid relay (`verify-relay`) and

    F1: outside of kernels no operator needs a kernel: there are calls, constants, views, tuples and conditionals only;
    F2: kernels are private and hold relay operators only, without views, calls or regions;
    F3: the constants in kernels are scalars;
    F4: a kernel has at most one anchor, and an opaque operator is alone in its kernel.
    """

    name = "verify-fused"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        VerifyRelay().apply(ctx, op)
        for function in graph_functions(op):
            for inner in function.body.walk():
                if is_fusable(inner):
                    where = f"{inner.name} at {inner.location} in @{function.sym_name.data}"
                    raise CompilationError(f"F1: {where} stands outside of a kernel")
        for function in functions(op):
            if is_primitive(function):
                _check_kernel(function)


def _check_kernel(kernel: FuncOp) -> None:
    where = f"kernel @{kernel.sym_name.data}"
    if kernel.sym_visibility is None or kernel.sym_visibility.data != "private":
        raise CompilationError(f"F2: {where} is not private")
    kinds: list[FusionKind] = []
    for op in kernel.body.block.ops:
        if isinstance(op, Constant):
            if shape_of(op.result.type):
                raise CompilationError(f"F3: {where} holds a constant of type {op.result.type}")
        elif isinstance(op, RelayOp):
            if op.regions or op.has_trait(View):
                raise CompilationError(f"F2: {op.name} stands in {where}")
            kinds.append(fusion_kind(op))
        elif not isinstance(op, ReturnOp):
            assert isinstance(op, CallOp)
            raise CompilationError(f"F2: {where} calls @{op.callee.string_value()}")
    if kinds.count(FusionKind.ANCHOR) > 1:
        raise CompilationError(f"F4: {where} has {kinds.count(FusionKind.ANCHOR)} anchors")
    if FusionKind.OPAQUE in kinds and len(kinds) > 1:
        raise CompilationError(f"F4: {where} fuses an opaque operator with others")
