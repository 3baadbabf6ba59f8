"""relay.Module: functions by name, text, the two forms, passes."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.builtin import ModuleOp

import xrelay
from xrelay import relay
from xrelay.errors import InputError, TypeInferenceError


@pytest.fixture
def mod() -> relay.Module:
    x = relay.var("x", shape=(2, 3))
    return relay.Module.from_expr(relay.Function([x], relay.nn.relu(x + relay.const(1.0)), x.type_annotation))


def test_from_expr_abstracts_over_free_variables():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    assert relay.Module.from_expr(x - y)["main"].params == (x, y)
    named = relay.Function([x], x).with_attr("global_symbol", "f")
    assert [v.name_hint for v in relay.Module.from_expr(named).functions] == ["f"]


def test_functions_by_name_and_variable(mod: relay.Module):
    x = relay.var("x", shape=(2,))
    double = relay.GlobalVar("double")
    mod[double] = relay.Function([x], x + x)
    assert mod.get_global_var("double") is double
    assert "double" in mod
    assert mod[double] is mod["double"]
    assert "other" not in mod
    other = relay.Module({"other": relay.Function([], relay.const(1))})
    mod.update(other)
    assert {v.name_hint for v in mod.get_global_vars()} == {"main", "double", "other"}
    del mod["other"]
    with pytest.raises(InputError, match="main, double"):
        mod["other"]
    with pytest.raises(InputError, match="functions and type"):
        mod["f"] = x


def test_a_copy_can_be_changed(mod: relay.Module):
    copy = mod.clone()
    copy["f"] = relay.Function([], relay.const(1))
    assert "f" not in mod
    assert relay.structural_equal(copy["main"], mod["main"])


def test_text_and_back(mod: relay.Module):
    text = mod.infer_types().astext()
    assert "def @main(%x: Tensor[(2, 3), float32])" in text
    again = relay.parse(text)
    assert relay.structural_equal(again["main"], mod["main"])
    assert relay.fromtext is relay.parse
    assert again.astext() == text


def test_structural_equality_takes_modules(mod: relay.Module):
    again = relay.parse(mod.astext())
    assert relay.structural_equal(again, mod)
    assert relay.structural_hash(again) == relay.structural_hash(mod)
    again["f"] = again["main"]
    assert not relay.structural_equal(again, mod)
    with pytest.raises(AssertionError):
        relay.assert_structural_equal(again, mod)


def test_the_standard_library():
    mod = relay.Module()
    mod.import_from_std("prelude.rly")
    _, cons, nil = mod.get_type("List")
    assert (cons.name_hint, nil.name_hint) == ("Cons", "Nil")
    numbers = nil()
    for i in range(3):
        numbers = cons(relay.const(i), numbers)
    length = mod.get_global_var("length")
    first = relay.create_executor("debug", mod).evaluate(mod.get_global_var("hd")(numbers))
    assert first == 2
    assert relay.create_executor("debug", mod).evaluate(length(numbers)) is not None
    with pytest.raises(InputError, match=r"prelude\.rly"):
        mod.import_from_std("nothing.rly")


def test_the_two_forms(mod: relay.Module):
    assert isinstance(mod.ir, ModuleOp)
    assert mod.ir is mod.ir
    from_ir = relay.Module.from_ir(mod.ir.clone())
    assert relay.structural_equal(from_ir["main"], mod["main"])
    before = mod.ir
    mod["f"] = relay.Function([], relay.const(1))
    assert mod.ir is not before


def test_types_are_inferred_when_they_are_needed():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(3,))
    mod = relay.Module.from_expr(x + y)
    assert mod["main"].checked_type is None
    for use in (lambda: mod.ir, mod.infer_types, lambda: xrelay.compile(mod)):
        with pytest.raises(TypeInferenceError, match="broadcast"):
            use()


def test_passes_take_and_give_modules(mod: relay.Module):
    before = str(mod.ir)
    fused = relay.transform.FuseOps(2)(mod)
    assert isinstance(fused, relay.Module)
    assert len(fused.functions) == 2
    assert list(relay.analysis.extract_fused_functions(fused)) == ["fused_add_nn_relu"]
    assert str(mod.ir) == before
    back = relay.transform.DefuseOps()(fused)
    assert relay.structural_equal(back["main"], mod["main"])
    with pytest.raises(TypeError, match="takes a module"):
        relay.transform.FuseOps()("text")


def test_compile_takes_modules():
    x = relay.var("x", shape=(4,))
    pair = relay.Tuple([x + x, relay.Tuple([relay.nn.relu(x)])])
    model = xrelay.compile(relay.Module.from_expr(relay.Function([x], pair)))
    data = np.array([-1, 0, 1, 2], "float32")
    doubled, positive = model.run({"x": data})
    np.testing.assert_array_equal(doubled, data * 2)
    np.testing.assert_array_equal(positive, data.clip(0))


def test_onnx_models_are_modules():
    relu = helper.make_node("Relu", ["x"], ["y"])
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3]) for name in "xy")
    mod, params = relay.frontend.from_onnx(helper.make_model(helper.make_graph([relu], "g", [x], [y])))
    assert params == {}
    assert [p.name_hint for p in mod["main"].params] == ["x"]
    assert relay.analysis.list_op_freqs(relay.parse(mod.astext())) == {"nn.relu": 1}
