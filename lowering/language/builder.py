"""What the rules of `program-to-llvm` share: the state of the module, and the builder of a program function.

Every value of a program is one address; `docs/language_runtime.md` says of what. A program function takes the frame of
the run, the closure that it is called through (null for a global function) and its arguments, and returns a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import IntegerAttr, SymbolRefAttr, i8, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xrelay.dialects.relay.adt import TypeDefinition
from xrelay.dialects.relay.control import Yield
from xrelay.dialects.relay.core import View
from xrelay.dialects.relay.language import Fn
from xrelay.dialects.relay.types import dtype_of, shape_of
from xrelay.lowering.conversion import Rule, RuleSet
from xrelay.lowering.language.tail import in_tail_position
from xrelay.lowering.llvm.builder import NO_BUNDLES, FunctionBuilder, ModuleState, gep, segments
from xrelay.lowering.llvm.types import POINTER

if TYPE_CHECKING:
    from xrelay.lowering.language.loop import Loop


class _Rules(RuleSet):
    """The rules of operations, and one for all views: the elements stay where they are."""

    def get(self, op: Operation) -> Rule:
        if type(op) not in self and op.has_trait(View):
            return lambda op, operands, b: operands[0]
        return super().get(op)


to_program = _Rules("program-to-llvm")
"""`@to_program(Operation)` registers `(op, operands, builder) -> results`; None says that it has left the function."""

WORD = 8
"""Bytes of an address, and of everything that is not a tensor's data."""
CONSTANTS = 16
"""Where the frame of a program (`%Program` of program.ll) holds the address of the constants."""
STACK_FULL = "the recursion is too deep: its calls fill the stack"


@dataclass
class ProgramState(ModuleState):
    """What the functions of a program share."""

    outlined: frozenset[str] = frozenset()
    native_half: bool = True
    portable: bool = False
    """The target has no calling convention in which every tail call leaves the stack as it is."""
    fallible: frozenset[str] = frozenset()
    """The kernels that may fail."""
    functions: frozenset[str] = frozenset()
    """The names of the global functions of the program."""
    writes_references: bool = False
    needs_stack: bool = True
    """Calls that wait for others may be nested deeply."""
    definitions: dict[str, TypeDefinition] = field(default_factory=dict)
    names: dict[Fn, str] = field(default_factory=dict)
    """The llvm functions of the closures that were met."""
    captures: dict[Fn, Sequence[SSAValue]] = field(default_factory=dict)
    """The values of the source that lie in their closures."""
    pending: list[Fn] = field(default_factory=list)
    """Those that are still to be converted."""
    constructors: set[tuple[int, int]] = field(default_factory=set)
    """Constructors that are used as functions: tag, number of fields."""
    lone_tags: set[int] = field(default_factory=set)
    """The tags of values without fields."""

    @property
    def convention(self) -> llvm.CallingConventionAttr:
        return llvm.CallingConventionAttr("ccc" if self.portable else "tailcc")


def fallible_kernels(functions: Iterable[llvm.FuncOp]) -> frozenset[str]:
    """The names of the functions that may report a failure, themselves or in a parallel loop."""
    uses = {function.sym_name.data: set(_symbols(function)) for function in functions}
    failing = {name for name, used in uses.items() if "xrelay_fail" in used}
    return frozenset(failing | {name for name, used in uses.items() if used & failing})


def _symbols(function: llvm.FuncOp) -> Iterator[str]:
    """The names of the functions that a function calls or takes the address of."""
    for op in function.walk():
        if isinstance(op, llvm.CallOp) and op.callee is not None:
            yield op.callee.string_value()
        elif isinstance(op, llvm.AddressOfOp):
            yield op.global_name.string_value()


def symbol(name: str) -> str:
    """The llvm name of a function of the source: apart from kernels and from the C library's."""
    return f"function.{name}"


def tensor_bytes(value_type: Attribute) -> int:
    """The size of a tensor's data."""
    return prod(shape_of(value_type)) * dtype_of(value_type).itemsize


