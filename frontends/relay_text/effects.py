"""Which operations of a block need a name, so that the expression made of them does what the block does.

An expression is evaluated on demand: a value is computed where it is first used, its parts from left to right. A block
runs from the top. Both agree on what has no effects. Operations with effects whose order on demand is another than that
of the block get a name: `let %_ = …` is evaluated where it stands. So do values that a function captures, for inside of
the function they would be computed by every call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from xrelay.dialects.relay.adt import ConstructorOp
from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.language import Fn, Global, Invoke
from xrelay.dialects.relay.reference import Let, RefCreate, RefRead, RefWrite

_CHEAP = (Constant, Global, ConstructorOp, Let)
"""Computed again, these cost nothing (and a name has one already)."""


class Effects:
    """What has effects in a module."""

    def __init__(self, module: ModuleOp):
        self._pure: set[str] = _pure_functions(module)

    def has(self, op: Operation) -> bool:
        """Whether an operation reads, writes or makes references, or may do so by a call."""
        if isinstance(op, Fn) or op.has_trait(IsTerminator):
            return False
        if isinstance(op, CallOp):
            return op.callee.string_value() not in self._pure
        if op.regions:
            return any(self.has(inner) for region in op.regions for block in region.blocks for inner in block.ops)
        return not is_side_effect_free(op)

    def named(self, block: Block) -> set[Operation]:
        """The operations of a block that need a name."""
        named = {op for op in block.ops if op.results and not isinstance(op, _CHEAP) and _is_captured_only(op)}
        evaluated: set[Operation] = set()
        waiting: list[Operation] = []
        for op in block.ops:
            if isinstance(op, Let) or op in named or op.has_trait(IsTerminator):
                wanted = list(self._demanded(op.operands, block, named, evaluated))
                if wanted != waiting:
                    named.update(waiting)
                waiting = []
            if self.has(op) and op not in named:
                waiting.append(op)
        return named

    def _demanded(
        self, values: Sequence[SSAValue], block: Block, named: set[Operation], evaluated: set[Operation]
    ) -> Iterator[Operation]:
        """The operations with effects that the values need and that are not evaluated yet, in order of evaluation."""
        stack: list[tuple[Operation | None, Iterator[SSAValue]]] = [(None, iter(values))]
        while stack:
            op, rest = stack[-1]
            value = next(rest, None)
            if value is None:
                stack.pop()
                if op is not None and self.has(op):
                    yield op
                continue
            maker = value.owner if isinstance(value, OpResult) else None
            if maker is None or maker.parent is not block or maker in evaluated or isinstance(maker, Let):
                continue
            evaluated.add(maker)
            if maker not in named:
                stack.append((maker, iter(maker.operands)))


def _is_captured_only(op: Operation) -> bool:
    """Whether a value is used inside of one function only, which stands in the block of the operation."""
    users = {_ancestor_in(op.parent, use.operation) for result in op.results for use in result.uses}
    direct = any(use.operation.parent is op.parent for result in op.results for use in result.uses)
    return not direct and len(users) == 1 and isinstance(next(iter(users)), Fn)


def _ancestor_in(block: Block | None, op: Operation) -> Operation | None:
    """The operation of the block that `op` is or is inside of."""
    around: Operation | None = op
    while around is not None and around.parent is not block:
        around = around.parent_op()
    return around


def _pure_functions(module: ModuleOp) -> set[str]:
    """The functions whose calls have no effects: all they do is call such functions."""
    functions = [op for op in module.body.ops if isinstance(op, FuncOp) and not op.is_declaration]
    pure = {function.sym_name.data for function in functions if not _has_own_effects(function)}
    callees = {
        function.sym_name.data: {op.callee.string_value() for op in function.walk() if isinstance(op, CallOp)}
        for function in functions
    }
    while impure := {name for name in pure if not callees[name] <= pure}:
        pure -= impure
    return pure


def _has_own_effects(function: FuncOp) -> bool:
    return any(isinstance(op, RefCreate | RefRead | RefWrite | Invoke) for op in function.walk())
