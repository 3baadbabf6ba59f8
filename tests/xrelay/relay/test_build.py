"""relay.build, relay.optimize, bound parameters."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import xrelay
from xrelay import relay
from xrelay.errors import InputError, UnsupportedError

X = np.random.default_rng(0).standard_normal((2, 3)).astype("float32")
W = np.random.default_rng(1).standard_normal((4, 3)).astype("float32")


@pytest.fixture
def mod() -> relay.Module:
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    return relay.Module.from_expr(relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w))))


EXPECTED = (X @ W.T).clip(0)


@pytest.mark.parametrize("opt_level", [0, 3, 4])
def test_build_and_run(mod, opt_level):
    with xrelay.transform.PassContext(opt_level=opt_level):
        lib = relay.build(mod, target=xrelay.target.Target("llvm"), params={"w": W, "unused": W})
    assert set(lib.get_params()) == {"w", "unused"}
    module = xrelay.runtime.GraphModule(lib["default"](xrelay.cpu(0)))
    module.set_input("x", X)
    module.set_input(**lib.get_params())
    module.run()
    np.testing.assert_allclose(module.get_output(0).numpy(), EXPECTED, rtol=1e-5)
    assert lib.get_lib().input_names == ("x",)


def test_parameters_may_stay_inputs(mod):
    model = relay.build(mod).get_lib()
    assert model.input_names == ("x", "w")
    np.testing.assert_allclose(model.run(X, W)[0], EXPECTED, rtol=1e-5)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_export_library(mod, tmp_path):
    path = tmp_path / "model.so"
    relay.build(mod, params={"w": W}).export_library(path)
    np.testing.assert_allclose(xrelay.load(path).run({"x": X})[0], EXPECTED, rtol=1e-5)


def test_save(mod, tmp_path):
    path = tmp_path / "model.xrelay"
    relay.build(mod, params={"w": W}).save(path)
    np.testing.assert_allclose(xrelay.load(path).run({"x": X})[0], EXPECTED, rtol=1e-5)


def test_wrong_requests(mod):
    with pytest.raises(InputError, match="parameter 'w'"):
        relay.build(mod, params={"w": W.T})
    with pytest.raises(UnsupportedError, match="target_host"):
        relay.build(mod, "llvm", target_host="cuda")
    with pytest.raises(UnsupportedError, match="default"):
        relay.build(mod, mod_name="other")


def test_optimize_and_disabled_passes(mod):
    with xrelay.transform.PassContext(opt_level=3):
        optimized, params = relay.optimize(mod, params={"w": W})
    assert params == {}
    # A weight that is known is transposed while compiling.
    assert list(relay.analysis.extract_fused_functions(optimized)) == ["fused_nn_matmul_nn_relu"]
    with xrelay.transform.PassContext(opt_level=3, disabled_pass=["FuseOps", "VerifyFused"]):
        optimized, _ = relay.optimize(mod, params={"w": W})
    assert relay.analysis.extract_fused_functions(optimized) == {}


def test_bind_params_by_name(mod):
    function = relay.bind_params_by_name(mod["main"], {"w": W, "other": W})
    assert [p.name_hint for p in function.params] == ["x"]
    result = relay.create_executor("debug").evaluate(function)(X)
    np.testing.assert_allclose(result, EXPECTED, rtol=1e-5)
    twice = relay.Function([relay.var("a"), relay.var("a")], relay.const(1))
    with pytest.raises(InputError, match="2 parameters are called 'a'"):
        relay.bind_params_by_name(twice, {"a": W})
