"""Pass `loop-to-llvm`: loops, buffers and vectors → xDSL's llvm dialect.

One walk over each function. Structured control flow becomes blocks with arguments, a memref the address of its first
element, an index an i64. Every function takes the run's frame first; `@main` becomes `@xrelay_main`, whose arguments
are the frame, the arrays of input and output addresses, the arena and the constants. The messages of assertions end up
in the module's attribute `xrelay.messages`, numbered from 1. The functions of programs are left to `program-to-llvm`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from xrelay.dialects.kernel import ParallelForOp
from xrelay.dialects.relay.adt import TypeDefinition
from xrelay.errors import CompilationError
from xrelay.lowering.graph.base import is_program
from xrelay.lowering.llvm import arith, math, memref, scf, vector  # noqa: F401  (their rules)
from xrelay.lowering.llvm.builder import ModuleState
from xrelay.lowering.llvm.func import arena_size, convert_function

MESSAGES = "xrelay.messages"


@dataclass(frozen=True)
class LoopToLLVM(ModulePass):
    """Lower every function of the module to the llvm dialect."""

    name = "loop-to-llvm"

    native_half: bool = True
    """The target converts between float16 and float32 by an instruction (F16C on x86)."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        outlined = frozenset(o.callee.string_value() for o in op.walk() if isinstance(o, ParallelForOp))
        module = ModuleState(outlined, self.native_half)
        converted = Block()
        for function in list(op.body.block.ops):
            if is_program(function) or isinstance(function, TypeDefinition):
                function.detach()
                converted.add_op(function)
                continue
            if not isinstance(function, FuncOp):
                raise CompilationError(f"loop-to-llvm: {function.name} at {function.location} is not a function")
            converted.add_op(convert_function(function, module))
            if function.sym_name.data == "main":
                converted.add_op(arena_size(function))
        converted.add_ops(module.externals.values())
        op.body.detach_block(op.body.block)
        op.body.add_block(converted)
        op.attributes[MESSAGES] = ArrayAttr(map(StringAttr, module.messages))
