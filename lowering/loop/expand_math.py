"""Pass `expand-math`: float32 functions of the math dialect → additions, multiplications and integer operations.

Every expansion is written once for scalars and vectors (`math_functions/`), with its largest error. float64 functions
stay and become calls of the C library; 16-bit floats do not occur here, they are computed with in float32.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from xrelay.dialects.llvm_ext import element_type_of
from xrelay.lowering.conversion import BlockBuilder, OperationT
from xrelay.lowering.loop.math_functions import (  # noqa: F401  (their expansions)
    error_function,
    exponential,
    logarithm,
    trigonometric,
)
from xrelay.lowering.loop.math_functions.value import EXPANSIONS, Value


@dataclass(frozen=True)
class ExpandMath(ModulePass):
    """Replace each operation that has an expansion, in one walk."""

    name = "expand-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [o for o in op.walk() if type(o) in EXPANSIONS]:
            if element_type_of(inner.operands[0].type) == f32:
                _expand(inner)


def _expand(op: Operation) -> None:
    block = op.parent
    assert block is not None
    builder = _InsertionBuilder(block, op)
    result = EXPANSIONS[type(op)](*(Value(operand, builder) for operand in op.operands))
    op.results[0].replace_all_uses_with(result.ssa)
    block.erase_op(op)


class _InsertionBuilder(BlockBuilder):
    """Inserts before an operation, with its location."""

    def __init__(self, block: Block, before: Operation):
        super().__init__(block)
        self.before, self.location = before, before.location

    def insert(self, op: OperationT) -> OperationT:
        op.location = self.location
        self.block.insert_op_before(op, self.before)
        return op
