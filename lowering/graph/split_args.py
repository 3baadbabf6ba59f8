"""`relay-split-args`: a concatenation of very many tensors becomes one of concatenations.

For targets whose kernels take a bounded number of arguments. The values stay the same, bit by bit.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp

from xrelay.dialects.relay.transform import Concatenate
from xrelay.errors import XRelayError
from xrelay.lowering.graph.base import FunctionPass
from xrelay.lowering.graph.rewrite import GraphRules


@dataclass(frozen=True)
class SplitArgs(FunctionPass):
    """Splits concatenations of more than `max_function_args` tensors; 0 means that there is no bound."""

    name = "relay-split-args"
    opt_level = 1

    max_function_args: int = 0

    def apply_to_function(self, function: FuncOp) -> None:
        most = self.max_function_args
        if most < 0 or most == 1:
            raise XRelayError(f"relay-split-args: max_function_args must be 0 or at least 2, not {most}")
        if most:
            _rules(most).rewrite(function.body)


def _rules(most: int) -> GraphRules:
    rules = GraphRules()

    @rules(Concatenate)
    def concatenation(op, b):
        if len(op.data) <= most:
            return None
        pieces = [
            piece[0] if len(piece) == 1 else b.make(Concatenate, *piece, axis=op.attrs.axis)
            for piece in (op.data[start : start + most] for start in range(0, len(op.data), most))
        ]
        return b.make(Concatenate, *pieces, axis=op.attrs.axis)

    return rules
