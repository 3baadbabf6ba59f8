"""Calls of operators: arguments checked to be expressions, attributes in the form in which Relay prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from xrelay.dialects.relay.core import RelayOp
from xrelay.errors import InputError, UnsupportedError
from xrelay.frontends.relay_text.expr import Call, Constant, Expr, Op, Tuple
from xrelay.frontends.relay_text.operators import (
    CONSTANT_ARGUMENTS,
    canonical_attrs,
    gives_tuple,
    operator_class,
    takes_tuple,
)
from xrelay.relay.expr import const

_WINDOWED = re.compile(r"nn\.(?:conv|max_pool|avg_pool)([123])d(?:_transpose)?")
"""Operators that move a window; the number of axes it moves along."""


def call(name: str, *args: Any, **attrs: Any) -> Call:
    """A call of an operator. Attributes are Python values; None stands for one that is not given.

    Raises:
        InputError: an argument is no expression.
        TypeInferenceError: an attribute is unknown, missing, or of another kind.
        UnsupportedError: there is no such operator, or an attribute is an expression that is not constant.
    """
    cls = operator_class(name)
    arguments = [_argument(name, arg, takes_tuple(cls)) for arg in args]
    given = {key: _value(name, key, value) for key, value in attrs.items() if value is not None}
    if window := _WINDOWED.fullmatch(name):
        _expand(given, int(window[1]))
    constants = CONSTANT_ARGUMENTS.get(name, ())
    placeholders = dict.fromkeys(constants, 0)
    canonical = canonical_attrs(cls, placeholders | given)
    kept = {key: value for key, value in canonical.items() if key not in constants}
    return Call(Op(name), arguments, kept, num_fields=_result_count(cls, given) if gives_tuple(cls) else None)


def _argument(name: str, arg: Any, tuples: bool) -> Expr:
    if tuples and isinstance(arg, list | tuple):
        return Tuple([_argument(name, field, False) for field in arg])
    if not isinstance(arg, Expr):
        hint = "; relay.const makes one" if isinstance(arg, int | float | np.ndarray | np.generic) else ""
        raise InputError(f"relay.{name}: an argument must be an expression, got {arg!r}{hint}")
    return arg


def _value(name: str, key: str, value: Any) -> Any:
    """An attribute as Relay text has it: numbers, strings, lists."""
    match value:
        case Constant():
            return value.data.tolist()
        case Expr():
            raise UnsupportedError(f"relay.{name}: {key} must be known when the program is written, not computed by it")
        case np.dtype():
            return value.name
        case type():
            return np.dtype(value).name
        case np.ndarray() | np.generic():
            return value.tolist()
        case list() | tuple():
            return [_value(name, key, item) for item in value]
    return value


def _expand(attrs: dict[str, Any], rank: int) -> None:
    """One number stands for all axes; padding is written for both sides of every axis."""
    for key in ("strides", "dilation", "output_padding", "kernel_size", "pool_size"):
        if isinstance(attrs.get(key), int):
            attrs[key] = [attrs[key]] * rank
    padding = attrs.get("padding", 0)
    if isinstance(padding, int):
        padding = [padding]
    if isinstance(padding, Sequence) and len(padding) == 1:
        padding = [*padding] * rank
    if isinstance(padding, Sequence) and len(padding) == rank:
        padding = [*padding, *padding]
    attrs["padding"] = padding


def _result_count(cls: type[RelayOp], attrs: dict[str, Any]) -> int:
    """The number of fields of the operator's tuple; a `split` says it in its attribute."""
    sections = attrs.get("indices_or_sections")
    if sections is None:
        return len(cls.get_irdl_definition().results)
    return sections if isinstance(sections, int) else len(sections) + 1


def scalar(value: Any, dtype: str | None = None) -> Expr:
    """An expression as it is, a number as a constant."""
    return value if isinstance(value, Expr) else const(value, dtype)
