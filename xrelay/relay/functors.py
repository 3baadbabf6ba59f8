"""Walks over expressions by kind: `ExprFunctor`, `ExprVisitor`, `ExprMutator`, `MixedModeMutator`.

An expression is visited once; a second visit gives what the first one gave. Visitors and mutators go through operands
(arguments, fields, conditions, and the chain of a `let`) by a loop, so that programs may be as deep as they like: when
`visit_call` runs, its operands have been visited, and `self.visit(operand)` only looks up what came out. What opens a
scope (functions, branches, clauses) is visited when its method asks for it. A class that overrides `visit_let` sees
the chain outside in, before its values and its body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from xrelay.frontends.relay_text import traversal
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
    Op,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from xrelay.frontends.relay_text.traversal import pattern_vars

_METHODS: dict[type[Expr], str] = {
    Function: "visit_function",
    Let: "visit_let",
    Call: "visit_call",
    Var: "visit_var",
    If: "visit_if",
    Tuple: "visit_tuple",
    TupleGetItem: "visit_tuple_getitem",
    GlobalVar: "visit_global_var",
    Op: "visit_op",
    Constant: "visit_constant",
    RefCreate: "visit_ref_create",
    RefRead: "visit_ref_read",
    RefWrite: "visit_ref_write",
    Constructor: "visit_constructor",
    Match: "visit_match",
}

F = TypeVar("F", bound=Callable)


def _inside_out(method: F) -> F:
    """Marks a `visit_let` that may run after those of the lets inside of it."""
    method.inside_out = True  # type: ignore[attr-defined]
    return method


class ExprFunctor:
    """Base of all walks: `visit` calls the method of the expression's kind, once an expression."""

    def __init__(self) -> None:
        self.memo_map: dict[Expr, Any] = {}

    def visit(self, expr: Expr) -> Any:
        """What the method of the expression's kind gives."""
        if expr not in self.memo_map:
            self.memo_map[expr] = self._dispatch(expr)
        return self.memo_map[expr]

    def _dispatch(self, expr: Expr) -> Any:
        for kind in type(expr).__mro__:
            if kind in _METHODS:
                return getattr(self, _METHODS[kind])(expr)
        raise TypeError(f"{type(self).__name__} cannot visit a {type(expr).__name__}")

    def visit_function(self, fn: Function) -> Any:
        raise NotImplementedError

    def visit_let(self, let: Let) -> Any:
        raise NotImplementedError

    def visit_call(self, call: Call) -> Any:
        raise NotImplementedError

    def visit_var(self, var: Var) -> Any:
        raise NotImplementedError

    def visit_if(self, ite: If) -> Any:
        raise NotImplementedError

    def visit_tuple(self, tup: Tuple) -> Any:
        raise NotImplementedError

    def visit_tuple_getitem(self, op: TupleGetItem) -> Any:
        raise NotImplementedError

    def visit_global_var(self, var: GlobalVar) -> Any:
        raise NotImplementedError

    def visit_op(self, op: Op) -> Any:
        raise NotImplementedError

    def visit_constant(self, const: Constant) -> Any:
        raise NotImplementedError

    def visit_ref_create(self, ref: RefCreate) -> Any:
        raise NotImplementedError

    def visit_ref_read(self, ref: RefRead) -> Any:
        raise NotImplementedError

    def visit_ref_write(self, ref: RefWrite) -> Any:
        raise NotImplementedError

    def visit_constructor(self, con: Constructor) -> Any:
        raise NotImplementedError

    def visit_match(self, match: Match) -> Any:
        raise NotImplementedError


