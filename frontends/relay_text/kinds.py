"""Whether a type that is written down is one: its names are known, and have as many arguments as they take."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from xrelay.frontends.relay_text.expr import Program, TypeData
from xrelay.frontends.relay_text.operators import ELEMENT_TYPES
from xrelay.frontends.relay_text.types import (
    FuncType,
    GlobalTypeVar,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)


def kind_faults(value: Type, definitions: Mapping[str, TypeData], type_vars: Collection[str]) -> Iterator[str]:
    """What is wrong with a type, where these type variables are in scope."""
    match value:
        case TypeVar(name) if name not in type_vars:
            yield f"there is no type parameter {name} here"
        case GlobalTypeVar(name):
            yield f"{name} is the name of a type definition; a type is {name}[…], or {name}() in Python"
        case TensorType(shape, dtype):
            if dtype not in ELEMENT_TYPES:
                yield f"there is no element type {dtype}"
            if any(isinstance(size, int) and size < 0 for size in shape):
                yield f"a size of {value} is negative; one that is not known is ?"
        case TypeCall(_, args):
            yield from _call_faults(value, definitions)
            for arg in args:
                yield from kind_faults(arg, definitions, type_vars)
        case TupleType(fields):
            for field in fields:
                yield from kind_faults(field, definitions, type_vars)
        case FuncType(arg_types, ret_type, type_params):
            inner = {*type_vars, *(param.name for param in type_params)}
            for part in (*arg_types, ret_type):
                yield from kind_faults(part, definitions, inner)
        case RefType(held):
            yield from kind_faults(held, definitions, type_vars)


def _call_faults(value: TypeCall, definitions: Mapping[str, TypeData]) -> Iterator[str]:
    definition = definitions.get(value.func.name)
    if definition is None:
        yield f"there is no type {value.func.name}"
    elif len(definition.type_vars) != len(value.args):
        yield f"type {value.func.name} takes {len(definition.type_vars)} type arguments, not {len(value.args)}"


def definition_faults(program: Program) -> Iterator[str]:
    """What is wrong with the type definitions of a program."""
    for definition in program.type_definitions.values():
        names = [var.name for var in definition.type_vars]
        if len(set(names)) < len(names):
            yield f"type {definition.header.name} names a parameter twice"
        for constructor in definition.constructors:
            for field in constructor.inputs:
                for fault in kind_faults(field, program.type_definitions, names):
                    yield f"{constructor.name_hint} of type {definition.header.name}: {fault}"
