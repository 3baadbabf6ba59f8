"""From a program to a module of the `relay` dialect.

Type definitions become `relay.type`, global functions `func.func`; `function_builder.py` makes their bodies.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.builtin import TupleType as DialectTupleType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from xrelay.dialects.relay import adt, control, language
from xrelay.frontends.relay_text.dialect_types import to_dialect_type
from xrelay.frontends.relay_text.expr import (
    Function,
    Program,
    TypeData,
)
from xrelay.frontends.relay_text.function_attrs import OUTPUT_NAMES, PRIMITIVE, encode_attrs
from xrelay.frontends.relay_text.function_builder import FunctionBuilder, fields_of, several_results

MAIN = "main"


def to_module(program: Program, flatten_main: bool = False) -> ModuleOp:
    """The program, whose types have been inferred, as a module.

    With `flatten_main` @main returns the fields of the tuple that it gives, and of tuples inside, as several results.
    Raises TypeInferenceError for an expression without a type and a variable that is not bound, UnsupportedError for
    what the dialect cannot say.
    """
    definitions = [_definition(data) for data in program.type_definitions.values()]
    functions = [_function(program, name, flatten_main and name == MAIN) for name in program.functions]
    module = ModuleOp([*definitions, *functions])
    if program.attrs:
        module.attributes[language.FUNCTION_ATTRS] = encode_attrs(program.attrs)
    return module


def _definition(data: TypeData) -> adt.TypeDefinition:
    constructors = [
        adt.ConstructorAttr.of(constructor.name_hint, [to_dialect_type(field) for field in constructor.inputs])
        for constructor in data.constructors
    ]
    return adt.TypeDefinition.of(data.header.name, [var.name for var in data.type_vars], constructors)


def _function(program: Program, name: str, flatten: bool) -> FuncOp:
    function = program.functions[name]
    block, result = FunctionBuilder(program, function).build()
    if flatten:
        results = list(_flattened(result, block))
    else:
        results = list(fields_of(result, block)) if several_results(function) else [result]
    block.add_op(ReturnOp(*results))
    types = [arg.type for arg in block.args], [value.type for value in results]
    public = name == MAIN or MAIN not in program.functions
    func = FuncOp(name, types, Region(block), None if public else "private")
    func.attributes |= _attributes(function, name == MAIN, len(results))
    if len(results) == 1 and isinstance(results[0].type, FunctionType):
        # xDSL prints a lone function type without the parentheses that its parser wants; an attribute brings them.
        func.res_attrs = ArrayAttr([DictionaryAttr({"relay.function": UnitAttr()})])
    return func


def _attributes(function: Function, is_main: bool, results: int) -> dict[str, Attribute]:
    attrs = dict(function.attrs)
    found: dict[str, Attribute] = {}
    if attrs.pop(PRIMITIVE, None):
        found["relay.primitive"] = UnitAttr()
    names = [param.name_hint for param in function.params]
    if is_main and names and all(names) and len(set(names)) == len(names):
        found["relay.input_names"] = ArrayAttr(map(StringAttr, names))
    outputs = attrs.get(OUTPUT_NAMES)
    if outputs is not None and len(outputs) == results:
        found["relay.output_names"] = ArrayAttr(map(StringAttr, attrs.pop(OUTPUT_NAMES)))
    if function.type_params:
        found[language.TYPE_PARAMS] = ArrayAttr(StringAttr(param.name) for param in function.type_params)
    if attrs:
        found[language.FUNCTION_ATTRS] = encode_attrs(attrs)
    return found


def _flattened(value: SSAValue, block: Block) -> Iterator[SSAValue]:
    """The value, or the fields of the tuple that it is, and of tuples inside."""
    if not isinstance(value.type, DialectTupleType):
        yield value
        return
    made = value.owner
    fields = list(made.operands if isinstance(made, control.Tuple) else fields_of(value, block))
    if isinstance(made, control.Tuple) and not value.uses:
        block.erase_op(made)
    for field in fields:
        yield from _flattened(field, block)
