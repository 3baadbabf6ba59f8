"""The cursor over the tokens, and the types."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NoReturn

from xrelay.frontends.relay_text.diagnostics import Diagnostics
from xrelay.frontends.relay_text.expr import Span
from xrelay.frontends.relay_text.lexer import META, Token
from xrelay.frontends.relay_text.literals import read_number
from xrelay.frontends.relay_text.metadata import Metadata
from xrelay.frontends.relay_text.names import RESERVED, unquoted
from xrelay.frontends.relay_text.types import (
    ANY,
    Dim,
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

MAX_DEPTH = 100
"""How deep types, patterns and lists may be nested. Expressions may be nested at will."""
_DTYPE = re.compile(r"(?:u?int|b?float)\d+(?:x\d+)?|bool")


class Unparsable(Exception):
    """The rule at hand cannot read the text; the fault is noted. Caught where reading can go on."""


class Cursor:
    """A place in a list of tokens, and where faults are noted."""

    def __init__(self, tokens: list[Token], diagnostics: Diagnostics, metadata: Metadata):
        self._tokens = tokens
        self._diagnostics = diagnostics
        self._metadata = metadata
        self._depth = 0
        self.position = 0
        self.token: Token = tokens[0]

    def _seek(self, position: int) -> None:
        self.position = position
        self.token = self._tokens[position]

    @property
    def following(self) -> Token:
        """The token behind the current one."""
        return self._tokens[min(self.position + 1, len(self._tokens) - 1)]

    def _next(self) -> Token:
        """The current token, which is left behind (the last one is not)."""
        token = self.token
        if self.position + 1 < len(self._tokens):
            self.position += 1
            self.token = self._tokens[self.position]
        return token

    def _accept(self, kind: str) -> bool:
        if self.token.kind == kind:
            self._next()
            return True
        return False

    def _expect(self, kind: str, where: str) -> Token:
        if self.token.kind != kind:
            self._abort(f"expected `{kind}` {where}, found {self.token}")
        return self._next()

    def _span(self, token: Token | None = None) -> Span:
        return self._diagnostics.source.span((token or self.token).start)

    def _fault(self, message: str, token: Token | None = None) -> None:
        token = self.token if token is None else token
        self._diagnostics.add(token.start, len(token.text), message)

    def _abort(self, message: str, token: Token | None = None) -> NoReturn:
        self._fault(message, token)
        raise Unparsable

    def _checked(self, read: Callable[[], Any], token: Token) -> Any:
        """What `read` gives; its ValueError is a fault at the token."""
        try:
            return read()
        except (ValueError, RecursionError) as error:
            self._abort(str(error), token)

    # What types, patterns and attributes share -----------------------------------------------------------------------

    def _list(self, item: Callable[[], Any], end: str, what: str) -> list[Any]:
        """Items with commas between them up to `end`, which is left behind; a comma may stand behind the last one."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._abort(f"{what} are nested more than {MAX_DEPTH} deep")
        try:
            items = []
            while self.token.kind != end:
                items.append(item())
                if not self._accept(","):
                    break
            self._expect(end, f"or `,` in a list of {what}")
            return items
        finally:
            self._depth -= 1

    def _name_of(self, token: Token) -> str:
        """The name in a token that holds one."""
        if token.kind == "name":
            return token.text
        return self._checked(lambda: unquoted(token.text[1:]), token)

    def _bare_name(self, what: str) -> str:
        """The name of a type, a type parameter or a constructor."""
        token = self.token
        if token.kind != "quoted" and (token.kind != "name" or "." in token.text or token.text in RESERVED):
            self._abort(f"expected the name of {what}, found {token}")
        return self._name_of(self._next())

    def _meta(self) -> Any:
        """The entry that the `meta[key][index]` here refers to."""
        token = self._next()
        match = META.fullmatch(token.text)
        assert match is not None
        return self._checked(lambda: self._metadata.entry(match[1], int(match[2])), token)


