"""Tuples, choices and references."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, SSAValue

from xrelay.dialects.relay import control
from xrelay.dialects.relay.reference import Let, RefCreate, RefRead, RefWrite
from xrelay.lowering.language.builder import ProgramBuilder, to_program


@to_program(control.Tuple)
def tuple_(op: control.Tuple, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    return b.record(operands)


@to_program(control.TupleGetItem)
def tuple_get_item(op: control.TupleGetItem, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    return b.field(operands[0], op.attrs.index)


@to_program(Let)
def let(op: Let, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    return operands[0]


@to_program(control.If)
def if_(op: control.If, operands: Sequence[SSAValue], b: ProgramBuilder) -> Sequence[SSAValue] | None:
    then, otherwise = Block(), Block()
    b.branch_if(b.truth(operands[0]), then, otherwise)
    regions = [(then, op.then_region.block, ()), (otherwise, op.else_region.block, ())]
    return b.join(regions, len(op.results))


@to_program(RefCreate)
def ref_create(op: RefCreate, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    return b.record(operands)


@to_program(RefRead)
def ref_read(op: RefRead, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    return b.field(operands[0], 0)


@to_program(RefWrite)
def ref_write(op: RefWrite, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    cell, value = operands
    b.store(value, cell)
    return b.null()
