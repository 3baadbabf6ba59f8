"""What the values of a program look like to its callers: the types of the arguments and the result of @main.

They are part of the metadata, as JSON:

    {"tensor": ["float32", [2, 3]]}   {"tuple": [T, …]}   {"adt": "List", "args": [T]}   {"var": "A"}   {"ref": T}
    {"function": null}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from xrelay.errors import ArtifactError
from xrelay.runtime.metadata import TensorSpec, read_spec


class ValueType:
    """Base of the types below."""


@dataclass(frozen=True)
class TensorType(ValueType):
    dtype: str
    shape: tuple[int, ...]

    @property
    def spec(self) -> TensorSpec:
        return TensorSpec("value", self.dtype, self.shape)


@dataclass(frozen=True)
class TupleType(ValueType):
    fields: tuple[ValueType, ...]


@dataclass(frozen=True)
class AdtType(ValueType):
    """A data type, by the name of its definition."""

    name: str
    args: tuple[ValueType, ...] = ()


@dataclass(frozen=True)
class TypeVar(ValueType):
    """A type parameter, inside of a definition."""

    name: str


@dataclass(frozen=True)
class RefType(ValueType):
    value: ValueType


@dataclass(frozen=True)
class FunctionType(ValueType):
    """A function; callers cannot look into it."""


@dataclass(frozen=True)
class Constructor:
    name: str
    fields: tuple[ValueType, ...]


@dataclass(frozen=True)
class Definition:
    """A data type: its type parameters and its constructors, in the order of their tags."""

    params: tuple[str, ...]
    constructors: tuple[Constructor, ...]


@dataclass(frozen=True)
class Interface:
    """The types of @main, and the data types that they name."""

    inputs: tuple[ValueType, ...]
    output: ValueType
    definitions: Mapping[str, Definition] = field(default_factory=dict)

    def constructors(self, value_type: AdtType) -> list[Constructor]:
        """The constructors of a type, its arguments put in."""
        definition = self.definitions[value_type.name]
        types = dict(zip(definition.params, value_type.args, strict=True))
        return [Constructor(c.name, tuple(_substitute(f, types) for f in c.fields)) for c in definition.constructors]

    def to_json(self) -> dict[str, Any]:
        return {
            "inputs": [_to_json(t) for t in self.inputs],
            "output": _to_json(self.output),
            "definitions": {
                name: {
                    "params": list(d.params),
                    "constructors": [[c.name, [_to_json(f) for f in c.fields]] for c in d.constructors],
                }
                for name, d in self.definitions.items()
            },
        }

    @staticmethod
    def from_json(record: Any, where: str) -> Interface:
        """The inverse. Raises ArtifactError for what is no interface."""
        try:
            interface = Interface(
                tuple(_from_json(t, where) for t in record["inputs"]),
                _from_json(record["output"], where),
                {
                    str(name): Definition(
                        tuple(map(str, d["params"])),
                        tuple(_read_constructor(name, fields, where) for name, fields in d["constructors"]),
                    )
                    for name, d in record["definitions"].items()
                },
            )
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise ArtifactError(f"{where}: the types of the program's values in the metadata are damaged") from None
        return interface


def _read_constructor(name: str, fields: list, where: str) -> Constructor:
    return Constructor(str(name), tuple(_from_json(field, where) for field in fields))


def _substitute(value_type: ValueType, types: Mapping[str, ValueType]) -> ValueType:
    match value_type:
        case TypeVar(name):
            return types[name]
        case TupleType(fields):
            return TupleType(tuple(_substitute(f, types) for f in fields))
        case AdtType(name, args):
            return AdtType(name, tuple(_substitute(a, types) for a in args))
        case RefType(value):
            return RefType(_substitute(value, types))
    return value_type


def _to_json(value_type: ValueType) -> dict[str, Any]:
    match value_type:
        case TensorType(dtype, shape):
            return {"tensor": [dtype, list(shape)]}
        case TupleType(fields):
            return {"tuple": [_to_json(f) for f in fields]}
        case AdtType(name, args):
            return {"adt": name, "args": [_to_json(a) for a in args]}
        case TypeVar(name):
            return {"var": name}
        case RefType(value):
            return {"ref": _to_json(value)}
    return {"function": None}


def _from_json(record: Any, where: str) -> ValueType:
    (kind, content), *more = record.items()
    match kind:
        case "tensor":
            dtype, shape = content
            spec = read_spec({"name": "value", "dtype": dtype, "shape": shape, "optional": False}, where)
            return TensorType(spec.dtype, spec.shape)
        case "tuple":
            return TupleType(tuple(_from_json(f, where) for f in content))
        case "adt":
            return AdtType(str(content), tuple(_from_json(a, where) for a in dict(more)["args"]))
        case "var":
            return TypeVar(str(content))
        case "ref":
            return RefType(_from_json(content, where))
        case "function":
            return FunctionType()
    raise ValueError(kind)
