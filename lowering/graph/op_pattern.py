"""Patterns of operators: which parts of a block look like this? What `relay-merge-composite` finds.

```python
conv = Operator("nn.conv2d", [Anything(), IsConstant()])
pattern = Operator("nn.relu", [conv])
```

A pattern is known by its identity: used twice, it stands for the same value twice. `xrelay.relay.dataflow_pattern` is
the language that users write; its patterns of dataflow are translated to these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.core import RelayOp
from xrelay.lowering.graph.base import constant_of

COMMUTATIVE = frozenset({"add", "multiply"})
"""Operators whose operands are also tried the other way round."""


@dataclass
class Match:
    """What a pattern was found to stand for."""

    bound: dict[OpPattern, SSAValue] = field(default_factory=dict)

    def operators(self, root: RelayOp) -> list[RelayOp] | None:
        """The operators that belong to the match that ends in `root`, in order.

        None if they stand in several blocks, or something inside is read outside too.
        """
        found = {value.owner for pattern, value in self.bound.items() if isinstance(pattern, Operator)}
        ops = [op for op in found if isinstance(op, RelayOp)]
        for op in ops:
            readers = {use.operation for result in op.results for use in result.uses}
            if op.parent is not root.parent or (op is not root and not readers <= found):
                return None
        return sorted(ops, key=cmp_to_key(lambda a, b: -1 if a.is_before_in_block(b) else 1))

    def constants(self) -> list[SSAValue]:
        """The constants that the pattern names."""
        return [value for pattern, value in self.bound.items() if isinstance(pattern, IsConstant)]


class OpPattern(ABC):
    """Base of the patterns."""

    def find(self, value: SSAValue) -> Match | None:
        """The match whose result is `value`, None if there is none."""
        match = Match()
        return match if self.matches(value, match) else None

    def matches(self, value: SSAValue, match: Match) -> bool:
        """Whether a value looks so; what the parts stand for is noted in the match, if it does."""
        if self in match.bound:
            return match.bound[self] is value
        before = dict(match.bound)
        if self._matches(value, match):
            match.bound[self] = value
            return True
        match.bound = before
        return False

    @abstractmethod
    def _matches(self, value: SSAValue, match: Match) -> bool: ...


class Anything(OpPattern):
    """Any value."""

    def _matches(self, value: SSAValue, match: Match) -> bool:
        return True


class IsConstant(OpPattern):
    """A constant."""

    def _matches(self, value: SSAValue, match: Match) -> bool:
        return constant_of(value) is not None


class IsArgument(OpPattern):
    """An argument of the function, perhaps of a name."""

    def __init__(self, name: str = ""):
        self._name = name

    def _matches(self, value: SSAValue, match: Match) -> bool:
        return isinstance(value, BlockArgument) and self._name in ("", value.name_hint)


class Either(OpPattern):
    """One of two patterns, the first one first."""

    def __init__(self, first: OpPattern, second: OpPattern):
        self._options = first, second

    def _matches(self, value: SSAValue, match: Match) -> bool:
        return any(option.matches(value, match) for option in self._options)


class Typed(OpPattern):
    """A tensor of an element type or a shape."""

    def __init__(self, inner: OpPattern, element: Attribute | None = None, shape: Sequence[int] | None = None):
        self._inner, self._element, self._shape = inner, element, shape

    def _matches(self, value: SSAValue, match: Match) -> bool:
        return (
            isinstance(value.type, TensorType)
            and self._element in (None, value.type.element_type)
            and (self._shape is None or tuple(self._shape) == value.type.get_shape())
            and self._inner.matches(value, match)
        )


class Operator(OpPattern):
    """A result of an operator (by Relay's name) with these attributes; of any operands where they are None."""

    def __init__(
        self,
        name: str,
        operands: Sequence[OpPattern] | None = None,
        attrs: Mapping[str, Any] | None = None,
        result: int | None = None,
    ):
        self._name = name
        self._operands = None if operands is None else list(operands)
        self._attrs = dict(attrs or {})
        self._result = result

    def _matches(self, value: SSAValue, match: Match) -> bool:
        op = value.owner
        if not isinstance(op, RelayOp) or isinstance(op, Constant) or op.name != f"relay.{self._name}":
            return False
        if self._result is not None and op.results[self._result] is not value:
            return False
        attrs = vars(op.attrs)
        if any(key not in attrs or attrs[key] != _plain(wanted) for key, wanted in self._attrs.items()):
            return False
        if self._operands is None or self._all_match(op.operands, match):
            return True
        return self._name in COMMUTATIVE and self._all_match(op.operands[::-1], match)

    def _all_match(self, values: Sequence[SSAValue], match: Match) -> bool:
        assert self._operands is not None
        before = dict(match.bound)
        if len(values) == len(self._operands) and all(
            pattern.matches(value, match) for pattern, value in zip(self._operands, values, strict=True)
        ):
            return True
        match.bound = before
        return False


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


def chain(names: Sequence[str]) -> OpPattern:
    """The first operator, read by the second as its first operand, and so on."""
    pattern: OpPattern = Operator(names[0])
    for name in names[1:]:
        pattern = _Behind(name, pattern)
    return pattern


class _Behind(Operator):
    """An operator whose first operand is of a pattern; it may have others."""

    def __init__(self, name: str, first: OpPattern):
        super().__init__(name)
        self._first = first

    def _matches(self, value: SSAValue, match: Match) -> bool:
        op = value.owner
        if not super()._matches(value, match) or not isinstance(op, Operation):
            return False
        return bool(op.operands) and self._first.matches(op.operands[0], match)
