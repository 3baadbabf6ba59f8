"""Type inference: finds the type of every expression of a program.

Expressions are visited once, and types unified as they meet. What cannot be decided yet – an operator of an argument
whose type is a hole – waits for the hole. So the time is linear in the size of the program. Generic functions are those
that declare type parameters; each use is at types of its own. Where a type is written, it holds: a size that is known
there and unknown in the value is one that the run checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, TypeVar

from xrelay.errors import TypeInferenceError, UnsupportedError
from xrelay.frontends.relay_text.constraints import Constraints, Fault, Scope, Waiting, place, short_text
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
from xrelay.frontends.relay_text.implied import implied_type
from xrelay.frontends.relay_text.kinds import definition_faults
from xrelay.frontends.relay_text.names import global_name
from xrelay.frontends.relay_text.operators import call_attrs, call_type, operator_class
from xrelay.frontends.relay_text.patterns import pattern_text, unmatched_cases
from xrelay.frontends.relay_text.traversal import Walk, run
from xrelay.frontends.relay_text.types import (
    UNIT,
    FuncType,
    Hole,
    RefType,
    TupleType,
    Type,
    scalar_type,
    tensor_type_of,
)
from xrelay.frontends.relay_text.unify import FAULTY, parts

T = TypeVar("T")
SHOWN_CASES = 3
"""So many values without a clause are named."""


def infer_types(program: Program) -> Program:
    """The program, with `checked_type` set in every expression but operators; nothing else is changed.

    A generic function has its generic type wherever it is named. Raises TypeInferenceError, which lists every fault.
    """
    inference = _Inference(program)
    inference.faults += [Fault(None, "", message) for message in definition_faults(program)]
    for name, function in program.functions.items():
        inference.scope = Scope(global_name(name))
        inference.globals[name] = inference.signature(function)
    inference.walk(inference.visit_globals())
    return program


def infer_expr(expr: Expr, program: Program | None = None) -> Type:
    """The type of an expression, in which variables may be free; sets `checked_type` as `infer_types` does.

    Global functions and types are those of `program`, whose functions have the types that are inferred or declared.
    """
    inference = _Inference(program or Program())
    for name, function in inference.program.functions.items():
        known = function.checked_type
        inference.globals[name] = known if isinstance(known, FuncType) else inference.signature(function)
    inference.scope = Scope("", open=True)
    return inference.types.resolve(inference.walk(inference.visit(expr)))


class _Inference(Constraints):
    """The rule of each form of expression."""

    def __init__(self, program: Program):
        super().__init__(program)
        self.globals: dict[str, FuncType] = {}
        self._begun: set[str] = set()

    def walk(self, walk: Walk[T]) -> T:
        try:
            result = run(walk)
            self.finish()
        except RecursionError:
            raise TypeInferenceError("a type is nested too deeply") from None
        return result

    # Expressions ------------------------------------------------------------------------------------------------------

    def visit_globals(self) -> Walk[None]:
        for name in self.program.functions:
            yield self.visit_global(name)

    def visit_global(self, name: str) -> Walk[None]:
        """Visits a function of the program, once."""
        if name not in self._begun:
            self._begun.add(name)
            outer, self.scope = self.scope, Scope(global_name(name))
            yield self.visit(self.program.functions[name])
            self.scope = outer

    def visit(self, expr: Expr) -> Walk[Type]:
        """The type of an expression, which may have been visited before."""
        if isinstance(expr, Var):
            return self._var_type(expr)
        known = self.scope.types.get(id(expr))
        if known is None:
            known = yield _VISITORS[type(expr)](self, expr)
            self.scope.types[id(expr)] = known
            self.found.append((expr, known))
        return known

    def visit_all(self, exprs: Iterable[Expr]) -> Walk[list[Type]]:
        found = []
        for expr in exprs:
            found.append((yield self.visit(expr)))
        return found

    def _var_type(self, var: Var) -> Type:
        known = self.scope.variables.get(id(var))
        if known is None and self.scope.open:
            known = self.written(var, var.type_annotation)
            self.bind(var, known)
        elif known is None:
            known = self.fault(var, f"{short_text(var)} is not bound here")
        return known

    def visit_constant(self, constant: Constant) -> Walk[Type]:
        return tensor_type_of(constant.data)
        yield  # a walk without parts

    def visit_global_var(self, var: GlobalVar) -> Walk[Type]:
        name = var.name_hint
        if name not in self.globals:
            close = get_close_matches(name, self.globals, n=1)
            hint = f"; do you mean {global_name(close[0])}?" if close else ""
            return self.fault(var, f"there is no function {global_name(name)}{hint}")
        signature = self.globals[name]
        if signature.type_params and self.types.first_hole(signature) is not None and not self.scope.open:
            # What it does not declare may depend on its type parameters.
            yield self.visit_global(name)
        return self.globals[name]

    def visit_op(self, op: Op) -> Walk[Type]:
        return self.fault(op, f"the operator {op.name} is no value: write a function that calls it")
        yield

    def visit_constructor(self, constructor: Constructor) -> Walk[Type]:
        definition = self.program.type_definitions.get(constructor.belong_to.name)
        if definition is None:
            return self.fault(constructor, f"there is no type {constructor.belong_to.name}")
        return definition.constructor_type(constructor)
        yield

    def visit_tuple(self, expr: Tuple) -> Walk[Type]:
        return TupleType((yield self.visit_all(expr.fields)))

    def visit_tuple_get_item(self, expr: TupleGetItem) -> Walk[Type]:
        given = yield self.visit(expr.tuple_value)

        def attempt() -> Type | Waiting:
            match self.types.head(given):
                case Hole() as hole:
                    return Waiting(hole)
                case TupleType(fields) if 0 <= expr.index < len(fields):
                    return fields[expr.index]
                case TupleType(fields) as found:
                    return self.fault(expr, f"there is no field {expr.index} in {self.types.resolve(found)}")
                case found if found is not FAULTY:
                    return self.fault(expr, f"{self.types.resolve(found)} is no tuple")
            return FAULTY

        return self.solve(expr, attempt)

    def visit_let(self, expr: Let) -> Walk[Type]:
        declared = self.written(expr.var, expr.var.type_annotation)
        if isinstance(expr.value, Function):
            # The function may call itself, as generic as it is.
            known = self.expect(expr.value, self.signature(expr.value), declared, short_text(expr.var))
            self.bind(expr.var, known)
            yield self.visit(expr.value)
        else:
            self.scope.variables[id(expr.var)] = declared
            found = yield self.visit(expr.value)
            self.bind(expr.var, self.expect(place(expr.value, expr), found, declared, short_text(expr.var)))
        return (yield self.visit(expr.body))

    def visit_function(self, function: Function) -> Walk[Type]:
        signature = self.signature(function)
        outer = list(self.scope.type_vars)
        self.scope.type_vars += [param.name for param in function.type_params]
        for param, value in zip(function.params, signature.arg_types, strict=True):
            self.bind(param, value)
        found = yield self.visit(function.body)
        self.expect(place(function.body, function), found, signature.ret_type, "the result of the function")
        self.scope.type_vars = outer
        return signature

    def visit_if(self, expr: If) -> Walk[Type]:
        condition = yield self.visit(expr.cond)
        self.expect(place(expr.cond, expr), condition, scalar_type("bool"), "the condition")
        first = yield self.visit(expr.true_branch)
        second = yield self.visit(expr.false_branch)
        return self.expect(place(expr.false_branch, expr), second, first, "the else branch")

    def visit_ref_create(self, expr: RefCreate) -> Walk[Type]:
        return RefType((yield self.visit(expr.value)))

    def visit_ref_read(self, expr: RefRead) -> Walk[Type]:
        return (yield self._visit_ref(expr.ref, expr))

    def visit_ref_write(self, expr: RefWrite) -> Walk[Type]:
        held = yield self._visit_ref(expr.ref, expr)
        value = yield self.visit(expr.value)
        self.expect(place(expr.value, expr), value, held, "the value written")
        return UNIT

    def _visit_ref(self, ref: Expr, around: Expr) -> Walk[Type]:
        """The type of what the reference holds."""
        given, held = (yield self.visit(ref)), Hole()
        self.expect(place(ref, around), given, RefType(held), short_text(ref))
        return held

    # Calls ------------------------------------------------------------------------------------------------------------

    def visit_call(self, call: Call) -> Walk[Type]:
        if isinstance(call.op, Op):
            return self._operator_call(call, (yield self.visit_all(call.args)))
        callee, *args = yield self.visit_all((call.op, *call.args))
        callee = self.types.head(callee)
        if isinstance(callee, Hole):
            result = Hole()
            self.expect(call, FuncType(tuple(args), result), callee, short_text(call.op))
            return result
        if callee is FAULTY:
            return FAULTY
        if not isinstance(callee, FuncType):
            return self.fault(call, f"{short_text(call.op)} of type {self.types.resolve(callee)} is no function")
        return self._apply(call, callee, args)

    def _apply(self, call: Call, callee: FuncType, args: Sequence[Type]) -> Type:
        name = short_text(call.op)
        if len(args) != len(callee.arg_types):
            return self.fault(call, f"{name} takes {len(callee.arg_types)} arguments, not {len(args)}")
        if call.type_args and len(call.type_args) != len(callee.type_params):
            return self.fault(call, f"{name} takes {len(callee.type_params)} type arguments, not {len(call.type_args)}")
        used = self.types.instantiate(callee, [self.written(call, arg) for arg in call.type_args])
        for number, (expr, found, expected) in enumerate(zip(call.args, args, used.arg_types, strict=True), start=1):
            self.expect(place(expr, call), found, expected, f"argument {number} of {name}")
        return used.ret_type

    def _operator_call(self, call: Call, args: Sequence[Type]) -> Type:
        name: str = call.op.name  # type: ignore[attr-defined]

        def attempt() -> Type | Waiting:
            try:
                operator_class(name)
                hole = self._fill_implied(name, args, call.attrs)
                if hole is not None:
                    return Waiting(hole)
                known = [self.types.resolve(arg) for arg in args]
                if any(part is FAULTY for arg in known for part in parts(arg)):
                    return FAULTY
                return call_type(name, known, call_attrs(name, call.args, call.attrs))
            except (TypeInferenceError, UnsupportedError) as error:
                return self.fault(call, str(error))

        return self.solve(call, attempt)

    def _fill_implied(self, name: str, args: Sequence[Type], attrs: Mapping[str, Any]) -> Hole | None:
        """Fills the types of weights that follow from the data; a hole that is left."""
        holes = [hole for arg in args if (hole := self.types.first_hole(arg)) is not None]
        implied = implied_type(name, self.types.head(args[0]), attrs) if holes else None
        if implied is None:
            return holes[0] if holes else None
        for arg in args[1:]:
            if isinstance(self.types.head(arg), Hole):
                self.types.unify(arg, implied)
        return None

    # Matches ----------------------------------------------------------------------------------------------------------

    def visit_match(self, expr: Match) -> Walk[Type]:
        data = yield self.visit(expr.data)
        result: Type = Hole()
        before = len(self.faults)
        for clause in expr.clauses:
            self._pattern(expr, clause.lhs, data)
        if expr.complete and len(self.faults) == before:
            cases = [pattern_text(case) for case in islice(unmatched_cases(expr, self.program.type_definitions), 4)]
            if cases:
                more = ", …" if len(cases) > SHOWN_CASES else ""
                listed = ", ".join(cases[:SHOWN_CASES]) + more
                self.fault(expr, f"the match has no clause for {listed} (`match?` need not have one)")
        for clause in expr.clauses:
            found = yield self.visit(clause.rhs)
            result = self.expect(place(clause.rhs, expr), found, result, f"the clause {pattern_text(clause.lhs)}")
        return result

    def _pattern(self, expr: Match, pattern: Pattern, given: Type) -> None:
        """Unifies the type of what is matched with that of the pattern, whose variables it binds."""
        what = f"what the pattern {pattern_text(pattern)} is for"
        match pattern:
            case PatternVar(var):
                self.bind(var, self.expect(var, given, self.written(var, var.type_annotation), short_text(var)))
            case PatternTuple(patterns):
                fields = [Hole() for _ in patterns]
                self.expect(expr, given, TupleType(tuple(fields)), what)
                for inner, value in zip(patterns, fields, strict=True):
                    self._pattern(expr, inner, value)
            case PatternConstructor(constructor, patterns):
                definition = self.program.type_definitions.get(constructor.belong_to.name)
                if definition is None:
                    self.fault(expr, f"there is no type {constructor.belong_to.name}")
                    return
                made = self.types.instantiate(definition.constructor_type(constructor))
                if len(patterns) != len(made.arg_types):
                    self.fault(expr, f"{constructor.name_hint} has {len(made.arg_types)} fields, not {len(patterns)}")
                    return
                self.expect(expr, given, made.ret_type, what)
                for inner, value in zip(patterns, made.arg_types, strict=True):
                    self._pattern(expr, inner, value)


_VISITORS: dict[type[Expr], Callable[[_Inference, Any], Walk[Type]]] = {
    GlobalVar: _Inference.visit_global_var,
    Op: _Inference.visit_op,
    Constant: _Inference.visit_constant,
    Constructor: _Inference.visit_constructor,
    Tuple: _Inference.visit_tuple,
    TupleGetItem: _Inference.visit_tuple_get_item,
    Call: _Inference.visit_call,
    Let: _Inference.visit_let,
    Function: _Inference.visit_function,
    If: _Inference.visit_if,
    Match: _Inference.visit_match,
    RefCreate: _Inference.visit_ref_create,
    RefRead: _Inference.visit_ref_read,
    RefWrite: _Inference.visit_ref_write,
}
