"""The pattern language."""

from __future__ import annotations

import numpy as np
import pytest

from xrelay import relay
from xrelay.errors import UnsupportedError, XRelayError
from xrelay.relay.dataflow_pattern import (
    DFPatternCallback,
    dominates,
    has_dtype,
    has_shape,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    rewrite,
    wildcard,
)

ELEMENTWISE = 0


@pytest.fixture
def x() -> relay.Var:
    return relay.var("x", shape=(1, 3, 8, 8))


@pytest.fixture
def w() -> relay.Var:
    return relay.var("w", shape=(4, 3, 3, 3))


def conv_relu(x, w, bias=None):
    y = relay.nn.conv2d(x, w, padding=(1, 1))
    return relay.nn.relu(y if bias is None else relay.nn.bias_add(y, bias))


def test_forms(x, w):
    call = relay.nn.relu(x)
    pair = relay.Tuple([x, w])
    assert is_op("nn.relu")(wildcard()).match(call)
    assert is_op("nn.relu")(is_var("x")).match(call)
    assert not is_op("nn.relu")(is_var("y")).match(call)
    assert not is_op("tanh")(wildcard()).match(call)
    assert not is_op("nn.relu")(wildcard(), wildcard()).match(call)
    assert is_op("nn.relu")(None).match(call)
    assert is_constant().match(relay.const(1))
    assert is_expr(relay.const(1)).match(relay.const(1))
    assert not is_expr(relay.const(1)).match(relay.const(2))
    assert is_tuple([is_var(), wildcard()]).match(pair)
    assert not is_tuple([is_var()]).match(pair)
    assert is_tuple_get_item(is_tuple(), 1).match(relay.TupleGetItem(pair, 1))
    assert not is_tuple_get_item(wildcard(), 0).match(relay.TupleGetItem(pair, 1))
    assert is_if(is_constant(), wildcard(), is_var()).match(relay.If(relay.const(True), x, w))
    assert is_let(is_var(), is_constant(), wildcard()).match(relay.Let(relay.var("v"), relay.const(1), x))
    with pytest.raises(UnsupportedError, match=r"nn\.conv2d"):
        is_op("conv2d")


def test_alternatives_and_options(x, w):
    b = relay.var("b")
    pattern = is_op("nn.conv2d")(wildcard(), wildcard())
    pattern = is_op("nn.relu")(pattern.optional(lambda y: is_op("nn.bias_add")(y, wildcard())))
    assert pattern.match(conv_relu(x, w))
    assert pattern.match(conv_relu(x, w, b))
    either = is_op("nn.relu") | is_op("tanh")
    assert either(wildcard()).match(relay.tanh(x))
    assert not either(wildcard()).match(relay.sigmoid(x))


def test_one_pattern_used_twice_is_one_expression(x, w):
    same = wildcard()
    pattern = same + is_op("nn.relu")(same)
    assert pattern.match(x + relay.nn.relu(x))
    assert pattern.match(relay.nn.relu(x) + x), "addition commutes"
    assert not pattern.match(x + relay.nn.relu(w))
    assert not (same - is_op("nn.relu")(same)).match(relay.nn.relu(x) - x)


def test_attributes_and_types(x, w):
    conv = relay.nn.conv2d(x, w, padding=(1, 1))
    pattern = is_op("nn.conv2d")(wildcard(), wildcard())
    assert pattern.has_attr({"padding": [1, 1, 1, 1], "groups": 1}).match(conv)
    assert not pattern.has_attr({"groups": 2}).match(conv)
    assert not pattern.has_attr({"no_such": 2}).match(conv)
    assert pattern.has_shape((1, 4, 8, 8)).match(conv)
    assert has_dtype("float32").match(conv)
    assert not has_shape((1, 4)).match(conv)
    assert wildcard().has_type(relay.TensorType((1, 4, 8, 8))).match(conv)
    assert wildcard().has_attr({"TOpPattern": ELEMENTWISE})(wildcard()).match(relay.nn.relu(x))
    assert not wildcard().has_attr({"TOpPattern": ELEMENTWISE})(wildcard(), wildcard()).match(conv)


def elementwise():
    op = wildcard().has_attr({"TOpPattern": ELEMENTWISE})
    broadcast = wildcard().has_attr({"TOpPattern": 1})
    return op(wildcard()) | broadcast(wildcard(), wildcard())


def test_dominators(x, w):
    conv = is_op("nn.conv2d")(wildcard(), wildcard())
    pattern = dominates(conv, elementwise(), is_op("nn.relu")(wildcard()))
    start = relay.nn.conv2d(x, w)
    bias = relay.var("bias", shape=(4, 1, 1))
    assert pattern.match(relay.nn.relu(start))
    assert pattern.match(relay.nn.relu(relay.tanh(start) + bias)), "what comes in from the side is no part of the path"
    assert pattern.match(relay.nn.relu(relay.tanh(start) * relay.sigmoid(start))), "all ways lead to the child"
    assert not pattern.match(relay.nn.relu(relay.nn.softmax(start))), "the path is not elementwise"
    assert not pattern.match(relay.nn.relu(relay.tanh(start) + relay.nn.softmax(start))), "one way is not elementwise"
    assert not pattern.match(relay.nn.relu(x)), "there is no parent"
    # The parent is used beside the child: within the whole expression it does not dominate it.
    inside = relay.nn.relu(relay.tanh(start))
    counted = []
    rewritten = pattern.rewrite(lambda pre, post, found: counted.append(pre) or post, relay.Tuple([inside, start]))
    assert counted == []
    assert rewritten.fields == (inside, start)


