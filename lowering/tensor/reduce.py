"""Reductions → linalg: the kept axes are the outer, parallel iteration dimensions, the folded ones the inner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

import numpy as np
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from xrelay.dialects.relay import reduce as ops
from xrelay.dialects.relay.reduce import reduced_axes
from xrelay.dialects.relay.types import (
    as_tensor,
    dtype_of,
    f32,
    i32,
    i64,
    is_bool,
    is_float,
    is_unsigned,
    shape_of,
    tensor_type,
    u8,
    u64,
)
from xrelay.lowering.tensor.builder import PARALLEL, REDUCTION, BodyBuilder, TensorBuilder, dims, lowers
from xrelay.lowering.tensor.scalar import Scalar, is_half


class Fold:
    """The iteration space of a reduction of `data`: its kept axes, then its folded axes."""

    def __init__(self, op: ops.ReduceOp, data: SSAValue, b: TensorBuilder):
        self.op, self.data, self.b = op, data, b
        self.shape = shape_of(data.type)
        self.axes = reduced_axes(op.attrs, len(self.shape))
        self.kept = [axis for axis in range(len(self.shape)) if axis not in self.axes]
        self.count = prod(self.shape[axis] for axis in self.axes)
        self.element = b.element(data)

    @property
    def accumulator(self) -> Attribute:
        """Sums of 16-bit floats are held in float32."""
        return f32 if is_half(self.element) else self.element

    def dim(self, axis: int) -> int:
        """The iteration dimension of an axis of the data."""
        return [*self.kept, *self.axes].index(axis)

    def read_map(self, shape: Sequence[int]) -> AffineMap:
        """How a tensor with the data's axes, or with size 1 instead, is read."""
        exprs = [
            AffineExpr.dimension(self.dim(axis)) if size == self.shape[axis] else AffineExpr.constant(0)
            for axis, size in enumerate(shape)
        ]
        return AffineMap(len(self.shape), 0, tuple(exprs))

    def run(
        self, identity: Any, element: Attribute, body: Callable[..., Scalar], others: Sequence[SSAValue] = ()
    ) -> SSAValue:
        """`acc = body(b, x, *others, acc)` over the folded axes, from `identity`, as a tensor of `element`."""
        inputs = [self.data, *others]
        kept_shape = [self.shape[axis] for axis in self.kept]
        if self.axes:
            out = self.b.full(kept_shape, identity, element)
        else:
            # Nothing is folded, so that a parallel iteration combines each element with the identity.
            out, combine = self.b.empty(kept_shape, element), body
            body = lambda b, *args: combine(b, *args[:-1], b.constant(identity, element))  # noqa: E731
        out_map = AffineMap(len(self.shape), 0, tuple(dims(len(self.kept))))
        maps = [*(self.read_map(shape_of(v.type)) for v in inputs), out_map]
        iterators = [PARALLEL] * len(self.kept) + [REDUCTION] * len(self.axes)
        return self.b.generic(inputs, maps, out, iterators, body)

    def with_data_axes(self, folded: SSAValue) -> SSAValue:
        """A result of `run` with the folded axes as axes of size 1."""
        return self.b.view(folded, [1 if axis in self.axes else size for axis, size in enumerate(self.shape)])

    def finish(self, folded: SSAValue, body: Callable[[Scalar], Scalar] | None = None) -> SSAValue:
        """The operator's result: `body` of each folded element, in the element type and the shape of the result."""
        result_type = self.op.results[0].type
        element = as_tensor(result_type).element_type
        if body is not None or self.b.element(folded) != element:
            shape = shape_of(folded.type)
            last = (lambda _, x: (body(x) if body else x).cast(element))  # noqa: E731
            folded = self.b.map(tensor_type(shape, element), [folded], [AffineMap.identity(len(shape))], last)
        return self.b.view(folded, shape_of(result_type))


def limits(element: Attribute) -> tuple[Any, Any]:
    """The least and the greatest value of an element type."""
    if is_float(element):
        return -inf, inf
    info = np.iinfo(dtype_of(element))
    return info.min, info.max


