"""create_executor: the kinds agree with NumPy and with each other."""

from __future__ import annotations

import numpy as np
import pytest

from xrelay import relay
from xrelay.errors import InputError, UnsupportedError

KINDS = ("graph", "vm", "debug")


@pytest.fixture
def x() -> relay.Var:
    return relay.var("x", shape=(2, 3))


DATA = np.arange(6, dtype="float32").reshape(2, 3) - 2


@pytest.mark.parametrize("kind", KINDS)
def test_functions_expressions_and_modules(kind, x):
    function = relay.Function([x], relay.nn.relu(x))
    executor = relay.create_executor(kind, mod=relay.Module.from_expr(function))
    result = executor.evaluate()(DATA)
    np.testing.assert_array_equal(result.numpy(), DATA.clip(0))
    np.testing.assert_array_equal(executor.evaluate(relay.Function([x], -x))(x=DATA), -DATA)
    np.testing.assert_array_equal(executor.evaluate(relay.const(2) + relay.const(3)), 5)
    np.testing.assert_array_equal(executor.evaluate(x + x, {x: DATA}), DATA * 2)


@pytest.mark.parametrize("kind", KINDS)
def test_calls_of_global_functions(kind, x):
    mod = relay.Module()
    y = relay.var("y", shape=(2, 3))
    mod["double"] = relay.Function([y], y + y)
    double = mod.get_global_var("double")
    mod["main"] = relay.Function([x], double(double(x)))
    executor = relay.create_executor(kind, mod=mod)
    np.testing.assert_array_equal(executor.evaluate()(DATA), DATA * 4)
    np.testing.assert_array_equal(executor.evaluate(double)(DATA), DATA * 2)
    np.testing.assert_array_equal(executor.evaluate(relay.Function([x], double(x) - x))(DATA), DATA)


@pytest.mark.parametrize("kind", KINDS)
def test_tuples_keep_their_nesting(kind, x):
    body = relay.Tuple([x, relay.Tuple([x + x, relay.sum(x)])])
    first, (second, total) = relay.create_executor(kind).evaluate(relay.Function([x], body))(DATA)
    np.testing.assert_array_equal(first, DATA)
    np.testing.assert_array_equal(second, DATA * 2)
    np.testing.assert_allclose(total, DATA.sum())


@pytest.mark.parametrize("kind", KINDS)
def test_lets_and_branches(kind, x):
    flag, y = relay.var("flag", "bool"), relay.var("y")
    body = relay.Let(y, x * x, relay.If(flag, y - x, relay.nn.relu(y)))
    run = relay.create_executor(kind).evaluate(relay.Function([flag, x], body))
    np.testing.assert_allclose(run(True, DATA), DATA * DATA - DATA)
    np.testing.assert_allclose(run(np.array(False), DATA), DATA * DATA)


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_given_once(kind, x):
    w = relay.var("w", shape=(4, 3))
    mod = relay.Module.from_expr(relay.Function([x, w], relay.nn.dense(x, w)))
    weight = np.ones((4, 3), "float32")
    run = relay.create_executor(kind, mod=mod, params={"w": weight}).evaluate()
    np.testing.assert_allclose(run(DATA), DATA @ weight.T)


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_arguments_say_what_is_right(kind, x):
    run = relay.create_executor(kind).evaluate(relay.Function([x], x + x))
    with pytest.raises(InputError, match="x is missing"):
        run()
    with pytest.raises(InputError, match="1 arguments are too many"):
        run(DATA, DATA)
    with pytest.raises(InputError, match="float32"):
        run(DATA.astype("float64"))


def test_kinds_that_there_are():
    with pytest.raises(InputError, match="graph, vm, debug"):
        relay.create_executor("fast")


@pytest.mark.parametrize("kind", KINDS)
def test_closures_and_recursion(kind):
    n, f, k = relay.var("n", "int32"), relay.var("f"), relay.var("k", "int32")
    one, zero = relay.const(1), relay.const(0)
    body = relay.If(relay.less_equal(k, zero), zero, k + f(k - one))
    function = relay.Function([n], relay.Let(f, relay.Function([k], body, relay.scalar_type("int32")), f(n)))
    assert relay.create_executor(kind).evaluate(function)(100) == 5050


@pytest.mark.parametrize("kind", KINDS)
def test_references(kind, x):
    cell, done = relay.var("cell"), relay.var("done")
    write = relay.RefWrite(cell, relay.RefRead(cell) + x)
    body = relay.Let(cell, relay.RefCreate(x), relay.Let(done, write, relay.RefRead(cell)))
    result = relay.create_executor(kind).evaluate(relay.Function([x], body))(DATA)
    np.testing.assert_array_equal(result, DATA * 2)


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_data_types_come_out_and_go_in(kind, x):
    mod = relay.Module()
    mod.import_from_std("prelude.rly")
    _, cons, nil = mod.get_type("List")
    pair = relay.Tuple([cons(relay.const(7), nil()), x + x])
    numbers, doubled = relay.create_executor(kind, mod).evaluate(relay.Function([x], pair))(DATA)
    np.testing.assert_array_equal(doubled, DATA * 2)
    assert (numbers.constructor, numbers.fields[0]) == ("Cons", 7)
    p = relay.var("p", relay.TupleType([x.type_annotation, x.type_annotation]))
    difference = relay.Function([p], relay.TupleGetItem(p, 0) - relay.TupleGetItem(p, 1))
    np.testing.assert_array_equal(relay.create_executor(kind).evaluate(difference)((DATA * 3, DATA)), DATA * 2)


@pytest.mark.parametrize("kind", ["graph", "vm"])
def test_what_cannot_be_compiled_names_the_way_out(kind):
    x = relay.var("x", shape=(relay.Any(), 3))
    with pytest.raises(UnsupportedError, match="'debug' interprets"):
        relay.create_executor(kind).evaluate(relay.Function([x], x + x))
