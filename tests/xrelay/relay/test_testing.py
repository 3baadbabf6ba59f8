"""The networks of relay.testing: sizes as published, values compiled as interpreted."""

from __future__ import annotations

import numpy as np
import pytest

import xrelay
from xrelay import relay
from xrelay.errors import InputError


@pytest.mark.parametrize(
    ("name", "options", "parameters", "macs"),
    [
        ("mlp", {}, 109_386, 109_184),
        ("resnet", {"num_layers": 50}, None, 4_089_184_256),
        ("mobilenet", {"layout": "NHWC", "image_shape": (224, 224, 3)}, None, 568_740_352),
        ("squeezenet", {}, 1_248_424, None),
        ("squeezenet", {"version": "1.1"}, 1_235_496, None),
        ("densenet", {"batch_size": 1}, 7_978_856 + 2 * 41_824, None),
        ("vgg", {"num_layers": 11, "image_shape": (3, 32, 32), "batch_norm": True}, None, None),
    ],
)
def test_sizes(name, options, parameters, macs):
    mod, params = getattr(relay.testing, name).get_workload(**options)
    assert mod["main"].checked_type.ret_type.shape[-1] in (10, 1000)
    assert relay.analysis.well_formed(mod)
    if parameters is not None:
        assert sum(value.size for value in params.values()) == parameters
    if macs is not None:
        assert relay.analysis.get_total_mac_number(mod) == macs


SMALL = [
    ("mlp", {}),
    ("resnet", {"num_layers": 8, "image_shape": (3, 16, 16), "num_classes": 10}),
    ("mobilenet", {"image_shape": (3, 32, 32), "num_classes": 10}),
    ("squeezenet", {"image_shape": (3, 48, 48), "num_classes": 10}),
]


@pytest.mark.parametrize(("name", "options"), SMALL)
def test_compiled_as_interpreted(name, options):
    mod, params = getattr(relay.testing, name).get_workload(**options)
    (data,) = (p for p in mod["main"].params if p.name_hint == "data")
    x = np.random.default_rng(0).standard_normal(data.type_annotation.shape).astype("float32")
    with xrelay.transform.PassContext(opt_level=3):
        (compiled,) = relay.build(mod, params=params).get_lib().run(x)
    interpreted = relay.create_executor("debug", mod, params=params).evaluate()(x)
    np.testing.assert_allclose(compiled, interpreted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(compiled.sum(-1), 1, rtol=1e-5)


def test_workloads_are_the_same_each_time():
    (_, first), (_, second) = relay.testing.mlp.get_workload(), relay.testing.mlp.get_workload()
    assert all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize(("name", "options"), [*SMALL, ("lstm", {"iterations": 2})])
def test_text_round_trips_before_and_after_fusion(name, options):
    mod, _ = getattr(relay.testing, name).get_workload(**options)
    for module in (mod, relay.transform.FuseOps(2)(mod)):
        assert relay.structural_equal(relay.parse(module.astext()), module)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("kind", ["vm", "debug"])
def test_lstm_computes_what_numpy_does(kind):
    mod, params = relay.testing.lstm.get_workload(iterations=3, num_hidden=8, batch_size=2)
    data = np.random.default_rng(0).standard_normal((3, 2, 8)).astype("float32")
    hidden = cell = np.zeros((2, 8), "float32")
    for x in data:
        gates = x @ params["i2h_weight"].T + params["i2h_bias"] + hidden @ params["h2h_weight"].T + params["h2h_bias"]
        i, f, g, o = np.split(gates, 4, axis=1)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
    inputs = {f"data_{i}": x for i, x in enumerate(data)}
    result = relay.create_executor(kind, mod, params=params).evaluate()(**inputs)
    np.testing.assert_allclose(result, hidden, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["resnet", "vgg"])
def test_networks_that_there_are(name):
    with pytest.raises(InputError, match="there is no"):
        getattr(relay.testing, name).get_workload(num_layers=17)


def test_parameters_of_unknown_size_are_refused():
    x, w = relay.var("data", shape=(2, 3)), relay.var("w_weight", shape=(relay.Any(), 3))
    with pytest.raises(InputError, match="no tensor of known size"):
        relay.testing.create_workload(relay.Function([x, w], relay.nn.dense(x, w)))