def test_rewrite_until_nothing_changes(x):
    class DropDoubleNegative(DFPatternCallback):
        def __init__(self):
            super().__init__()
            self.inner = wildcard()
            self.pattern = is_op("negative")(is_op("negative")(self.inner))

        def callback(self, pre, post, node_map):
            return node_map[self.inner][0]

    y = x
    for _ in range(7):
        y = relay.negative(y)
    result = rewrite(DropDoubleNegative(), relay.nn.relu(y))
    assert relay.analysis.list_op_freqs(result) == {"nn.relu": 1, "negative": 1}


def test_rewrite_keeps_the_meaning(x, w):
    """x * c1 * c2 → x * (c1 * c2), values compared."""

    class Join(DFPatternCallback):
        def __init__(self):
            super().__init__(require_type=True)
            self.x, self.a, self.b = wildcard(), is_constant(), is_constant()
            self.pattern = (self.x * self.a) * self.b

        def callback(self, pre, post, node_map):
            assert pre.checked_type == relay.TensorType((4,))
            (x,), (a,), (b,) = (node_map[key] for key in (self.x, self.a, self.b))
            return x * relay.const(a.data * b.data)

    v = relay.var("v", shape=(4,))
    expr = relay.tanh(v * relay.const(2.0) * relay.const(3.0) * relay.const(4.0))
    result = Join().rewrite(expr)
    assert relay.analysis.list_op_freqs(result) == {"tanh": 1, "multiply": 1}
    data = np.linspace(-1, 1, 4, dtype="float32")
    executor = relay.create_executor("debug")
    for e in (expr, result):
        np.testing.assert_allclose(executor.evaluate(relay.Function([v], e))(data), np.tanh(data * 24), rtol=1e-6)


def test_rewrite_prefers_the_larger_match(x, w):
    pattern = is_op("nn.conv2d")(wildcard(), wildcard()).optional(lambda conv: is_op("nn.relu")(conv))
    seen = []
    pattern.rewrite(lambda pre, post, found: seen.append(pre.op.name) or post, conv_relu(x, w))
    assert seen == ["nn.relu"]


def test_a_rewrite_that_never_ends_is_an_error(x):
    class Swap(DFPatternCallback):
        def __init__(self):
            super().__init__()
            self.a, self.b = wildcard(), wildcard()
            self.pattern = self.a - self.b

        def callback(self, pre, post, node_map):
            return node_map[self.b][0] - node_map[self.a][0]

    with pytest.raises(XRelayError, match="still changes"):
        Swap().rewrite(x - relay.const(1.0))


def test_partition(x, w):
    b = relay.var("b", shape=(4,))
    pattern = is_op("nn.relu")(is_op("nn.bias_add")(is_op("nn.conv2d")(wildcard(), wildcard()), wildcard()))
    first = conv_relu(x, w, b)
    w2 = relay.var("w2", shape=(4, 4, 3, 3))
    expr = relay.tanh(conv_relu(first, w2, b))
    result = pattern.partition(expr, {"Composite": "conv"})
    call = result.args[0]
    assert isinstance(call.op, relay.Function)
    assert call.op.attrs == {"Composite": "conv", "PartitionedFromPattern": "nn.conv2d_nn.bias_add_nn.relu_"}
    assert relay.analysis.free_vars(call.op) == []
    assert call.args[1:] == (w2, b)
    assert isinstance(call.args[0].op, relay.Function), "the first one is a match of its own"
    assert relay.analysis.free_vars(result) == [x, w, b, w2]
    assert pattern.partition(expr, check=lambda e: False) is expr

    names = [x, w, b, w2]
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(v.type_annotation.shape).astype("float32") for v in names]
    executor = relay.create_executor("debug")
    before, after = (executor.evaluate(relay.Function(names, e))(*arrays) for e in (expr, result))
    np.testing.assert_array_equal(before, after)


def test_partition_leaves_what_is_used_outside(x, w):
    conv = relay.nn.conv2d(x, w)
    expr = relay.Tuple([relay.nn.relu(conv), conv])
    pattern = is_op("nn.relu")(is_op("nn.conv2d")(wildcard(), wildcard()))
    assert pattern.partition(expr) is expr


def test_constants_that_the_pattern_names_stay_inside(x):
    expr = relay.nn.relu(x * relay.const(2.0) + relay.const(1.0))
    pattern = is_op("nn.relu")(wildcard() * is_constant() + wildcard())
    call = pattern.partition(expr)
    assert len(call.args) == 2
    assert call.args[0] is x
