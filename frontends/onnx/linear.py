"""Matrix products."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import DYNAMIC, as_tensor, is_float, num_elements, shape_of
from xrelay.errors import TypeInferenceError
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.operators import ops


@importer("Gemm")
def gemm(node: Node) -> SSAValue:
    """alpha · A' · B' + beta · C, with A' and B' transposed if so wished."""
    a, b = node.input(0), node.input(1)
    if node.rank(0) != 2 or node.rank(1) != 2:
        node.fail(f"A and B must be matrices, not {a.type} and {b.type}", TypeInferenceError)
    if node.attr("transA"):
        a = node.transpose(a, (1, 0))
    product = node.build(ops.Dense if node.attr("transB") else ops.Matmul, a, b)
    product = _scale(node, product, node.attr("alpha"))
    if not node.has(2) or node.attr("beta") == 0:
        return product
    c = _scale(node, node.input(2), node.attr("beta"))
    rows, columns = shape_of(product.type)
    if node.broadcast(shape_of(c.type), (rows, columns)) != (rows, columns):
        node.fail(f"C, {c.type}, does not broadcast to {product.type}", TypeInferenceError)
    if shape_of(c.type) == (columns,):
        return node.build(ops.BiasAdd, product, c, axis=1)
    return node.build(ops.Add, product, c)


def _scale(node: Node, value: SSAValue, factor: float) -> SSAValue:
    if factor == 1.0:
        return value
    if not is_float(as_tensor(value.type).element_type) and factor != int(factor):
        node.unsupported(f"a factor of {factor} on integers")
    return node.build(ops.Multiply, value, node.constant(factor, value))


@importer("MatMul")
def matmul_node(node: Node) -> SSAValue:
    return matmul(node, node.input(0), node.input(1))


def matmul(node: Node, a: SSAValue, b: SSAValue) -> SSAValue:
    """NumPy's matmul: vectors are rows or columns, leading axes are broadcast."""
    left, right = shape_of(a.type), shape_of(b.type)
    if not left or not right:
        node.fail(f"cannot multiply scalars: {a.type} and {b.type}", TypeInferenceError)
    if len(right) == 1:
        product = matmul(node, a, node.build(ops.ExpandDims, b, axis=1))
        return node.build(ops.Squeeze, product, axis=(-1,))
    if len(right) == 2:
        return node.build(ops.Matmul, a, b)
    if len(left) == 1:
        product = matmul(node, node.build(ops.ExpandDims, a, axis=0), b)
        return node.build(ops.Squeeze, product, axis=(-2,))
    if all(size == 1 for size in right[:-2]) and len(right) <= len(left):
        return node.build(ops.Matmul, a, node.reshape(b, right[-2:]))
    return _batched(node, a, b)


def _batched(node: Node, a: SSAValue, b: SSAValue) -> SSAValue:
    """The product of stacks of matrices, of which at least b has rank 3."""
    left, right = shape_of(a.type), shape_of(b.type)
    batch = node.broadcast(left[:-2], right[:-2])
    product = node.build(ops.BatchMatmul, _stack(node, a, batch), _stack(node, b, batch))
    return node.reshape(product, (*batch, *shape_of(product.type)[-2:]))


def _stack(node: Node, value: SSAValue, batch: Sequence[int]) -> SSAValue:
    """The matrices along one axis: all of them, or a single one where every matrix of the other operand meets it."""
    shape = shape_of(value.type)
    own, matrix = shape[:-2], shape[-2:]
    if len(shape) == 3 and len(batch) == 1:
        return value  # already one axis; the operator broadcasts it
    if all(size == 1 for size in own):
        return node.reshape(value, (1, *matrix))
    if own != tuple(batch):
        if DYNAMIC in (*batch, *matrix):
            node.unsupported(f"leading axes {own} are broadcast to {tuple(batch)}, which must be known")
        value = node.build(ops.BroadcastTo, value, shape=(*batch, *matrix))
    return node.reshape(value, (num_elements(batch), *matrix))
