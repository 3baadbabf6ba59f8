"""`relay-to-graph-normal-form`: no names for intermediate values any more, only the values themselves."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp

from xrelay.dialects.relay.reference import Let
from xrelay.lowering.graph.base import FunctionPass


@dataclass(frozen=True)
class ToGraphNormalForm(FunctionPass):
    """Replaces each `relay.let` by its value. The order of effects stays: it is the order of the operations.

    A name that knows fewer sizes than its value stays: others rely on its type.
    """

    name = "relay-to-graph-normal-form"

    def apply_to_function(self, function: FuncOp) -> None:
        for op in [inner for inner in function.body.walk() if isinstance(inner, Let)]:
            if op.value.type != op.result.type:
                continue
            op.result.replace_all_uses_with(op.value)
            assert op.parent is not None
            op.parent.erase_op(op)
