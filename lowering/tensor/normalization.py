"""Normalizations → statistics, a reduction each, and an elementwise operation that uses them.

Everything is computed in float32 for 16-bit floats and rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from types import SimpleNamespace

from xdsl.dialects import math
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from xrelay.dialects.relay import normalization as ops
from xrelay.dialects.relay.types import f32, shape_of, tensor_type
from xrelay.lowering.tensor.builder import TensorBuilder, dims, lowers
from xrelay.lowering.tensor.folds import fold
from xrelay.lowering.tensor.scalar import Scalar, is_half

Body = Callable[..., Scalar]


class Rows:
    """A tensor and some of its axes. A row is what lies along them; each row has its statistics.

    Bodies get scalars of type `wide`, the type to compute in.
    """

    def __init__(self, b: TensorBuilder, data: SSAValue, axes: Sequence[int]):
        self.b, self.data, self.axes = b, data, axes
        self.shape = shape_of(data.type)
        self.kept = [axis for axis in range(len(self.shape)) if axis not in axes]
        self.length = prod(self.shape[axis] for axis in axes)
        self.wide = compute_type(b.element(data))

    def fold(self, initial: float, body: Body, *statistics: SSAValue) -> SSAValue:
        """A statistic: `acc = body(x, *statistics, acc)` along each row."""
        order = [*self.kept, *self.axes]
        every = dims(len(order))
        reads = [(self.data, [every[order.index(axis)] for axis in range(len(order))])]
        reads += [(statistic, every[: len(self.kept)]) for statistic in statistics]
        kept, folded = ([self.shape[axis] for axis in axes] for axes in (self.kept, self.axes))
        wide = self.wide
        return fold(self.b, reads, kept, folded, (initial, wide), lambda _, x, *rest: body(x.cast(wide), *rest))

    def each(self, statistic: SSAValue, body: Body) -> SSAValue:
        """A statistic computed from another one."""
        shape = shape_of(statistic.type)
        identity = AffineMap.identity(len(shape))
        return self.b.map(tensor_type(shape, self.wide), [statistic], [identity], lambda _, x: body(x))

    def map(
        self,
        element: Attribute,
        body: Body,
        statistics: Sequence[SSAValue],
        others: Sequence[SSAValue] = (),
        along: Sequence[int] = (),
    ) -> SSAValue:
        """A tensor of the data's shape: `body(x, *statistics, *others)`; `others` extend along the axes `along`."""
        rank = len(self.shape)
        maps = [AffineMap.identity(rank), *([_along(self.kept, rank)] * len(statistics))]
        maps += [_along(along, rank)] * len(others)
        inputs = [self.data, *statistics, *others]

        def cast_body(_, *args: Scalar) -> Scalar:
            return body(*(x.cast(self.wide) for x in args)).cast(element)

        return self.b.map(tensor_type(self.shape, element), inputs, maps, cast_body)


def compute_type(element: Attribute) -> Attribute:
    return f32 if is_half(element) else element


def _along(axes: Sequence[int], rank: int) -> AffineMap:
    return AffineMap(rank, 0, tuple(AffineExpr.dimension(axis) for axis in axes))


# Softmax --------------------------------------------------------------------------------------------------------------


def _shifted_rows(op, operands, b: TensorBuilder) -> tuple[Rows, SSAValue]:
    """The rows along the operator's axis and their largest elements."""
    data = operands[0]
    rows = Rows(b, data, [op.attrs.axis % len(shape_of(data.type))])
    return rows, rows.fold(-inf, lambda x, acc: acc.maximum(x))


@lowers(ops.Softmax)
def softmax(op, operands, b):
    rows, top = _shifted_rows(op, operands, b)
    powers = rows.map(rows.wide, lambda x, top: (x - top).math(math.ExpOp), [top])
    rows = Rows(b, powers, rows.axes)
    total = rows.fold(0, lambda power, acc: acc + power)
    return rows.map(b.element(operands[0]), lambda power, total: power / total, [total])


@lowers(ops.LogSoftmax)
def log_softmax(op, operands, b):
    rows, top = _shifted_rows(op, operands, b)
    total = rows.fold(0, lambda x, top, acc: acc + (x - top).math(math.ExpOp), top)
    log = rows.each(total, lambda total: total.math(math.LogOp))
    return rows.map(b.element(operands[0]), lambda x, top, log: x - top - log, [top, log])


# With scale and shift -------------------------------------------------------------------------------------------------


