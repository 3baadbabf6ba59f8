"""Recognises contractions: `acc + f(x) · g(w)`, the body of every convolution and matrix product."""

from __future__ import annotations

from typing import TypeGuard

from xdsl.dialects import arith
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue


def multiply_add(block: Block) -> tuple[Operation, Operation] | None:
    """The multiplication and the addition of a body `acc + f(x) · g(w)`, f and g chains of casts; None otherwise."""
    if len(block.args) != 3:
        return None
    accumulator = block.args[2]
    terminator = block.last_op
    assert isinstance(terminator, linalg.YieldOp)
    join = terminator.operands[0].owner
    if not isinstance(join, arith.AddfOp | arith.AddiOp) or accumulator not in join.operands:
        return None
    product = next((v.owner for v in join.operands if v is not accumulator), None)
    if not isinstance(product, arith.MulfOp | arith.MuliOp) or accumulator.uses.get_length() != 1:
        return None
    sources = [cast_chain(v, block) for v in product.operands]
    if None in sources or {c[0] for c in sources if c is not None} != {0, 1}:
        return None
    return product, join


def cast_chain(value: SSAValue, block: Block) -> tuple[int, list[Operation]] | None:
    """The block argument that a value is cast from, by number, and the casts in order; None if it is made otherwise."""
    chain: list[Operation] = []
    while True:
        for number, arg in enumerate(block.args):
            if value is arg:
                return number, chain[::-1]
        owner = value.owner
        if not isinstance(owner, Operation) or len(owner.operands) != 1:
            return None
        chain.append(owner)
        value = owner.operands[0]


def is_contraction(op: Operation) -> TypeGuard[linalg.GenericOp]:
    """A generic that multiplies two inputs and adds up over at least one reduction dimension."""
    return (
        isinstance(op, linalg.GenericOp)
        and len(op.inputs) == 2
        and len(op.outputs) == 1
        and any(i.data == "reduction" for i in op.iterator_types)
        and multiply_add(op.body.block) is not None
    )
