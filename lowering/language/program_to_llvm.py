"""Pass `program-to-llvm`: program functions → xDSL's llvm dialect.

Program functions (`relay.program`) compute with functions, tuples, data types and references. They come here from the
fused relay level, when the kernels that they call are llvm functions. Each value is one address, each function and
each closure's code an llvm function; `docs/language_runtime.md` has the whole picture. Kernels are left to
`loop-to-llvm`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from xrelay.dialects.relay.adt import TypeDefinition
from xrelay.dialects.relay.reference import RefWrite
from xrelay.lowering.graph.base import functions, is_program
from xrelay.lowering.language import calls, values  # noqa: F401  (their rules)
from xrelay.lowering.language.adt import constructor_code, lone_tag
from xrelay.lowering.language.builder import ProgramState, fallible_kernels
from xrelay.lowering.language.entry import convert_entry
from xrelay.lowering.language.tail import needs_stack
from xrelay.lowering.llvm.loop_to_llvm import MESSAGES
from xrelay.lowering.target import Target

_EXACT_TAIL_CALLS = ("x86_64", "amd64", "aarch64", "arm64")
"""Architectures for which LLVM has a calling convention whose tail calls never take stack."""


@dataclass(frozen=True)
class ProgramToLLVM(ModulePass):
    """Lower the program functions of the module to the llvm dialect; without any, nothing changes."""

    name = "program-to-llvm"

    target: str = "llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        program = [function for function in functions(op) if is_program(function)]
        definitions = [inner for inner in op.body.ops if isinstance(inner, TypeDefinition)]
        if program:
            converted = _convert(program, definitions, op, Target(self.target))
            op.body.block.add_ops(converted)
        for old in (*program, *definitions):
            op.body.block.detach_op(old)
            old.erase(safe_erase=False)


def _convert(program: list, definitions: list[TypeDefinition], module: ModuleOp, target: Target) -> list[Operation]:
    lowered = [op for op in module.body.ops if isinstance(op, llvm.FuncOp)]
    declared = {function.sym_name.data: function for function in lowered if not function.body.blocks}
    state = ProgramState(
        portable=not target.triple.startswith(_EXACT_TAIL_CALLS),
        externals=dict(declared),
        fallible=fallible_kernels(lowered),
        functions=frozenset(function.sym_name.data for function in program),
        writes_references=any(isinstance(op, RefWrite) for function in program for op in function.walk()),
        needs_stack=needs_stack(program),
        definitions={definition.sym_name.data: definition for definition in definitions},
    )
    messages = module.attributes.get(MESSAGES)
    for text in messages if isinstance(messages, ArrayAttr) else ():
        assert isinstance(text, StringAttr)
        state.message(text.data)
    converted: list[Operation] = []
    for function in program:
        converted.append(calls.convert_function(function, state))
        if function.sym_name.data == "main":
            converted += convert_entry(function, state)
        while state.pending:
            converted.append(calls.convert_closure(state.pending.pop(), state))
    converted += [constructor_code(*constructor, state) for constructor in sorted(state.constructors)]
    converted += [lone_tag(tag) for tag in sorted(state.lone_tags)]
    module.attributes[MESSAGES] = ArrayAttr(map(StringAttr, state.messages))
    return [*converted, *(function for name, function in state.externals.items() if name not in declared)]
