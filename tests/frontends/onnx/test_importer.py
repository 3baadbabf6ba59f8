"""The module that an import gives: names, sizes, constants, functions, choices, plugins."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.builtin import NameLoc

from xrelay.errors import InputError, UnsupportedError
from xrelay.frontends.onnx.importer import import_onnx
from xrelay.frontends.onnx.registry import importer, supported_operators
from xrelay.frontends.operators import ops
from xrelay.relay.frontend import from_onnx

from .models import BOOL, F32, I64, info, model, node, operators, run, tensor

X = info("x", F32, [2, 3])


def main_of(module):
    return module.body.block.first_op


def names(module, which: str) -> list[str]:
    return [name.data for name in main_of(module).attributes[f"relay.{which}_names"]]


def test_names_and_locations():
    nodes = [node("Relu", ["in put:0"], ["r"], name="block/relu"), node("Exp", ["r"], ["out/1"])]
    module = import_onnx(model(nodes, [info("in put:0", F32, [2])], ["out/1", "r"]))
    assert names(module, "input") == ["in put:0"]
    assert names(module, "output") == ["out/1", "r"]
    relu, exp, _ = main_of(module).body.block.ops
    assert isinstance(relu.location, NameLoc)
    assert relu.location.desc.data == "block/relu"
    assert relu.location.location.desc.data == "Relu"
    assert exp.location.desc.data == "out/1"


def test_initializers_become_constants_once():
    w = tensor("w", np.ones((2, 3)), np.float32)
    nodes = [node("Add", ["x", "w"], ["a"]), node("Mul", ["a", "w"], ["y"])]
    module = import_onnx(model(nodes, [X], ["y"], [w, tensor("unused", 1.0, np.float32)]))
    constants = [op for op in main_of(module).body.block.ops if op.name == "relay.constant"]
    assert len(constants) == 1
    assert constants[0].location.desc.data == "w"


def test_nodes_may_stand_in_any_order():
    nodes = [node("Mul", ["t", "x"], ["y"]), node("Add", ["x", "x"], ["t"])]
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(run(model(nodes, [X], ["y"]), {"x": x})[0], 2 * x)


def test_outputs_may_be_inputs_initializers_or_twice_the_same():
    x = np.ones((2, 3), np.float32)
    outputs = run(model([node("Relu", ["x"], ["y"])], [X], ["x", "k", "y", "y"], [tensor("k", 5, np.int64)]), {"x": x})
    assert [o.tolist() for o in outputs] == [x.tolist(), 5, x.tolist(), x.tolist()]


# Sizes -------------------------------------------------------------------------------------------------------------


def test_symbols_and_shapes():
    inputs = [info("a", F32, ["N", 3]), info("b", F32, ["N", -1])]
    proto = model([node("Add", ["a", "b"], ["y"])], inputs, ["y"])
    dynamic = main_of(import_onnx(proto)).function_type
    assert [str(t) for t in dynamic.inputs] == ["tensor<?x3xf32>", "tensor<?x?xf32>"]
    static = main_of(import_onnx(proto, {"a": (4, 3)})).function_type
    assert [str(t) for t in static.inputs] == ["tensor<4x3xf32>", "tensor<4x?xf32>"]
    open_again = main_of(import_onnx(proto, {"a": (None, 3)})).function_type
    assert [str(t) for t in open_again.inputs] == ["tensor<?x3xf32>", "tensor<?x?xf32>"]


@pytest.mark.parametrize("shapes", [{"z": (1,)}, {"x": (1,)}, {"x": (-1, 3)}])
def test_shapes_that_do_not_fit(shapes):
    with pytest.raises(InputError, match=next(iter(shapes))):
        import_onnx(model([node("Relu", ["x"], ["y"])], [X], ["y"]), shapes)


def test_shape_arithmetic_is_folded():
    """The target of a Reshape computed from Shape, as PyTorch exports a view."""
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["n"]),
        node("Unsqueeze", ["n", "axes"], ["n1"]),
        node("Mul", ["n1", "three"], ["n2"]),
        node("Cast", ["n2"], ["n3"], to=TensorProto.FLOAT),
        node("Floor", ["n3"], ["n4"]),
        node("Cast", ["n4"], ["n5"], to=TensorProto.INT64),
        node("Concat", ["n5", "rest"], ["target"], axis=0),
        node("Reshape", ["x", "target"], ["y"]),
    ]
    constants = {"zero": 0, "axes": [0], "three": [3], "rest": [-1]}
    proto = model(nodes, [X], ["y"], [tensor(k, v, np.int64) for k, v in constants.items()])
    module = import_onnx(proto)
    assert operators(module) == ["relay.reshape"]
    assert main_of(module).function_type.outputs.data[0].get_shape() == (6, 1)
    with pytest.raises(UnsupportedError, match="shapes="):
        import_onnx(proto, {"x": (None, 3)})


# Defaults ----------------------------------------------------------------------------------------------------------

W = tensor("w", [[1, 2, 3]], np.float32)
SCALED = ([node("Mul", ["x", "w"], ["y"])], [X, info("w", F32, [1, 3])], ["y"], [W])


def test_an_initializer_that_is_an_input_is_a_default():
    module = import_onnx(model(*SCALED))
    assert names(module, "input") == ["x", "w"]
    defaults = main_of(module).attributes["relay.input_defaults"].data
    np.testing.assert_array_equal(defaults["w"].array, [[1, 2, 3]])
    old = import_onnx(model(*SCALED, ir=3))
    assert names(old, "input") == ["x"]


def test_a_default_that_a_shape_depends_on_is_fixed():
    nodes, inputs = [node("Reshape", ["x", "s"], ["y"]), node("Identity", ["s"], ["t"])], [X, info("s", I64, [2])]
    proto = model(nodes, inputs, ["y", "t"], [tensor("s", [3, 2], np.int64)])
    module = import_onnx(proto)
    assert names(module, "input") == ["x"]
    y, t = run(proto, {"x": np.zeros((2, 3), np.float32)})
    assert y.shape == (3, 2)
    assert t.tolist() == [3, 2]


def test_from_onnx_with_and_without_frozen_parameters():
    proto = model([node("Mul", ["x", "w"], ["y"])], [X], ["y"], [W])
    module, params = from_onnx(proto, shape={"x": (4, 3)})
    assert params == {}
    assert names(module.ir, "input") == ["x"]
    module, params = from_onnx(proto, freeze_params=False)
    assert names(module.ir, "input") == ["x", "w"]
    np.testing.assert_array_equal(params["w"], [[1, 2, 3]])
    assert "relay.input_defaults" not in main_of(module.ir).attributes
    with pytest.raises(InputError, match="opset"):
        from_onnx(proto, opset=11)


# Functions and graphs in nodes -------------------------------------------------------------------------------------


def test_functions_are_written_out():
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    leaky = node("LeakyRelu", ["a"], ["b"], name="leaky")
    leaky.attribute.add(name="alpha", type=1).ref_attr_name = "slope"
    body = [leaky, node("Add", ["b", "b"], ["c"])]
    function = helper.make_function("local", "Twice", ["a"], ["c"], body, opsets, ["slope"])
    call = node("Twice", ["x"], ["y"], domain="local", name="call", slope=0.5)
    module = import_onnx(model([call], [X], ["y"], functions=[function], domains={"local": 1}))
    assert operators(module) == ["relay.nn.leaky_relu", "relay.add"]
    first = next(iter(main_of(module).body.block.ops))
    assert first.attrs.alpha == 0.5
    assert first.location.desc.data == "call/leaky"


def test_operators_that_the_standard_defines_by_others():
    scale = tensor("s", [1, 2, 3], np.float32)
    proto = model([node("RMSNormalization", ["x", "s"], ["y"])], [X], ["y"], [scale], opset=23)
    x = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    expected = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * [1, 2, 3]
    np.testing.assert_allclose(run(proto, {"x": x})[0], expected, rtol=1e-5)


def choice(condition):
    def branch(op_type):
        return helper.make_graph([node(op_type, ["x"], ["o"])], op_type, [], [info("o", F32, None)])

    then, otherwise = branch("Relu"), branch("Neg")
    return node("If", [condition], ["y"], name="choose", then_branch=then, else_branch=otherwise)


def test_if_of_a_known_condition_takes_its_branch():
    module = import_onnx(model([choice("c")], [X], ["y"], [tensor("c", False)]))
    assert operators(module) == ["relay.negative"]


def test_if_of_an_input():
    proto, x = model([choice("c")], [X, info("c", BOOL, [])], ["y"]), np.array([[-1, 2, 3]] * 2, np.float32)
    assert operators(import_onnx(proto)) == ["relay.if"]
    np.testing.assert_array_equal(run(proto, {"x": x, "c": np.array(True)})[0], np.maximum(x, 0))
    np.testing.assert_array_equal(run(proto, {"x": x, "c": np.array(False)})[0], -x)


def test_loop_of_known_turns_is_written_out():
    body = helper.make_graph(
        [node("Add", ["v", "x"], ["w"]), node("Identity", ["c"], ["d"]), node("Mul", ["v", "v"], ["s"])],
        "body",
        [info("i", I64, []), info("c", BOOL, []), info("v", F32, [2, 3])],
        [info("d", BOOL, []), info("w", F32, [2, 3]), info("s", F32, [2, 3])],
    )
    loop = node("Loop", ["m", "t", "x"], ["last", "all"], body=body)
    proto = model([loop], [X], ["last", "all"], [tensor("m", 3, np.int64), tensor("t", True)])
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    last, squares = run(proto, {"x": x})
    np.testing.assert_array_equal(last, 4 * x)
    np.testing.assert_array_equal(squares, np.stack([x * x, 4 * x * x, 9 * x * x]))


# What is not supported ---------------------------------------------------------------------------------------------


def test_all_that_is_not_supported_is_listed_at_once():
    nodes = [
        node("NonMaxSuppression", ["b", "s"], ["boxes"], name="nms"),
        node("Shape", ["boxes"], ["t"]),
        node("Det", ["x"], ["d"], name="det"),
        node("Relu", ["x"], ["r"]),
        node("Reshape", ["r", "t"], ["y"], name="late"),
        node("Nonsense", ["y"], ["z"], name="odd"),
    ]
    inputs = [info("x", F32, [3, 3]), info("b", F32, [1, 2, 4]), info("s", F32, [1, 1, 2])]
    with pytest.raises(UnsupportedError) as caught:
        import_onnx(model(nodes, inputs, ["d", "z"]))
    message = str(caught.value)
    for part in ("nms", "NonMaxSuppression", "det", "Det", "odd", "Nonsense", "opset 17"):
        assert part in message
    assert "late" not in message


def test_unsupported_operators_in_a_branch_not_taken_do_not_matter():
    bad = helper.make_graph([node("Det", ["x"], ["o"])], "bad", [], [info("o", F32, None)])
    good = helper.make_graph([node("Relu", ["x"], ["o"])], "good", [], [info("o", F32, None)])
    nodes = [node("If", ["c"], ["y"], then_branch=good, else_branch=bad)]
    import_onnx(model(nodes, [X], ["y"], [tensor("c", True)]))


def test_importers_of_other_domains():
    @importer("Cube", domain="test.domain", since=2)
    def cube(imported):
        x = imported.input(0)
        return imported.build(ops.Multiply, x, imported.build(ops.Multiply, x, x))

    nodes = [node("Cube", ["x"], ["y"], domain="test.domain", name="cube")]
    x = np.full((2, 3), 2, np.float32)
    np.testing.assert_array_equal(run(model(nodes, [X], ["y"], domains={"test.domain": 2}), {"x": x})[0], x**3)
    with pytest.raises(UnsupportedError, match=r"cube.*test\.domain\.Cube"):
        import_onnx(model(nodes, [X], ["y"], domains={"test.domain": 1}))


def test_the_registry_knows_versions():
    known = supported_operators()
    assert known["Clip"] == [(1, 10), (11, None)]
    assert len(known) > 140
