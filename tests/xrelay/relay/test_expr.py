"""Building expressions from Python."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from xrelay import relay
from xrelay.errors import InputError, TypeInferenceError, UnsupportedError, XRelayError
from xrelay.relay import Call, Constant, TensorType, TupleGetItem


def test_var_takes_a_type_a_shape_or_nothing():
    assert relay.var("x", shape=(1, relay.Any()), dtype="int8").type_annotation == TensorType((1, relay.Any()), "int8")
    assert relay.var("x", "int32").type_annotation == TensorType((), "int32")
    assert relay.var("x", relay.TupleType([])).type_annotation == relay.TupleType(())
    assert relay.var("x").type_annotation is None
    with pytest.raises(InputError, match="not both"):
        relay.var("x", "int32", shape=(1,))


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (1, None, "int32"),
        (1.5, None, "float32"),
        (True, None, "bool"),
        ([1, 2], None, "int32"),
        (np.zeros(3), None, "float32"),
        (np.zeros(3, "int64"), None, "int32"),
        (np.zeros(3, "int8"), None, "int8"),
        (np.float16(1), None, "float16"),
        (1, "float64", "float64"),
        (2**40, "int64", "int64"),
        (1.5, "bfloat16", "bfloat16"),
    ],
)
def test_const_has_the_dtype_that_relay_gives_it(value, dtype, expected):
    constant = relay.const(value, dtype)
    assert constant.data.dtype.name == expected
    np.testing.assert_array_equal(constant.data.astype("float64"), np.asarray(value, "float64"))


@pytest.mark.parametrize("value", [2**40, [1, [2, 3]], "text", object()])
def test_const_refuses_what_does_not_fit(value):
    with pytest.raises(InputError):
        relay.const(value)
    with pytest.raises(InputError, match="does not fit int8"):
        relay.const(300, "int8")


def test_python_operators_are_calls():
    x, y = relay.var("x"), relay.var("y")
    calls = [x + y, x - y, x * y, x / y, x < y, x <= y, x > y, x >= y]
    names = ["add", "subtract", "multiply", "divide", "less", "less_equal", "greater", "greater_equal"]
    assert [call.op.name for call in calls] == names
    assert all(call.args == (x, y) for call in calls)
    assert (-x).op.name == "negative"
    assert x.astype("int8").attrs == {"dtype": "int8"}
    assert x(y).op is x
    for build in (lambda: x + 1, lambda: 1 + x, lambda: 2.0 * x):
        with pytest.raises(InputError, match=r"relay\.const"):
            build()


def test_calls_that_give_tuples_come_apart():
    x = relay.var("x", shape=(4, 6))
    a, b = relay.split(x, 2)
    assert isinstance(a, TupleGetItem)
    assert (a.index, b.index) == (0, 1)
    assert a.tuple_value is b.tuple_value
    assert len(list(relay.split(x, [1, 3]))) == 3
    assert len(list(relay.nn.batch_norm(x, *[relay.var("p")] * 4))) == 3
    with pytest.raises(IndexError):
        relay.split(x, 2)[2]
    with pytest.raises(InputError, match="TupleGetItem"):
        relay.nn.relu(x)[0]


def test_bind_puts_values_in_place_of_variables():
    x, y, z = (relay.var(name, shape=(2,)) for name in "xyz")
    body = x + y
    assert relay.bind(body, {x: z}).args == (z, y)
    function = relay.bind(relay.Function([x, y], body), {x: relay.nn.relu(z)})
    assert function.params == (y, z)
    assert function.body.args[0].args == (z,)
    bound = relay.bind(relay.Function([x, y], body), {x: relay.const([1.0, 2.0])})
    assert bound.params == (y,)
    assert isinstance(bound.body.args[0], Constant)


def test_deep_programs_do_not_reach_the_limit_of_python():
    x = y = relay.var("x", shape=(2,))
    for _ in range(20_000):
        y = relay.nn.relu(y)
    z = relay.var("z", shape=(2,))
    assert relay.analysis.free_vars(relay.bind(y, {x: z})) == [z]


def test_importing_is_cheap():
    code = "import sys; from xrelay import relay; relay.var('x'); print('xdsl' in sys.modules, 'onnx' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]


# Operators -----------------------------------------------------------------------------------------------------------


def attrs(call: Call) -> dict:
    return call.attrs


def test_attributes_are_written_as_relay_writes_them():
    x, w = relay.var("x"), relay.var("w")
    conv = relay.nn.conv2d(x, w, strides=2, padding=1, kernel_size=(3, 3), channels=np.int64(8))
    assert attrs(conv) == {"strides": [2, 2], "padding": [1] * 4, "channels": 8, "kernel_size": [3, 3]}
    assert attrs(relay.nn.conv2d(x, w, padding=(1, 2)))["padding"] == [1, 2, 1, 2]
    assert attrs(relay.nn.max_pool1d(x, 2, padding=(1,)))["padding"] == [1, 1]
    assert attrs(relay.sum(x, 1)) == {"axis": [1]}
    assert attrs(relay.sum(x, axis=None)) == {}
    assert attrs(relay.reshape(x, relay.const([2, -1]))) == {"newshape": [2, -1]}
    assert attrs(relay.cast(x, np.int8)) == {"dtype": "int8"}
    assert attrs(relay.nn.dense(x, w, units=None, out_dtype="")) == {}
    pad = relay.nn.pad(x, ((0, 0), (1, 2)), pad_value=3)
    assert attrs(pad) == {"pad_width": [[0, 0], [1, 2]]}
    assert pad.args[1].data == 3


def test_python_defaults_differ_from_those_of_the_attributes():
    x, y = relay.var("x"), relay.var("y")
    assert attrs(relay.nn.batch_matmul(x, y)) == {"transpose_b": True}
    assert attrs(relay.nn.leaky_relu(x)) == {"alpha": 0.01}
    assert attrs(relay.nn.lrn(x)) == {"alpha": 1e-5}
    assert attrs(relay.image.resize2d(x, (4, 4)))["rounding_method"] == ""
    assert relay.nn.matmul(x, y, transpose_b=True).op.name == "nn.dense"
    assert relay.nn.matmul(x, y).op.name == "nn.matmul"
    assert isinstance(relay.nn.dropout(x), TupleGetItem)


def test_parameters_stand_in_the_order_of_relay():
    x, i = relay.var("x"), relay.var("i")
    take = relay.take(x, i, 1, 0, "wrap")
    assert (take.args, attrs(take)) == ((x, i), {"axis": 1, "mode": "wrap"})
    gather = relay.gather(x, 1, i)
    assert (gather.args, attrs(gather)) == ((x, i), {"axis": 1})
    assert attrs(relay.strided_slice(x, [0], [2], [1], [1]))["axes"] == [1]
    assert attrs(relay.nn.group_norm(x, i, i, 2)) == {"num_groups": 2}
    assert attrs(relay.nn.conv2d_transpose(x, i, (2, 2), output_padding=1))["output_padding"] == [1, 1]


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda x: relay.nn.relu(1.0), InputError, "relay.const"),
        (lambda x: relay.add(x, "y"), InputError, "must be an expression"),
        (lambda x: relay.transpose(x, axes="no"), TypeInferenceError, "axes must be a list of integers"),
        (lambda x: relay.reshape(x, x), UnsupportedError, "newshape must be known"),
        (lambda x: relay.op.get("nn.conv"), UnsupportedError, "nn.conv1d"),
        (lambda x: relay.nn.conv4d, AttributeError, "nn.conv4d"),
        (lambda x: relay.relu6, AttributeError, "relu6"),
    ],
)
def test_wrong_calls_say_what_is_right(build, error, message):
    assert issubclass(error, XRelayError | AttributeError)
    with pytest.raises(error, match=message):
        build(relay.var("x"))


def test_every_operator_is_a_function_with_a_signature():
    import inspect

    from xrelay.frontends.relay_text.operators import operators
    from xrelay.relay.op.generate import operator_function

    for name in operators():
        function = operator_function(name)
        assert inspect.signature(function).parameters or name in ("zeros", "ones")
        assert function.__doc__
    assert {"conv2d", "dense", "dropout"} <= set(dir(relay.nn))
    assert {"nn", "image", "add", "std"} <= set(dir(relay))


def test_composed_functions_compute_what_numpy_does():
    data = np.random.default_rng(0).standard_normal((3, 5)).astype("float32")
    x = relay.var("x", shape=(3, 5))
    executor = relay.create_executor("debug")
    body = relay.Tuple(
        [
            relay.std(x, axis=1),
            relay.variance(x, axis=[0], keepdims=True, unbiased=True),
            *relay.mean_variance(x, axis=1),
            *relay.mean_std(x, axis=0),
            relay.logsumexp(x, axis=1),
            relay.arange(1, 7, 2, dtype="int32"),
            relay.nn.pad(x, ((1, 0), (0, 2)), pad_value=5.0),
        ]
    )
    expected = [
        data.std(1),
        data.var(0, keepdims=True, ddof=1),
        data.mean(1),
        data.var(1),
        data.mean(0),
        data.std(0),
        np.log(np.exp(data).sum(1)),
        np.arange(1, 7, 2, dtype="int32"),
        np.pad(data, ((1, 0), (0, 2)), constant_values=5.0),
    ]
    for got, want in zip(executor.evaluate(relay.Function([x], body))(data), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
