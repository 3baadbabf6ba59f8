"""Matrix products → one contraction each, transposed by its maps."""

from __future__ import annotations

from xdsl.ir.affine import AffineExpr, AffineMap

from xrelay.dialects.relay import linear as ops
from xrelay.dialects.relay.types import shape_of
from xrelay.lowering.tensor.builder import TensorBuilder, dims, lowers
from xrelay.lowering.tensor.folds import contract


@lowers(ops.Dense)
def dense(op, operands, b):
    return _product(op, operands, b, False, True)


@lowers(ops.Matmul, ops.BatchMatmul)
def matmul(op, operands, b):
    return _product(op, operands, b, op.attrs.transpose_a, op.attrs.transpose_b)


def _product(op, operands, b: TensorBuilder, transpose_a: bool, transpose_b: bool):
    """out[…, m, n] = Σ over k of a[…, m, k] · b[…, k, n]; an axis of size 1 before the matrices is read at 0."""
    result = op.result.type
    out_shape = shape_of(result)
    a_shape, b_shape = (shape_of(v.type) for v in operands)
    *outer, n, k = dims(len(out_shape) + 1)
    a_reads = _swapped([*outer, k], transpose_a)
    b_reads = _swapped([*outer[: len(b_shape) - 2], k, n], transpose_b)
    if len(b_shape) > 2:
        a_reads[0], b_reads[0] = (_batch(shape[0], out_shape[0]) for shape in (a_shape, b_shape))
    inner = a_shape[-2 if transpose_a else -1]
    return contract(b, (operands[0], a_reads), (operands[1], b_reads), out_shape, [inner], result.element_type)


def _swapped(exprs: list[AffineExpr], swap: bool) -> list[AffineExpr]:
    return [*exprs[:-2], exprs[-1], exprs[-2]] if swap else exprs


def _batch(size: int, batch: int) -> AffineExpr:
    return AffineExpr.constant(0) if size == 1 and batch != 1 else AffineExpr.dimension(0)


@lowers(ops.BiasAdd)
def bias_add(op, operands, b):
    result = op.result.type
    rank = len(shape_of(result))
    along = AffineMap(rank, 0, (AffineExpr.dimension(op.attrs.axis % rank),))
    return b.map(result, operands, [AffineMap.identity(rank), along], lambda _, x, bias: x + bias)
