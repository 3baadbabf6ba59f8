"""The attributes of relay operators: Python values in code, compact literals in text, MLIR attributes in the IR.

An operator declares `padding = attribute(INTS, (0, 0))`; code reads `op.attrs.padding` and gets `(1, 1, 1, 1)`; text
shows `{padding = [1, 1, 1, 1]}`. One kind object knows all three forms.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import AnyFloat, ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Attribute, TypeAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xrelay.dialects.relay.types import bool_type, f64, i64


class AttrKind(ABC):
    """How one kind of attribute is stored, printed and parsed."""

    @abstractmethod
    def encode(self, value: Any) -> Attribute:
        """The stored form of a Python value. Raises TypeError or ValueError for a value of another kind."""

    @abstractmethod
    def decode(self, stored: Attribute) -> Any:
        """The Python value of a stored attribute."""

    @abstractmethod
    def parse(self, parser: AttrParser) -> Any:
        """The Python value of the literal at the parser's position."""

    def print(self, printer: Printer, value: Any) -> None:
        printer.print_string(self.text(value))

    def text(self, value: Any) -> str:
        return str(value)


class _Int(AttrKind):
    def encode(self, value: Any) -> Attribute:
        return IntegerAttr(int(value), i64)

    def decode(self, stored: Any) -> int:
        return stored.value.data

    def parse(self, parser: AttrParser) -> int:
        return parser.parse_integer()


class _Bool(AttrKind):
    def encode(self, value: Any) -> Attribute:
        return IntegerAttr(int(bool(value)), bool_type)

    def decode(self, stored: Any) -> bool:
        return bool(stored.value.data)

    def parse(self, parser: AttrParser) -> bool:
        return parser.parse_boolean()

    def text(self, value: bool) -> str:
        return "true" if value else "false"


class _Float(AttrKind):
    """A double. Infinities and NaN are written as strings: `"inf"`, `"-inf"`, `"nan"`."""

    def encode(self, value: Any) -> Attribute:
        return FloatAttr(float(value), f64)

    def decode(self, stored: Any) -> float:
        return float(stored.value.data)

    def parse(self, parser: AttrParser) -> float:
        special = parser.parse_optional_str_literal()
        return float(special) if special is not None else float(parser.parse_number())

    def text(self, value: float) -> str:
        if not math.isfinite(value):
            return f'"{value}"'
        text = repr(float(value))
        # MLIR's lexer wants a point in the mantissa: 1e-05 is written 1.0e-05.
        return text.replace("e", ".0e") if "e" in text and "." not in text else text


class _Str(AttrKind):
    def encode(self, value: Any) -> Attribute:
        if not isinstance(value, str):
            raise TypeError(f"expected a string, got {value!r}")
        return StringAttr(value)

    def decode(self, stored: Any) -> str:
        return stored.data

    def parse(self, parser: AttrParser) -> str:
        return parser.parse_str_literal()

    def print(self, printer: Printer, value: str) -> None:
        printer.print_string_literal(value)


class _DType(AttrKind):
    """An element type: `f32`, `i64`, `ui8`."""

    def encode(self, value: Any) -> Attribute:
        if not (isinstance(value, Attribute) and isinstance(value, TypeAttribute)):
            raise TypeError(f"expected an element type, got {value!r}")
        return value

    def decode(self, stored: Attribute) -> Attribute:
        return stored

    def parse(self, parser: AttrParser) -> Attribute:
        return parser.parse_type()

    def print(self, printer: Printer, value: Attribute) -> None:
        printer.print_attribute(value)


@dataclass(frozen=True)
class _List(AttrKind):
    """A flat list of numbers, stored as a dense array."""

    item: AttrKind
    element: IntegerType | AnyFloat

    def encode(self, value: Any) -> Attribute:
        if isinstance(self.element, IntegerType):
            return DenseArrayBase.from_list(self.element, [int(v) for v in value])
        return DenseArrayBase.from_list(self.element, [float(v) for v in value])

    def decode(self, stored: Any) -> tuple:
        return tuple(stored.get_values())

    def parse(self, parser: AttrParser) -> tuple:
        return tuple(
            parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: self.item.parse(parser))
        )

    def text(self, value: Sequence) -> str:
        return "[" + ", ".join(self.item.text(v) for v in value) + "]"


class _IntOrInts(AttrKind):
    """One integer or a list of them, which mean different things (the sections of a split, or its indices)."""

    def encode(self, value: Any) -> Attribute:
        return INTS.encode(value) if isinstance(value, Sequence) else INT.encode(value)

    def decode(self, stored: Any) -> int | tuple[int, ...]:
        return (INT if isinstance(stored, IntegerAttr) else INTS).decode(stored)

    def parse(self, parser: AttrParser) -> int | tuple[int, ...]:
        number = parser.parse_optional_integer()
        return INTS.parse(parser) if number is None else number

    def text(self, value: int | Sequence[int]) -> str:
        return INTS.text(value) if isinstance(value, Sequence) else INT.text(value)


class _Strs(AttrKind):
    """A list of strings."""

    def encode(self, value: Any) -> Attribute:
        return ArrayAttr([StringAttr(v) for v in value])

    def decode(self, stored: Any) -> tuple[str, ...]:
        return tuple(s.data for s in stored)

    def parse(self, parser: AttrParser) -> tuple[str, ...]:
        return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal))

    def print(self, printer: Printer, value: Sequence[str]) -> None:
        with printer.in_square_brackets():
            printer.print_list(value, printer.print_string_literal)


INT = _Int()
BOOL = _Bool()
FLOAT = _Float()
STR = _Str()
DTYPE = _DType()
INTS = _List(INT, i64)
FLOATS = _List(FLOAT, f64)
INT_OR_INTS = _IntOrInts()
STRS = _Strs()


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


@dataclass(frozen=True)
class AttrSpec:
    """A declared attribute: its kind and its default (REQUIRED for none; None for an attribute that may be absent)."""

    kind: AttrKind
    default: Any

    @property
    def required(self) -> bool:
        return self.default is REQUIRED


def attribute(kind: AttrKind, default: Any = REQUIRED) -> Any:
    """Declare an attribute in the body of a `RelayOp` class."""
    return AttrSpec(kind, default)
