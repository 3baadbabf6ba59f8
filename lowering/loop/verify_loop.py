"""`verify-loop`: the invariant of the loop level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from xrelay.errors import CompilationError
from xrelay.lowering.graph.base import kernel_level

_DIALECTS = {"builtin", "func", "scf", "memref", "vector", "vector_ext", "arith", "math", "cf", "kernel"}


@dataclass(frozen=True)
class VerifyLoop(ModulePass):
    """Raises CompilationError unless

    L1: only operations of the loop level are left;
    L2: no value is a tensor;
    L3: memory is planned (no `memref.alloc`) and parallel loops are outlined (no `scf.parallel`).
    """

    name = "verify-loop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in (inner for function in kernel_level(op) for inner in function.walk()):
            if inner.dialect_name() not in _DIALECTS:
                _refuse(inner, "L1", "is not of the loop level")
            if any(isinstance(r.type, TensorType) for r in inner.results):
                _refuse(inner, "L2", "is a tensor")
            if isinstance(inner, memref.AllocOp | scf.ParallelOp):
                _refuse(inner, "L3", "is left over")


def _refuse(op: Operation, constraint: str, problem: str) -> NoReturn:
    raise CompilationError(f"verify-loop: {constraint}: {op.name} at {op.location} {problem}")
