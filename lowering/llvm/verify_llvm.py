"""Pass `verify-llvm`: nothing but the llvm level is left."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xrelay.errors import CompilationError

_DIALECTS = ("llvm", "llvm_ext")


@dataclass(frozen=True)
class VerifyLLVM(ModulePass):
    """Raises CompilationError at the first operation that is neither of `llvm` nor of `llvm_ext`."""

    name = "verify-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.body.walk():
            if inner.dialect_name() not in _DIALECTS:
                raise CompilationError(
                    f"verify-llvm: {inner.name} at {inner.location} does not belong to the llvm level"
                )