@lowers(ops.Sum)
def sum_(op, operands, b):
    return _simple(op, operands, b, 0, lambda x, acc: acc + x)


@lowers(ops.Prod)
def prod_(op, operands, b):
    return _simple(op, operands, b, 1, lambda x, acc: acc * x)


@lowers(ops.Max)
def max_(op, operands, b):
    return _simple(op, operands, b, limits(b.element(operands[0]))[0], lambda x, acc: acc.maximum(x))


@lowers(ops.Min)
def min_(op, operands, b):
    return _simple(op, operands, b, limits(b.element(operands[0]))[1], lambda x, acc: acc.minimum(x))


@lowers(ops.All)
def all_(op, operands, b):
    return _simple(op, operands, b, 1, lambda x, acc: acc & x)


@lowers(ops.Any)
def any_(op, operands, b):
    return _simple(op, operands, b, 0, lambda x, acc: acc | x)


def _simple(op, operands, b: TensorBuilder, identity: Any, combine: Callable[[Scalar, Scalar], Scalar]) -> SSAValue:
    fold = Fold(op, operands[0], b)
    wide = fold.accumulator
    return fold.finish(fold.run(identity, wide, lambda _, x, acc: combine(x.cast(wide), acc)))


@lowers(ops.Mean)
def mean(op, operands, b):
    fold = Fold(op, operands[0], b)
    wide = fold.accumulator
    total = fold.run(0, wide, lambda _, x, acc: acc + x.cast(wide))
    if is_float(wide):
        return fold.finish(total, lambda x: x / fold.count)
    # The count may not fit the element type; the mean of no integers is 0.
    widest = u64 if is_unsigned(wide) else i64
    return fold.finish(total, lambda x: x.cast(widest) / max(fold.count, 1))


@lowers(ops.Variance)
def variance(op, operands, b):
    data, mean = operands
    fold = Fold(op, data, b)
    wide = fold.accumulator

    def add_square(_, x, mean, acc):
        distance = x.cast(wide) - mean.cast(wide)
        return acc + distance * distance

    total = fold.run(0, wide, add_square, [mean])
    return fold.finish(total, lambda x: x / (fold.count - op.attrs.unbiased))


@lowers(ops.Argmax)
def argmax(op, operands, b):
    return _position(op, operands, b, Scalar.maximum, lambda element: limits(element)[0])


@lowers(ops.Argmin)
def argmin(op, operands, b):
    return _position(op, operands, b, Scalar.minimum, lambda element: limits(element)[1])


def _position(op, operands, b: TensorBuilder, extreme: Callable, identity: Callable[[Attribute], Any]) -> SSAValue:
    """First the extreme of all elements, then the first (or last) position that holds it.

    Where the extreme is NaN, so that it equals nothing, that is the first (or last) NaN's.
    """
    fold = Fold(op, operands[0], b)
    wide = u8 if is_bool(fold.element) else fold.accumulator
    best = fold.run(identity(wide), wide, lambda _, x, acc: extreme(acc, x.cast(wide)))
    nowhere, choose = (-1, Scalar.maximum) if op.attrs.select_last_index else (fold.count, Scalar.minimum)

    def update(body: BodyBuilder, x: Scalar, best: Scalar, place: Scalar) -> Scalar:
        found = x.cast(wide).eq(best)
        if is_float(wide):
            found = found | x.is_nan()
        return choose(place, found.select(_linear_position(fold, body), nowhere))

    return fold.finish(fold.run(nowhere, i32, update, [fold.with_data_axes(best)]))


def _linear_position(fold: Fold, body: BodyBuilder) -> Scalar:
    """The row-major position of the current element along the folded axes."""
    if not fold.axes:
        return body.constant(0, i32)
    position, *inner = (body.index(fold.dim(axis)).cast(i32) for axis in fold.axes)
    for axis, along in zip(fold.axes[1:], inner, strict=True):
        position = position * fold.shape[axis] + along
    return position
