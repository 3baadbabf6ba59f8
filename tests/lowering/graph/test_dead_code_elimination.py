"""`relay-dead-code-elimination` drops what no result depends on."""

from __future__ import annotations

from tests.lowering.graph.graph_utils import check, names, parse
from xrelay.lowering.graph.dead_code_elimination import DeadCodeElimination


def test_chains_of_unused_operators():
    module = parse("""
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = relay.nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      %1 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
      %2 = relay.add %1, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %3 = relay.constant 1.0 : tensor<f32>
      func.return %0 : tensor<2xf32>
    }""")
    assert names(check(DeadCodeElimination(), module)) == ["nn.relu"]


def test_inside_of_branches():
    module = parse("""
    func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
      %e = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
      %n = relay.negative %x : (tensor<2xf32>) -> tensor<2xf32>
      %r = relay.if %c -> (tensor<2xf32>) {
        %0 = relay.nn.relu %n : (tensor<2xf32>) -> tensor<2xf32>
        relay.yield %e : tensor<2xf32>
      } else {
        relay.yield %x : tensor<2xf32>
      }
      %unused = relay.if %c -> (tensor<2xf32>) {
        relay.yield %n : tensor<2xf32>
      } else {
        relay.yield %x : tensor<2xf32>
      }
      func.return %r : tensor<2xf32>
    }""")
    assert names(check(DeadCodeElimination(), module)) == ["exp", "if"]


def test_private_functions_that_nobody_reaches():
    module = parse("""
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @used(%x) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }
    func.func private @used(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @inner(%x) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }
    func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {
      func.return %x : tensor<2xf32>
    }
    func.func private @even(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @odd(%x) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }
    func.func private @odd(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @even(%x) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }""")
    after = check(DeadCodeElimination(), module)
    assert [f.sym_name.data for f in after.body.ops] == ["main", "used", "inner"]
