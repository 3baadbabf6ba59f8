"""Patterns of dataflow: what an expression may look like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from xrelay.frontends.relay_text.expr import Expr, Op
from xrelay.frontends.relay_text.types import Type


class DFPattern:
    """Base of all patterns. A pattern is known by its identity: used twice, it matches the same expression twice."""

    def __call__(self, *args: DFPattern | None) -> CallPattern:
        """A call of this pattern; with the single argument None, of any arguments."""
        return CallPattern(self, None if args == (None,) else args)  # type: ignore[arg-type]

    def __or__(self, other: DFPattern) -> AltPattern:
        return AltPattern(self, other)

    def __add__(self, other: DFPattern) -> CallPattern:
        return is_op("add")(self, other)

    def __sub__(self, other: DFPattern) -> CallPattern:
        return is_op("subtract")(self, other)

    def __mul__(self, other: DFPattern) -> CallPattern:
        return is_op("multiply")(self, other)

    def __truediv__(self, other: DFPattern) -> CallPattern:
        return is_op("divide")(self, other)

    def has_attr(self, attrs: Mapping[str, Any]) -> AttrPattern:
        """With these attributes: of a call, of a function, or of an operator (its fusion kind `TOpPattern`)."""
        return AttrPattern(self, attrs)

    def has_type(self, expected: Type) -> TypePattern:
        return TypePattern(self, expected)

    def has_dtype(self, dtype: str) -> DataTypePattern:
        return DataTypePattern(self, dtype)

    def has_shape(self, shape: Sequence[Any]) -> ShapePattern:
        return ShapePattern(self, shape)

    def optional(self, option: Callable[[DFPattern], DFPattern]) -> AltPattern:
        """This pattern, with or without what `option` puts around it."""
        return option(self) | self

    def dominates(self, parent: DFPattern, path: DFPattern | None = None) -> DominatorPattern:
        """This pattern as the child that `parent` dominates."""
        return DominatorPattern(parent, path, self)

    def match(self, expr: Expr) -> bool:
        """Whether an expression is of this form."""
        from xrelay.relay.dataflow_pattern.matcher import match

        return match(self, expr)

    def rewrite(self, callback: Callable[[Expr, Expr, Any], Expr], expr: Expr) -> Expr:
        """`expr` with every match replaced by what `callback(pre, post, node_map)` gives."""
        from xrelay.relay.dataflow_pattern.rewriter import DFPatternCallback, rewrite

        once = DFPatternCallback(rewrite_once=True)
        once.pattern, once.callback = self, callback  # type: ignore[method-assign]
        return rewrite(once, expr)

    def partition(
        self, expr: Expr, attrs: Mapping[str, Any] | None = None, check: Callable[[Expr], bool] | None = None
    ) -> Expr:
        """`expr` with every match in a function of its own; see `dataflow_pattern.partition`."""
        from xrelay.relay.dataflow_pattern.partitioner import partition

        return partition(self, expr, attrs, check)

    def parts(self) -> tuple[DFPattern, ...]:
        """The patterns that this one is made of."""
        return tuple(part for value in vars(self).values() for part in _patterns_in(value))


def _patterns_in(value: Any) -> Iterator[DFPattern]:
    if isinstance(value, DFPattern):
        yield value
    elif isinstance(value, tuple):
        yield from (item for item in value if isinstance(item, DFPattern))


class WildcardPattern(DFPattern):
    """Anything."""


class VarPattern(DFPattern):
    """A variable; of this name, if one is given."""

    def __init__(self, name: str = ""):
        self.name = name


class ConstantPattern(DFPattern):
    """A constant."""


class ExprPattern(DFPattern):
    """This very expression, up to structure."""

    def __init__(self, expr: Expr):
        self.expr = expr


class CallPattern(DFPattern):
    """A call; of any arguments where they are None."""

    def __init__(self, op: DFPattern, args: Sequence[DFPattern] | None):
        self.op = op
        self.args = None if args is None else tuple(args)


class FunctionPattern(DFPattern):
    """A function; of any parameters where they are None."""

    def __init__(self, params: Sequence[DFPattern] | None, body: DFPattern):
        self.params = None if params is None else tuple(params)
        self.body = body


class TuplePattern(DFPattern):
    """A tuple; of any fields where they are None."""

    def __init__(self, fields: Sequence[DFPattern] | None):
        self.fields = None if fields is None else tuple(fields)


class TupleGetItemPattern(DFPattern):
    """A projection; of any field where the index is None."""

    def __init__(self, tuple_value: DFPattern, index: int | None = None):
        self.tuple_value = tuple_value
        self.index = index


class IfPattern(DFPattern):
    """An `if`."""

    def __init__(self, cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern):
        self.cond = cond
        self.true_branch = true_branch
        self.false_branch = false_branch


class LetPattern(DFPattern):
    """A `let`."""

    def __init__(self, var: DFPattern, value: DFPattern, body: DFPattern):
        self.var = var
        self.value = value
        self.body = body


class AltPattern(DFPattern):
    """One of two, the left one first."""

    def __init__(self, left: DFPattern, right: DFPattern):
        self.left = left
        self.right = right


class AttrPattern(DFPattern):
    """A pattern with attributes."""

    def __init__(self, pattern: DFPattern, attrs: Mapping[str, Any]):
        self.pattern = pattern
        self.attrs = dict(attrs)


class TypePattern(DFPattern):
    """A pattern of a type."""

    def __init__(self, pattern: DFPattern, expected: Type):
        self.pattern = pattern
        self.expected = expected


class DataTypePattern(DFPattern):
    """A tensor of a dtype."""

    def __init__(self, pattern: DFPattern, dtype: str):
        self.pattern = pattern
        self.dtype = dtype


class ShapePattern(DFPattern):
    """A tensor of a shape."""

    def __init__(self, pattern: DFPattern, shape: Sequence[Any]):
        self.pattern = pattern
        self.shape = tuple(shape)


class DominatorPattern(DFPattern):
    """A child below a parent, with nothing but `path` between them.

    All that is computed from the parent, and from the path behind it, goes through the path to the child.
    """

    def __init__(self, parent: DFPattern, path: DFPattern | None, child: DFPattern):
        self.parent = parent
        self.path = wildcard() if path is None else path
        self.child = child


# What users write ----------------------------------------------------------------------------------------------------


def wildcard() -> WildcardPattern:
    """Anything."""
    return WildcardPattern()


def is_var(name: str = "") -> VarPattern:
    """A variable, perhaps of a name."""
    return VarPattern(name)


def is_constant() -> ConstantPattern:
    """A constant."""
    return ConstantPattern()


def is_expr(expr: Expr) -> ExprPattern:
    """An expression equal to this one."""
    return ExprPattern(expr)


def is_op(name: str) -> ExprPattern:
    """An operator; called, a call of it: `is_op("add")(wildcard(), wildcard())`.

    Raises UnsupportedError, listing close names, for an operator that there is not.
    """
    from xrelay.relay.op import get

    return ExprPattern(get(name))


def is_tuple(fields: Sequence[DFPattern] | None = None) -> TuplePattern:
    """A tuple; of any fields without them."""
    return TuplePattern(fields)


def is_tuple_get_item(tuple_value: DFPattern, index: int | None = None) -> TupleGetItemPattern:
    """A projection; of any field without an index."""
    return TupleGetItemPattern(tuple_value, index)


def is_if(cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> IfPattern:
    """An `if`."""
    return IfPattern(cond, true_branch, false_branch)


def is_let(var: DFPattern, value: DFPattern, body: DFPattern) -> LetPattern:
    """A `let`."""
    return LetPattern(var, value, body)


def has_type(expected: Type, pattern: DFPattern | None = None) -> TypePattern:
    """Anything of a type."""
    return (pattern or wildcard()).has_type(expected)


def has_dtype(dtype: str, pattern: DFPattern | None = None) -> DataTypePattern:
    """A tensor of a dtype."""
    return (pattern or wildcard()).has_dtype(dtype)


def has_shape(shape: Sequence[Any], pattern: DFPattern | None = None) -> ShapePattern:
    """A tensor of a shape."""
    return (pattern or wildcard()).has_shape(shape)


def has_attr(attrs: Mapping[str, Any], pattern: DFPattern | None = None) -> AttrPattern:
    """Anything with attributes."""
    return (pattern or wildcard()).has_attr(attrs)


def dominates(parent: DFPattern, path: DFPattern, child: DFPattern) -> DominatorPattern:
    """A child below a parent, with nothing but `path` between them."""
    return DominatorPattern(parent, path, child)


def all_parts(pattern: DFPattern) -> Iterator[DFPattern]:
    """A pattern and all that it is made of."""
    yield pattern
    for part in pattern.parts():
        yield from all_parts(part)


def operator_of(pattern: DFPattern) -> Op | None:
    """The operator that a pattern stands for, if it is one."""
    return pattern.expr if isinstance(pattern, ExprPattern) and isinstance(pattern.expr, Op) else None
