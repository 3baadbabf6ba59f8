"""`outline-parallel`: the body of every `scf.parallel` becomes a function that does a slice of the iterations.

The threads of the model call it with [begin, end) of the flattened iteration space; inside, the position along each
dimension is found once an iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from xrelay.dialects import kernel
from xrelay.errors import CompilationError
from xrelay.lowering.loop.builder import Index, LoopBuilder


@dataclass(frozen=True)
class OutlineParallel(ModulePass):
    """Outline parallel loops into functions for the threads to call."""

    name = "outline-parallel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks:
                loops = [inner for inner in function.walk() if isinstance(inner, scf.ParallelOp)]
                for number, loop in enumerate(loops):
                    name = f"{function.sym_name.data}_par{number}"
                    op.body.block.insert_op_before(outline(loop, name), function)


def outline(loop: scf.ParallelOp, name: str) -> func.FuncOp:
    """Replace a parallel loop by `kernel.parallel_for`; the function that does its iterations."""
    sizes = [_constant(v) for v in loop.upperBound]
    if any(_constant(v) != 0 for v in loop.lowerBound) or any(_constant(v) != 1 for v in loop.step) or loop.res:
        raise CompilationError(f"outline-parallel: only loops over [0, size) without results, at {loop.location}")
    outside = _captures(loop)
    constants = {v: v.owner for v in outside if isinstance(v.owner, arith.ConstantOp)}
    captures = [v for v in outside if v not in constants]

    index = IndexType()
    block = Block(arg_types=[index, index, *(v.type for v in captures)])
    for old, new in zip(captures, block.args[2:], strict=True):
        new.name_hint = old.name_hint
    b = LoopBuilder(block)
    b.location = loop.location
    inside = set(loop.body.walk())
    for value, new in zip(captures, block.args[2:], strict=True):
        _replace_inside(value, new, inside)
    for value, constant in constants.items():
        _replace_inside(value, b.value(constant.clone()), inside)

    def iteration(flat: Index) -> None:
        for arg, position in zip(loop.body.block.args, _delinearize(b, flat, sizes), strict=True):
            arg.replace_all_uses_with(b.index(position))
        for op in list(loop.body.block.ops):
            if not isinstance(op, scf.ReduceOp):
                op.detach()
                b.block.add_op(op)

    b.for_(block.args[0], block.args[1], 1, iteration)
    b.insert(func.ReturnOp())
    types = [arg.type for arg in block.args], []
    function = func.FuncOp(name, types, Region(block), visibility=StringAttr("private"))
    function.location = loop.location

    parent = loop.parent
    assert parent is not None
    total = arith.ConstantOp.from_int_and_width(prod(sizes), index)
    call = kernel.ParallelForOp(name, total.result, captures)
    for op in (total, call):
        op.location = loop.location
        parent.insert_op_before(op, loop)
    loop.detach()
    loop.erase()
    return function


def _constant(value: SSAValue) -> int:
    number = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    if not isinstance(number, IntegerAttr):
        raise CompilationError("outline-parallel: the bounds of a parallel loop must be constants")
    return number.value.data


def _captures(loop: scf.ParallelOp) -> list[SSAValue]:
    """The values from outside that the loop's body uses, in order of first use."""
    inside: set[SSAValue] = set()
    found: dict[SSAValue, None] = {}

    def visit(block: Block) -> None:
        inside.update(block.args)
        for op in block.ops:
            for operand in op.operands:
                if operand not in inside:
                    found.setdefault(operand)
            for region in op.regions:
                for inner in region.blocks:
                    visit(inner)
            inside.update(op.results)

    visit(loop.body.block)
    return list(found)


def _replace_inside(old: SSAValue, new: SSAValue, inside: set[Operation]) -> None:
    """Let the operations in `inside`, and only they, use `new` for `old`."""
    for use in list(old.uses):
        if use.operation in inside:
            use.operation.operands[use.index] = new


def _delinearize(b: LoopBuilder, flat: Index, sizes: Sequence[int]) -> list[Index]:
    """Positions along each dimension of the flat-th iteration."""
    positions: list[Index] = []
    for size in reversed(sizes[1:]):
        assert isinstance(flat, SSAValue)
        positions.append(b.value(arith.RemUIOp(flat, b.index(size))))
        flat = b.value(arith.DivUIOp(flat, b.index(size)))
    return [flat, *reversed(positions)]


