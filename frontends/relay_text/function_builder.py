"""What a function computes, as operations: each kind of expression becomes one of the dialect's.

A node is computed once, in the innermost scope around its uses (`scopes.py`). Effects stand in the order of evaluation:
the parts of an expression from left to right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeGuard

from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    StringAttr,
    UnitAttr,
)
from xdsl.dialects.builtin import TupleType as DialectTupleType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay import adt, control, language, reference
from xrelay.dialects.relay import match as match_ops
from xrelay.dialects.relay.constant import Constant as ConstantOp
from xrelay.dialects.relay.language_types import AdtType
from xrelay.errors import TypeInferenceError, UnsupportedError
from xrelay.frontends.relay_text.dialect_types import to_dialect_type
from xrelay.frontends.relay_text.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Op,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    Program,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from xrelay.frontends.relay_text.function_attrs import IMPLICIT, PRIMITIVE, encode_attrs
from xrelay.frontends.relay_text.instantiation import type_arguments
from xrelay.frontends.relay_text.names import global_name, local_name
from xrelay.frontends.relay_text.operators import dialect_call, gives_tuple
from xrelay.frontends.relay_text.scopes import Scopes, is_leaf
from xrelay.frontends.relay_text.traversal import Walk, pattern_vars, run
from xrelay.frontends.relay_text.types import FuncType, RefType, TupleType, Type, TypeCall
from xrelay.frontends.relay_text.unify import substitute_params


def type_of(expr: Expr) -> Type:
    """Raises TypeInferenceError for an expression whose type has not been inferred."""
    if expr.checked_type is None:
        raise TypeInferenceError(f"the type of {type(expr).__name__} is not known: infer types first")
    return expr.checked_type


def signature(program: Program, name: str) -> FuncType:
    """The type of a global function. Raises TypeInferenceError for one that the program does not have."""
    if name not in program.functions:
        raise TypeInferenceError(f"the program has no function {global_name(name)}")
    found = type_of(program.functions[name])
    assert isinstance(found, FuncType)
    return found


def several_results(function: Function) -> bool:
    """Whether the fields of the tuple that a function gives are its results: those of a kernel are, if several."""
    found = type_of(function)
    assert isinstance(found, FuncType)
    result = found.ret_type
    return bool(function.attrs.get(PRIMITIVE)) and isinstance(result, TupleType) and len(result.fields) > 1


class FunctionBuilder:
    """Fills the block of one global function."""

    def __init__(self, program: Program, root: Function):
        self.program = program
        self._root = root
        self._scopes = Scopes(root.body)
        self._values: dict[int, SSAValue] = {}
        """Of the nodes that are computed, by id, and of the variables that are bound."""
        self._several: dict[int, tuple[SSAValue, ...]] = {}
        """Of the calls whose results are not one value, but the fields of a tuple."""

    def build(self) -> tuple[Block, SSAValue]:
        """The block, and what it computes."""
        block = self._scopes.root.block
        for param in self._root.params:
            self._bind(param, block.insert_arg(to_dialect_type(type_of(param)), len(block.args)))
        declared = type_of(self._root)
        assert isinstance(declared, FuncType)
        return block, run(self._typed(self._root.body, declared.ret_type, block))

    # Values -----------------------------------------------------------------------------------------------------------

    def _bind(self, var: Var, value: SSAValue) -> None:
        self._values[id(var)] = value
        if var.name_hint and SSAValue.is_valid_name(var.name_hint):
            value.name_hint = var.name_hint

    def _value(self, expr: Expr, block: Block) -> Walk[SSAValue]:
        """The value of an expression that is used in a block."""
        known = self._values.get(id(expr))
        if known is not None:
            return known
        made = yield self._computed(expr, block)
        if isinstance(made, SSAValue):
            return made
        packed = _implicit(control.Tuple.make(*made))
        self._values[id(expr)] = self._add(packed, self._scopes.home(expr).block, expr)
        return packed.results[0]

    def _computed(self, expr: Expr, block: Block) -> Walk[SSAValue | tuple[SSAValue, ...]]:
        """The value of an expression; the fields of the tuple, where these are what is computed."""
        for known in (self._several, self._values):
            if id(expr) in known:
                return known[id(expr)]
        if is_leaf(expr):
            return self._leaf(expr, block)
        made = yield _BUILDERS[type(expr)](self, expr, self._scopes.home(expr).block)
        (self._several if isinstance(made, tuple) else self._values)[id(expr)] = made
        return made

    def _values_of(self, exprs: Iterable[Expr], block: Block) -> Walk[list[SSAValue]]:
        values = []
        for expr in exprs:
            values.append(self._values.get(id(expr)) or (yield self._value(expr, block)))
        return values

    def _typed(self, expr: Expr, expected: Type, block: Block) -> Walk[SSAValue]:
        """The value where a type is expected: a generic function is taken at the types that make it so."""
        declared = self._declared(expr)
        if not _is_generic(declared) or not isinstance(expected, FuncType) or _is_generic(expected):
            return (yield self._value(expr, block))
        types = type_arguments(declared, expected.arg_types, expected.ret_type)
        return (yield self._instance(expr, declared, types, block))

    def _all_typed(self, exprs: Sequence[Expr], expected: Sequence[Type], block: Block) -> Walk[list[SSAValue]]:
        values = []
        for expr, wanted in zip(exprs, expected, strict=True):
            values.append((yield self._typed(expr, wanted, block)))
        return values

    def _instance(self, expr: Expr, declared: FuncType, types: Sequence[Type], block: Block) -> Walk[SSAValue]:
        """A generic function at these types."""
        used = to_dialect_type(substitute_params(declared, types))
        args = [to_dialect_type(t) for t in types]
        match expr:
            case GlobalVar():
                return self._add(language.Global.of(expr.name_hint, used, args), block, expr)
            case Constructor():
                return self._add(adt.ConstructorOp.of(expr.name_hint, used), block, expr)
        return self._add(language.Instantiate.of((yield self._value(expr, block)), args), block, expr)

    def _declared(self, expr: Expr) -> Type:
        return signature(self.program, expr.name_hint) if isinstance(expr, GlobalVar) else type_of(expr)

    def _leaf(self, expr: Expr, block: Block) -> SSAValue:
        match expr:
            case GlobalVar():
                made = language.Global.of(expr.name_hint, to_dialect_type(self._declared(expr)))
                return self._add(made, block, expr)
            case Constructor():
                return self._add(adt.ConstructorOp.of(expr.name_hint, to_dialect_type(type_of(expr))), block, expr)
            case Var():
                raise TypeInferenceError(f"{_place(expr)}{local_name(expr.name_hint)} is not bound")
        raise UnsupportedError(f"{_place(expr)}an operator is no value: write a function that calls it")

    def _add(self, op: Operation, block: Block, expr: Expr) -> SSAValue:
        """The (first) result of an operation put at the end of a block."""
        if expr.span is not None:
            span = expr.span
            op.location = FileLineColLoc(StringAttr(span.source), IntAttr(span.line), IntAttr(span.column))
        block.add_op(op)
        return op.results[0]

    # Expressions: each of these is given the block that it belongs to -------------------------------------------------

    def constant(self, expr: Constant, block: Block) -> Walk[SSAValue]:
        try:
            return self._add(ConstantOp.of(expr.data), block, expr)
        except KeyError:
            raise UnsupportedError(f"{_place(expr)}there is no element type {expr.data.dtype}") from None
        yield

    def tuple(self, expr: Tuple, block: Block) -> Walk[SSAValue]:
        return self._add(control.Tuple.make(*(yield self._values_of(expr.fields, block))), block, expr)

    def tuple_get_item(self, expr: TupleGetItem, block: Block) -> Walk[SSAValue]:
        given = yield self._computed(expr.tuple_value, block)
        if isinstance(given, SSAValue):
            return self._add(control.TupleGetItem.make(given, index=expr.index), block, expr)
        return given[expr.index]

    def let(self, expr: Let, block: Block) -> Walk[SSAValue]:
        """A chain of names is walked along, so that its length does not matter."""
        chain = [expr]
        yield self._name(expr, block)
        while isinstance(body := chain[-1].body, Let) and id(body) not in self._values:
            if self._scopes.home(body).block is not block:
                break
            chain.append(body)
            yield self._name(body, block)
        result = yield self._value(chain[-1].body, block)
        self._values |= {id(link): result for link in chain}
        return result

    def _name(self, expr: Let, block: Block) -> Walk[None]:
        if isinstance(expr.value, Function) and id(expr.value) not in self._values:
            value = yield self.function(expr.value, self._scopes.home(expr.value).block, expr.var)
            self._values[id(expr.value)] = value
        else:
            value = yield self._typed(expr.value, type_of(expr.var), block)
        named = reference.Let.create(
            operands=[value],
            result_types=[to_dialect_type(type_of(expr.var))],
            properties={"variable": StringAttr(expr.var.name_hint)},
        )
        self._bind(expr.var, self._add(named, block, expr))

    def function(self, expr: Function, block: Block, itself: Var | None = None) -> Walk[SSAValue]:
        """A function; `itself` is the variable under which it may call itself."""
        declared = type_of(expr)
        assert isinstance(declared, FuncType)
        (scope,) = self._scopes.opened(expr)
        inner = scope.block
        for var in (*([itself] if itself is not None else []), *expr.params):
            self._bind(var, inner.insert_arg(to_dialect_type(type_of(var)), len(inner.args)))
        yield self._finish(expr.body, declared.ret_type, inner)
        recursive = itself is not None and bool(inner.args[0].uses)
        if itself is not None and not recursive:
            inner.erase_arg(inner.args[0])
        names = [param.name for param in expr.type_params]
        made = language.Fn.of(Region(inner), to_dialect_type(declared.ret_type), names, recursive)
        if expr.attrs:
            made.attributes[language.FUNCTION_ATTRS] = encode_attrs(expr.attrs)
        return self._add(made, block, expr)

    def _finish(self, expr: Expr, expected: Type, block: Block) -> Walk[None]:
        """Ends a block with the value of an expression."""
        block.add_op(control.Yield.make((yield self._typed(expr, expected, block))))

    def choice(self, expr: If, block: Block) -> Walk[SSAValue]:
        condition = yield self._value(expr.cond, block)
        scopes = self._scopes.opened(expr)
        for branch, scope in zip((expr.true_branch, expr.false_branch), scopes, strict=True):
            yield self._finish(branch, type_of(expr), scope.block)
        then, otherwise = (Region(scope.block) for scope in scopes)
        made = control.If.of(condition, then, otherwise, [to_dialect_type(type_of(expr))])
        return self._add(made, block, expr)

    def match(self, expr: Match, block: Block) -> Walk[SSAValue]:
        value = yield self._value(expr.data, block)
        scopes = self._scopes.opened(expr)
        for clause, scope in zip(expr.clauses, scopes, strict=True):
            for var in pattern_vars(clause):
                self._bind(var, scope.block.insert_arg(to_dialect_type(type_of(var)), len(scope.block.args)))
            yield self._finish(clause.rhs, type_of(expr), scope.block)
        patterns = [_pattern(clause.lhs) for clause in expr.clauses]
        regions = [Region(scope.block) for scope in scopes]
        made = match_ops.Match.of(value, patterns, regions, to_dialect_type(type_of(expr)), expr.complete)
        return self._add(made, block, expr)

    def ref_create(self, expr: RefCreate, block: Block) -> Walk[SSAValue]:
        cell = type_of(expr)
        assert isinstance(cell, RefType)
        value = yield self._typed(expr.value, cell.value, block)
        made = reference.RefCreate.create(operands=[value], result_types=[to_dialect_type(cell)])
        return self._add(made, block, expr)

    def ref_read(self, expr: RefRead, block: Block) -> Walk[SSAValue]:
        return self._add(reference.RefRead.make((yield self._value(expr.ref, block))), block, expr)

    def ref_write(self, expr: RefWrite, block: Block) -> Walk[SSAValue]:
        cell = yield self._value(expr.ref, block)
        held = type_of(expr.ref)
        assert isinstance(held, RefType)
        value = yield self._typed(expr.value, held.value, block)
        return self._add(reference.RefWrite.make(cell, value), block, expr)

    # Calls ------------------------------------------------------------------------------------------------------------

    def call(self, expr: Call, block: Block) -> Walk[SSAValue | tuple[SSAValue, ...]]:
        match expr.op:
            case Op():
                return (yield self._operator(expr, block))
            case Constructor():
                return (yield self._construct(expr, expr.op, block))
        declared = self._declared(expr.op)
        assert isinstance(declared, FuncType)
        if _is_generic(declared):
            types = expr.type_args or type_arguments(declared, [type_of(arg) for arg in expr.args], type_of(expr))
            function = yield self._instance(expr.op, declared, types, block)
            used = substitute_params(declared, types)
        elif isinstance(expr.op, GlobalVar):
            return (yield self._global_call(expr, expr.op, declared, block))
        else:
            function, used = (yield self._value(expr.op, block)), declared
        args = yield self._all_typed(expr.args, used.arg_types, block)
        return self._add(language.Invoke.of(function, args), block, expr)

    def _global_call(
        self, expr: Call, function: GlobalVar, used: FuncType, block: Block
    ) -> Walk[SSAValue | tuple[SSAValue, ...]]:
        args = yield self._all_typed(expr.args, used.arg_types, block)
        several = several_results(self.program.functions[function.name_hint])
        if not several and [arg.type for arg in args] != [to_dialect_type(t) for t in used.arg_types]:
            # Sizes that the function does not know: func.call wants exactly its types.
            return self._add(language.Invoke.of(self._leaf(function, block), args), block, expr)
        results = used.ret_type.fields if several else [used.ret_type]  # type: ignore[attr-defined]
        made = CallOp(function.name_hint, args, [to_dialect_type(t) for t in results])
        self._add(made, block, expr) if made.results else block.add_op(made)
        return tuple(made.results) if several else made.results[0]

    def _construct(self, expr: Call, constructor: Constructor, block: Block) -> Walk[SSAValue]:
        made = type_of(expr)
        assert isinstance(made, TypeCall)
        definition = self.program.type_definitions[made.func.name]
        fields = substitute_params(definition.constructor_type(constructor), made.args).arg_types
        values = yield self._all_typed(expr.args, fields, block)
        value_type = to_dialect_type(made)
        assert isinstance(value_type, AdtType)
        return self._add(adt.Construct.of(constructor.name_hint, values, value_type), block, expr)

    def _operator(self, expr: Call, block: Block) -> Walk[SSAValue | tuple[SSAValue, ...]]:
        cls, operands, attrs = dialect_call(expr)
        if isinstance(operands, Expr):
            values = yield self._unpacked(operands, block)
        else:
            values = yield self._values_of(operands, block)
        try:
            made = cls.make(*values, **attrs)
        except VerifyException as error:
            raise TypeInferenceError(f"{_place(expr)}{expr.op.name}: {error}") from None  # type: ignore[attr-defined]
        self._add(made, block, expr)
        return tuple(made.results) if gives_tuple(cls) else made.results[0]

    def _unpacked(self, expr: Expr, block: Block) -> Walk[list[SSAValue]]:
        """The fields of a tuple."""
        if isinstance(expr, Tuple):
            return (yield self._values_of(expr.fields, block))
        value = yield self._value(expr, block)
        return list(fields_of(value, block))


def fields_of(value: SSAValue, block: Block) -> Iterator[SSAValue]:
    """The fields of a tuple, by projections that the program does not write."""
    assert isinstance(value.type, DialectTupleType)
    for index in range(len(value.type.types)):
        projection = _implicit(control.TupleGetItem.make(value, index=index))
        block.add_op(projection)
        yield projection.results[0]


def _implicit(op: Operation) -> Operation:
    op.attributes[IMPLICIT] = UnitAttr()
    return op


def _is_generic(value: Type) -> TypeGuard[FuncType]:
    return isinstance(value, FuncType) and bool(value.type_params)


def _place(expr: Expr) -> str:
    return f"{expr.span}: " if expr.span else ""


def _pattern(pattern: Pattern) -> Attribute:
    match pattern:
        case PatternVar():
            return match_ops.VariablePattern()
        case PatternConstructor():
            name = pattern.constructor.name_hint
            return match_ops.ConstructorPattern.of(name, [_pattern(inner) for inner in pattern.patterns])
        case PatternTuple():
            return match_ops.TuplePattern.of([_pattern(inner) for inner in pattern.patterns])
    return match_ops.WildcardPattern()


_BUILDERS: dict[type[Expr], Callable[[FunctionBuilder, Any, Block], Walk[SSAValue | tuple[SSAValue, ...]]]] = {
    Constant: FunctionBuilder.constant,
    Tuple: FunctionBuilder.tuple,
    TupleGetItem: FunctionBuilder.tuple_get_item,
    Let: FunctionBuilder.let,
    Function: FunctionBuilder.function,
    If: FunctionBuilder.choice,
    Match: FunctionBuilder.match,
    Call: FunctionBuilder.call,
    RefCreate: FunctionBuilder.ref_create,
    RefRead: FunctionBuilder.ref_read,
    RefWrite: FunctionBuilder.ref_write,
}
