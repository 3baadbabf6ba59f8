"""Visitors and mutators."""

from __future__ import annotations

import pytest

from xrelay import relay
from xrelay.relay import ExprFunctor, ExprMutator, ExprVisitor, MixedModeMutator

DEEP = 20_000


@pytest.fixture
def program() -> relay.Function:
    """One node of every kind."""
    x, y, head = relay.var("x", shape=(2,)), relay.var("y"), relay.var("head")
    option = relay.GlobalTypeVar("Option")
    some = relay.Constructor("Some", [relay.TypeVar("A")], option)
    ref = relay.RefCreate(x)
    matched = relay.Match(
        some(x),
        [
            relay.Clause(relay.PatternConstructor(some, (relay.PatternVar(head),)), relay.Tuple([head])),
            relay.Clause(relay.PatternWildcard(), relay.GlobalVar("other")(x)),
        ],
    )
    branch = relay.If(relay.const(True), relay.RefRead(ref), relay.TupleGetItem(relay.Tuple([x]), 0))
    write = relay.RefWrite(ref, relay.nn.relu(x))
    return relay.Function([x], relay.Let(y, branch, relay.Tuple([matched, write, y])))


class Count(ExprVisitor):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def visit_call(self, call):
        self.calls += 1
        super().visit_call(call)


class ReluToTanh(ExprMutator):
    def visit_call(self, call):
        new = super().visit_call(call)
        return relay.tanh(*new.args) if is_relu(call) else new


def is_relu(call) -> bool:
    return getattr(call.op, "name", None) == "nn.relu"


def test_a_visitor_sees_every_expression_once(program):
    count = Count()
    count.visit(program)
    assert count.calls == 3
    x = relay.var("x")
    shared = relay.nn.relu(x)
    count = Count()
    count.visit(shared + shared)
    assert count.calls == 2


def test_a_mutator_that_changes_nothing_returns_the_same_object(program):
    assert ExprMutator().visit(program) is program


def test_a_mutator_rebuilds_what_is_above_a_change(program):
    changed = ReluToTanh().visit(program)
    assert relay.analysis.list_op_freqs(changed) == {"tanh": 1}
    assert changed is not program
    assert changed.params == program.params
    assert relay.analysis.list_op_freqs(program) == {"nn.relu": 1}


def test_a_mutator_may_replace_variables_where_they_are_bound(program):
    class Rename(ExprMutator):
        def visit_var(self, var):
            return relay.Var(f"new_{var.name_hint}", var.type_annotation)

    changed = Rename().visit(program)
    assert [var.name_hint for var in relay.analysis.bound_vars(changed)] == ["new_x", "new_y", "new_head"]
    assert relay.analysis.well_formed(changed)
    assert relay.analysis.free_vars(changed) == []


def test_mixed_mode_mutator_gets_the_call_before_and_after():
    class Rewrite(MixedModeMutator):
        def rewrite_call(self, pre, post):
            return post.args[0] if is_relu(pre) else post

    x, y = relay.var("x"), relay.var("y")
    assert Rewrite().visit(relay.nn.relu(relay.nn.relu(x)) + y).args == (x, y)


def test_depth_is_not_limited():
    x = body = relay.var("x")
    for _ in range(DEEP):
        body = relay.nn.relu(body)
    count = Count()
    count.visit(body)
    assert count.calls == DEEP
    assert relay.analysis.list_op_freqs(ReluToTanh().visit(body)) == {"tanh": DEEP}

    body = x
    for _ in range(DEEP):
        body = relay.Let(relay.var("v"), relay.nn.relu(x), body)
    assert relay.analysis.list_op_freqs(ReluToTanh().visit(body)) == {"tanh": DEEP}


def test_a_functor_computes_values():
    class Depth(ExprFunctor):
        def visit_var(self, var):
            return 0

        def visit_call(self, call):
            return 1 + max(self.visit(arg) for arg in call.args)

    x = relay.var("x")
    assert Depth().visit(relay.nn.relu(relay.nn.relu(x)) + x) == 3
    with pytest.raises(NotImplementedError):
        Depth().visit(relay.const(1))


def test_an_overridden_visit_let_sees_the_outer_let_first():
    seen = []

    class Lets(ExprVisitor):
        def visit_let(self, let):
            seen.append(let.var.name_hint)
            super().visit_let(let)

    x = relay.var("x")
    Lets().visit(relay.Let(relay.var("a"), x, relay.Let(relay.var("b"), x, x)))
    assert seen == ["a", "b"]
