"""Which types a generic function is used at, read off the types that inference has found."""

from __future__ import annotations

from collections.abc import Sequence

from xrelay.frontends.relay_text.types import UNIT, FuncType, RefType, TensorType, TupleType, Type, TypeCall, TypeVar
from xrelay.frontends.relay_text.unify import UnificationError, merge_tensors


def type_arguments(function: FuncType, arg_types: Sequence[Type], ret_type: Type) -> list[Type]:
    """The types for a function's type parameters, such that it takes these arguments and gives this result.

    A parameter that neither tells anything about is unit.
    """
    wanted = {param.name for param in function.type_params}
    found: dict[str, Type] = {}
    for declared, given in zip((function.ret_type, *function.arg_types), (ret_type, *arg_types), strict=True):
        _match(declared, given, wanted, found)
    return [found.get(param.name, UNIT) for param in function.type_params]


def _match(declared: Type, given: Type, wanted: set[str], found: dict[str, Type]) -> None:
    """Notes what the type variables in a declared type stand for in the given one."""
    match declared, given:
        case TypeVar(name), _ if name in wanted:
            found[name] = given if name not in found else _wider(found[name], given)
        case TupleType(declared_parts), TupleType(given_parts):
            _match_all(declared_parts, given_parts, wanted, found)
        case TypeCall(_, declared_parts), TypeCall(_, given_parts):
            _match_all(declared_parts, given_parts, wanted, found)
        case FuncType() as a, FuncType(type_params=()) as b:
            _match_all((*a.arg_types, a.ret_type), (*b.arg_types, b.ret_type), wanted, found)
        case RefType(a), RefType(b):
            _match(a, b, wanted, found)


def _match_all(declared: Sequence[Type], given: Sequence[Type], wanted: set[str], found: dict[str, Type]) -> None:
    for a, b in zip(declared, given, strict=True):
        _match(a, b, wanted, found)


def _wider(a: Type, b: Type) -> Type:
    """The type of which both are, where they are tensors whose sizes differ; else the first."""
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        try:
            return merge_tensors(a, b)
        except UnificationError:
            return a
    return a
