"""Choices between graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx import GraphProto
from xdsl.ir import Block, Region, SSAValue

from xrelay.dialects.relay.control import yielded_types
from xrelay.dialects.relay.types import DYNAMIC, compatible, num_elements
from xrelay.errors import TypeInferenceError
from xrelay.frontends.onnx.graph import FAILED
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.operators import ops


@importer("If")
def if_(node: Node) -> Sequence[Any]:
    """Where the condition is known, the branch it takes stands for the node, and the other is not looked at."""
    if num_elements(node.shape()) not in (1, DYNAMIC):
        node.fail(f"the condition must be one value, not {node.type()}")
    branches = [node.attr("then_branch"), node.attr("else_branch")]
    for branch in branches:
        if len(branch.output) != len(node.proto.output):
            node.fail(f"a branch has {len(branch.output)} outputs, the node {len(node.proto.output)}")
    known = node.value(0).array
    if known is not None:
        return node.graph.subgraph(branches[0 if known.reshape(()) else 1], node.scope, node.where)
    then_region, else_region = (_region(node, branch) for branch in branches)
    if then_region is None or else_region is None:
        return [FAILED] * len(node.proto.output)
    for i, (a, b) in enumerate(zip(yielded_types(then_region), yielded_types(else_region), strict=True)):
        if not compatible(a, b):
            node.fail(f"output {i} is {a} in one branch and {b} in the other", TypeInferenceError)
    choice = ops.If.of(node.reshape(node.input(0), ()), then_region, else_region, location=node.location)
    node.graph.block.add_op(choice)
    return list(choice.outputs)


def _region(node: Node, branch: GraphProto) -> Region | None:
    """A branch as a region of its own; None where it is not supported."""
    outer, node.graph.block = node.graph.block, Block()
    try:
        outputs = node.graph.subgraph(branch, node.scope, node.where)
        if FAILED in outputs:
            return None
        operands: list[SSAValue] = [value.operand(node.graph.constant) for value in outputs]
        node.graph.block.add_op(ops.Yield.make(*operands, location=node.location))
        return Region(node.graph.block)
    finally:
        node.graph.block = outer
