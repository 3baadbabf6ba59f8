"""`verify-tensor`: the invariants of the tensor level.

T1: only the operations of builtin, func, linalg, tensor, arith, math, cf, scf and kernel.
T2: a `linalg.generic` has one result.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.passes import ModulePass

from xrelay.errors import CompilationError
from xrelay.lowering.graph.base import kernel_level

_DIALECTS = {"builtin", "func", "linalg", "tensor", "arith", "math", "cf", "scf", "kernel"}


@dataclass(frozen=True)
class VerifyTensor(ModulePass):
    """Raises CompilationError at the first operation that breaks a rule; the message says which, as in "T1"."""

    name = "verify-tensor"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in (inner for function in kernel_level(op) for inner in function.walk()):
            if inner.dialect_name() not in _DIALECTS:
                raise CompilationError(
                    f"verify-tensor: T1: {inner.name} at {inner.location} is not of the tensor level"
                )
            if isinstance(inner, linalg.GenericOp) and len(inner.results) != 1:
                raise CompilationError(
                    f"verify-tensor: T2: {inner.name} at {inner.location} has {len(inner.results)} results, "
                    "a generic has one"
                )
