"""The expressions of the Relay language, as trees that share nodes.

A node used twice is computed once. Identity is the object's: two `Var`s of one name are different variables.
`checked_type` is filled in by type inference; `span` says where the expression was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xrelay.errors import InputError
from xrelay.frontends.relay_text.types import FuncType, GlobalTypeVar, Type, TypeCall, TypeVar


@dataclass(frozen=True)
class Span:
    """A place in a source text, counted from 1."""

    source: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


class Expr:
    """Base of all expressions. The operators of Python build calls of `add`, `multiply`, `less` …"""

    __slots__ = ("checked_type", "span")

    def __init__(self, span: Span | None = None):
        self.checked_type: Type | None = None
        self.span = span

    def __call__(self, *args: Expr) -> Call:
        """A call of this expression: of a function, a global, a constructor, a variable of function type."""
        return Call(self, args)

    def __add__(self, other: Expr) -> Call:
        return _binary("add", self, other)

    def __sub__(self, other: Expr) -> Call:
        return _binary("subtract", self, other)

    def __mul__(self, other: Expr) -> Call:
        return _binary("multiply", self, other)

    def __truediv__(self, other: Expr) -> Call:
        return _binary("divide", self, other)

    def __lt__(self, other: Expr) -> Call:
        return _binary("less", self, other)

    def __le__(self, other: Expr) -> Call:
        return _binary("less_equal", self, other)

    def __gt__(self, other: Expr) -> Call:
        return _binary("greater", self, other)

    def __ge__(self, other: Expr) -> Call:
        return _binary("greater_equal", self, other)

    def __neg__(self) -> Call:
        return Call(Op("negative"), [self])

    def __radd__(self, other: Any) -> Call:
        return _binary("add", other, self)

    def __rsub__(self, other: Any) -> Call:
        return _binary("subtract", other, self)

    def __rmul__(self, other: Any) -> Call:
        return _binary("multiply", other, self)

    def __rtruediv__(self, other: Any) -> Call:
        return _binary("divide", other, self)

    def astype(self, dtype: str) -> Call:
        """The same numbers in another dtype."""
        return Call(Op("cast"), [self], {"dtype": dtype})

    def astext(self, show_meta_data: bool = True, annotate: Any = None) -> str:
        """The expression as Relay text."""
        from xrelay.frontends.relay_text.printer import expr_text

        return expr_text(self, show_meta_data=show_meta_data, annotate=annotate)

    def __str__(self) -> str:
        return self.astext(show_meta_data=False)


def _binary(name: str, lhs: Any, rhs: Any) -> Call:
    for operand in (lhs, rhs):
        if not isinstance(operand, Expr):
            raise InputError(
                f"{name} takes expressions, got {operand!r}; relay.const({operand!r}, dtype) makes one of a number"
            )
    return Call(Op(name), [lhs, rhs])


class Var(Expr):
    """A local variable, `%x`."""

    __slots__ = ("name_hint", "type_annotation")

    def __init__(self, name_hint: str, type_annotation: Type | None = None, span: Span | None = None):
        super().__init__(span)
        self.name_hint = name_hint
        self.type_annotation = type_annotation


class GlobalVar(Expr):
    """The name of a function of the module, `@main`."""

    __slots__ = ("name_hint",)

    def __init__(self, name_hint: str, span: Span | None = None):
        super().__init__(span)
        self.name_hint = name_hint


class Op(Expr):
    """An operator, by Relay's name (`nn.conv2d`)."""

    __slots__ = ("name",)

    def __init__(self, name: str, span: Span | None = None):
        super().__init__(span)
        self.name = name


class Constant(Expr):
    """A tensor known when the program is written."""

    __slots__ = ("data",)

    def __init__(self, data: np.ndarray, span: Span | None = None):
        super().__init__(span)
        self.data = np.asarray(data)


class Tuple(Expr):
    """`(a, b)`; `()` is unit."""

    __slots__ = ("fields",)

    def __init__(self, fields: Sequence[Expr], span: Span | None = None):
        super().__init__(span)
        self.fields = tuple(fields)

    def __getitem__(self, index: int) -> Expr:
        return self.fields[index]

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.fields)


class TupleGetItem(Expr):
    """`%t.0`"""

    __slots__ = ("index", "tuple_value")

    def __init__(self, tuple_value: Expr, index: int, span: Span | None = None):
        super().__init__(span)
        self.tuple_value = tuple_value
        self.index = index


class Call(Expr):
    """`f(a, b)`: f is an operator, a global, a constructor, or any expression of function type.

    One that is known to give a tuple can be taken apart: `a, b = relay.split(x, 2)`.
    """

    __slots__ = ("args", "attrs", "num_fields", "op", "type_args")

    def __init__(
        self,
        op: Expr,
        args: Sequence[Expr],
        attrs: Mapping[str, Any] | None = None,
        type_args: Sequence[Type] = (),
        span: Span | None = None,
        num_fields: int | None = None,
    ):
        super().__init__(span)
        self.op = op
        self.args = tuple(args)
        self.attrs = dict(attrs or {})
        self.type_args = tuple(type_args)
        self.num_fields = num_fields
        """Of how many fields the result is, where whoever built the call knew it to be a tuple."""

    def __getitem__(self, index: int) -> TupleGetItem:
        if self.num_fields is None:
            raise InputError("it is not known how many fields the call gives; write relay.TupleGetItem(call, index)")
        if not 0 <= index < self.num_fields:
            raise IndexError(f"field {index} of a tuple of {self.num_fields}")
        return TupleGetItem(self, index)

    def __iter__(self) -> Iterator[TupleGetItem]:
        if self.num_fields is None:
            raise InputError("it is not known how many fields the call gives; write relay.TupleGetItem(call, index)")
        return (self[i] for i in range(self.num_fields))


