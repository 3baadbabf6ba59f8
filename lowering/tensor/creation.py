"""Operators that make tensors → linalg."""

from __future__ import annotations

from xdsl.ir.affine import AffineMap

from xrelay.dialects.relay import creation as ops
from xrelay.dialects.relay.types import f64, i64, is_float, normalize_axis, shape_of
from xrelay.lowering.tensor.builder import dims, lowers


def _filled(number: int):
    return lambda op, operands, b: b.full(shape_of(op.result.type), number, op.result.type.element_type)


lowers(ops.Zeros, ops.ZerosLike)(_filled(0))
lowers(ops.Ones, ops.OnesLike)(_filled(1))


@lowers(ops.Full, ops.FullLike)
def full(op, operands, b):
    element = op.result.type.element_type
    return b.elementwise(op, operands[-1:], lambda value: value.cast(element))


@lowers(ops.Arange)
def arange(op, operands, b):
    attrs = op.attrs
    wide = f64 if is_float(attrs.dtype) else i64

    def body(b):
        position = b.index(0).cast(i64).cast(wide)
        return (attrs.start + position * attrs.step).cast(attrs.dtype)

    return b.map(op.result.type, [], [], body)


@lowers(ops.OneHot)
def one_hot(op, operands, b):
    rank = len(shape_of(op.result.type))
    axis = normalize_axis(op.attrs.axis, rank)
    indices = AffineMap(rank, 0, tuple(d for i, d in enumerate(dims(rank)) if i != axis))
    scalar = AffineMap(rank, 0, ())

    def body(b, index, on, off):
        return index.cast(i64).eq(b.index(axis).cast(i64)).select(on, off)

    return b.map(op.result.type, operands, [indices, scalar, scalar], body)
