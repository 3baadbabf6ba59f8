"""`plan-memory`: one arena for everything between inputs and outputs, one table for the constants.

A kernel's own buffers become slices of one scratch argument. In @main every buffer lives from the call that writes it
to the last one that reads it (through views); the largest are placed first, each at the lowest offset that is free for
as long as it lives. A kernel that says `kernel.in_place` for an argument may write its result over it, if nobody reads
it afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    i8,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from xrelay.dialects import kernel
from xrelay.dialects.relay.constant import TensorAttr
from xrelay.dialects.relay.types import num_elements
from xrelay.lowering.graph.base import kernel_level
from xrelay.lowering.loop.builder import buffer_type
from xrelay.lowering.loop.nest import byte_width

ALIGNMENT = 64
"""Buffers and constants begin at multiples of this many bytes: a cache line, the widest vector register."""

DEFAULT_OFFSETS = "xrelay.default_offsets"
"""Attribute of @main: where in the table of constants the default of each input stands, -1 for none."""

IN_PLACE = "kernel.in_place"
"""Attribute of a kernel: the numbers of the arguments over which it may write its (only) result."""


def byte_size(buffer: SSAValue) -> int:
    stored = buffer_type(buffer)
    return num_elements(stored.get_shape()) * byte_width(stored.element_type)


def aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


@dataclass
class Interval:
    """A buffer's size and the positions of the first and last operation that touch it."""

    size: int
    start: int
    end: int
    offset: int = field(default=0)


def place(intervals: Sequence[Interval]) -> int:
    """Give every interval an offset so that no two alive at once overlap; the bytes needed in all."""
    placed: list[Interval] = []
    for interval in sorted(intervals, key=lambda i: (-i.size, i.start)):
        offset = 0
        for other in placed:  # sorted by offset
            if other.start <= interval.end and interval.start <= other.end:
                if offset + interval.size <= other.offset:
                    break
                offset = max(offset, other.offset + aligned(other.size))
        interval.offset = offset
        placed.append(interval)
        placed.sort(key=lambda i: i.offset)
    return max((i.offset + aligned(i.size) for i in placed), default=0)


def plan_scratch(function: func.FuncOp) -> int:
    """Move a kernel's own buffers into a scratch argument; its size in bytes."""
    block = function.body.block
    allocations = [op for op in block.ops if isinstance(op, memref.AllocOp)]
    if not allocations:
        return 0
    total = 0
    offsets = []
    for op in allocations:
        offsets.append(total)
        total += aligned(byte_size(op.memref))
    scratch = block.insert_arg(MemRefType(i8, [total]), len(block.args))
    scratch.name_hint = "scratch"
    for op, offset in zip(allocations, offsets, strict=True):
        _replace_by_view(op, scratch, offset)
    function.function_type = FunctionType.from_lists([arg.type for arg in block.args], [])
    return total


def _replace_by_view(op: memref.AllocOp, arena: SSAValue, offset: int) -> None:
    """The allocation becomes a view of the arena at a byte offset."""
    block = op.parent
    assert block is not None
    constant = arith.ConstantOp(IntegerAttr(offset, IndexType()))
    view = memref.ViewOp.build(operands=[arena, constant.result, []], result_types=[op.memref.type])
    for new in (constant, view):
        new.location = op.location
        block.insert_op_before(new, op)
    view.results[0].name_hint = op.memref.name_hint
    op.memref.replace_all_uses_with(view.results[0])
    op.detach()
    op.erase()


