"""Patterns of dataflow as patterns of the dialect's operators, for the passes that work on its modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xrelay.dialects.relay.attributes import DTYPE
from xrelay.dialects.relay.types import element_of
from xrelay.errors import UnsupportedError
from xrelay.frontends.relay_text.operators import operator_class
from xrelay.lowering.graph.op_pattern import Anything, Either, IsArgument, IsConstant, Operator, OpPattern, Typed
from xrelay.relay.dataflow_pattern import patterns as p


def operator_pattern(pattern: p.DFPattern) -> OpPattern:
    """The same pattern over operators.

    Calls of operators, constants, variables, wildcards, tuples as operands, projections of calls, alternatives, and
    constraints of attributes, dtypes and shapes. Raises UnsupportedError for the others.
    """
    return _Translation().translate(pattern)


class _Translation:
    """A pattern that is used twice stays one pattern."""

    def __init__(self) -> None:
        self._known: dict[p.DFPattern, OpPattern] = {}

    def translate(self, pattern: p.DFPattern) -> OpPattern:
        if pattern not in self._known:
            self._known[pattern] = self._new(pattern)
        return self._known[pattern]

    def _new(self, pattern: p.DFPattern) -> OpPattern:
        match pattern:
            case p.WildcardPattern():
                return Anything()
            case p.ConstantPattern():
                return IsConstant()
            case p.VarPattern():
                return IsArgument(pattern.name)
            case p.AltPattern():
                return Either(self.translate(pattern.left), self.translate(pattern.right))
            case p.DataTypePattern():
                return Typed(self.translate(pattern.pattern), element=element_of(pattern.dtype))
            case p.ShapePattern():
                return Typed(self.translate(pattern.pattern), shape=pattern.shape)
            case p.AttrPattern(pattern=p.CallPattern() as call):
                return self._call(call, attrs=pattern.attrs)
            case p.TupleGetItemPattern(tuple_value=p.CallPattern() as call):
                return self._call(call, result=pattern.index)
            case p.CallPattern():
                return self._call(pattern)
        raise UnsupportedError(f"{type(pattern).__name__} is no pattern of operators, which passes on modules look for")

    def _call(self, call: p.CallPattern, attrs: Mapping[str, Any] | None = None, result: int | None = None) -> Operator:
        operator = p.operator_of(call.op)
        if operator is None:
            raise UnsupportedError("a pattern of operators calls operators only, by name")
        operands = None if call.args is None else self._operands(call.args)
        return Operator(operator.name, operands, _encoded(operator.name, attrs or {}), result)

    def _operands(self, args: Sequence[p.DFPattern]) -> list[OpPattern] | None:
        """An operator of the dialect reads the fields of a tuple as they are."""
        if len(args) == 1 and isinstance(args[0], p.TuplePattern):
            return None if args[0].fields is None else self._operands(args[0].fields)
        return [self.translate(arg) for arg in args]


def _encoded(name: str, attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as the dialect has them: dtypes are element types."""
    schema = operator_class(name).SCHEMA
    return {
        key: element_of(value) if key in schema and schema[key].kind is DTYPE and isinstance(value, str) else value
        for key, value in attrs.items()
    }
