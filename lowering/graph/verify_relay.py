"""`verify-relay`: the invariants of the relay level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp, TensorType, TupleType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.adt import TypeDefinition
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.language_types import AdtType, ForallType, RefType, TypeVarType
from xrelay.dialects.relay.types import dtype_of
from xrelay.errors import CompilationError
from xrelay.lowering.graph.base import RelayPass, functions


@dataclass(frozen=True)
class VerifyRelay(RelayPass):
    """Changes nothing. Raises CompilationError unless

    R1: the module holds data types and functions of one block, and these only relay operators, calls and a return;
    R2: every value is a tensor of an element type that relay has, a tuple, or of a type of the language (functions,
        data types, references);
    R3: every operator's type rule holds;
    R4: `relay.input_names` and `relay.output_names`, where given, name all arguments and results, each once.
    """

    name = "verify-relay"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.body.ops:
            if not isinstance(inner, FuncOp | TypeDefinition):
                raise CompilationError(f"R1: {inner.name} at {inner.location} is no function")
        for function in functions(op):
            _check_function(function)
        try:
            op.verify()
        except VerifyException as error:
            raise CompilationError(f"R3: {error}") from error


def _check_function(function: FuncOp) -> None:
    where = f"@{function.sym_name.data}"
    if len(function.body.blocks) != 1:
        raise CompilationError(f"R1: {where} has {len(function.body.blocks)} blocks instead of one")
    for op in function.body.walk():
        if not isinstance(op, RelayOp | CallOp | ReturnOp):
            raise CompilationError(f"R1: {op.name} at {op.location} in {where} is no relay operator")
        for result in op.results:
            _check_type(result.type, f"a result of {op.name} at {op.location} in {where}")
    for i, arg in enumerate(function.args):
        _check_type(arg.type, f"argument {i} of {where}")
    signature = function.function_type
    _check_names(function, "relay.input_names", signature.inputs.data)
    _check_names(function, "relay.output_names", signature.outputs.data)


def _check_type(value_type: Attribute, what: str) -> None:
    if isinstance(value_type, TupleType):
        for field in value_type.types:
            _check_type(field, what)
        return
    if isinstance(value_type, FunctionType | ForallType | AdtType | RefType | TypeVarType):
        return
    if not isinstance(value_type, TensorType):
        raise CompilationError(
            f"R2: {what} is {value_type}, neither a tensor, a tuple nor of another type of the language"
        )
    try:
        dtype_of(value_type)
    except KeyError:
        raise CompilationError(
            f"R2: {what} has the element type {value_type.element_type}, which relay lacks"
        ) from None


def _check_names(function: FuncOp, attribute: str, types: Sequence[Attribute]) -> None:
    names = function.attributes.get(attribute)
    if names is None:
        return
    if not isinstance(names, ArrayAttr) or len(names) != len(types) or len(set(names)) != len(names):
        raise CompilationError(f"R4: {attribute} of @{function.sym_name.data} must be {len(types)} different names")