class ProgramBuilder(FunctionBuilder):
    """Appends llvm operations to a program function."""

    module: ProgramState

    def __init__(self, state: ProgramState, name: str, arity: int):
        region = Region(Block(arg_types=[POINTER] * (2 + arity)))
        super().__init__(state, region, region.block.args[0])
        self.closure, self.arguments = region.block.args[1], region.block.args[2:]
        self.frame.name_hint, self.closure.name_hint = "frame", "closure"
        self.name = name
        self.loop: Loop | None = None
        """The loop that the function is."""
        self.tail = False
        """The operation being converted is the last of the function: what it gives is what the function gives."""

    # Structure ---------------------------------------------------------------------------------------------------

    def convert_region(self, block: Block, arguments: Sequence[SSAValue], tail: bool) -> list[SSAValue] | None:
        """Convert a block here. The values that it yields; None where it has left the function."""
        self.values.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            self.location = op.location
            operands = [self.values[operand] for operand in op.operands]
            if isinstance(op, func.ReturnOp | Yield):
                if not tail:
                    return operands
                self.leave(operands[0] if len(operands) == 1 else self.record(operands))
                return None
            self.tail = tail and in_tail_position(op)
            results = to_program.get(op)(op, operands, self)
            if results is None:
                return None
            results = (results,) if isinstance(results, SSAValue) else results
            for old, new in zip(op.results, results, strict=True):
                self.values[old] = new
        raise AssertionError("a block of a function ends in a return or a yield")

    def join(self, regions: Sequence[tuple[Block, Block, Sequence[SSAValue]]], width: int) -> list[SSAValue] | None:
        """Convert blocks of the source, (where it starts, the block, its arguments), that go on together behind."""
        tail, after = self.tail, Block(arg_types=[POINTER] * width)
        reached = False
        for start, source, arguments in regions:
            self.start_block(start)
            values = self.convert_region(source, arguments, tail)
            if values is not None:
                self.branch(after, values)
                reached = True
        return list(self.start_block(after)) if reached else None

    def leave(self, value: SSAValue) -> None:
        """Return a value."""
        self.insert(llvm.ReturnOp.create(operands=[value]))

    def stop(self, message: str) -> None:
        """Fail, and end the run at once."""
        self.call_external("xrelay_stop", [self.frame, self.integer(self.module.message(message), i32)])
        self.insert(llvm.UnreachableOp.create())

    def function(self) -> llvm.FuncOp:
        """The finished function."""
        self.finish()
        signature = llvm.LLVMFunctionType([POINTER] * (2 + len(self.arguments)), POINTER)
        linkage = llvm.LinkageAttr("internal")
        return llvm.FuncOp(self.name, signature, linkage, self.module.convention, body=self.region)

    # Values ------------------------------------------------------------------------------------------------------

    def null(self) -> SSAValue:
        return self.op(llvm.ZeroOp, [], POINTER)

    def address_of(self, name: str) -> SSAValue:
        return self.op(llvm.AddressOfOp, [], POINTER, {"global_name": SymbolRefAttr(name)})

    def allocate(self, size: int) -> SSAValue:
        """Memory of the run's heap: large pieces begin at a cache line."""
        alignment = 64 if size >= 64 else 16
        return self.call_external("xrelay_alloc", [self.frame, self.integer(size), self.integer(alignment)], POINTER)[0]

    def offset(self, base: SSAValue, size: int) -> SSAValue:
        return self.op(llvm.GEPOp, [base], POINTER, gep(i8, (size,))) if size else base

    def field(self, record: SSAValue, index: int) -> SSAValue:
        """One word of a record."""
        return self.load(self.offset(record, WORD * index), POINTER)

    def fill(self, record: SSAValue, values: Sequence[SSAValue], first: int = 0) -> SSAValue:
        """Store words into a record, from this one on."""
        for index, value in enumerate(values, start=first):
            self.store(value, self.offset(record, WORD * index))
        return record

    def record(self, values: Sequence[SSAValue]) -> SSAValue:
        """A new record of these words; that of none is null."""
        return self.fill(self.allocate(WORD * len(values)), values) if values else self.null()

    def constants_address(self) -> SSAValue:
        """The address of the model's constants, from the frame."""
        if self.constants is None:
            slot = llvm.GEPOp.create(operands=[self.frame], result_types=[POINTER], properties=gep(i8, (CONSTANTS,)))
            properties = {"ordering": IntegerAttr(0, i64)}
            address = self.in_prologue(slot)
            load = llvm.LoadOp.create(operands=[address], result_types=[POINTER], properties=properties)
            self.constants = self.in_prologue(load)
        return self.constants

    def truth(self, tensor: SSAValue) -> SSAValue:
        """The one element of a bool tensor."""
        return self.icmp("ne", self.load(tensor, i8), self.integer(0, i8))

    # Calls -------------------------------------------------------------------------------------------------------

    def call_program(self, callee: str | SSAValue, closure: SSAValue, arguments: Sequence[SSAValue]) -> SSAValue | None:
        """Call a program function by the name or address of its code; None for a tail call, which leaves this one."""
        same = len(arguments) == len(self.arguments)
        kind = llvm.TailCallKind.MUST_TAIL if same or not self.module.portable else llvm.TailCallKind.TAIL
        values = [self.frame, closure, *arguments]
        properties: dict[str, Attribute] = {
            "fastmathFlags": llvm.FastMathAttr(None),
            "op_bundle_sizes": NO_BUNDLES,
            "CConv": self.module.convention,
            "TailCallKind": llvm.TailCallKindAttr(kind if self.tail else llvm.TailCallKind.NONE),
        }
        if isinstance(callee, str):
            properties["callee"] = SymbolRefAttr(callee)
        else:
            values = [callee, *values]
        properties["operandSegmentSizes"] = segments(len(values), 0)
        result = self.op(llvm.CallOp, values, POINTER, properties)
        if not self.tail:
            return result
        self.leave(result)
        return None
