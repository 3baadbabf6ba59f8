"""Structured control flow → blocks with arguments. Loops are rotated: the test stands at the end, and once before the
loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf, llvm, scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Block, SSAValue

from xrelay.lowering.llvm.builder import FunctionBuilder, convert_types, to_llvm
from xrelay.lowering.locations import location_text

_NO_SIGNED_WRAP = {"overflowFlags": IntegerAttr(1, i32)}


@to_llvm(scf.ForOp)
def lower_for(op: scf.ForOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> Sequence[SSAValue]:
    low, high, step, *initial = operands
    carried = convert_types(op.result_types)
    body, after = Block(arg_types=[low.type, *carried]), Block(arg_types=carried)
    if _runs(low, high):
        b.branch(body, [low, *initial])
    else:
        b.branch_if(b.icmp("slt", low, high), body, after, [low, *initial], initial)
    position, *values = b.start_block(body)
    values = b.convert(op.body.block, [position, *values])
    position = b.op(llvm.AddOp, [position, step], position.type, _NO_SIGNED_WRAP)
    b.branch_if(b.icmp("slt", position, high), body, after, [position, *values], values)
    return b.start_block(after)


def _runs(low: SSAValue, high: SSAValue) -> bool:
    """The loop is known to run at least once."""
    bounds = [v.owner.value for v in (low, high) if isinstance(v.owner, llvm.ConstantOp)]
    numbers = [bound.value.data for bound in bounds if isinstance(bound, IntegerAttr)]
    return len(numbers) == 2 and numbers[0] < numbers[1]


@to_llvm(scf.IfOp)
def lower_if(op: scf.IfOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> Sequence[SSAValue]:
    then, after = Block(), Block(arg_types=convert_types(op.result_types))
    otherwise = Block() if op.false_region.blocks else None
    b.branch_if(operands[0], then, otherwise or after)
    b.start_block(then)
    b.branch(after, b.convert(op.true_region.block, ()))
    if otherwise is not None:
        b.start_block(otherwise)
        b.branch(after, b.convert(op.false_region.block, ()))
    return b.start_block(after)


@to_llvm(scf.WhileOp)
def lower_while(op: scf.WhileOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> Sequence[SSAValue]:
    before = Block(arg_types=[v.type for v in operands])
    types = convert_types(op.result_types)
    body, after = Block(arg_types=types), Block(arg_types=types)
    b.branch(before, operands)
    condition, *values = b.convert(op.before_region.block, b.start_block(before))
    b.branch_if(condition, body, after, values, values)
    b.branch(before, b.convert(op.after_region.block, b.start_block(body)))
    return b.start_block(after)


@to_llvm(scf.YieldOp, scf.ConditionOp)
def lower_yield(op: scf.YieldOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> None:
    b.yielded = operands


@to_llvm(cf.AssertOp)
def lower_assert(op: cf.AssertOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> None:
    go_on = Block()
    place = location_text(op.location)
    b.branch_if(operands[0], go_on, b.failure(f"{place}: {op.msg.data}" if place else op.msg.data))
    b.start_block(go_on)
