"""ScopeBuilder and loops."""

from __future__ import annotations

import numpy as np
import pytest

from xrelay import relay
from xrelay.errors import InputError


def test_lets_and_branches():
    x = relay.var("x", shape=(2,))
    positive = relay.var("positive", "bool")
    sb = relay.ScopeBuilder()
    y = sb.let("y", x + x)
    with sb.if_scope(positive):
        sb.ret(sb.let(("z", relay.TensorType((2,))), relay.nn.relu(y)))
    with sb.else_scope():
        sb.ret(-y)
    run = relay.create_executor("debug").evaluate(relay.Function([positive, x], sb.get()))
    data = np.array([-1.0, 2.0], "float32")
    np.testing.assert_array_equal(run(True, data), [0, 4])
    np.testing.assert_array_equal(run(False, data), [2, -4])


def test_scopes_are_checked():
    with pytest.raises(InputError, match="without ret"):
        relay.ScopeBuilder().get()
    sb = relay.ScopeBuilder()
    with pytest.raises(InputError, match="follows an if_scope"), sb.else_scope():
        pass
    with sb.if_scope(relay.const(True)):
        sb.ret(1)
    with pytest.raises(InputError, match="no else_scope"):
        sb.get()
    with pytest.raises(InputError, match="twice"):
        sb.ret(2)


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_while_loop(count):
    i, total = relay.var("i", "int32"), relay.var("total", shape=(2,))
    n = relay.var("n", "int32")
    loop = relay.loops.while_loop(
        lambda i, total: i < n,
        [i, total],
        lambda i, total: [i + relay.const(1), total + i.astype("float32")],
    )
    call = loop(relay.const(0), relay.zeros((2,), "float32"))
    run = relay.create_executor("debug").evaluate(relay.Function([n], call))
    steps, result = run(count)
    assert steps == count
    np.testing.assert_array_equal(result, np.full(2, sum(range(count)), "float32"))
