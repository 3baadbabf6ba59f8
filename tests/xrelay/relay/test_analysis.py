"""Questions about expressions."""

from __future__ import annotations

import pytest

from xrelay import relay
from xrelay.errors import InputError
from xrelay.relay import analysis


@pytest.fixture
def x() -> relay.Var:
    return relay.var("x", shape=(2, 3))


def test_variables(x):
    y, z = relay.var("y"), relay.var("z")
    body = relay.Let(z, x + y, relay.nn.relu(z))
    assert analysis.all_vars(body) == [z, x, y]
    assert analysis.bound_vars(body) == [z]
    assert analysis.free_vars(body) == [x, y]
    assert analysis.bound_vars(relay.Function([x], body)) == [x, z]
    assert analysis.free_vars(relay.Function([x, y], body)) == []


def test_type_variables():
    a, b = relay.TypeVar("A"), relay.TypeVar("B")
    x = relay.var("x", relay.TupleType([a, b]))
    function = relay.Function([x], relay.TupleGetItem(x, 0), a, [a])
    assert set(analysis.all_type_vars(function)) == {a, b}
    assert analysis.bound_type_vars(function) == [a]
    assert analysis.free_type_vars(function) == [b]


def test_post_order_comes_to_parts_first_and_once(x):
    seen = []
    shared = relay.nn.relu(x)
    analysis.post_order_visit(shared + shared, seen.append)
    kinds = [type(part).__name__ for part in seen]
    assert kinds == ["Op", "Op", "Var", "Call", "Call"]


def test_well_formed(x):
    y = relay.var("y")
    assert analysis.well_formed(relay.Function([x], relay.Let(y, x, y)))
    assert analysis.well_formed(relay.nn.relu(x)), "free variables are fine"
    assert not analysis.well_formed(relay.Let(y, x, relay.Let(y, x, y))), "bound twice"
    assert not analysis.well_formed(relay.Tuple([relay.Let(y, x, y), y])), "used outside of its scope"
    assert not analysis.well_formed(relay.Let(y, relay.nn.relu(y), y)), "used in its own value"
    recursive = relay.Function([x], y(x))
    assert analysis.well_formed(relay.Let(y, recursive, y))
    shared = relay.Let(y, x, y)
    assert analysis.well_formed(relay.If(relay.const(True), shared, shared)), "one binding, in two branches"
    inner = relay.nn.relu(y)
    leaks = relay.If(relay.const(True), relay.Let(y, x, inner), inner)
    assert not analysis.well_formed(leaks), "shared with a branch where it is not bound"
    f = relay.Function([x], x)
    assert not analysis.well_formed(relay.Module({"f": f, "g": f})), "two functions with one parameter"


def test_well_formed_of_a_long_chain():
    x = body = relay.var("x")
    for i in range(20_000):
        body = relay.Let(relay.var(f"v{i}"), x, body)
    assert analysis.well_formed(body)


def test_check_constant():
    one = relay.const(1)
    assert analysis.check_constant(relay.Tuple([one, relay.Tuple([])]))
    assert not analysis.check_constant(relay.negative(one))


def test_counts(x):
    w = relay.var("w", shape=(4, 3))
    mod = relay.Module.from_expr(relay.nn.relu(relay.nn.relu(relay.nn.dense(x, w))))
    assert analysis.list_op_freqs(mod) == {"nn.relu": 2, "nn.dense": 1}
    with pytest.raises(InputError, match="InferType"):
        analysis.get_total_mac_number(mod)
    assert analysis.get_total_mac_number(mod.infer_types()) == 2 * 3 * 4
    assert analysis.all_dtypes(mod["main"]) == {"float32"}


@pytest.mark.parametrize(("groups", "weight", "macs"), [(1, (8, 4, 3, 3), 8 * 36 * 36), (4, (8, 1, 3, 3), 8 * 36 * 9)])
def test_multiply_accumulates_of_a_convolution(groups, weight, macs):
    data = relay.var("data", shape=(1, 4, 8, 8))
    conv = relay.nn.conv2d(data, relay.var("w", shape=weight), groups=groups)
    assert analysis.get_total_mac_number(relay.Module.from_expr(conv).infer_types()) == macs


def test_unmatched_cases():
    option = relay.GlobalTypeVar("Option")
    a = relay.TypeVar("A")
    some, none = relay.Constructor("Some", [a], option, 0), relay.Constructor("None", [], option, 1)
    mod = relay.Module(type_definitions={"Option": relay.TypeData(option, (a,), (some, none))})
    v = relay.var("v")
    clauses = [relay.Clause(relay.PatternConstructor(some, (relay.PatternVar(v),)), v)]
    (case,) = analysis.unmatched_cases(relay.Match(relay.var("x"), clauses), mod)
    assert case.constructor is none
