"""Rewrite rules over relay operators, written as functions.

```python
rules = GraphRules()

@rules(BiasAdd)
def bias_add(op, b):
    return b.make(Add, op.data, b.make(ExpandDims, op.bias, axis=op.attrs.axis, …))
```

A rule returns what replaces the results of the operator, or None if it does not apply (it must know that before it
builds anything). New operators stand before the old one and have its location.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.types import compatible
from xrelay.lowering import locations

Rule = Callable[[Any, "RuleBuilder"], SSAValue | Sequence[SSAValue] | None]


class RuleBuilder:
    """Inserts operators in front of the one that a rule replaces."""

    def __init__(self, rewriter: PatternRewriter):
        self._rewriter = rewriter
        self._made: set[SSAValue] = set()

    def make(self, operator: type[RelayOp], *operands: SSAValue, **attrs: Any) -> SSAValue:
        """The result of a new operator (of one result)."""
        return self._insert(operator.make(*operands, **attrs))

    def constant(self, array: Any, name: str = "constant") -> SSAValue:
        return self._insert(Constant.of(array, name))

    def clone(self, op: RelayOp, operands: Mapping[int, SSAValue]) -> SSAValue:
        """The result of a copy of an operator that reads other operands at these positions, and keeps its location."""
        copy = op.clone()
        for position, value in operands.items():
            copy.operands[position] = value
        return self._insert(copy)

    def _insert(self, op: RelayOp) -> SSAValue:
        result = self._rewriter.insert(op).results[0]
        self._made.add(result)
        return result

    def replace(self, op: Operation, results: Sequence[SSAValue]) -> bool:
        """Replace the results of `op`, keeping their types; False where an existing value has another type.

        Users and the function's signature rely on the types, so a new value that knows more or fewer sizes takes the
        old type.
        """
        pairs = list(zip(op.results, results, strict=True))
        if any(new.type != old.type and new not in self._made for old, new in pairs):
            assert not self._made, f"a rule for {op.name} built operators, yet returned a value of another type"
            return False
        self._rewriter.replace(op, [], [self._retyped(new, old.type) for old, new in pairs])
        return True

    def _retyped(self, value: SSAValue, wanted: Attribute) -> SSAValue:
        if value.type == wanted:
            return value
        assert compatible(value.type, wanted), f"{value.type} cannot stand for {wanted}"
        return self._rewriter.replace_value_with_new_type(value, wanted)


class GraphRules(RewritePattern):
    """Operator class → its rules, tried in the order of their registration."""

    def __init__(self) -> None:
        self._rules: dict[type[Operation], list[Rule]] = {}

    def __call__(self, *operators: type[RelayOp]) -> Callable[[Rule], Rule]:
        """Decorator: register a function as a rule of these operators."""

        def register(rule: Rule) -> Rule:
            for operator in operators:
                self._rules.setdefault(operator, []).append(rule)
            return rule

        return register

    def __contains__(self, operator: type[Operation]) -> bool:
        return operator in self._rules

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if is_trivially_dead(op):
            rewriter.erase(op)
            return
        for rule in self._rules.get(type(op), ()):
            builder = RuleBuilder(rewriter)
            results = rule(op, builder)
            if results is None:
                continue
            if builder.replace(op, [results] if isinstance(results, SSAValue) else results):
                return

    def rewrite(self, region: Region) -> bool:
        """Apply the rules until none applies any more; whether one did."""
        return locations.rewrite(region, self)
