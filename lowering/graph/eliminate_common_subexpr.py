"""`relay-eliminate-common-subexpr`: equal operators on equal operands are computed once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.traits import IsTerminator, is_side_effect_free

from xrelay.lowering.graph.base import FunctionPass


@dataclass(frozen=True)
class EliminateCommonSubexpr(FunctionPass):
    """Replaces an operator by an earlier one of the same class, attributes, operands and result types.

    Constants of equal value become one. Branches of a `relay.if` see what stands before it, and keep their own
    results inside.
    """

    name = "relay-eliminate-common-subexpr"
    opt_level = 3

    def apply_to_function(self, function: FuncOp) -> None:
        for block in function.body.blocks:
            _eliminate(block, {})


def _eliminate(block: Block, known: dict[Hashable, Operation]) -> None:
    for op in list(block.ops):
        for region in op.regions:
            for nested in region.blocks:
                _eliminate(nested, dict(known))
        if op.regions or not op.results or op.has_trait(IsTerminator) or not is_side_effect_free(op):
            continue
        first = known.setdefault(_key(op), op)
        if first is not op:
            for old, new in zip(op.results, first.results, strict=True):
                old.replace_all_uses_with(new)
            block.erase_op(op)


def _key(op: Operation) -> Hashable:
    """What makes two operators equal; an operand is itself, since equal ones before it have been merged."""
    return type(op), frozenset(op.properties.items()), frozenset(op.attributes.items()), op.operands[:], op.result_types
