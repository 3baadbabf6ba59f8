"""`relay.transform.gradient` and `FirstOrderGradient`, run by every executor."""

from __future__ import annotations

import numpy as np
import pytest

from xrelay import relay
from xrelay.errors import InputError, UnsupportedError

X = np.array([[1.0, -2.0, 3.0]], "float32")
W = np.array([[0.5, 1.0, 0.25], [-1.0, 2.0, 0.5]], "float32")


@pytest.fixture
def layer() -> relay.Function:
    x, w = relay.var("x", shape=(1, 3)), relay.var("w", shape=(2, 3))
    y = relay.var("y")
    return relay.Function([x, w], relay.Let(y, relay.nn.dense(x, w), relay.sum(y * y)))


def check(result) -> None:
    value, (by_x, by_w) = result
    y = X @ W.T
    np.testing.assert_allclose(value, (y**2).sum(), rtol=1e-6)
    np.testing.assert_allclose(by_x, 2 * y @ W, rtol=1e-6)
    np.testing.assert_allclose(by_w, 2 * y.T @ X, rtol=1e-6)


@pytest.mark.parametrize("kind", ["graph", "vm", "debug"])
def test_gradient_of_a_function(kind, layer):
    check(relay.create_executor(kind).evaluate(relay.transform.gradient(layer))(X, W))


def test_gradient_of_a_global_function(layer):
    mod = relay.Module({"f": layer})
    found = relay.transform.gradient(mod.get_global_var("f"), mod, mode="first_order")
    check(relay.create_executor("debug").evaluate(found)(X, W))
    assert [var.name_hint for var in mod.functions] == ["f"]


def test_the_pass(layer):
    mod = relay.Module.from_expr(layer).infer_types()
    before = mod.astext()
    check(relay.create_executor("graph", mod=relay.transform.FirstOrderGradient()(mod)).evaluate()(X, W))
    assert mod.astext() == before


def test_what_has_no_gradient(layer):
    with pytest.raises(UnsupportedError, match="first_order"):
        relay.transform.gradient(layer, mode="higher_order")
    with pytest.raises(InputError, match="'second_order'"):
        relay.transform.gradient(layer, mode="second_order")
    f = relay.var("f")
    x = relay.var("x", shape=(3,))
    closure = relay.Let(f, relay.Function([], x), relay.Call(f, []))
    with pytest.raises(UnsupportedError, match=r"relay\.fn"):
        relay.transform.gradient(relay.Function([x], closure))
