"""Whether an expression is of the form of a pattern, and what the parts of the pattern stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xrelay.frontends.relay_text.expr import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    Op,
    Tuple,
    TupleGetItem,
    Var,
)
from xrelay.frontends.relay_text.types import TensorType, Type
from xrelay.relay.analysis import post_order
from xrelay.relay.dataflow_pattern import patterns as p
from xrelay.relay.functors import children

COMMUTATIVE = frozenset({"add", "multiply"})
"""Operators whose operands are also tried the other way round."""

NodeMap = dict[p.DFPattern, list[Expr]]
"""What each part of a pattern matched; the path of a dominator may match many."""


def match(pattern: p.DFPattern, expr: Expr) -> bool:
    """Whether an expression is of the form of a pattern."""
    infer_if_needed([pattern], expr)
    return Matcher(expr).match(pattern, expr) is not None


def infer_if_needed(patterns: Sequence[p.DFPattern], expr: Expr, require_type: bool = False) -> None:
    """Find the types in an expression where patterns ask for them."""
    typed = p.TypePattern | p.DataTypePattern | p.ShapePattern
    if require_type or any(isinstance(part, typed) for pattern in patterns for part in p.all_parts(pattern)):
        from xrelay.frontends.relay_text.infer import infer_expr

        infer_expr(expr)


class Matcher:
    """Matches patterns within one root expression, whose uses dominators look at."""

    def __init__(self, root: Expr):
        self._root = root
        self._users: dict[Expr, list[Expr]] | None = None
        self._found: NodeMap = {}

    def match(self, pattern: p.DFPattern, expr: Expr) -> NodeMap | None:
        """What the parts of the pattern stand for; None if the expression is of another form."""
        self._found = {}
        return self._found if self._matches(pattern, expr) else None

    def _matches(self, pattern: p.DFPattern, expr: Expr) -> bool:
        if pattern in self._found:
            return self._found[pattern] == [expr]
        before = dict(self._found)
        if _FORMS[type(pattern)](self, pattern, expr):
            self._found.setdefault(pattern, [expr])
            return True
        self._found = before
        return False

    def _all_match(self, patterns: Sequence[p.DFPattern], exprs: Sequence[Expr]) -> bool:
        return len(patterns) == len(exprs) and all(map(self._matches, patterns, exprs))

    def _any_or_all(self, patterns: Sequence[p.DFPattern] | None, exprs: Sequence[Expr]) -> bool:
        return patterns is None or self._all_match(patterns, exprs)

    # The forms -------------------------------------------------------------------------------------------------------

    def _expr(self, pattern: p.ExprPattern, expr: Expr) -> bool:
        if isinstance(pattern.expr, Op):
            return isinstance(expr, Op) and expr.name == pattern.expr.name
        from xrelay.frontends.relay_text.structural import structural_equal

        return pattern.expr is expr or (type(pattern.expr) is type(expr) and structural_equal(pattern.expr, expr))

    def _call(self, pattern: p.CallPattern, expr: Expr) -> bool:
        if not isinstance(expr, Call) or not self._matches(pattern.op, expr.op):
            return False
        before = dict(self._found)
        if self._any_or_all(pattern.args, expr.args):
            return True
        operator = p.operator_of(pattern.op)
        if operator is None or operator.name not in COMMUTATIVE or pattern.args is None:
            return False
        self._found = before
        return self._all_match(pattern.args[::-1], expr.args)

    def _function(self, pattern: p.FunctionPattern, expr: Expr) -> bool:
        return (
            isinstance(expr, Function)
            and self._any_or_all(pattern.params, expr.params)
            and self._matches(pattern.body, expr.body)
        )

    def _tuple(self, pattern: p.TuplePattern, expr: Expr) -> bool:
        return isinstance(expr, Tuple) and self._any_or_all(pattern.fields, expr.fields)

    def _tuple_get_item(self, pattern: p.TupleGetItemPattern, expr: Expr) -> bool:
        return (
            isinstance(expr, TupleGetItem)
            and pattern.index in (None, -1, expr.index)
            and self._matches(pattern.tuple_value, expr.tuple_value)
        )

    def _if(self, pattern: p.IfPattern, expr: Expr) -> bool:
        parts = pattern.cond, pattern.true_branch, pattern.false_branch
        return isinstance(expr, If) and self._all_match(parts, (expr.cond, expr.true_branch, expr.false_branch))

    def _let(self, pattern: p.LetPattern, expr: Expr) -> bool:
        parts = pattern.var, pattern.value, pattern.body
        return isinstance(expr, Let) and self._all_match(parts, (expr.var, expr.value, expr.body))

    def _alternative(self, pattern: p.AltPattern, expr: Expr) -> bool:
        return self._matches(pattern.left, expr) or self._matches(pattern.right, expr)

    def _attrs(self, pattern: p.AttrPattern, expr: Expr) -> bool:
        if not self._matches(pattern.pattern, expr):
            return False
        attrs = _attributes(expr)
        return all(key in attrs and _plain(attrs[key]) == _plain(value) for key, value in pattern.attrs.items())

    def _type(self, pattern: p.TypePattern, expr: Expr) -> bool:
        return expr.checked_type == pattern.expected and self._matches(pattern.pattern, expr)

    def _dtype(self, pattern: p.DataTypePattern, expr: Expr) -> bool:
        tensor = _tensor(expr.checked_type)
        return tensor is not None and tensor.dtype == pattern.dtype and self._matches(pattern.pattern, expr)

    def _shape(self, pattern: p.ShapePattern, expr: Expr) -> bool:
        tensor = _tensor(expr.checked_type)
        return tensor is not None and tensor.shape == pattern.shape and self._matches(pattern.pattern, expr)

    # Dominators ------------------------------------------------------------------------------------------------------

    def _dominator(self, pattern: p.DominatorPattern, expr: Expr) -> bool:
        if not self._matches(pattern.child, expr):
            return False
        inside, parents = {expr}, set[Expr]()
        stack = list(_inputs(expr))
        while stack:
            node = stack.pop()
            if node in inside or node in parents:
                continue
            if self._alone(pattern.parent, node):
                parents.add(node)
            elif self._alone(pattern.path, node):
                inside.add(node)
                stack += _inputs(node)
        if len(parents) != 1:
            return False
        (parent,) = parents
        path = self._between(parent, expr, inside)
        if path is None or not self._matches(pattern.parent, parent):
            return False
        self._found[pattern.path] = path
        return True

    def _alone(self, pattern: p.DFPattern, expr: Expr) -> bool:
        """Whether a pattern matches, whatever it stood for before: on a path it stands for many expressions."""
        before = dict(self._found)
        for part in p.all_parts(pattern):
            self._found.pop(part, None)
        matched = self._matches(pattern, expr)
        self._found = before
        return matched

    def _between(self, parent: Expr, child: Expr, inside: set[Expr]) -> list[Expr] | None:
        """What lies between parent and child, from above; None where something leaves the way to the child."""
        path: dict[Expr, None] = {}
        stack = [parent]
        while stack:
            for user in self.users(stack.pop()):
                if user not in inside:
                    return None
                if user is not child and user not in path:
                    path[user] = None
                    stack.append(user)
        return list(path)

    def users(self, expr: Expr) -> Sequence[Expr]:
        """The expressions inside of the root that an expression is a part of."""
        if self._users is None:
            self._users = {}
            for user in post_order(self._root):
                for part in dict.fromkeys(children(user)):
                    self._users.setdefault(part, []).append(user)
        return self._users.get(expr, ())


_FORMS: Mapping[type[p.DFPattern], Callable[[Matcher, Any, Expr], bool]] = {
    p.WildcardPattern: lambda matcher, pattern, expr: True,
    p.VarPattern: lambda matcher, pattern, expr: isinstance(expr, Var) and pattern.name in ("", expr.name_hint),
    p.ConstantPattern: lambda matcher, pattern, expr: isinstance(expr, Constant),
    p.ExprPattern: Matcher._expr,
    p.CallPattern: Matcher._call,
    p.FunctionPattern: Matcher._function,
    p.TuplePattern: Matcher._tuple,
    p.TupleGetItemPattern: Matcher._tuple_get_item,
    p.IfPattern: Matcher._if,
    p.LetPattern: Matcher._let,
    p.AltPattern: Matcher._alternative,
    p.AttrPattern: Matcher._attrs,
    p.TypePattern: Matcher._type,
    p.DataTypePattern: Matcher._dtype,
    p.ShapePattern: Matcher._shape,
    p.DominatorPattern: Matcher._dominator,
}


def _inputs(expr: Expr) -> tuple[Expr, ...]:
    """What a value is computed from; the operator of a call is not."""
    return expr.args if isinstance(expr, Call) else children(expr) if isinstance(expr, Tuple | TupleGetItem) else ()


def _tensor(value: Type | None) -> TensorType | None:
    return value if isinstance(value, TensorType) else None


def _attributes(expr: Expr) -> Mapping[str, Any]:
    """The attributes of an expression; those of a call of an operator with its defaults."""
    match expr:
        case Call(op=Op(name=name)):
            from xrelay.frontends.relay_text.operators import operator_class

            schema = operator_class(name).SCHEMA
            return {key: spec.default for key, spec in schema.items() if not spec.required} | expr.attrs
        case Call() | Function():
            return expr.attrs
        case Op():
            from xrelay.dialects.relay.core import Fusion, FusionKind
            from xrelay.frontends.relay_text.operators import operator_class

            trait = operator_class(expr.name).get_trait(Fusion)
            return {"TOpPattern": int(trait.kind if trait is not None else FusionKind.OPAQUE)}
    return {}


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
