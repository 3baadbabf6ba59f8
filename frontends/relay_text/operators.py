"""Relay's operators and the classes of the dialect: names, attributes, arguments, types, both ways.

The class is the definition; this module knows where Relay writes the same thing in another way: an operator that takes
a tuple is variadic in the dialect, one that gives a tuple has several results, some scalar arguments (`nn.pad`'s value)
are attributes, and `pad_width` is a list of pairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from xdsl.dialects import builtin
from xdsl.ir import Attribute
from xdsl.irdl import VarOperandDef, VarResultDef
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay import FAMILIES, RelayOp, control
from xrelay.dialects.relay.attributes import BOOL, DTYPE, FLOAT, FLOATS, INT, INT_OR_INTS, INTS, STR, STRS, AttrKind
from xrelay.dialects.relay.types import dtype_of, element_of
from xrelay.errors import TypeInferenceError, UnsupportedError
from xrelay.frontends.relay_text.dialect_types import dtype_name, from_dialect_type, to_dialect_type
from xrelay.frontends.relay_text.expr import Call, Constant, Expr, Op, Tuple
from xrelay.frontends.relay_text.types import ANY, TensorType, TupleType, Type

CONSTANT_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "nn.pad": ("pad_value",),
    "arange": ("start", "stop", "step"),
}
"""Arguments behind the tensors that the dialect has as attributes: scalars that must be constants."""
PAIRS = frozenset({"pad_width"})
"""Attributes that are lists of pairs in Relay, flat in the dialect."""

# Names ---------------------------------------------------------------------------------------------------------------


@cache
def operators() -> Mapping[str, type[RelayOp]]:
    """Every operator that can be called, by Relay's name; tuples, choices and the like are expressions."""
    return {
        relay_name(member): member
        for family in FAMILIES
        if family is not control
        for member in vars(family).values()
        if isinstance(member, type) and issubclass(member, RelayOp) and member.__module__ == family.__name__
        if "name" in vars(member)
    }


def relay_name(cls: type[RelayOp] | RelayOp) -> str:
    """`nn.conv2d` for `relay.nn.conv2d`."""
    return cls.name.removeprefix("relay.")


def operator_class(name: str) -> type[RelayOp]:
    """Raises UnsupportedError, listing names that are close, for one that xrelay does not have."""
    cls = operators().get(name)
    if cls is None:
        raise UnsupportedError(f"there is no operator {name}{_close(name, operators())}")
    return cls


def _close(name: str, known: Mapping[str, Any]) -> str:
    """`; do you mean …?`, where something is close."""
    close = get_close_matches(name, known, n=3)
    close += [other for other in known if other.split(".")[-1] == name.split(".")[-1] and other not in close]
    return f"; do you mean {' or '.join(close)}?" if close else ""


# Arguments -----------------------------------------------------------------------------------------------------------


@cache
def takes_tuple(cls: type[RelayOp]) -> bool:
    """Whether the operator's one argument is a tuple (its operands in the dialect)."""
    return any(isinstance(definition, VarOperandDef) for _, definition in cls.get_irdl_definition().operands)


@cache
def parameter_names(cls: type[RelayOp]) -> tuple[str, ...]:
    """The names of Relay's arguments, in order: the operands, then those that the dialect has as attributes."""
    names = tuple(name for name, _ in cls.get_irdl_definition().operands)
    return names + CONSTANT_ARGUMENTS.get(relay_name(cls), ())


def _constant_parameters(cls: type[RelayOp]) -> tuple[int, tuple[str, ...]]:
    """The number of arguments that are operands (a tuple is one), and the names of those behind them."""
    constants = CONSTANT_ARGUMENTS.get(relay_name(cls), ())
    return len(parameter_names(cls)) - len(constants), constants


