"""The types of the Relay language.

A dimension is an int, or `Any()` for a size that is not known. Types are values: equal by structure. `Hole` is a type
that inference is to find; it is the only type with an identity.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from xrelay.frontends.relay_text.names import bare_name


class Type:
    """Base of all types; `str` gives the text format."""

    def __str__(self) -> str:
        return type_text(self)


class _AnyDim:
    """A size that is not known, `?`."""

    _one: ClassVar[_AnyDim | None] = None

    def __new__(cls) -> _AnyDim:
        if cls._one is None:
            cls._one = super().__new__(cls)
        return cls._one

    def __repr__(self) -> str:
        return "?"


ANY = _AnyDim()
Dim = int | _AnyDim


def Any() -> _AnyDim:
    """An unknown dimension, by Relay's name."""
    return ANY


@dataclass(frozen=True)
class TensorType(Type):
    """`Tensor[(2, 3), float32]`; a tensor of rank 0 is written as its dtype alone."""

    shape: tuple[Dim, ...]
    dtype: str = "float32"

    def __post_init__(self) -> None:
        shape = tuple(d if isinstance(d, _AnyDim) else int(d) for d in self.shape)
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "dtype", str(self.dtype))


@dataclass(frozen=True)
class TupleType(Type):
    """`(int32, float32)`; `()` is unit."""

    fields: tuple[Type, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple(self.fields))


@dataclass(frozen=True)
class FuncType(Type):
    """`fn (A, B) -> C`, perhaps generic in `type_params`."""

    arg_types: tuple[Type, ...]
    ret_type: Type
    type_params: tuple[TypeVar, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "arg_types", tuple(self.arg_types))
        object.__setattr__(self, "type_params", tuple(self.type_params))


@dataclass(frozen=True)
class RefType(Type):
    """`ref(T)`: a cell that holds a T."""

    value: Type


@dataclass(frozen=True)
class TypeVar(Type):
    """A type parameter, equal by name: names are unique within a definition."""

    name: str


@dataclass(frozen=True)
class GlobalTypeVar(Type):
    """The name of a type definition, `List`. Called with arguments it is a type: `List(A)`."""

    name: str

    def __call__(self, *args: Type) -> TypeCall:
        return TypeCall(self, args)


@dataclass(frozen=True)
class TypeCall(Type):
    """`List[A]`; a definition without parameters is called with none."""

    func: GlobalTypeVar
    args: tuple[Type, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "args", tuple(self.args))


@dataclass(eq=False)
class Hole(Type):
    """A type that is not written, `_`."""

    number: int = field(default_factory=itertools.count().__next__)


UNIT = TupleType(())


def scalar_type(dtype: str) -> TensorType:
    return TensorType((), dtype)


def tensor_type_of(array: np.ndarray) -> TensorType:
    return TensorType(array.shape, str(array.dtype))


def type_text(value: Type) -> str:
    """A type in the text format: `fn [A](A, Tensor[(?, 2), float32]) -> (A,)`."""
    match value:
        case TensorType(shape, dtype):
            return f"Tensor[({', '.join(map(repr, shape))}), {dtype}]" if shape else dtype
        case TupleType(fields):
            return _tuple_text(map(type_text, fields))
        case FuncType(arg_types, ret_type, type_params):
            generic = f" [{', '.join(bare_name(p.name) for p in type_params)}]" if type_params else " "
            return f"fn{generic}({', '.join(map(type_text, arg_types))}) -> {type_text(ret_type)}"
        case RefType(held):
            return f"ref({type_text(held)})"
        case TypeVar(name) | GlobalTypeVar(name):
            return bare_name(name)
        case TypeCall(func, args):
            return f"{bare_name(func.name)}[{', '.join(map(type_text, args))}]" if args else bare_name(func.name)
    return "_"


def _tuple_text(items: Iterable[str]) -> str:
    texts = list(items)
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"
