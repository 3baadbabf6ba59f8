"""The attributes of functions, in the program and in the dialect.

`Primitive` is the dialect's `relay.primitive`, `output_names` (of @main) its `relay.output_names`; the rest stands in
the dictionary `relay.attrs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, UnitAttr, f64, i1, i64
from xdsl.ir import Attribute

from xrelay.errors import UnsupportedError

PRIMITIVE = "Primitive"
OUTPUT_NAMES = "output_names"
IMPLICIT = "relay.implicit"
"""The unit attribute of a tuple, or a projection of one, that the program does not write: an operator of the dialect
has several results or operands where Relay's has a tuple."""


def encode_attrs(attrs: Mapping[str, Any]) -> DictionaryAttr:
    """Raises UnsupportedError for a value that is no number, bool, string, None or list of such."""
    return DictionaryAttr({key: _encode(key, value) for key, value in attrs.items()})


def decode_attrs(attrs: Attribute | None) -> dict[str, Any]:
    return {key: _decode(value) for key, value in attrs.data.items()} if isinstance(attrs, DictionaryAttr) else {}


def _encode(key: str, value: Any) -> Attribute:
    match value:
        case None:
            return UnitAttr()
        case bool():
            return IntegerAttr(int(value), i1)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case list() | tuple():
            return ArrayAttr([_encode(key, item) for item in value])
    raise UnsupportedError(f"the attribute {key} of a function is {value!r}: no number, bool, string, None or list")


def _decode(value: Attribute) -> Any:
    match value:
        case IntegerAttr():
            return bool(value.value.data) if value.type == i1 else value.value.data
        case FloatAttr():
            return value.value.data
        case StringAttr():
            return value.data
        case ArrayAttr():
            return [_decode(item) for item in value]
        case UnitAttr():
            return None
    raise UnsupportedError(f"{value} is no attribute of a Relay function")
