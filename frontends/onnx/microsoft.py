"""Operators of the domain com.microsoft that onnxruntime's optimizer puts into models in place of standard ones."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from xrelay.frontends.onnx.linear import matmul
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.operators import ops

DOMAIN = "com.microsoft"


@importer("Gelu", "BiasGelu", domain=DOMAIN)
def gelu(node: Node) -> SSAValue:
    return node.build(ops.Gelu, _biased(node, node.input(0), 1), approximate="none")


@importer("FastGelu", domain=DOMAIN)
def fast_gelu(node: Node) -> SSAValue:
    return node.build(ops.Gelu, _biased(node, node.input(0), 1), approximate="tanh")


@importer("QuickGelu", domain=DOMAIN)
def quick_gelu(node: Node) -> SSAValue:
    x = node.input(0)
    gate = node.build(ops.Sigmoid, node.build(ops.Multiply, x, node.constant(node.attr("alpha", 1.702), x)))
    return node.build(ops.Multiply, x, gate)


def _biased(node: Node, x: SSAValue, i: int) -> SSAValue:
    """x with input i added along the last axis, if it is there."""
    return node.build(ops.BiasAdd, x, node.input(i), axis=-1) if node.has(i) else x


@importer("FusedMatMul", domain=DOMAIN)
def fused_matmul(node: Node) -> SSAValue:
    """alpha · A' · B', with the last two axes of A and B swapped if so wished."""
    if node.attr("transBatchA", 0) or node.attr("transBatchB", 0):
        node.unsupported("transBatchA and transBatchB are not supported")
    a, b = (_swapped(node, i) if node.attr(name, 0) else node.input(i) for i, name in enumerate(("transA", "transB")))
    product = matmul(node, a, b)
    alpha = node.attr("alpha", 1.0)
    return product if alpha == 1.0 else node.build(ops.Multiply, product, node.constant(alpha, product))


def _swapped(node: Node, i: int) -> SSAValue:
    rank = node.rank(i)
    if rank < 2:
        return node.input(i)
    return node.transpose(node.input(i), (*range(rank - 2), rank - 1, rank - 2))


@importer("SkipLayerNormalization", domain=DOMAIN)
def skip_layer_normalization(node: Node) -> Sequence[SSAValue]:
    """The layer norm of input + skip + bias over the last axis, and that sum as the fourth output."""
    total = _biased(node, node.build(ops.Add, node.input(0), node.input(1)), 4)
    beta = node.input(3) if node.has(3) else node.build(ops.ZerosLike, node.input(2))
    normal = node.build(ops.LayerNorm, total, node.input(2), beta, axis=-1, epsilon=node.attr("epsilon", 1e-12))
    if any(node.proto.output[1:3]):
        node.unsupported("the outputs mean and inv_std_var are not supported")
    return [normal, normal, normal, total]
