"""The llvm dialect → LLVM IR text.

`@emits(llvm.AddOp)` registers how an operation is written. Constants are written where they are used; block arguments
become phis once every predecessor is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xrelay.errors import CompilationError
from xrelay.lowering.llvm.emit_types import constant_text, symbol_text, type_text

_WRITERS: dict[type[Operation], Callable[[Any, FunctionEmitter], None]] = {}


def emits(*operations: type[Operation]) -> Callable:
    """Decorator: register `(op, emitter) -> None`, which writes operations of these classes."""

    def register(writer: Callable[[Any, FunctionEmitter], None]) -> Callable:
        for operation in operations:
            _WRITERS[operation] = writer
        return writer

    return register


def emit_llvm(module: ModuleOp, function_attributes: Mapping[str, str] | None = None) -> str:
    """LLVM IR text of a module of the llvm dialect.

    `function_attributes` (`target-cpu`, `prefer-vector-width` …) are set on every function that the module defines.
    Raises CompilationError for an operation, a type or a constant that cannot be written.
    """
    from xrelay.lowering.llvm import emit_operations  # noqa: F401  (its writers)

    globals_: list[str] = []
    functions: list[str] = []
    declarations: dict[str, str] = {}
    for op in module.body.block.ops:
        if isinstance(op, llvm.GlobalOp):
            globals_.append(_global_text(op))
        elif not isinstance(op, llvm.FuncOp):
            raise CompilationError(f"emit: {op.name} at {op.location} cannot stand at the top of a module")
        elif op.body.blocks:
            functions.append(FunctionEmitter(op, declarations).text())
        else:
            name = symbol_text(op.sym_name.data)
            declarations[name] = declaration(name, op.function_type.output, op.function_type.inputs.data)
    extra = "".join(f' "{key}"="{value}"' for key, value in (function_attributes or {}).items())
    parts = [*globals_, *functions, *declarations.values(), f"attributes #0 = {{ nounwind{extra} }}", ""]
    return "\n".join(parts)


def declaration(name: str, result: Attribute, parameters: Sequence[Attribute]) -> str:
    return f"declare {type_text(result)} {name}({', '.join(map(type_text, parameters))})"


def convention_text(convention: llvm.CallingConventionAttr) -> str:
    """A calling convention in front of a result type; nothing for C's."""
    return "" if convention.cconv_name == "ccc" else f"{convention.cconv_name} "


class FunctionEmitter:
    """Writes one function."""

    def __init__(self, function: llvm.FuncOp, declarations: dict[str, str]):
        self.function, self.declarations = function, declarations
        self._names: dict[SSAValue, str] = {}
        self._registers = count()
        self._labels = {block: f"b{i}" for i, block in enumerate(function.body.blocks)}
        self._incoming: dict[Block, list[tuple[str, list[str]]]] = {block: [] for block in self._labels}
        self._lines: list[str] = []
        self._label = ""

    def text(self) -> str:
        function = self.function
        entry, *others = self._labels
        signature = ", ".join(f"{type_text(a.type)} {self.name(a)}" for a in entry.args)
        linkage = function.linkage.linkage.data
        linkage = "" if linkage == "external" else f"{linkage} "
        convention = convention_text(function.CConv)
        result = type_text(function.function_type.output)
        bodies = {block: self._body(block) for block in self._labels}
        name = symbol_text(function.sym_name.data)
        lines = [f"define {linkage}{convention}{result} {name}({signature}) #0 {{", *bodies[entry]]
        for block in others:
            lines.append(f"{self._labels[block]}:")
            lines += self._phis(block)
            lines += bodies[block]
        return "\n".join([*lines, "}"])

    def _body(self, block: Block) -> list[str]:
        self._lines = []
        self._label = self._labels[block]
        if block is self.function.body.first_block:
            self._lines.append(f"{self._label}:")
        for op in block.ops:
            writer = _WRITERS.get(type(op))
            if writer is None:
                raise CompilationError(f"emit: {op.name} at {op.location} cannot be written in LLVM IR")
            writer(op, self)
        return self._lines

    def _phis(self, block: Block) -> list[str]:
        incoming = self._incoming[block]
        return [
            f"  {self.name(argument)} = phi {type_text(argument.type)} "
            + ", ".join(f"[ {values[i]}, %{label} ]" for label, values in incoming)
            for i, argument in enumerate(block.args)
        ]

    # For writers -------------------------------------------------------------------------------------------------

    def name(self, value: SSAValue) -> str:
        """How a value is written as an operand: a register or a constant."""
        text = self._names.get(value)
        if text is None:
            owner = value.owner
            constant = _CONSTANTS.get(type(owner))
            text = self._names[value] = constant(owner) if constant else self.new_register()
        return text

    def typed(self, value: SSAValue) -> str:
        return f"{type_text(value.type)} {self.name(value)}"

    def write(self, text: str) -> None:
        self._lines.append(f"  {text}")

    def define(self, value: SSAValue, text: str) -> None:
        """Write an instruction that defines a value."""
        self._lines.append(f"  {self.name(value)} = {text}")

    def new_register(self) -> str:
        """A new register."""
        return f"%v{next(self._registers)}"

    def edge(self, target: Block, arguments: Sequence[str]) -> str:
        """Note that the current block goes on to `target` with these arguments; returns the target's label."""
        self._incoming[target].append((self._label, list(arguments)))
        return f"label %{self._labels[target]}"

    def declare(self, name: str, result: Attribute, parameters: Sequence[Attribute]) -> None:
        if name not in self.declarations:
            self.declarations[name] = declaration(name, result, parameters)


_CONSTANTS: dict[type, Callable[[Any], str]] = {
    llvm.ConstantOp: lambda op: constant_text(op.value),
    llvm.UndefOp: lambda op: "undef",
    llvm.ZeroOp: lambda op: "null" if isinstance(op.res.type, llvm.LLVMPointerType) else "zeroinitializer",
    llvm.AddressOfOp: lambda op: symbol_text(op.global_name.string_value()),
}
"""Operations that are written where their result is used."""


@emits(*_CONSTANTS)
def write_nothing(op: Operation, e: FunctionEmitter) -> None:
    """A constant is written by its users."""


def _global_text(op: llvm.GlobalOp) -> str:
    kind = "constant" if op.constant is not None else "global"
    value = "" if op.value is None else f" {constant_text(op.value)}"
    align = "" if op.alignment is None else f", align {op.alignment.value.data}"
    linkage = op.linkage.linkage.data
    linkage = "" if linkage == "external" and op.value is not None else linkage
    return f"{symbol_text(op.sym_name.data)} = {linkage} {kind} {type_text(op.global_type)}{value}{align}"
