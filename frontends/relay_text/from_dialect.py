"""From a module of the `relay` dialect to a program: the inverse of `to_dialect.py`, for every module of the dialect.

Functions, calls and branches with several results give tuples. Operations whose place matters get a name
(`effects.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from xdsl.dialects.builtin import ArrayAttr, FileLineColLoc, ModuleOp, StringAttr
from xdsl.dialects.builtin import TupleType as DialectTupleType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from xrelay.dialects.relay import adt, control, language, reference
from xrelay.dialects.relay import match as match_ops
from xrelay.dialects.relay.constant import Constant as ConstantOp
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.language_types import AdtType
from xrelay.errors import UnsupportedError
from xrelay.frontends.relay_text import types
from xrelay.frontends.relay_text.dialect_types import from_dialect_type
from xrelay.frontends.relay_text.effects import Effects
from xrelay.frontends.relay_text.expr import (
    Call,
    Clause,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    Program,
    RefCreate,
    RefRead,
    RefWrite,
    Span,
    Tuple,
    TupleGetItem,
    TypeData,
    Var,
)
from xrelay.frontends.relay_text.function_attrs import IMPLICIT, OUTPUT_NAMES, PRIMITIVE, decode_attrs
from xrelay.frontends.relay_text.operators import gives_tuple, relay_call, takes_tuple
from xrelay.frontends.relay_text.types import FuncType, GlobalTypeVar, TupleType, Type


def to_program(module: ModuleOp) -> Program:
    """The program of a module, with all types. Raises UnsupportedError for operations that the relay level lacks."""
    return _ProgramBuilder(module).build()


class _ProgramBuilder:
    def __init__(self, module: ModuleOp):
        self._module = module
        self._definitions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, adt.TypeDefinition)}
        self._effects = Effects(module)
        self._exprs: dict[SSAValue, Expr] = {}
        self._names: dict[Operation, Var] = {}
        """The variables of names that are used before they are given: in functions that call themselves."""
        self._globals: dict[str, GlobalVar] = {}
        self._constructors: dict[tuple[str, str], Constructor] = {}

    def build(self) -> Program:
        definitions = {name: self._definition(op) for name, op in self._definitions.items()}
        functions = [op for op in self._module.body.ops if isinstance(op, FuncOp) and not op.is_declaration]
        program = Program({}, definitions, decode_attrs(self._module.attributes.get(language.FUNCTION_ATTRS)))
        for op in functions:
            self._globals[op.sym_name.data] = GlobalVar(op.sym_name.data)
            self._globals[op.sym_name.data].checked_type = from_dialect_type(language.global_type(op))
        program.functions = {op.sym_name.data: self._function(op) for op in functions}
        program.global_vars = self._globals
        return program

    def _definition(self, op: adt.TypeDefinition) -> TypeData:
        header = GlobalTypeVar(op.sym_name.data)
        constructors = [
            Constructor(attr.constructor.data, list(map(from_dialect_type, attr.fields)), header, tag)
            for tag, attr in enumerate(op.constructors)
        ]
        self._constructors |= {(header.name, made.name_hint): made for made in constructors}
        variables = tuple(types.TypeVar(name.data) for name in op.type_params)
        definition = TypeData(header, variables, tuple(constructors))
        for made in constructors:
            made.checked_type = definition.constructor_type(made)
        return definition

    # Functions and blocks ---------------------------------------------------------------------------------------------

    def _function(self, op: FuncOp) -> Function:
        given = op.attributes.get("relay.input_names")
        names = [name.data for name in given if isinstance(name, StringAttr)] if isinstance(given, ArrayAttr) else []
        params = [self._parameter(arg, name) for arg, name in zip(op.args, names or [None] * len(op.args), strict=True)]
        attrs = decode_attrs(op.attributes.get(language.FUNCTION_ATTRS))
        if "relay.primitive" in op.attributes:
            attrs = {PRIMITIVE: 1, **attrs}
        outputs = op.attributes.get("relay.output_names")
        if isinstance(outputs, ArrayAttr):
            attrs[OUTPUT_NAMES] = [name.data for name in outputs if isinstance(name, StringAttr)]
        signature = from_dialect_type(language.global_type(op))
        return _at(op, self._closure(params, op.body.block, signature, attrs), signature)

    def _closure(self, params: Sequence[Var], block: Block, signature: Type, attrs: dict[str, Any]) -> Function:
        assert isinstance(signature, FuncType)
        return Function(params, self._block(block), signature.ret_type, signature.type_params, attrs)

    def _parameter(self, arg: SSAValue, name: str | None = None) -> Var:
        var = _variable(arg.name_hint or "p" if name is None else name, from_dialect_type(arg.type))
        self._exprs[arg] = var
        return var

    def _block(self, block: Block) -> Expr:
        """What a block computes."""
        named = self._effects.named(block)
        lets: list[tuple[Operation, Var, Expr]] = []
        for op in block.ops:
            if op.has_trait(IsTerminator):
                break
            expr = self._exprs[op.value] if isinstance(op, reference.Let) else self._operation(op)
            var = self._names.pop(op, None)
            if var is None and isinstance(op, reference.Let):
                var = _variable(op.attrs.variable, from_dialect_type(op.result.type))
            elif var is None and op in named:
                var = _variable("", expr.checked_type)
            if var is not None:
                lets.append((op, var, expr))
            self._give(op, expr if var is None else var)
        else:
            raise UnsupportedError("a block of relay ends in func.return or relay.yield")
        result = self._packed(op.operands)
        for made, var, value in reversed(lets):
            result = _at(made, Let(var, value, result), result.checked_type)
        return result

    def _give(self, op: Operation, expr: Expr) -> None:
        """Notes what the results of an operation are: an expression, or the fields of its value."""
        if not _several_results(op):
            self._exprs[op.results[0]] = expr
            return
        for index, result in enumerate(op.results):
            self._exprs[result] = _at(op, TupleGetItem(expr, index), from_dialect_type(result.type))

    def _operation(self, op: Operation) -> Expr:
        """The expression of an operation."""
        operands = [self._exprs[operand] for operand in op.operands]
        build = _BUILDERS.get(type(op))
        if build is not None:
            expr = build(self, op, operands)
        elif isinstance(op, RelayOp):
            expr = relay_call(op, operands)
            if takes_tuple(type(op)):
                expr.args = (self._packed(op.operands, always=True), *expr.args[1:])
        else:
            raise UnsupportedError(f"{op.name} at {op.location} is no operation of the relay level")
        types = [from_dialect_type(result.type) for result in op.results]
        return _at(op, expr, TupleType(tuple(types)) if _several_results(op) else types[0])

    def _packed(self, values: Sequence[SSAValue], always: bool = False) -> Expr:
        """One value (unless `always` a tuple), or a tuple of several: the one that they are projections of, if any."""
        exprs = [self._exprs[value] for value in values]
        if len(values) == 1 and not always and not _is_implicit(values[0]):
            return exprs[0]
        if all(map(_is_implicit, values)) and (whole := _whole(exprs)) is not None:
            return whole
        made = Tuple(exprs)
        made.checked_type = TupleType(tuple(map(_type, exprs)))
        return made

    # Expressions: of an operation on these operands -------------------------------------------------------------------

    def constant(self, op: ConstantOp, operands: list[Expr]) -> Expr:
        return Constant(op.array)

    def tuple(self, op: control.Tuple, operands: list[Expr]) -> Expr:
        whole = _whole(operands) if IMPLICIT in op.attributes else None
        return Tuple(operands) if whole is None else whole

    def tuple_get_item(self, op: control.TupleGetItem, operands: list[Expr]) -> Expr:
        return TupleGetItem(operands[0], op.attrs.index)

    def choice(self, op: control.If, operands: list[Expr]) -> Expr:
        return If(operands[0], self._block(op.then_region.block), self._block(op.else_region.block))

    def call(self, op: CallOp, operands: list[Expr]) -> Expr:
        return Call(self._globals[op.callee.string_value()], operands)

    def invoke(self, op: language.Invoke, operands: list[Expr]) -> Expr:
        return Call(operands[0], operands[1:])

    def global_(self, op: language.Global, operands: list[Expr]) -> Expr:
        return self._globals[op.function.string_value()]

    def instantiate(self, op: language.Instantiate, operands: list[Expr]) -> Expr:
        return operands[0]

    def fn(self, op: language.Fn, operands: list[Expr]) -> Expr:
        if op.itself is not None:
            self._name_recursion(op, op.itself)
        params = [self._parameter(param) for param in op.params]
        attrs = decode_attrs(op.attributes.get(language.FUNCTION_ATTRS))
        return self._closure(params, op.body.block, from_dialect_type(op.result.type), attrs)

    def _name_recursion(self, op: language.Fn, itself: SSAValue) -> None:
        """The variable under which a function calls itself: the name that it has, or a new one."""
        users = (use.operation for use in op.result.uses)
        let = next((user for user in users if isinstance(user, reference.Let) and user.parent is op.parent), None)
        name = itself.name_hint or "f" if let is None else let.attrs.variable
        var = _variable(name, from_dialect_type(op.result.type))
        self._names[op if let is None else let] = var
        self._exprs[itself] = var

    def construct(self, op: adt.Construct, operands: list[Expr]) -> Expr:
        assert isinstance(op.result.type, AdtType)
        return Call(self._constructor(op.result.type, op.constructor), operands)

    def constructor(self, op: adt.ConstructorOp, operands: list[Expr]) -> Expr:
        return self._constructor(op.data_type, op.constructor)

    def _constructor(self, value_type: AdtType, name: StringAttr) -> Constructor:
        return self._constructors[value_type.definition.data, name.data]

    def match(self, op: match_ops.Match, operands: list[Expr]) -> Expr:
        clauses = []
        for pattern, region in zip(op.patterns, op.clauses, strict=True):
            variables = iter([self._parameter(arg) for arg in region.block.args])
            clauses.append(Clause(self._pattern(pattern, op.value.type, variables), self._block(region.block)))
        return Match(operands[0], clauses, op.attrs.complete)

    def _pattern(self, pattern: Attribute, value_type: Attribute, variables: Iterator[Var]) -> Pattern:
        match pattern:
            case match_ops.VariablePattern():
                return PatternVar(next(variables))
            case match_ops.ConstructorPattern():
                assert isinstance(value_type, AdtType)
                definition = self._definitions[value_type.definition.data]
                types = definition.fields(pattern.constructor.data, tuple(value_type.arguments))
                fields = self._patterns(pattern.fields, types, variables)
                return PatternConstructor(self._constructor(value_type, pattern.constructor), fields)
            case match_ops.TuplePattern():
                assert isinstance(value_type, DialectTupleType)
                return PatternTuple(self._patterns(pattern.fields, value_type.types, variables))
        return PatternWildcard()

    def _patterns(
        self, patterns: Iterable[Attribute], types: Iterable[Attribute], variables: Iterator[Var]
    ) -> tuple[Pattern, ...]:
        return tuple(self._pattern(*item, variables) for item in zip(patterns, types, strict=True))

    def ref_create(self, op: reference.RefCreate, operands: list[Expr]) -> Expr:
        return RefCreate(operands[0])

    def ref_read(self, op: reference.RefRead, operands: list[Expr]) -> Expr:
        return RefRead(operands[0])

    def ref_write(self, op: reference.RefWrite, operands: list[Expr]) -> Expr:
        return RefWrite(operands[0], operands[1])


def _several_results(op: Operation) -> bool:
    """Whether the value of an operation is a tuple whose fields are its results."""
    if isinstance(op, control.If | CallOp):
        return len(op.results) != 1
    return type(op) not in _BUILDERS and isinstance(op, RelayOp) and gives_tuple(type(op))


def _is_implicit(value: SSAValue) -> bool:
    """Whether a value is a projection that the program does not write."""
    return isinstance(value.owner, control.TupleGetItem) and IMPLICIT in value.owner.attributes


def _whole(fields: Sequence[Expr]) -> Expr | None:
    """The tuple that these are all fields of, in order."""
    first = fields[0] if fields else None
    whole = first.tuple_value if isinstance(first, TupleGetItem) else None
    if whole is None or len(_fields(whole)) != len(fields):
        return None
    in_order = (
        isinstance(field, TupleGetItem) and field.tuple_value is whole and field.index == index
        for index, field in enumerate(fields)
    )
    return whole if all(in_order) else None


def _fields(expr: Expr) -> Sequence[Type]:
    assert isinstance(expr.checked_type, TupleType)
    return expr.checked_type.fields


def _type(expr: Expr) -> Type:
    assert expr.checked_type is not None
    return expr.checked_type


def _variable(name: str, value_type: Type | None) -> Var:
    var = Var(name, value_type)
    var.checked_type = value_type
    return var


E = TypeVar("E", bound=Expr)


def _at(op: Operation, expr: E, value_type: Type | None) -> E:
    """The expression, with its type and the place where the operation comes from; one that is there already stays."""
    if expr.checked_type is None:
        expr.checked_type = value_type
        location = op.location
        if isinstance(location, FileLineColLoc):
            expr.span = Span(location.filename.data, location.line.data, location.column.data)
    return expr


_BUILDERS: dict[type[Operation], Callable[[_ProgramBuilder, Any, list[Expr]], Expr]] = {
    ConstantOp: _ProgramBuilder.constant,
    control.Tuple: _ProgramBuilder.tuple,
    control.TupleGetItem: _ProgramBuilder.tuple_get_item,
    control.If: _ProgramBuilder.choice,
    CallOp: _ProgramBuilder.call,
    language.Invoke: _ProgramBuilder.invoke,
    language.Global: _ProgramBuilder.global_,
    language.Instantiate: _ProgramBuilder.instantiate,
    language.Fn: _ProgramBuilder.fn,
    adt.Construct: _ProgramBuilder.construct,
    adt.ConstructorOp: _ProgramBuilder.constructor,
    match_ops.Match: _ProgramBuilder.match,
    reference.RefCreate: _ProgramBuilder.ref_create,
    reference.RefRead: _ProgramBuilder.ref_read,
    reference.RefWrite: _ProgramBuilder.ref_write,
}
