"""`GraphModule`: the interface that users of Relay know."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import xrelay
from tests.runtime.utils import scale_model, scale_reference
from xrelay.errors import InputError, UnsupportedError, XRelayError
from xrelay.runtime import GraphModule, graph_module

SIZE = 6


@pytest.fixture
def x():
    return np.linspace(-1, 1, SIZE, dtype=np.float32)


@pytest.fixture
def y():
    return np.arange(SIZE, dtype=np.float32)


@pytest.fixture
def module():
    with scale_model(SIZE) as model:
        yield GraphModule(model["default"](xrelay.cpu(0)))


def test_set_run_get(module, x, y):
    module.set_input("x", x)
    module.set_input(1, y)
    module.run()
    out = module.get_output(0)
    assert type(out.numpy()) is np.ndarray
    np.testing.assert_array_equal(out.numpy(), scale_reference(x, y))
    np.testing.assert_array_equal(out, out.asnumpy())


def test_inputs_by_keyword(module, x, y):
    module.set_input(x=x, y=y, a_weight_compiled_in=x)
    module.run(y=x)
    np.testing.assert_array_equal(module.get_output(0).numpy(), scale_reference(x, x))
    module.set_input("y", y, x=y)
    module.run()
    np.testing.assert_array_equal(module.get_output(0).numpy(), scale_reference(y, y))


def test_inputs_are_copied_unless_asked_otherwise(module, x, y):
    expected = scale_reference(x, y)
    module.set_input(x=x, y=y)
    x[:] = 0
    module.run()
    np.testing.assert_array_equal(module.get_output(0).numpy(), expected)
    module.set_input_zero_copy("x", x)
    x[:] = 7
    module.run()
    np.testing.assert_array_equal(module.get_output(0).numpy(), scale_reference(x, y))
    with pytest.raises(InputError, match="'x' cannot be used without a copy"):
        module.set_input_zero_copy("x", np.repeat(x, 2)[::2])


def test_outputs_stay_after_the_next_run(module, x, y):
    module.run(x=x, y=y)
    first = module.get_output(0)
    module.run(x=y)
    np.testing.assert_array_equal(first, scale_reference(x, y))


def test_get_output_into_an_array(module, x, y):
    module.run(x=x, y=y)
    out = np.empty(SIZE, np.float32)
    module.get_output(0, out)
    np.testing.assert_array_equal(out, scale_reference(x, y))


def test_questions(module, x):
    assert (module.get_num_inputs(), module.get_num_outputs()) == (2, 1)
    assert (module.get_input_index("y"), module.get_input_index("z")) == (1, -1)
    assert module.get_input_info() == ({"x": (6,), "y": (6,)}, {"x": "float32", "y": "float32"})
    module.set_input("x", x)
    np.testing.assert_array_equal(module.get_input(0).numpy(), x)


def test_errors(module, x):
    with pytest.raises(XRelayError, match="run\\(\\) comes first"):
        module.get_output(0)
    with pytest.raises(InputError, match="no input 'z'; the model takes x: "):
        module.set_input("z", x)
    with pytest.raises(InputError, match="no input 2"):
        module.set_input(2, x)
    with pytest.raises(InputError, match="was never set"):
        module.get_input("x")
    with pytest.raises(InputError, match="input 'y' is missing"):
        module.run(x=x)
    module.run(y=x)
    with pytest.raises(InputError, match="no output 1, the model has 1"):
        module.get_output(1)


def test_benchmark(module, x, y):
    result = module.benchmark(xrelay.cpu(0), repeat=3, number=2, end_to_end=True, x=x, y=y)
    assert len(result.results) == 3
    assert 0 < result.min <= result.median <= result.max
    assert result.std >= 0
    title, names, _ = str(result).splitlines()
    assert title == "Execution time summary:"
    assert names.split() == "mean (ms) median (ms) max (ms) min (ms) std (ms)".split()
    with pytest.raises(InputError, match="no function 'walk'"):
        module.benchmark(func_name="walk")


def test_devices():
    assert str(xrelay.cpu()) == "cpu(0)"
    assert xrelay.cpu(0) == xrelay.cpu()
    with pytest.raises(UnsupportedError, match="only cpu\\(0\\)"):
        xrelay.cpu(1)


def test_benchmark_runs_until_a_repeat_takes_long_enough(module, x, y, monkeypatch):
    runs = []
    monkeypatch.setattr(module.module, "run", lambda inputs: runs.append(inputs) or [x])
    a_millisecond_each = SimpleNamespace(perf_counter=lambda: len(runs) / 1000)
    monkeypatch.setattr(graph_module, "time", a_millisecond_each)
    result = module.benchmark(repeat=2, number=1, min_repeat_ms=500, x=x, y=y)
    assert result.results == pytest.approx((0.001, 0.001))
    assert len(runs) > 1000