class _MainPlan:
    """Liveness and placement of the buffers of @main."""

    def __init__(self, main: func.FuncOp, kernels: dict[str, func.FuncOp], scratch: dict[str, int]):
        self.main, self.kernels, self.scratch = main, kernels, scratch
        self.block = main.body.block
        self.roots: dict[SSAValue, memref.AllocOp] = {}
        self.intervals: dict[memref.AllocOp, Interval] = {}

    def run(self) -> None:
        self._add_scratch()
        for position, op in enumerate(self.block.ops):
            self._visit(op, position)
        self._merge_in_place()
        unique = {id(i): i for i in self.intervals.values()}
        total = place(list(unique.values()))
        arena = self.block.insert_arg(MemRefType(i8, [total]), len(self.block.args))
        arena.name_hint = "arena"
        for op, interval in self.intervals.items():
            _replace_by_view(op, arena, interval.offset)
        self.main.function_type = FunctionType.from_lists([arg.type for arg in self.block.args], [])

    def _add_scratch(self) -> None:
        """Give the calls of kernels that need it a buffer of their own."""
        for outer in list(self.block.ops):
            for op in [inner for inner in outer.walk() if isinstance(inner, func.CallOp)]:
                size = self.scratch.get(op.callee.string_value(), 0)
                if not size:
                    continue
                alloc = memref.AllocOp([], [], MemRefType(i8, [size]))
                alloc.location = op.location
                self.block.insert_op_before(alloc, outer)
                call = func.CallOp(op.callee, [*op.operands, alloc.memref], [])
                call.location = op.location
                assert op.parent is not None
                op.parent.insert_op_before(call, op)
                op.detach()
                op.erase()

    def _visit(self, op: Operation, position: int) -> None:
        if isinstance(op, memref.AllocOp):
            self.roots[op.memref] = op
            return
        if isinstance(op, kernel.ViewOp):
            if op.source in self.roots:
                self.roots[op.result] = self.roots[op.source]
            return
        for inner in op.walk():
            for operand in inner.operands:
                root = self.roots.get(operand)
                if root is None:
                    continue
                interval = self.intervals.setdefault(root, Interval(byte_size(root.memref), position, position))
                interval.end = position

    def _merge_in_place(self) -> None:
        """Let results be written over arguments that die at the call."""
        for position, op in enumerate(self.block.ops):
            if not isinstance(op, func.CallOp):
                continue
            function = self.kernels[op.callee.string_value()]
            allowed = function.attributes.get(IN_PLACE)
            if not isinstance(allowed, DenseArrayBase):
                continue
            result = self.roots.get(op.operands[-1])
            if result is None or self.intervals[result].start != position:
                continue
            numbers = set(allowed.get_values())
            for number in sorted(numbers):
                source = self.roots.get(op.operands[number])
                if source is None or source is result or not self._only_at(op, source, numbers):
                    continue
                old, new = self.intervals[source], self.intervals[result]
                if old.end == position and old.size == new.size and old is not new:
                    old.end = new.end
                    for other, interval in self.intervals.items():
                        if interval is new:
                            self.intervals[other] = old
                    break

    def _only_at(self, op: func.CallOp, source: memref.AllocOp, numbers: set[int]) -> bool:
        """Whether the buffer comes into the call by these arguments alone, not by another that is read elsewhere."""
        return all(n in numbers for n, operand in enumerate(op.operands) if self.roots.get(operand) is source)


def number_constants(module: ModuleOp) -> None:
    """Give every constant its offset in the table; equal ones share one.

    The default values of inputs (`relay.input_defaults` of a function, by name) stand there too;
    `xrelay.default_offsets` says where, an offset an input, -1 for inputs without.
    """
    offsets: dict[TensorAttr, int] = {}
    total = 0

    def offset_of(value: TensorAttr) -> int:
        nonlocal total
        if value not in offsets:
            offsets[value] = total
            total += aligned(value.array.nbytes)
        return offsets[value]

    for op in module.walk():
        if isinstance(op, kernel.ConstantOp):
            op.properties["offset"] = IntegerAttr(offset_of(op.value), i64)
        elif isinstance(op, func.FuncOp) and (defaults := input_defaults(op)):
            found = [offset_of(value) if value is not None else -1 for value in defaults]
            op.attributes[DEFAULT_OFFSETS] = DenseArrayBase.from_list(i64, found)


def input_defaults(function: func.FuncOp) -> list[TensorAttr | None]:
    """The default value of each named input of a function, None where it has none; empty if none has."""
    defaults, names = (function.attributes.get(f"relay.input_{key}") for key in ("defaults", "names"))
    if not (isinstance(defaults, DictionaryAttr) and isinstance(names, ArrayAttr)):
        return []
    values = [defaults.data.get(name.data) for name in names if isinstance(name, StringAttr)]
    return [value if isinstance(value, TensorAttr) else None for value in values]


def constants_of(module: ModuleOp) -> dict[int, np.ndarray]:
    """The table of constants: byte offset → array."""
    constants = [op for op in module.walk() if isinstance(op, kernel.ConstantOp)]
    defaults: dict[int, np.ndarray] = {}
    for function in module.walk():
        if not isinstance(function, func.FuncOp):
            continue
        at = function.attributes.get(DEFAULT_OFFSETS)
        if isinstance(at, DenseArrayBase):
            found = zip(at.get_values(), input_defaults(function), strict=True)
            defaults |= {int(offset): value.array for offset, value in found if value is not None}
    return defaults | {op.offset.value.data: op.value.array for op in constants if op.offset is not None}


def table_size(constants: dict[int, np.ndarray]) -> int:
    """The bytes that a table of constants takes."""
    return max((offset + aligned(array.nbytes) for offset, array in constants.items()), default=0)


def write_table(constants: dict[int, np.ndarray], table: np.ndarray) -> None:
    """Write the constants into a zeroed uint8 array of `table_size`."""
    for offset, array in constants.items():
        table[offset : offset + array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)


@dataclass(frozen=True)
class PlanMemory(ModulePass):
    """Place buffers in one arena and constants in one table."""

    name = "plan-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = {f.sym_name.data: f for f in kernel_level(op)}
        main = kernels.pop("main", None)
        scratch = {name: plan_scratch(function) for name, function in kernels.items()}
        for call in [inner for inner in op.walk() if isinstance(inner, kernel.CallOp)]:
            if size := scratch[call.callee.string_value()]:
                call.properties["scratch"] = IntegerAttr(size, i64)
        number_constants(op)
        if main is not None:
            _MainPlan(main, kernels, scratch).run()
