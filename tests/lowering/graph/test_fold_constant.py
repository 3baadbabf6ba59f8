"""`relay-fold-constant` evaluates what depends on constants only."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr

from tests.lowering.graph.graph_utils import apply, check, names, parse_main
from xrelay.interpreters.executor import run_module
from xrelay.lowering.graph.fold_constant import FoldConstant

C = "%c = relay.constant [1.0, 2.0] : tensor<2xf32>"


def constants(module: ModuleOp) -> list[list]:
    return [op.array.tolist() for op in module.walk() if op.name == "relay.constant"]


def test_operators_on_constants():
    module = parse_main(
        "%x: tensor<2xf32>",
        f"""
        {C}
        %0 = relay.add %c, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        %1 = relay.negative %0 : (tensor<2xf32>) -> tensor<2xf32>
        %2 = relay.multiply %x, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        func.return %2 : tensor<2xf32>""",
        "tensor<2xf32>",
    )
    after = check(FoldConstant(), module)
    assert names(after) == ["constant", "multiply"]
    assert constants(after) == [[-2.0, -4.0]]


def test_results_keep_their_location():
    module = parse_main(
        "",
        f"""
        {C}
        %0 = relay.negative %c : (tensor<2xf32>) -> tensor<2xf32>
        func.return %0 : tensor<2xf32>""",
        "tensor<2xf32>",
    )
    place = FileLineColLoc(StringAttr("model.onnx"), IntAttr(7), IntAttr(1))
    (negative,) = (op for op in module.walk() if op.name == "relay.negative")
    negative.location = place
    (constant,) = (op for op in apply(FoldConstant(), module).walk() if op.name == "relay.constant")
    assert constant.location == place


def test_shape_of_needs_a_known_type_only():
    module = parse_main(
        "%x: tensor<3x5xf32>, %y: tensor<3x?xf32>",
        """
        %0 = relay.shape_of %x : (tensor<3x5xf32>) -> tensor<2xi32>
        %1 = relay.shape_of %y : (tensor<3x?xf32>) -> tensor<2xi32>
        func.return %0, %1 : tensor<2xi32>, tensor<2xi32>""",
        "tensor<2xi32>, tensor<2xi32>",
    )
    after = apply(FoldConstant(), module)
    assert names(after) == ["constant", "shape_of"]
    assert constants(after) == [[3, 5]]


def test_fills_are_folded_while_they_are_small():
    body = """
        %0 = relay.ones {{shape = [{n}], dtype = f32}} : () -> tensor<{n}xf32>
        func.return %0 : tensor<{n}xf32>"""
    small = parse_main("", body.format(n=8), "tensor<8xf32>")
    large = parse_main("", body.format(n=1 << 20), f"tensor<{1 << 20}xf32>")
    assert names(check(FoldConstant(), small)) == ["constant"]
    assert names(check(FoldConstant(), large)) == ["ones"]
    assert names(check(FoldConstant(max_growth=1 << 22), large)) == ["constant"]


def test_the_limit_is_about_growth_not_size():
    module = parse_main(
        "",
        """
        %0 = relay.ones {shape = [1, 262144], dtype = f32} : () -> tensor<1x262144xf32>
        %1 = relay.broadcast_to %0 {shape = [2, 262144]} : (tensor<1x262144xf32>) -> tensor<2x262144xf32>
        %2 = relay.negative %1 : (tensor<2x262144xf32>) -> tensor<2x262144xf32>
        %3 = relay.broadcast_to %2 {shape = [2, 2, 262144]} : (tensor<2x262144xf32>) -> tensor<2x2x262144xf32>
        func.return %3 : tensor<2x2x262144xf32>""",
        "tensor<2x2x262144xf32>",
    )
    assert names(apply(FoldConstant(), module)) == ["constant", "broadcast_to"]


@pytest.mark.parametrize(("operands", "units", "folded"), [("%x, %0", 512, True), ("%0, %x", 1, False)])
def test_a_large_fill_becomes_a_constant_where_it_is_a_weight(operands: str, units: int, folded: bool):
    shapes = {"%x": "tensor<1x1024xf32>", "%0": "tensor<512x1024xf32>"}
    types = ", ".join(shapes[name] for name in operands.split(", "))
    result = f"tensor<{512 // units}x{units}xf32>"
    body = f"""
        %0 = relay.ones {{shape = [512, 1024], dtype = f32}} : () -> tensor<512x1024xf32>
        %1 = relay.nn.dense {operands} : ({types}) -> {result}
        func.return %1 : {result}"""
    after = check(FoldConstant(), parse_main("%x: tensor<1x1024xf32>", body, result))
    assert names(after) == ["constant" if folded else "ones", "nn.dense"]


def test_what_its_definition_rejects_fails_when_it_runs():
    module = parse_main(
        "",
        f"""
        {C}
        %i = relay.constant 5 : tensor<i64>
        %0 = relay.take %c, %i {{axis = 0, mode = "error"}} : (tensor<2xf32>, tensor<i64>) -> tensor<f32>
        func.return %0 : tensor<f32>""",
        "tensor<f32>",
    )
    assert names(apply(FoldConstant(), module)) == ["constant", "constant", "take"]


@pytest.mark.parametrize("condition", ["true", "false"])
def test_a_constant_condition_leaves_one_branch(condition: str):
    module = parse_main(
        "%x: tensor<2xf32>",
        f"""
        {C}
        %b = relay.constant {condition} : tensor<i1>
        %r = relay.if %b -> (tensor<2xf32>) {{
          %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
          relay.yield %0 : tensor<2xf32>
        }} else {{
          %1 = relay.negative %c : (tensor<2xf32>) -> tensor<2xf32>
          %2 = relay.add %1, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
          relay.yield %2 : tensor<2xf32>
        }}
        func.return %r : tensor<2xf32>""",
        "tensor<2xf32>",
    )
    after = check(FoldConstant(), module)
    assert names(after) == (["exp"] if condition == "true" else ["constant", "add"])


def test_an_empty_branch_and_nested_ones():
    module = parse_main(
        "%x: tensor<2xf32>, %d: tensor<i1>",
        """
        %b = relay.constant true : tensor<i1>
        %r = relay.if %b -> (tensor<2xf32>) {
          %i = relay.if %b -> (tensor<2xf32>) {
            relay.yield %x : tensor<2xf32>
          } else {
            relay.yield %x : tensor<2xf32>
          }
          relay.yield %i : tensor<2xf32>
        } else {
          relay.yield %x : tensor<2xf32>
        }
        func.return %r : tensor<2xf32>""",
        "tensor<2xf32>",
    )
    assert names(check(FoldConstant(), module)) == []


def test_projections_of_tuples():
    module = parse_main(
        "%x: tensor<2xf32>, %y: tensor<3xf32>",
        """
        %t = relay.tuple %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tuple<tensor<2xf32>, tensor<3xf32>>
        %0 = relay.tuple_get_item %t {index = 1} : (tuple<tensor<2xf32>, tensor<3xf32>>) -> tensor<3xf32>
        func.return %0 : tensor<3xf32>""",
        "tensor<3xf32>",
    )
    assert names(apply(FoldConstant(), module)) == ["tuple"]


def test_the_input_module_is_not_changed():
    module = parse_main(
        "",
        f"""
        {C}
        %0 = relay.negative %c : (tensor<2xf32>) -> tensor<2xf32>
        func.return %0 : tensor<2xf32>""",
        "tensor<2xf32>",
    )
    before = str(module)
    apply(FoldConstant(), module)
    assert str(module) == before
    np.testing.assert_array_equal(run_module(module, [])[0], [-1.0, -2.0])