def call_attrs(name: str, args: Sequence[Expr], attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a call, with those that stand as constant arguments (`nn.pad(%x, 0f, …)`)."""
    count, constants = _constant_parameters(operator_class(name))
    given = zip(constants, args[count:], strict=False)
    return dict(attrs) | {
        key: arg.data.item() for key, arg in given if isinstance(arg, Constant) and arg.data.size == 1
    }


def dialect_call(call: Call) -> tuple[type[RelayOp], Expr | tuple[Expr, ...], dict[str, Any]]:
    """What `cls.make(*operands, **attrs)` needs for a call of an operator: the class, its operands, its attributes.

    The operands are one expression, of tuple type, for an operator that takes a tuple. Raises UnsupportedError for an
    unknown operator and for an argument that must be a constant; TypeInferenceError for attributes that do not fit.
    """
    assert isinstance(call.op, Op)
    cls = operator_class(call.op.name)
    count, constants = _constant_parameters(cls)
    attrs = call_attrs(call.op.name, call.args, call.attrs)
    for key, arg in zip(constants, call.args[count:], strict=False):
        if key not in attrs:
            raise UnsupportedError(f"{call.op.name}: the argument {key} must be a constant, not {type(arg).__name__}")
    operands = call.args[0] if takes_tuple(cls) else call.args[:count]
    return cls, operands, dialect_attrs(cls, attrs)


def relay_call(op: RelayOp, operands: Sequence[Expr]) -> Call:
    """The call that an operation of the dialect is, on these operands; one with several results gives a tuple."""
    cls = type(op)
    args = [Tuple(operands)] if takes_tuple(cls) else list(operands)
    attrs = relay_attrs(op)
    element = builtin.TensorType.get_element_type(op.results[0].type)  # type: ignore[arg-type]
    constants = CONSTANT_ARGUMENTS.get(relay_name(cls), ())
    args += [Constant(np.asarray(getattr(op.attrs, key)).astype(dtype_of(element))) for key in constants]
    return Call(Op(relay_name(cls)), args, {key: value for key, value in attrs.items() if key not in constants})


# Attributes ----------------------------------------------------------------------------------------------------------


def dialect_attrs(cls: type[RelayOp], attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes as `cls.make` takes them, only those given; what Relay writes None or "" is absent.

    Raises TypeInferenceError for an attribute that the operator does not have, lacks, or that is of another kind.
    """
    unknown = attrs.keys() - cls.SCHEMA.keys()
    if unknown:
        has = ", ".join(cls.SCHEMA) or "none"
        raise TypeInferenceError(f"{relay_name(cls)} has no attribute {', '.join(sorted(unknown))} (it has: {has})")
    values: dict[str, Any] = {}
    for key, spec in cls.SCHEMA.items():
        value = attrs.get(key)
        if value is not None and not (spec.kind is DTYPE and value == ""):
            values[key] = _to_dialect(cls, key, spec.kind, value)
        elif spec.required:
            raise TypeInferenceError(f"{relay_name(cls)} needs the attribute {key}")
    return values


def attr_values(cls: type[RelayOp], given: Mapping[str, Any]) -> SimpleNamespace:
    """What `dialect_attrs` gave, with the defaults: the attributes as `cls.infer` reads them."""
    return SimpleNamespace(**({key: spec.default for key, spec in cls.SCHEMA.items()} | dict(given)))


def relay_attrs(op: RelayOp) -> dict[str, Any]:
    """The attributes as Relay writes them, in order, without those that have their default."""
    return _relay_attrs(type(op), vars(op.attrs))


def canonical_attrs(cls: type[RelayOp], attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Relay attributes as `relay_attrs` gives them: in the operator's order, defaults left out, lists for sequences.

    Raises TypeInferenceError as `dialect_attrs` does.
    """
    return _relay_attrs(cls, dialect_attrs(cls, attrs))


def _relay_attrs(cls: type[RelayOp], values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _to_relay(key, spec.kind, values[key])
        for key, spec in cls.SCHEMA.items()
        if values.get(key) is not None and (spec.required or values[key] != spec.default)
    }


def _to_dialect(cls: type[RelayOp], key: str, kind: AttrKind, value: Any) -> Any:
    if isinstance(value, Constant):
        value = value.data.tolist()
    try:
        return _READERS[kind](_flat(value) if key in PAIRS else value)
    except (TypeError, ValueError, KeyError):
        raise TypeInferenceError(f"{relay_name(cls)}: {key} must be {_KIND_NAMES[kind]}, not {value!r}") from None


def _to_relay(key: str, kind: AttrKind, value: Any) -> Any:
    if kind is DTYPE:
        return dtype_name(value)
    if isinstance(value, tuple):
        return [list(value[i : i + 2]) for i in range(0, len(value), 2)] if key in PAIRS else list(value)
    return value


def _flat(pairs: Any) -> Any:
    """`[[0, 1], [2, 2]]` → `[0, 1, 2, 2]`; a flat list stays."""
    return [n for pair in pairs for n in (pair if isinstance(pair, Sequence) else (pair,))]


def _int(value: Any) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    raise TypeError


def _float(value: Any) -> float:
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return float(value)
    raise TypeError


def _bool(value: Any) -> bool:
    if value in (0, 1):
        return bool(value)
    raise ValueError


def _str(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise TypeError


def _items(item: Callable[[Any], Any]) -> Callable[[Any], tuple]:
    """A list; one item stands for a list of it."""
    return lambda value: tuple(map(item, value)) if isinstance(value, (list, tuple)) else (item(value),)


_READERS: Mapping[AttrKind, Callable[[Any], Any]] = {
    INT: _int,
    FLOAT: _float,
    BOOL: _bool,
    STR: _str,
    DTYPE: lambda value: element_of(_str(value)),
    INTS: _items(_int),
    FLOATS: _items(_float),
    STRS: _items(_str),
    INT_OR_INTS: lambda value: tuple(map(_int, value)) if isinstance(value, (list, tuple)) else _int(value),
}
"""From Relay's value to that of the dialect. They raise TypeError, ValueError or KeyError for one of another kind."""
_KIND_NAMES = {
    INT: "an integer",
    FLOAT: "a number",
    BOOL: "a bool",
    STR: "a string",
    DTYPE: 'a dtype as a string, "float32"',
    INTS: "a list of integers",
    FLOATS: "a list of numbers",
    STRS: "a list of strings",
    INT_OR_INTS: "an integer or a list of them",
}

# The type of a call --------------------------------------------------------------------------------------------------


def operand_types(cls: type[RelayOp], arg_types: Sequence[Type]) -> list[Attribute]:
    """The types of the operands, from those of a call's arguments.

    Raises TypeInferenceError for a wrong number of arguments, or none that the operator takes.
    """
    count, constants = _constant_parameters(cls)
    # Those that must be constants may stand among the attributes instead.
    if len(arg_types) not in (count, count + len(constants)):
        raise TypeInferenceError(f"{relay_name(cls)} takes {_parameters_text(cls)}, not {len(arg_types)} arguments")
    for key, given in zip(constants, arg_types[count:], strict=False):
        if not isinstance(given, TensorType) or given.shape:
            raise TypeInferenceError(f"{relay_name(cls)}: {key} must be a scalar, not {given}")
    operands = arg_types[:count]
    if takes_tuple(cls):
        if not isinstance(arg_types[0], TupleType):
            raise TypeInferenceError(f"{relay_name(cls)} takes a tuple, not {arg_types[0]}")
        operands = arg_types[0].fields
    for operand in operands:
        if not isinstance(operand, TensorType):
            raise TypeInferenceError(f"{relay_name(cls)} takes tensors, not {operand}")
    return [to_dialect_type(operand) for operand in operands]


def _parameters_text(cls: type[RelayOp]) -> str:
    names = parameter_names(cls)
    if takes_tuple(cls):
        return "one argument, a tuple"
    return f"{len(names)} argument{'s' * (len(names) != 1)} ({', '.join(names)})" if names else "no arguments"


def call_type(name: str, arg_types: Sequence[Type], attrs: Mapping[str, Any]) -> Type:
    """The type of a call of an operator, by the rule of its class; several results are a tuple.

    Raises UnsupportedError for an unknown operator or element type, TypeInferenceError where arguments or attributes do
    not fit.
    """
    cls = operator_class(name)
    return _call_type(cls, tuple(arg_types), tuple(dialect_attrs(cls, attrs).items()))


@lru_cache(maxsize=4096)
def _call_type(cls: type[RelayOp], arg_types: tuple[Type, ...], attrs: tuple[tuple[str, Any], ...]) -> Type:
    """Kept, as the layers of a model repeat themselves."""
    try:
        results = cls.infer(operand_types(cls, arg_types), attr_values(cls, dict(attrs)))
    except VerifyException as error:
        raise TypeInferenceError(f"{relay_name(cls)}: {_in_relay_words(str(error))}") from None
    types = tuple(map(from_dialect_type, results))
    return TupleType(types) if gives_tuple(cls) else types[0]


@cache
def gives_tuple(cls: type[RelayOp]) -> bool:
    """Whether a call gives a tuple: of the results, be it one (a `split` in one piece)."""
    results = cls.get_irdl_definition().results
    return len(results) != 1 or isinstance(results[0][1], VarResultDef)


def _in_relay_words(message: str) -> str:
    """A message of the dialect with its types as Relay writes them: `tensor<2x?xf32>` → `Tensor[(2, ?), float32]`."""

    def tensor(match: re.Match) -> str:
        *sizes, element = match[1].split("x")
        return str(TensorType(tuple(ANY if size == "?" else int(size) for size in sizes), _ELEMENT_NAMES[element]))

    message = re.sub(rf"tensor<((?:[0-9?]+x)*(?:{_ELEMENT}))>", tensor, message.replace("relay.", ""))
    return re.sub(rf"\b(?:{_ELEMENT})\b", lambda match: _ELEMENT_NAMES[match[0]], message)


ELEMENT_TYPES = (
    "bool",
    *(f"{kind}{width}" for kind in ("int", "uint") for width in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "bfloat16"),
)
"""What tensors hold, by Relay's names."""
_ELEMENT_NAMES = {str(element_of(name)): name for name in ELEMENT_TYPES}
"""The dialect's name of an element type → Relay's."""
_ELEMENT = "|".join(_ELEMENT_NAMES)
