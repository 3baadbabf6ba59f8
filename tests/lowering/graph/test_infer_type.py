"""`relay-infer-type` refines unknown sizes."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr
from xdsl.rewriter import Rewriter

from tests.lowering.graph.graph_utils import apply, parse
from xrelay.dialects.relay.types import f32, tensor_type
from xrelay.errors import TypeInferenceError
from xrelay.lowering.graph.infer_type import InferType


def test_sizes_of_inputs_reach_the_results():
    module = parse("""
    func.func @main(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
      %0 = relay.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
      %1 = relay.nn.relu %0 : (tensor<?x3xf32>) -> tensor<?x?xf32>
      func.return %1 : tensor<?x?xf32>
    }""")
    main = apply(InferType(), module).body.block.first_op
    assert str(main.function_type) == "(tensor<2x3xf32>) -> tensor<2x3xf32>"
    assert [str(op.results[0].type) for op in list(main.body.block.ops)[:-1]] == ["tensor<2x3xf32>"] * 2


def test_if_and_tuple():
    module = parse("""
    func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<?xf32> {
      %r = relay.if %c -> (tensor<?xf32>) {
        %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<?xf32>
        relay.yield %0 : tensor<?xf32>
      } else {
        relay.yield %x : tensor<4xf32>
      }
      %t = relay.tuple %r, %c : (tensor<?xf32>, tensor<i1>) -> tuple<tensor<?xf32>, tensor<i1>>
      %p = relay.tuple_get_item %t {index = 0} : (tuple<tensor<?xf32>, tensor<i1>>) -> tensor<?xf32>
      func.return %p : tensor<?xf32>
    }""")
    main = apply(InferType(), module).body.block.first_op
    assert str(main.function_type.outputs.data[0]) == "tensor<4xf32>"


CALLS = """
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = relay.nn.relu %x : (tensor<4xf32>) -> tensor<?xf32>
  %b = relay.nn.relu %y : (tensor<5xf32>) -> tensor<?xf32>
  %0 = func.call @f(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = func.call @f(%b) : (tensor<?xf32>) -> tensor<?xf32>
  func.return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
func.func private @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relay.nn.relu %x : (tensor<?xf32>) -> tensor<?xf32>
  func.return %0 : tensor<?xf32>
}"""


def test_functions_are_specialised_for_their_calls():
    main = apply(InferType(), parse(CALLS)).body.block.first_op
    assert [str(t) for t in main.function_type.outputs] == ["tensor<4xf32>", "tensor<5xf32>"]
    callees = [op.callee.string_value() for op in main.body.block.ops if op.name == "func.call"]
    assert len(set(callees)) == 2


def test_a_contradiction_is_located():
    module = parse("""
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = relay.nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }""")
    relu = module.body.block.first_op.body.block.first_op
    Rewriter.replace_value_with_new_type(relu.results[0], tensor_type([3], f32))
    relu.location = FileLineColLoc(StringAttr("model.onnx"), IntAttr(7), IntAttr(1))
    with pytest.raises(
        TypeInferenceError, match=r"relay.nn.relu at .*model.onnx.* gives tensor<2xf32>, not tensor<3xf32>"
    ):
        InferType().apply(Context(), module)