@lowers(ops.BatchNorm)
def batch_norm(op, operands, b):
    data, gamma, beta, mean, var = operands
    attrs, element = op.attrs, b.element(data)
    wide = compute_type(element)

    def factor_of(_, gamma: Scalar, var: Scalar) -> Scalar:
        spread = (var.cast(wide) + attrs.epsilon).math(math.SqrtOp)
        return (gamma.cast(wide) if attrs.scale else spread.constant(1)) / spread

    identity = AffineMap.identity(1)
    factor = b.map(tensor_type(shape_of(var.type), wide), [gamma, var], [identity, identity], factor_of)

    def normalized(x: Scalar, mean: Scalar, factor: Scalar, *beta: Scalar) -> Scalar:
        result = (x - mean) * factor
        return result + beta[0] if beta else result

    others = [mean, factor, *([beta] if attrs.center else [])]
    axis = attrs.axis % len(shape_of(data.type))
    return Rows(b, data, []).map(element, normalized, [], others, [axis]), mean, var


def _standardize(rows: Rows, attrs: SimpleNamespace, gamma: SSAValue, beta: SSAValue, along: Sequence[int]) -> SSAValue:
    """(x - mean) / sqrt(variance + epsilon) · gamma + beta, with the statistics of each row."""
    n = rows.length
    mean = rows.each(rows.fold(0, lambda x, acc: acc + x), lambda total: total / n)
    squares = rows.fold(0, lambda x, mean, acc: acc + (x - mean) * (x - mean), mean)
    inverse = rows.each(squares, lambda total: 1 / (total / n + attrs.epsilon).math(math.SqrtOp))

    def normalized(x: Scalar, mean: Scalar, inverse: Scalar, *others: Scalar) -> Scalar:
        result = (x - mean) * inverse
        vectors = list(others)
        if attrs.scale:
            result = result * vectors.pop(0)
        return result + vectors.pop(0) if attrs.center else result

    others = [*([gamma] if attrs.scale else []), *([beta] if attrs.center else [])]
    return rows.map(rows.b.element(rows.data), normalized, [mean, inverse], others, along)


@lowers(ops.LayerNorm)
def layer_norm(op, operands, b):
    data, gamma, beta = operands
    axis = op.attrs.axis % len(shape_of(data.type))
    return _standardize(Rows(b, data, [axis]), op.attrs, gamma, beta, [axis])


@lowers(ops.InstanceNorm)
def instance_norm(op, operands, b):
    data, gamma, beta = operands
    rank = len(shape_of(data.type))
    channel = op.attrs.axis % rank
    rows = Rows(b, data, [axis for axis in range(1, rank) if axis != channel])
    return _standardize(rows, op.attrs, gamma, beta, [channel])


@lowers(ops.GroupNorm)
def group_norm(op, operands, b):
    data, gamma, beta = operands
    shape = list(shape_of(data.type))
    channel, groups = op.attrs.axis % len(shape), op.attrs.num_groups
    split = [groups, shape[channel] // groups]
    grouped = b.view(data, [*shape[:channel], *split, *shape[channel + 1 :]])
    rows = Rows(b, grouped, [axis for axis in range(1, len(shape) + 1) if axis != channel])
    gamma, beta = b.view(gamma, split), b.view(beta, split)
    return b.view(_standardize(rows, op.attrs, gamma, beta, [channel, channel + 1]), shape)


# Others ---------------------------------------------------------------------------------------------------------------


@lowers(ops.L2Normalize)
def l2_normalize(op, operands, b):
    (data,) = operands
    rank = len(shape_of(data.type))
    rows = Rows(b, data, [axis % rank for axis in op.attrs.axis])
    squares = rows.fold(0, lambda x, acc: acc + x * x)
    norm = rows.each(squares, lambda total: total.maximum(op.attrs.eps).math(math.SqrtOp))
    return rows.map(b.element(data), lambda x, norm: x / norm, [norm])


@lowers(ops.LRN)
def lrn(op, operands, b):
    (data,) = operands
    attrs, element = op.attrs, b.element(data)
    wide, shape = compute_type(element), shape_of(data.type)
    axis = attrs.axis % len(shape)
    low, high = [0] * len(shape), [0] * len(shape)
    low[axis], high[axis] = (attrs.size - 1) // 2, attrs.size // 2
    *places, neighbour = dims(len(shape) + 1)
    places[axis] = places[axis] + neighbour

    def add_square(_, x: Scalar, acc: Scalar) -> Scalar:
        x = x.cast(wide)
        return acc + x * x

    squares = fold(b, [(b.pad(data, low, high, 0), places)], shape, [attrs.size], (0, wide), add_square)

    def scaled(_, x: Scalar, squares: Scalar) -> Scalar:
        scale = squares * (attrs.alpha / attrs.size) + attrs.bias
        return (x.cast(wide) / scale.math(math.PowFOp, scale.constant(attrs.beta))).cast(element)

    identity = AffineMap.identity(len(shape))
    return b.map(tensor_type(shape, element), [data, squares], [identity, identity], scaled)


@lowers(ops.Dropout)
def dropout(op, operands, b):
    (data,) = operands
    return data, b.full(shape_of(data.type), 1, b.element(data))