class _OperandsFirst(ExprFunctor):
    """Visits the operands of an expression before itself, without recursion."""

    def visit(self, expr: Expr) -> Any:
        if expr not in self.memo_map:
            for pending in self._pending(expr):
                if pending not in self.memo_map:
                    self.memo_map[pending] = self._dispatch(pending)
        return self.memo_map[expr]

    def _pending(self, root: Expr) -> Iterator[Expr]:
        """What is to be visited up to `root`, operands first."""
        found = {root}
        stack = [(root, iter(self._operands(root)))]
        while stack:
            expr, operands = stack[-1]
            for operand in operands:
                if operand not in self.memo_map and operand not in found:
                    found.add(operand)
                    stack.append((operand, iter(self._operands(operand))))
                    break
            else:
                stack.pop()
                yield expr

    def _operands(self, expr: Expr) -> tuple[Expr, ...]:
        """The parts of an expression that are evaluated in its own scope."""
        match expr:
            case If():
                return (expr.cond,)
            case Match():
                return (expr.data,)
            case Function():
                return ()
            case Let():
                return children(expr) if getattr(type(self).visit_let, "inside_out", False) else ()
        return children(expr)


class ExprVisitor(_OperandsFirst):
    """Visits every expression; override the methods of the kinds you want to see, and call `super()` to go on."""

    def visit_function(self, fn: Function) -> None:
        for param in fn.params:
            self.visit(param)
        self.visit(fn.body)

    @_inside_out
    def visit_let(self, let: Let) -> None:
        self.visit(let.var)
        self.visit(let.value)
        self.visit(let.body)

    def visit_call(self, call: Call) -> None:
        self.visit(call.op)
        for arg in call.args:
            self.visit(arg)

    def visit_var(self, var: Var) -> None:
        pass

    def visit_if(self, ite: If) -> None:
        self.visit(ite.cond)
        self.visit(ite.true_branch)
        self.visit(ite.false_branch)

    def visit_tuple(self, tup: Tuple) -> None:
        for field in tup.fields:
            self.visit(field)

    def visit_tuple_getitem(self, op: TupleGetItem) -> None:
        self.visit(op.tuple_value)

    def visit_global_var(self, var: GlobalVar) -> None:
        pass

    def visit_op(self, op: Op) -> None:
        pass

    def visit_constant(self, const: Constant) -> None:
        pass

    def visit_ref_create(self, ref: RefCreate) -> None:
        self.visit(ref.value)

    def visit_ref_read(self, ref: RefRead) -> None:
        self.visit(ref.ref)

    def visit_ref_write(self, ref: RefWrite) -> None:
        self.visit(ref.ref)
        self.visit(ref.value)

    def visit_constructor(self, con: Constructor) -> None:
        pass

    def visit_match(self, match: Match) -> None:
        self.visit(match.data)
        for clause in match.clauses:
            for var in pattern_vars(clause):
                self.visit(var)
            self.visit(clause.rhs)


