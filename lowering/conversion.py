"""One-walk conversion of functions from one level to the next.

xDSL has no dialect-conversion framework, and its greedy driver revisits a block until nothing changes. A lowering needs
neither: every operation is replaced exactly once, in order, and its operands have been converted before it.
`convert_function` walks a function once, gives each operation to the rule registered for its class, and maps the
results. Locations are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.ir import Block, Operation, OpResult, SSAValue

from xrelay.errors import CompilationError

OperationT = TypeVar("OperationT", bound=Operation)
Rule = Callable[..., Sequence[SSAValue] | SSAValue | None]


class RuleSet:
    """Operation class → conversion rule `(op, operands, builder) -> results`."""

    def __init__(self, name: str):
        self.name = name
        self._rules: dict[type[Operation], Rule] = {}

    def __call__(self, *operations: type[Operation]) -> Callable[[Rule], Rule]:
        """Decorator: register a function as the rule of these operation classes."""

        def register(rule: Rule) -> Rule:
            for operation in operations:
                self._rules[operation] = rule
            return rule

        return register

    def __contains__(self, operation: type[Operation]) -> bool:
        return operation in self._rules

    def get(self, op: Operation) -> Rule:
        """The rule of an operation. Raises CompilationError if there is none."""
        rule = self._rules.get(type(op))
        if rule is None:
            raise CompilationError(f"{self.name}: no rule for {op.name} at {op.location}")
        return rule


class BlockBuilder:
    """Appends operations to a block and gives each the location of the operation being converted."""

    def __init__(self, block: Block):
        self.block = block
        self.location: LocationAttr = UnknownLoc()

    def insert(self, op: OperationT) -> OperationT:
        if isinstance(op.location, UnknownLoc):
            op.location = self.location
        self.block.add_op(op)
        return op

    def value(self, op: Operation) -> OpResult:
        """Insert an operation of one result and return that result."""
        return self.insert(op).results[0]


def convert_block(source: Block, values: dict[SSAValue, SSAValue], rules: RuleSet, builder: Any) -> None:
    """Convert the operations of `source` in order into the builder's block; `values` maps old to new."""
    for op in source.ops:
        builder.location = op.location
        operands = [values[operand] for operand in op.operands]
        results = rules.get(op)(op, operands, builder)
        if results is None:
            results = ()
        elif isinstance(results, SSAValue):
            results = (results,)
        for old, new in zip(op.results, results, strict=True):
            values[old] = new
            if new.name_hint is None:
                new.name_hint = old.name_hint
