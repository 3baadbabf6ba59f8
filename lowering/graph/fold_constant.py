"""`relay-fold-constant`: operators on constants become constants, by the operators' meaning in NumPy.

What is folded, in one walk from the top:
- an operator whose operands are all constants, and one without operands (`relay.zeros`);
- `relay.shape_of` of a tensor whose sizes are known, whatever the tensor;
- `relay.if` on a constant condition (the branch takes its place), projections of a `relay.tuple`, and names
  (`relay.let`) of constants.

A result may be at most `MAX_GROWTH` bytes larger than the operands: what is cheap to compute and large to store (a
fill, a broadcast of a scalar) is left to the compiled code, unless it is the weight of an anchor (conv, matmul): that
is worth its bytes, since later passes scale, transpose and pack constant weights. An operator whose definition rejects
the values (an index outside the axis) is left alone, too: it must fail when, and only if, the model gets there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.control import If, TupleGetItem
from xrelay.dialects.relay.control import Tuple as TupleOp
from xrelay.dialects.relay.core import FusionKind, RelayOp, View, fusion_kind
from xrelay.dialects.relay.reference import Let
from xrelay.dialects.relay.shape import ShapeOf
from xrelay.dialects.relay.types import dtype_of, is_static, num_elements, shape_of
from xrelay.errors import XRelayError
from xrelay.interpreters.relay.registry import evaluate, has_meaning
from xrelay.lowering.graph.base import FunctionPass, array_of, constant_of, erase_unused_constants

MAX_GROWTH = 1 << 20
"""Bytes by which a folded result may exceed the operands it is computed from."""


@dataclass(frozen=True)
class FoldConstant(FunctionPass):
    """Evaluates what depends on constants only, and drops the constants that nobody uses any more."""

    name = "relay-fold-constant"
    opt_level = 2

    max_growth: int = MAX_GROWTH
    """Bytes by which a result may exceed its operands, if it is no weight."""

    def apply_to_function(self, function: FuncOp) -> None:
        for block in function.body.blocks:
            self._fold_block(block)
        erase_unused_constants(function.body)

    def _fold_block(self, block: Block) -> None:
        op = block.first_op
        while op is not None:
            if isinstance(op, If) and (condition := array_of(op.operands[0])) is not None:
                op = _inline_branch(op, bool(condition))
                continue
            next_op = op.next_op
            for region in op.regions:
                for nested in region.blocks:
                    self._fold_block(nested)
            self.fold(op)
            op = next_op

    def fold(self, op: Operation) -> None:
        """Replace one operator, choices left out, by what is known of its results."""
        if isinstance(op, TupleGetItem) and isinstance(made := op.operands[0].owner, TupleOp):
            _replace(op, [made.operands[op.attrs.index]])
        elif isinstance(op, Let) and constant_of(op.value) is not None:
            _replace(op, [op.value])
        elif isinstance(op, RelayOp) and not isinstance(op, Constant) and (arrays := self._evaluate(op)) is not None:
            constants = [Constant.of(array, op.results[0].name_hint or "folded", op.location) for array in arrays]
            Rewriter.insert_op(constants, InsertPoint.before(op))
            _replace(op, [constant.result for constant in constants])

    def _evaluate(self, op: RelayOp) -> tuple[np.ndarray, ...] | None:
        """The arrays that the results stand for, None where they are not known, too large, or invalid."""
        if isinstance(op, ShapeOf) and is_static(op.operands[0].type):
            return (np.array(shape_of(op.operands[0].type), dtype_of(op.results[0].type)),)
        if op.regions or not op.results or not is_side_effect_free(op) or not has_meaning(type(op)):
            return None
        operands = [array for operand in op.operands if (array := array_of(operand)) is not None]
        if len(operands) < len(op.operands):
            return None
        if any(not isinstance(t, TensorType) or not is_static(t) for t in op.result_types):
            return None
        size = sum(num_elements(shape_of(t)) * dtype_of(t).itemsize for t in op.result_types)
        given = sum(array.nbytes for array in operands)
        if size > given + self.max_growth and not _is_weight(op):
            return None
        try:
            return evaluate(op, tuple(operands))
        except XRelayError:
            return None


def _is_weight(op: Operation) -> bool:
    """Whether an anchor reads a result, as it is or through views, other than as its data."""
    uses = [use for result in op.results for use in result.uses]
    return any(
        _is_weight(use.operation)
        if use.operation.has_trait(View)
        else use.index > 0 and fusion_kind(use.operation) == FusionKind.ANCHOR
        for use in uses
    )


def _replace(op: Operation, values: list[SSAValue]) -> None:
    for old, new in zip(op.results, values, strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)


def _inline_branch(op: If, condition: bool) -> Operation | None:
    """Put the branch that is taken in the place of the conditional; the first of its operators (folded next)."""
    branch = op.regions[0 if condition else 1].block
    terminator = branch.last_op
    assert terminator is not None
    assert op.parent is not None
    yielded = list(terminator.operands)
    branch.erase_op(terminator)
    first = branch.first_op or op.next_op
    for inner in list(branch.ops):
        inner.detach()
        op.parent.insert_op_before(inner, op)
    _replace(op, yielded)
    return first