class ExprMutator(_OperandsFirst):
    """Builds an expression anew; what does not change stays the same object, with its type."""

    def visit_function(self, fn: Function) -> Expr:
        params, body = [self.visit(param) for param in fn.params], self.visit(fn.body)
        if _same([*params, body], [*fn.params, fn.body]):
            return fn
        return Function(params, body, fn.ret_type, fn.type_params, fn.attrs, fn.span)

    @_inside_out
    def visit_let(self, let: Let) -> Expr:
        parts = self.visit(let.var), self.visit(let.value), self.visit(let.body)
        return let if _same(parts, (let.var, let.value, let.body)) else Let(*parts, let.span)

    def visit_call(self, call: Call) -> Expr:
        op, args = self.visit(call.op), [self.visit(arg) for arg in call.args]
        if _same([op, *args], [call.op, *call.args]):
            return call
        return Call(op, args, call.attrs, call.type_args, call.span)

    def visit_var(self, var: Var) -> Expr:
        return var

    def visit_if(self, ite: If) -> Expr:
        parts = self.visit(ite.cond), self.visit(ite.true_branch), self.visit(ite.false_branch)
        return ite if _same(parts, (ite.cond, ite.true_branch, ite.false_branch)) else If(*parts, ite.span)

    def visit_tuple(self, tup: Tuple) -> Expr:
        fields = [self.visit(field) for field in tup.fields]
        return tup if _same(fields, tup.fields) else Tuple(fields, tup.span)

    def visit_tuple_getitem(self, op: TupleGetItem) -> Expr:
        value = self.visit(op.tuple_value)
        return op if value is op.tuple_value else TupleGetItem(value, op.index, op.span)

    def visit_global_var(self, var: GlobalVar) -> Expr:
        return var

    def visit_op(self, op: Op) -> Expr:
        return op

    def visit_constant(self, const: Constant) -> Expr:
        return const

    def visit_ref_create(self, ref: RefCreate) -> Expr:
        value = self.visit(ref.value)
        return ref if value is ref.value else RefCreate(value, ref.span)

    def visit_ref_read(self, ref: RefRead) -> Expr:
        inner = self.visit(ref.ref)
        return ref if inner is ref.ref else RefRead(inner, ref.span)

    def visit_ref_write(self, ref: RefWrite) -> Expr:
        parts = self.visit(ref.ref), self.visit(ref.value)
        return ref if _same(parts, (ref.ref, ref.value)) else RefWrite(*parts, ref.span)

    def visit_constructor(self, con: Constructor) -> Expr:
        return con

    def visit_match(self, match: Match) -> Expr:
        data = self.visit(match.data)
        clauses = [self._clause(clause) for clause in match.clauses]
        if data is match.data and _same(clauses, match.clauses):
            return match
        return Match(data, clauses, match.complete, match.span)

    def visit_pattern(self, pattern: Pattern) -> Pattern:
        """The pattern with the variables it binds visited."""
        match pattern:
            case PatternVar():
                var = self.visit(pattern.var)
                return pattern if var is pattern.var else PatternVar(var)
            case PatternConstructor():
                inner = tuple(map(self.visit_pattern, pattern.patterns))
                same = _same(inner, pattern.patterns)
                return pattern if same else PatternConstructor(pattern.constructor, inner)
            case PatternTuple():
                inner = tuple(map(self.visit_pattern, pattern.patterns))
                return pattern if _same(inner, pattern.patterns) else PatternTuple(inner)
        return pattern

    def _clause(self, clause: Clause) -> Clause:
        lhs, rhs = self.visit_pattern(clause.lhs), self.visit(clause.rhs)
        return clause if lhs is clause.lhs and rhs is clause.rhs else Clause(lhs, rhs)


class MixedModeMutator(ExprMutator):
    """A mutator that rewrites calls, tuples and projections when their operands are done.

    `rewrite_call(pre, post)` gets the call as it was, and with its new operands.
    """

    def rewrite_call(self, pre: Call, post: Expr) -> Expr:
        return post

    def rewrite_tuple(self, pre: Tuple, post: Expr) -> Expr:
        return post

    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: Expr) -> Expr:
        return post

    def visit_call(self, call: Call) -> Expr:
        return self.rewrite_call(call, super().visit_call(call))

    def visit_tuple(self, tup: Tuple) -> Expr:
        return self.rewrite_tuple(tup, super().visit_tuple(tup))

    def visit_tuple_getitem(self, op: TupleGetItem) -> Expr:
        return self.rewrite_tuple_getitem(op, super().visit_tuple_getitem(op))


class Substitution(ExprMutator):
    """Puts expressions in place of others: variables, or any node."""

    def __init__(self, replacements: Mapping[Any, Expr]):
        super().__init__()
        self.memo_map.update(replacements)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The parts of an expression in order of evaluation, variables where they are bound included."""
    match expr:
        case Let():
            return (expr.var, expr.value, expr.body)
        case Function():
            return (*expr.params, expr.body)
        case Match():
            clauses = [part for clause in expr.clauses for part in (*pattern_vars(clause), clause.rhs)]
            return (expr.data, *clauses)
    return traversal.children(expr)


def _same(new: Any, old: Any) -> bool:
    return all(a is b for a, b in zip(new, old, strict=True))