class TypeParser(Cursor):
    """Reads types."""

    def __init__(self, tokens: list[Token], diagnostics: Diagnostics, metadata: Metadata):
        super().__init__(tokens, diagnostics, metadata)
        self._type_names: dict[str, GlobalTypeVar] = {}
        self._type_params: list[str] = []

    def _type(self) -> Type:
        token = self.token
        match token.kind:
            case "fn":
                return self._function_type()
            case "ref":
                self._next()
                self._expect("(", "behind `ref`")
                (held, *more) = self._list(self._type, ")", "types") or [None]
                if held is None or more:
                    self._abort("`ref` holds one type", token)
                return RefType(held)
            case "(":
                return self._tuple_type()
            case "name" | "quoted":
                return self._named_type()
        self._abort(f"expected a type, found {token}")

    def _function_type(self) -> Type:
        self._next()
        outer = len(self._type_params)
        type_params = self._optional_type_params()
        self._expect("(", "before the types of the arguments")
        arg_types = self._list(self._type, ")", "types")
        self._expect("->", "before the type of the result")
        ret_type = self._nested(self._type)
        del self._type_params[outer:]
        return FuncType(tuple(arg_types), ret_type, type_params)

    def _nested(self, read: Callable[[], Type]) -> Type:
        """One level deeper: `fn () -> fn () -> …` has no list that counts."""
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                self._abort(f"types are nested more than {MAX_DEPTH} deep")
            return read()
        finally:
            self._depth -= 1

    def _optional_type_params(self) -> tuple[TypeVar, ...]:
        """`[A, B]`: they are names of types from here on, until the caller takes them off `_type_params`."""
        if not self._accept("["):
            return ()
        names = self._list(lambda: self._bare_name("a type parameter"), "]", "type parameters")
        self._type_params += names
        return tuple(map(TypeVar, names))

    def _tuple_type(self) -> Type:
        self._next()
        fields = self._list(self._type, ")", "types")
        one_without_comma = len(fields) == 1 and self._tokens[self.position - 2].kind != ","
        return fields[0] if one_without_comma else TupleType(tuple(fields))

    def _named_type(self) -> Type:
        token = self.token
        if token.text == "_":
            self._next()
            return Hole()
        if token.text == "Tensor":
            return self._tensor_type()
        if _DTYPE.fullmatch(token.text):
            self._next()
            return TensorType((), token.text)
        name = self._bare_name("a type")
        if name in self._type_params:
            return TypeVar(name)
        if name not in self._type_names and token.kind == "name":
            close = get_close_matches(name, [*self._type_names, "float32", "int32", "bool", "Tensor"])
            if "Tensor" in close or not name[0].isupper():
                self._abort(f"there is no type {name}{close_names(close)}", token)
        header = self._type_names.get(name, GlobalTypeVar(name))
        return TypeCall(header, tuple(self._list(self._type, "]", "types")) if self._accept("[") else ())

    def _tensor_type(self) -> Type:
        self._next()
        self._expect("[", "behind `Tensor`")
        self._expect("(", "before the sizes")
        shape = self._list(self._size, ")", "sizes")
        self._expect(",", "between the shape and the dtype")
        dtype = self.token
        if dtype.kind != "name" or not _DTYPE.fullmatch(dtype.text):
            self._abort(f"expected a dtype such as float32, found {dtype}")
        self._next()
        self._expect("]", "behind the dtype")
        return TensorType(tuple(shape), dtype.text)

    def _size(self) -> Dim:
        token = self.token
        if self._accept("?"):
            return ANY
        size = None
        if token.kind == "meta":
            size = self._meta()
        elif token.kind == "number":
            size = self._checked(lambda: read_number(self._next().text), token)
        if type(size) is not int:
            self._abort(f"expected a size: an integer or `?`, found {token}", token)
        return size


def close_names(close: list[str]) -> str:
    """`; do you mean …?`, if there are any."""
    return f"; do you mean {' or '.join(close)}?" if close else ""
