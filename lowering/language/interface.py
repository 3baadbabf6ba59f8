"""The types of @main as its callers see them: names and shapes of tensors, or descriptions of whole values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from xrelay.dialects.relay.adt import TypeDefinition
from xrelay.dialects.relay.language_types import AdtType, RefType, TypeVarType
from xrelay.dialects.relay.types import dtype_of, shape_of


def named_leaves(names: Sequence[str], types: Sequence[Attribute]) -> Iterator[tuple[str, Attribute]]:
    """The tensors in arguments or results, tuples being taken apart: field 1 of `x` is `x.1`."""
    for name, value_type in zip(names, types, strict=True):
        if isinstance(value_type, TupleType):
            fields = value_type.types.data
            yield from named_leaves([f"{name}.{i}" for i in range(len(fields))], fields)
        else:
            yield name, value_type


def interface(main: FuncOp, module: ModuleOp) -> dict[str, Any]:
    """The types of @main for callers that hand over whole values, in the form of `runtime/value_types.py`."""
    definitions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, TypeDefinition)}
    signature = main.function_type
    outputs = [describe(t) for t in signature.outputs]
    return {
        "inputs": [describe(t) for t in signature.inputs],
        "output": outputs[0] if len(outputs) == 1 else {"tuple": outputs},
        "definitions": {
            name: _definition(definitions[name]) for name in _used(definitions, [*signature.inputs, *signature.outputs])
        },
    }


def describe(value_type: Attribute) -> dict[str, Any]:
    match value_type:
        case TensorType():
            return {"tensor": [str(dtype_of(value_type)), list(shape_of(value_type))]}
        case TupleType():
            return {"tuple": [describe(field) for field in value_type.types]}
        case AdtType():
            return {"adt": value_type.definition.data, "args": [describe(a) for a in value_type.arguments]}
        case TypeVarType():
            return {"var": value_type.variable.data}
        case RefType():
            return {"ref": describe(value_type.value)}
    return {"function": None}


def _definition(op: TypeDefinition) -> dict[str, Any]:
    return {
        "params": [p.data for p in op.type_params],
        "constructors": [[c.constructor.data, [describe(f) for f in c.fields]] for c in op.constructors],
    }


def _used(definitions: Mapping[str, TypeDefinition], types: Sequence[Attribute]) -> list[str]:
    """The names of the data types in these types, and in the fields of their constructors, and so on."""
    used: dict[str, None] = {}
    pending = list(types)
    while pending:
        match pending.pop():
            case TupleType(types=fields):
                pending += fields
            case RefType(value=value):
                pending.append(value)
            case AdtType(definition=name, arguments=arguments):
                pending += arguments
                if name.data not in used:
                    used[name.data] = None
                    pending += [field for c in definitions[name.data].constructors for field in c.fields]
    return list(used)
