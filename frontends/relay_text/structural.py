"""Equality and hash of what programs say, not of how they name it.

Both look at one canonical form: the list of a program's nodes, each written down when it is first met, as its kind and
the numbers of its parts. Variables are numbers too, so names of bound variables do not count; a node that is used twice
has one number, so sharing counts (it says how often something is computed). Tuples, projections and leaves, whose
copies cannot be told apart, are numbered by what they say. Types that inference found, type arguments of calls and
spans do not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from xrelay.errors import XRelayError
from xrelay.frontends.relay_text.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Op,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    Program,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    TypeData,
    Var,
)
from xrelay.frontends.relay_text.printer import expr_text
from xrelay.frontends.relay_text.traversal import Walk, run
from xrelay.frontends.relay_text.types import (
    FuncType,
    GlobalTypeVar,
    Hole,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)

Key = tuple[Any, ...]
"""What a node says: nested tuples of strings, integers and None."""


def structural_equal(a: Program | Expr | Type, b: Program | Expr | Type, map_free_vars: bool = False) -> bool:
    """Whether both say the same.

    A free variable equals itself alone; with `map_free_vars`, the first one of `a` stands for the first one of `b`, and
    so on.
    """
    return _Canonical(a, map_free_vars).keys == _Canonical(b, map_free_vars).keys


def assert_structural_equal(a: Program | Expr | Type, b: Program | Expr | Type, map_free_vars: bool = False) -> None:
    """Raises AssertionError that shows the first difference."""
    left, right = _Canonical(a, map_free_vars), _Canonical(b, map_free_vars)
    if left.keys == right.keys:
        return
    pairs = enumerate(zip(left.keys, right.keys, strict=False))
    place = next((i for i, (x, y) in pairs if x != y), min(len(left.keys), len(right.keys)))
    raise AssertionError(f"not structurally equal: {left.describe(place)}\nagainst {right.describe(place)}")


def structural_hash(value: Program | Expr | Type) -> int:
    """The same number for values that are equal (with mapped free variables), also in another process."""
    digest = hashlib.blake2b(digest_size=8)
    for key in _Canonical(value, map_free_vars=True).keys:
        digest.update(repr(key).encode(errors="surrogatepass"))
    return int.from_bytes(digest.digest(), "little")


class _Canonical:
    """The canonical form: `keys`, and the node that each belongs to."""

    def __init__(self, value: Program | Expr | Type, map_free_vars: bool):
        self.keys: list[Key] = []
        self._sources: list[Any] = []
        self._map_free_vars = map_free_vars
        self._visited: dict[Expr, int] = {}
        self._by_key: dict[Key, int] = {}
        self._variables: dict[Var, int] = {}
        self._free: dict[Var, int] = {}
        self._type_vars: dict[str, int] = {}
        self._type_var_count = 0
        if isinstance(value, Program):
            self._program(value)
        elif isinstance(value, Expr):
            run(self._node(value))
        else:
            self._add(("type", self._type(value)), value)

    def describe(self, place: int) -> str:
        """The node at a place of the list, for a message."""
        if place == len(self.keys):
            return "nothing more"
        source, said = self._sources[place], " ".join(map(str, self.keys[place]))
        if not isinstance(source, Expr):
            return said
        text = expr_text(source, show_meta_data=False).rstrip().split("\n")[-1]
        return f"`{text}`{f' at {source.span}' if source.span else ''} ({said})"

    def _add(self, key: Key, source: Any) -> int:
        self.keys.append(key)
        self._sources.append(source)
        return len(self.keys) - 1

    def _interned(self, key: Key, source: Any) -> int:
        """The number of what the key says, wherever it stands."""
        if key not in self._by_key:
            self._by_key[key] = self._add(key, source)
        return self._by_key[key]

    # Programs --------------------------------------------------------------------------------------------------------

    def _program(self, program: Program) -> None:
        self._add(("program", _attrs_key(program.attrs)), program)
        for _, definition in sorted(program.type_definitions.items()):
            self._type_definition(definition)
        for name, function in sorted(program.functions.items()):
            self._add(("def", name), function)
            # A node of two functions is a node of each.
            self._visited.clear()
            run(self._node(function))

    def _type_definition(self, definition: TypeData) -> None:
        with self._type_scope(definition.type_vars):
            constructors = tuple((c.name_hint, tuple(map(self._type, c.inputs))) for c in definition.constructors)
        self._add(("type", definition.header.name, len(definition.type_vars), constructors), definition)

    # Expressions -----------------------------------------------------------------------------------------------------

    def _node(self, expr: Expr) -> Walk[int]:
        """The number of a node, which is written down if it is new."""
        if expr in self._visited:
            return self._visited[expr]
        match expr:
            case Var():
                return self._variable(expr)
            case Op():
                return self._interned(("op", expr.name), expr)
            case GlobalVar():
                return self._interned(("global", expr.name_hint), expr)
            case Constructor():
                return self._interned(("constructor", expr.belong_to.name, expr.name_hint), expr)
            case Constant():
                number = self._interned(("constant", _array_key(expr.data)), expr)
            case Tuple():
                number = self._interned(("tuple", *(yield self._nodes(expr.fields))), expr)
            case TupleGetItem():
                number = self._interned(("item", (yield self._node(expr.tuple_value)), expr.index), expr)
            case Call():
                number = self._add((yield self._call(expr)), expr)
            case Let():
                number = yield self._let(expr)
            case Function():
                number = yield self._function(expr)
            case If():
                parts = yield self._nodes((expr.cond, expr.true_branch, expr.false_branch))
                number = self._add(("if", *parts), expr)
            case Match():
                number = yield self._match(expr)
            case RefCreate():
                number = self._add(("ref", (yield self._node(expr.value))), expr)
            case RefRead():
                number = self._add(("ref_read", (yield self._node(expr.ref))), expr)
            case RefWrite():
                number = self._add(("ref_write", *(yield self._nodes((expr.ref, expr.value)))), expr)
            case _:
                raise TypeError(f"{type(expr).__name__} is no expression of Relay")
        self._visited[expr] = number
        return number

    def _nodes(self, exprs: tuple[Expr, ...]) -> Walk[list[int]]:
        numbers = []
        for expr in exprs:
            known = self._visited.get(expr)
            numbers.append(known if known is not None else (yield self._node(expr)))
        return numbers

    def _call(self, call: Call) -> Walk[Key]:
        op, *args = yield self._nodes((call.op, *call.args))
        attrs = _canonical_attrs(call)
        nodes = tuple((key, value) for key, value in sorted(attrs.items()) if isinstance(value, Expr))
        plain = {key: value for key, value in attrs.items() if not isinstance(value, Expr)}
        numbers = yield self._nodes(tuple(value for _, value in nodes))
        node_attrs = tuple((key, number) for (key, _), number in zip(nodes, numbers, strict=True))
        return ("call", op, tuple(args), _attrs_key(plain), node_attrs)

    def _let(self, let: Let) -> Walk[int]:
        with self._bound(let.var):
            var = self._variables[let.var]
            value = yield self._node(let.value)
            body = yield self._node(let.body)
        return self._add(("let", var, value, body), let)

    def _function(self, function: Function) -> Walk[int]:
        with self._type_scope(function.type_params), self._bound(*function.params):
            params = tuple(self._variables[param] for param in function.params)
            body = yield self._node(function.body)
            types = (len(function.type_params), self._type(function.ret_type))
        return self._add(("fn", params, body, types, _attrs_key(function.attrs)), function)

    def _match(self, match: Match) -> Walk[int]:
        data = yield self._node(match.data)
        clauses = []
        for clause in match.clauses:
            variables: list[Var] = []
            pattern = self._pattern(clause.lhs, variables)
            with self._bound(*variables):
                bound = tuple(self._variables[var] for var in variables)
                clauses.append((pattern, bound, (yield self._node(clause.rhs))))
        return self._add(("match", data, match.complete, tuple(clauses)), match)

    def _pattern(self, pattern: Pattern, variables: list[Var]) -> Key:
        """What a pattern says; its variables are added to the list."""
        match pattern:
            case PatternVar():
                variables.append(pattern.var)
                return ("var",)
            case PatternConstructor():
                name = (pattern.constructor.belong_to.name, pattern.constructor.name_hint)
                return (*name, *(self._pattern(inner, variables) for inner in pattern.patterns))
            case PatternTuple():
                return ("tuple", *(self._pattern(inner, variables) for inner in pattern.patterns))
        return ("_",)

    # Variables -------------------------------------------------------------------------------------------------------

    @contextmanager
    def _bound(self, *variables: Var):
        """Numbers for the variables, within the scope."""
        outer = {var: self._variables.get(var) for var in variables}
        for var in variables:
            self._variables[var] = self._add(("var", self._type(var.type_annotation)), var)
        try:
            yield
        finally:
            for var, number in outer.items():
                if number is None:
                    del self._variables[var]
                else:
                    self._variables[var] = number

    def _variable(self, var: Var) -> int:
        number = self._variables.get(var)
        if number is not None:
            return number
        if var not in self._free:
            identity = None if self._map_free_vars else id(var)
            self._free[var] = self._add(("free_var", self._type(var.type_annotation), identity), var)
        return self._free[var]

    # Types -----------------------------------------------------------------------------------------------------------

    @contextmanager
    def _type_scope(self, type_params: tuple[TypeVar, ...]):
        """Numbers for type parameters, within the scope."""
        outer = dict(self._type_vars) if type_params else self._type_vars
        for param in type_params:
            self._type_vars[param.name] = self._type_var_count
            self._type_var_count += 1
        try:
            yield
        finally:
            self._type_vars = outer

    def _type(self, value: Type | None) -> Key | str:
        """What a type says; one that is not written is a hole."""
        match value:
            case None | Hole():
                return "_"
            case TensorType(shape, dtype):
                return ("tensor", tuple(size if isinstance(size, int) else "?" for size in shape), dtype)
            case TupleType(fields):
                return ("tuple", *map(self._type, fields))
            case FuncType(arg_types, ret_type, type_params):
                with self._type_scope(type_params):
                    return ("fn", len(type_params), tuple(map(self._type, arg_types)), self._type(ret_type))
            case RefType(held):
                return ("ref", self._type(held))
            case TypeVar(name):
                return ("type_var", self._type_vars.get(name, name))
            case GlobalTypeVar(name):
                return ("adt", name)
            case TypeCall(func, args):
                return ("adt", func.name, *map(self._type, args))
        raise TypeError(f"{type(value).__name__} is no type of Relay")


# Values --------------------------------------------------------------------------------------------------------------


def _canonical_attrs(call: Call) -> Mapping[str, Any]:
    """The attributes without those that an operator has anyway; as they stand, if the operator or they are unknown."""
    if isinstance(call.op, Op):
        from xrelay.frontends.relay_text.operators import canonical_attrs, operator_class  # loads xDSL

        with suppress(XRelayError):
            return canonical_attrs(operator_class(call.op.name), call.attrs)
    return call.attrs


def _attrs_key(attrs: Mapping[str, Any]) -> Key:
    return tuple((key, _value_key(value)) for key, value in sorted(attrs.items()))


def _value_key(value: Any) -> Any:
    """What the value of an attribute says: lists and tuples are the same, 1, 1.0 and True are not."""
    match value:
        case np.generic():
            return _value_key(value.item())
        case float():
            return ("float", value.hex())
        case bool() | None:
            return str(value)
        case list() | tuple():
            return ("list", *map(_value_key, value))
        case Mapping():
            return ("map", _attrs_key(value))
        case Constant():
            return _array_key(value.data)
        case np.ndarray():
            return _array_key(value)
        case str():
            return ("str", value)
    return value


def _array_key(array: np.ndarray) -> Key:
    data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return ("array", array.dtype.name, array.shape, hashlib.blake2b(data, digest_size=16).hexdigest())
