"""`relay-to-basic-block-normal-form`: a value that another block uses has a name.

A block is the body of a function, or one way of a choice. Values that are used in their own block only stay without
names, so that each block is a graph.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp

from xrelay.lowering.graph.base import FunctionPass
from xrelay.lowering.language.names import LetNames, is_atom


@dataclass(frozen=True)
class ToBasicBlockNormalForm(FunctionPass):
    """Names the results that blocks inside of their own one use. Effects stay in order."""

    name = "relay-to-basic-block-normal-form"
    opt_level = 1

    def apply_to_function(self, function: FuncOp) -> None:
        names = LetNames(function)
        for op in list(function.body.walk()):
            for result in reversed(op.results):
                if not is_atom(result) and any(use.operation.parent is not op.parent for use in result.uses):
                    names.bind(result)
