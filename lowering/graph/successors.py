"""Passes that build new operators next to the old ones, whose results are something else than the old results were.

Such a result (in another layout, in another precision) goes to those new operators that know what to do with it. What
still reads an old result in the end gets it restored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from xrelay.dialects.relay.core import RelayOp

Restore = Callable[[SSAValue], RelayOp] | None
"""The operator that makes an old result of a new one; None where they are the same."""


class Successors:
    """Old operators with what has taken their place."""

    def __init__(self) -> None:
        self._results: dict[Operation, Sequence[tuple[SSAValue, Restore]]] = {}
        self._others: list[Operation] = []

    def replace(self, op: Operation, results: Sequence[tuple[SSAValue, Restore]]) -> None:
        """Note the new results of an operator."""
        self._results[op] = results

    def insert(self, op: RelayOp, at: Operation) -> RelayOp:
        """Put a new operator in front of another one, whose location it gets."""
        assert at.parent is not None
        op.location = at.location
        at.parent.insert_op_before(op, at)
        self.may_go(op)
        return op

    def may_go(self, op: Operation) -> None:
        """Note an operator that is not needed if nobody reads it in the end."""
        self._others.append(op)

    def finish(self) -> None:
        """Restore the old results that are still read, erase the operators that nobody reads."""
        for op in _users_first([*self._results, *self._others]):
            results = self._results.get(op, ())
            for old, (new, restore) in zip(op.results, results, strict=bool(results)):
                if old.uses:
                    self._restore(op, old, new, restore)
            if not any(result.uses for result in op.results):
                op.detach()
                op.erase()

    @staticmethod
    def _restore(op: Operation, old: SSAValue, new: SSAValue, restore: Restore) -> None:
        assert op.parent is not None
        if restore is not None:
            made = restore(new)
            made.location = op.location
            op.parent.insert_op_before(made, op)
            new = made.results[0]
        if new.type != old.type:
            new = Rewriter.replace_value_with_new_type(new, old.type)
        old.replace_all_uses_with(new)


def _users_first(ops: Sequence[Operation]) -> list[Operation]:
    """Operations in an order in which users come before what they use: nested blocks first, each backwards."""
    blocks = {op.parent for op in ops if op.parent is not None}
    depths = {block: _depth(block) for block in blocks}
    places = {op: (depths[block], i) for block in blocks for i, op in enumerate(block.ops)}
    return sorted(ops, key=places.__getitem__, reverse=True)


def _depth(block: Block) -> int:
    around = block.parent_op()
    return 0 if around is None or around.parent is None else 1 + _depth(around.parent)
