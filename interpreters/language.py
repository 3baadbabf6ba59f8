"""The values of the Relay language that are no tensors, and what its operators do with them.

A tuple is a Python tuple. Values of data types may be very deep (a list of 100,000 elements): nothing here recurses
into them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xrelay.dialects.relay.adt import Construct, ConstructorOp, TypeDefinition
from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.control import Tuple, TupleGetItem
from xrelay.dialects.relay.language import Fn, Global, Instantiate
from xrelay.dialects.relay.language_types import AdtType
from xrelay.dialects.relay.match import ConstructorPattern, Match, TuplePattern, VariablePattern
from xrelay.dialects.relay.reference import Let, RefCreate, RefRead, RefWrite
from xrelay.errors import ExecutionError

Value = Any
"""An array, a tuple of values, or one of the classes below."""


@dataclass(eq=False, slots=True)
class ConstructorValue:
    """A value of a data type: what a constructor made of these fields."""

    constructor: str
    fields: tuple[Value, ...]
    tag: int
    """The number of the constructor among those of its type."""

    def __repr__(self) -> str:
        return f"ConstructorValue({self.constructor}, {len(self.fields)} fields)"


@dataclass(eq=False, slots=True)
class RefValue:
    """A cell."""

    value: Value

    def __repr__(self) -> str:
        return "RefValue"


@dataclass(eq=False, slots=True)
class Closure:
    """A function: the block that computes it, and the values around it that it uses."""

    block: Block
    captured: Mapping[SSAValue, Value]
    recursive: bool = False
    """Whether the first argument of the block is the function itself."""

    def bind(self, arguments: Sequence[Value]) -> dict[SSAValue, Value]:
        """The values that the block starts with."""
        values = dict(self.captured)
        given = (self, *arguments) if self.recursive else arguments
        values.update(zip(self.block.args, given, strict=True))
        return values

    def __repr__(self) -> str:
        return f"Closure({len(self.block.args) - self.recursive} parameters)"


@dataclass(eq=False, slots=True)
class ConstructorFunction:
    """A constructor as a function value."""

    constructor: str
    tag: int

    def __call__(self, fields: Sequence[Value]) -> ConstructorValue:
        return ConstructorValue(self.constructor, tuple(fields), self.tag)


class Language:
    """What the operators of the language do in one module."""

    def __init__(self, module: ModuleOp):
        self.functions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}
        definitions = [op for op in module.body.ops if isinstance(op, TypeDefinition)]
        self._tags = {
            (definition.sym_name.data, constructor.constructor.data): tag
            for definition in definitions
            for tag, constructor in enumerate(definition.constructors)
        }
        self._captures: dict[Fn, list[SSAValue]] = {}
        self.actions: Mapping[type[Operation], Callable[[Any, list[Value], dict[SSAValue, Value]], Value]] = {
            Constant: lambda op, operands, values: op.array,
            Tuple: lambda op, operands, values: tuple(operands),
            TupleGetItem: lambda op, operands, values: operands[0][op.attrs.index],
            Fn: self._fn,
            Global: self._global,
            Instantiate: lambda op, operands, values: operands[0],
            ConstructorOp: self._constructor,
            Construct: self._construct,
            Let: lambda op, operands, values: operands[0],
            RefCreate: lambda op, operands, values: RefValue(operands[0]),
            RefRead: lambda op, operands, values: operands[0].value,
            RefWrite: self._ref_write,
        }
        """Operator → the value it gives, from its operands and all values in sight."""

    def _fn(self, op: Fn, operands: list[Value], values: dict[SSAValue, Value]) -> Closure:
        captures = self._captures.get(op)
        if captures is None:
            captures = self._captures[op] = _captures(op)
        return Closure(op.body.block, {value: values[value] for value in captures}, op.recursive is not None)

    def _global(self, op: Global, operands: list[Value], values: dict[SSAValue, Value]) -> Closure:
        return Closure(self.functions[op.function.string_value()].body.block, {})

    def _constructor(self, op: ConstructorOp, operands: list[Value], values: Any) -> ConstructorFunction:
        return ConstructorFunction(op.constructor.data, self._tag(op.constructor.data, op.data_type))

    def _construct(self, op: Construct, operands: list[Value], values: Any) -> ConstructorValue:
        return ConstructorValue(op.constructor.data, tuple(operands), self._tag(op.constructor.data, op.result.type))

    def _ref_write(self, op: RefWrite, operands: list[Value], values: Any) -> tuple:
        cell, cell.value = operands
        return ()

    def _tag(self, constructor: str, value_type: Attribute) -> int:
        assert isinstance(value_type, AdtType)
        return self._tags[value_type.definition.data, constructor]

    def has_constructor(self, constructor: str, value_type: AdtType) -> bool:
        return (value_type.definition.data, constructor) in self._tags


def chosen_clause(op: Match, value: Value) -> tuple[Block, list[Value]]:
    """The block of the first clause that the value fits, with the values of its arguments.

    Raises ExecutionError where none does.
    """
    for pattern, region in zip(op.patterns, op.clauses, strict=True):
        bound: list[Value] = []
        if _fits(pattern, value, bound):
            return region.block, bound
    raise ExecutionError(f"no clause of the match at {op.location} fits {value!r}")


def _fits(pattern: Attribute, value: Value, bound: list[Value]) -> bool:
    """Whether a value fits a pattern; the values of the pattern's variables are added to `bound`."""
    match pattern:
        case VariablePattern():
            bound.append(value)
        case ConstructorPattern():
            return value.constructor == pattern.constructor.data and _all_fit(pattern.fields.data, value.fields, bound)
        case TuplePattern():
            return _all_fit(pattern.fields.data, value, bound)
    return True


def _all_fit(patterns: Sequence[Attribute], values: Sequence[Value], bound: list[Value]) -> bool:
    return all(_fits(pattern, value, bound) for pattern, value in zip(patterns, values, strict=True))


def _captures(op: Fn) -> list[SSAValue]:
    """The values defined outside of a function that its body uses, each once."""
    inside: set[SSAValue] = set(op.body.block.args)
    used: dict[SSAValue, None] = {}
    for inner in op.body.walk():
        inside.update(inner.results)
        inside.update(arg for region in inner.regions for block in region.blocks for arg in block.args)
        used.update(dict.fromkeys(inner.operands))
    return [value for value in used if value not in inside]