class Let(Expr):
    """`let %x = value; body`. A function as the value may use the variable: it is recursive."""

    __slots__ = ("body", "value", "var")

    def __init__(self, var: Var, value: Expr, body: Expr, span: Span | None = None):
        super().__init__(span)
        self.var = var
        self.value = value
        self.body = body


class Function(Expr):
    """`fn (%x: T) -> R { body }`."""

    __slots__ = ("attrs", "body", "params", "ret_type", "type_params")

    def __init__(
        self,
        params: Sequence[Var],
        body: Expr,
        ret_type: Type | None = None,
        type_params: Sequence[TypeVar] = (),
        attrs: Mapping[str, Any] | None = None,
        span: Span | None = None,
    ):
        super().__init__(span)
        self.params = tuple(params)
        self.body = body
        self.ret_type = ret_type
        self.type_params = tuple(type_params)
        self.attrs = dict(attrs or {})

    def with_attr(self, key: str, value: Any) -> Function:
        """The same function with one more attribute."""
        attrs = {**self.attrs, key: value}
        return Function(self.params, self.body, self.ret_type, self.type_params, attrs, self.span)


class If(Expr):
    """`if (cond) { … } else { … }`; the condition is a scalar bool."""

    __slots__ = ("cond", "false_branch", "true_branch")

    def __init__(self, cond: Expr, true_branch: Expr, false_branch: Expr, span: Span | None = None):
        super().__init__(span)
        self.cond = cond
        self.true_branch = true_branch
        self.false_branch = false_branch


class RefCreate(Expr):
    """`ref(e)`: a new cell."""

    __slots__ = ("value",)

    def __init__(self, value: Expr, span: Span | None = None):
        super().__init__(span)
        self.value = value


class RefRead(Expr):
    """`ref_read(r)`"""

    __slots__ = ("ref",)

    def __init__(self, ref: Expr, span: Span | None = None):
        super().__init__(span)
        self.ref = ref


class RefWrite(Expr):
    """`ref_write(r, v)`: unit."""

    __slots__ = ("ref", "value")

    def __init__(self, ref: Expr, value: Expr, span: Span | None = None):
        super().__init__(span)
        self.ref = ref
        self.value = value


# Algebraic data types ------------------------------------------------------------------------------------------------


class Constructor(Expr):
    """A constructor of a type definition: `Cons` of `List`. Called, it makes a value."""

    __slots__ = ("belong_to", "inputs", "name_hint", "tag")

    def __init__(self, name_hint: str, inputs: Sequence[Type], belong_to: GlobalTypeVar, tag: int = 0):
        super().__init__()
        self.name_hint = name_hint
        self.inputs = tuple(inputs)
        self.belong_to = belong_to
        self.tag = tag
        """Its number among the constructors of its type."""


@dataclass(eq=False)
class TypeData:
    """`type List[A] { Cons(A, List[A]), Nil, }`; without constructors it is extern."""

    header: GlobalTypeVar
    type_vars: tuple[TypeVar, ...]
    constructors: tuple[Constructor, ...]

    def constructor_type(self, constructor: Constructor) -> FuncType:
        """The generic function type of one of the constructors."""
        return FuncType(constructor.inputs, TypeCall(self.header, self.type_vars), self.type_vars)


class Pattern:
    """What a clause of a match compares with."""


@dataclass(eq=False)
class PatternWildcard(Pattern):
    """`_`"""


@dataclass(eq=False)
class PatternVar(Pattern):
    """`%x`: anything, bound to a variable."""

    var: Var


@dataclass(eq=False)
class PatternConstructor(Pattern):
    """`Cons(%h, _)`"""

    constructor: Constructor
    patterns: tuple[Pattern, ...] = ()


@dataclass(eq=False)
class PatternTuple(Pattern):
    """`(%a, %b)`"""

    patterns: tuple[Pattern, ...] = ()


@dataclass(eq=False)
class Clause:
    """`pattern => expression`"""

    lhs: Pattern
    rhs: Expr


class Match(Expr):
    """`match (data) { … }`; `match?` where not every value need have a clause."""

    __slots__ = ("clauses", "complete", "data")

    def __init__(self, data: Expr, clauses: Sequence[Clause], complete: bool = True, span: Span | None = None):
        super().__init__(span)
        self.data = data
        self.clauses = tuple(clauses)
        self.complete = complete


class Program:
    """The functions and type definitions of a module, by name: what a source file holds."""

    def __init__(
        self,
        functions: Mapping[str, Function] | None = None,
        type_definitions: Mapping[str, TypeData] | None = None,
        attrs: Mapping[str, Any] | None = None,
    ):
        self.functions = dict(functions or {})
        self.type_definitions = dict(type_definitions or {})
        self.attrs = dict(attrs or {})
        self.global_vars: dict[str, GlobalVar] = {name: GlobalVar(name) for name in self.functions}
