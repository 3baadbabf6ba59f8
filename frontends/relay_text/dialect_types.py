"""Relay's types and those of the dialect, both ways."""

from __future__ import annotations

from functools import cache, singledispatch

from xdsl.dialects import builtin
from xdsl.ir import Attribute

from xrelay.dialects.relay import language_types
from xrelay.dialects.relay.types import DYNAMIC, dtype_of, element_of, tensor_type
from xrelay.errors import UnsupportedError
from xrelay.frontends.relay_text.types import (
    ANY,
    FuncType,
    GlobalTypeVar,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)


def dtype_name(element: Attribute) -> str:
    """Relay's name of an element type: `float32`, `bool`, `bfloat16`."""
    return "bfloat16" if element == builtin.bf16 else dtype_of(element).name


@singledispatch
def to_dialect_type(value: Type) -> Attribute:
    """The type in the dialect. Raises UnsupportedError where it has none: a hole, an element type that relay lacks."""
    raise UnsupportedError(f"the type {value} has no counterpart in the dialect")


@to_dialect_type.register
@cache
def _tensor_to_dialect(value: TensorType) -> Attribute:
    try:
        element = element_of(value.dtype)
    except (KeyError, TypeError):
        raise UnsupportedError(f"there is no element type {value.dtype}") from None
    return tensor_type([DYNAMIC if size is ANY else size for size in value.shape], element)  # type: ignore[misc]


@to_dialect_type.register
def _tuple_to_dialect(value: TupleType) -> Attribute:
    return builtin.TupleType(builtin.ArrayAttr(to_dialect_type(field) for field in value.fields))  # type: ignore[list-item]


@to_dialect_type.register
def _function_to_dialect(value: FuncType) -> Attribute:
    names = [param.name for param in value.type_params]
    return language_types.function_type(
        [to_dialect_type(arg) for arg in value.arg_types], to_dialect_type(value.ret_type), names
    )


@to_dialect_type.register
def _ref_to_dialect(value: RefType) -> Attribute:
    return language_types.RefType(to_dialect_type(value.value))


@to_dialect_type.register
def _var_to_dialect(value: TypeVar) -> Attribute:
    return language_types.TypeVarType(builtin.StringAttr(value.name))


@to_dialect_type.register
def _data_type_to_dialect(value: TypeCall) -> Attribute:
    return language_types.AdtType.of(value.func.name, *map(to_dialect_type, value.args))


@singledispatch
def from_dialect_type(value: Attribute) -> Type:
    """The inverse. Raises UnsupportedError for a type that no Relay value has."""
    raise UnsupportedError(f"{value} is no type of Relay")


@from_dialect_type.register
def _tensor_from_dialect(value: builtin.TensorType) -> Type:
    shape = [ANY if size == DYNAMIC else size for size in value.get_shape()]
    return TensorType(tuple(shape), dtype_name(value.element_type))


@from_dialect_type.register
def _tuple_from_dialect(value: builtin.TupleType) -> Type:
    return TupleType(tuple(map(from_dialect_type, value.types)))


@from_dialect_type.register
def _function_from_dialect(value: builtin.FunctionType) -> Type:
    """Several results are a tuple."""
    results = tuple(map(from_dialect_type, value.outputs))
    return FuncType(
        tuple(map(from_dialect_type, value.inputs)), results[0] if len(results) == 1 else TupleType(results)
    )


@from_dialect_type.register
def _generic_from_dialect(value: language_types.ForallType) -> Type:
    body = from_dialect_type(value.body)
    assert isinstance(body, FuncType)
    return FuncType(body.arg_types, body.ret_type, tuple(TypeVar(name.data) for name in value.variables))


@from_dialect_type.register
def _ref_from_dialect(value: language_types.RefType) -> Type:
    return RefType(from_dialect_type(value.value))


@from_dialect_type.register
def _var_from_dialect(value: language_types.TypeVarType) -> Type:
    return TypeVar(value.variable.data)


@from_dialect_type.register
def _data_type_from_dialect(value: language_types.AdtType) -> Type:
    return TypeCall(GlobalTypeVar(value.definition.data), tuple(map(from_dialect_type, value.arguments)))
