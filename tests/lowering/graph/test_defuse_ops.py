"""`relay-defuse-ops` inlines kernels. (That it undoes fusion is tested with `relay-fuse-ops`, on random graphs.)"""

from __future__ import annotations

from tests.lowering.graph.graph_utils import check, names, parse
from xrelay.lowering.graph.defuse_ops import DefuseOps


def test_kernels_with_unusual_bodies():
    """A kernel may return its arguments, a constant, or nothing computed (apache/tvm PR 10069)."""
    module = parse("""
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>, tensor<2xf32>) {
      %0 = func.call @same(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %1:2 = func.call @several(%0) : (tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>)
      func.return %0, %1#0, %1#1 : tensor<2xf32>, tensor<f32>, tensor<2xf32>
    }
    func.func private @same(%x: tensor<2xf32>) -> tensor<2xf32> attributes {relay.primitive} {
      func.return %x : tensor<2xf32>
    }
    func.func private @several(%x: tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>) attributes {relay.primitive} {
      %0 = relay.constant 1.0 : tensor<f32>
      %1 = relay.add %x, %0 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      func.return %0, %1 : tensor<f32>, tensor<2xf32>
    }""")
    after = check(DefuseOps(), module)
    assert names(after) == ["constant", "add"]
    assert len(list(after.body.ops)) == 1


def test_calls_in_branches_and_of_other_functions():
    module = parse("""
    func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @plain(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %r = relay.if %c -> (tensor<2xf32>) {
        %1 = func.call @kernel(%0) : (tensor<2xf32>) -> tensor<2xf32>
        relay.yield %1 : tensor<2xf32>
      } else {
        relay.yield %x : tensor<2xf32>
      }
      func.return %r : tensor<2xf32>
    }
    func.func private @plain(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = func.call @kernel(%x) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }
    func.func private @kernel(%x: tensor<2xf32>) -> tensor<2xf32> attributes {relay.primitive} {
      %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }""")
    after = check(DefuseOps(), module)
    assert names(after) == ["plain", "if"]
    assert names(after, "plain") == ["exp"]
    assert [op.name for op in after.walk()].count("relay.exp") == 2
