"""What stands in expressions and holds none: leaves, patterns, parameters, attributes; and the scopes of variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

import numpy as np

from xrelay.errors import UnsupportedError
from xrelay.frontends.relay_text.diagnostics import Diagnostics
from xrelay.frontends.relay_text.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    GlobalVar,
    Op,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    Var,
)
from xrelay.frontends.relay_text.lexer import Token
from xrelay.frontends.relay_text.literals import read_number, read_scalar
from xrelay.frontends.relay_text.metadata import CONSTANT, Metadata
from xrelay.frontends.relay_text.names import SPECIAL_FLOATS, unquoted
from xrelay.frontends.relay_text.type_parser import TypeParser, Unparsable, close_names
from xrelay.frontends.relay_text.types import Type

_TYPE_ENDS = frozenset({"=", ";", "{", "}", "=>", "end"})


@cache
def operator_names() -> Mapping[str, str]:
    """Every name of an operator that a text may use → Relay's name. Old texts leave out `nn.`."""
    from xrelay.frontends.relay_text.operators import operators  # loads xDSL

    short = {name.removeprefix("nn."): name for name in operators() if name.startswith("nn.")}
    return short | {name: name for name in operators()}


class LeafParser(TypeParser):
    """Reads what holds no expressions."""

    def __init__(self, tokens: list[Token], diagnostics: Diagnostics, metadata: Metadata):
        super().__init__(tokens, diagnostics, metadata)
        self._variables: dict[str, list[Var]] = {}
        """Name → the variables of that name in scope, the innermost last."""
        self._in_scope: list[str] = []
        """The bound names, in order: scopes end by taking names off."""
        self._graph: dict[str, Expr] = {}
        """`%0` → the node. There is one table for a text: a node may be used where no scope reaches."""
        self._constructors: dict[str, Constructor] = {}
        self._globals: dict[str, GlobalVar] = {}
        self._defined: set[str] = set()
        """The names of the functions that the text (or the program that it extends) defines."""

    # Scopes ----------------------------------------------------------------------------------------------------------

    def _bind(self, var: Var) -> None:
        self._variables.setdefault(var.name_hint, []).append(var)
        self._in_scope.append(var.name_hint)

    def _unbind(self, mark: int) -> None:
        """Ends the scopes of the variables bound since `mark`, a former length of `_in_scope`."""
        while len(self._in_scope) > mark:
            self._variables[self._in_scope.pop()].pop()

    # Leaves ----------------------------------------------------------------------------------------------------------

    def _leaf(self) -> Expr:
        """A variable, a node of the graph, a global, an operator, a constructor or a constant."""
        token = self.token
        match token.kind:
            case "local":
                return self._variable()
            case "graph":
                return self._graph_node()
            case "global":
                return self._global()
            case "number" | "-":
                return self._scalar()
            case "meta":
                value = self._meta()
                if not isinstance(value, Constant):
                    self._abort(f"expected a constant, meta[{CONSTANT}][…]", token)
                return value
            case "name" if token.text in SPECIAL_FLOATS:
                return self._scalar()
            case "name" if token.text in ("True", "False"):
                return Constant(np.array(self._next().text == "True"), self._span(token))
            case "name" | "quoted" if token.text != "_":
                return self._named()
        self._abort(f"expected an expression, found {token}")

    def _scalar(self) -> Constant:
        span = self._span()
        return Constant(self._number(read_scalar), span)

    def _variable(self) -> Expr:
        token = self._next()
        name = self._checked(lambda: unquoted(token.text[1:]), token)
        found = self._variables.get(name)
        if found:
            return found[-1]
        hint = "; write `/` between blanks to divide" if "/" in name else ""
        close = get_close_matches(name, [known for known, variables in self._variables.items() if variables])
        self._fault(f"there is no variable {token.text} here{close_names([f'%{n}' for n in close]) or hint}", token)
        return Var(name, span=self._span(token))

    def _graph_node(self) -> Expr:
        token = self._next()
        if token.text not in self._graph:
            self._fault(f"{token.text} is used before `{token.text} = …;`", token)
            return Var("", span=self._span(token))
        return self._graph[token.text]

    def _global(self) -> Expr:
        """A global function; one that is called, is not defined and has an operator's name is the operator."""
        token = self._next()
        name = self._checked(lambda: unquoted(token.text[1:]), token)
        if name not in self._defined and self.token.kind == "(" and name in operator_names():
            return Op(operator_names()[name], self._span(token))
        if name not in self._globals:
            self._globals[name] = GlobalVar(name, self._span(token))
        return self._globals[name]

    def _named(self) -> Expr:
        """A constructor (called, if it takes nothing) or an operator."""
        token = self._next()
        name, span = self._name_of(token), self._span(token)
        constructor = self._constructors.get(name)
        if constructor is not None:
            nullary = not constructor.inputs and self.token.kind != "("
            return Call(constructor, [], span=span) if nullary else constructor
        if name not in operator_names():
            self._fault(self._unknown_name(name), token)
        return Op(operator_names().get(name, name), span)

    def _unknown_name(self, name: str) -> str:
        from xrelay.frontends.relay_text.operators import operator_class

        if name in self._variables or name in self._globals or name in self._defined:
            sigil = "%" if name in self._variables else "@"
            return f"there is no operator {name}; expected {sigil}{name}, with its `{sigil}`"
        try:
            operator_class(name)
        except UnsupportedError as error:
            return str(error)
        raise AssertionError(name)

    # Variables that are bound ----------------------------------------------------------------------------------------

    def _typed_variable(self, what: str) -> Var:
        """`%x: T`"""
        token = self.token
        if token.kind == "graph":
            self._abort(f"expected {what}: {token} is a number, and numbers name nodes of the graph")
        if token.kind != "local":
            self._abort(f"expected {what}, `%name`, found {token}")
        self._next()
        var = Var(self._checked(lambda: unquoted(token.text[1:]), token), span=self._span(token))
        if self.token.kind == "{":
            self._skip_virtual_device()
        if self._accept(":"):
            var.type_annotation = self._annotation()
        return var

    def _annotation(self) -> Type | None:
        """The type behind a variable; a fault in it costs no more than it."""
        start = self.position
        try:
            return self._type()
        except Unparsable:
            self._skip_type(start)
            return None

    def _skip_type(self, start: int) -> None:
        """Goes behind the type that began at `start` and holds a fault here."""
        fault, depth = self.position, 0
        for position in range(start, len(self._tokens)):
            kind = self._tokens[position].kind
            if kind in _TYPE_ENDS or (position >= fault and depth == 0 and kind == ","):
                break
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(kind, 0)
            if depth < 0:
                break
        self._seek(position)

    def _skip_virtual_device(self) -> None:
        """`{virtual_device=…}` behind a parameter: read and left out, there is one device."""
        self._next()
        self._list(lambda: self._attribute({}), "}", "attributes of a variable")

    def _parameters(self) -> tuple[list[Var], dict[str, Any]]:
        """The parameters, bound from here on, and the attributes between them."""
        params: list[Var] = []
        attrs: dict[str, Any] = {}
        names: set[str] = set()

        def parameter() -> None:
            if self._at_attribute():
                self._attribute(attrs)
                return
            token = self.token
            var = self._typed_variable("a parameter")
            if var.name_hint in names:
                self._fault(f"the function has another parameter {token.text}", token)
            names.add(var.name_hint)
            params.append(var)
            self._bind(var)

        self._list(parameter, ")", "parameters")
        return params, attrs

    # Patterns --------------------------------------------------------------------------------------------------------

    def _pattern(self) -> Pattern:
        token = self.token
        if token.kind == "local":
            var = self._typed_variable("a variable")
            self._bind(var)
            return PatternVar(var)
        if token.kind == "(":
            self._next()
            return PatternTuple(tuple(self._list(self._pattern, ")", "patterns")))
        if token.kind == "name" and token.text == "_":
            self._next()
            return PatternWildcard()
        if token.kind not in ("name", "quoted"):
            self._abort(f"expected a pattern: `_`, `%name`, a constructor or a tuple, found {token}")
        name = self._bare_name("a constructor")
        patterns = tuple(self._list(self._pattern, ")", "patterns")) if self._accept("(") else ()
        constructor = self._constructors.get(name)
        if constructor is None:
            close = get_close_matches(name, self._constructors)
            self._fault(f"there is no constructor {name}{close_names(close)}", token)
            return PatternWildcard()
        return PatternConstructor(constructor, patterns)

    # Attributes ------------------------------------------------------------------------------------------------------

    def _at_attribute(self) -> bool:
        return self.following.kind == "=" and self.token.kind not in ("local", "graph", "global")

    def _attribute(self, attrs: dict[str, Any]) -> None:
        """`key=value`, into `attrs`."""
        token = self._next()
        if token.kind not in ("name", "quoted"):
            self._abort(f"expected the name of an attribute, found {token}", token)
        name = self._name_of(token)
        self._expect("=", f"behind the attribute {name}")
        if name in attrs:
            self._fault(f"the attribute {name} is given twice", token)
        attrs[name] = self._attribute_value()

    def _attribute_object(self, attrs: dict[str, Any]) -> None:
        """`meta[attrs.X][0]`: all attributes of a call at once."""
        token = self.token
        entry = self._meta()
        if not isinstance(entry, dict):
            self._abort("expected an object among the metadata: attributes by name", token)
        attrs.update(entry)

    def _attribute_value(self) -> Any:
        token = self.token
        match token.kind:
            case "[":
                self._next()
                return self._list(self._attribute_value, "]", "values")
            case "(":
                self._next()
                values = self._list(self._attribute_value, ")", "values")
                return values[0] if len(values) == 1 else values
            case "string":
                return self._next().text[1:-1]
            case "meta":
                return self._meta()
            case "local" | "graph" | "global":
                return self._leaf()
            case "name" if token.text in ("True", "False", "None", "nullptr"):
                return {"True": True, "False": False}.get(self._next().text)
            case "number" | "-":
                return self._number(read_number)
            case "name" if token.text in SPECIAL_FLOATS:
                return self._number(read_number)
        self._abort(f"expected a value: a number, True, False, None, a list, or a string in quotes; found {token}")

    def _number(self, read: Callable[[str, bool], Any]) -> Any:
        """A literal with the minus signs before it; an even number of them cancels out."""
        signs = 0
        while self._accept("-"):
            signs += 1
        token = self.token
        if token.kind != "number" and token.text not in SPECIAL_FLOATS:
            self._abort(f"expected a number behind `-`, found {token}; negative(…) is for other expressions")
        self._next()
        return self._checked(lambda: read(token.text, signs % 2 == 1), token)
