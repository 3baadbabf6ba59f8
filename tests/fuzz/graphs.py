"""Random relay graphs: 3 to 12 operators on small shapes, every value of which may be used again."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tests.graphs import Graph
from tests.operators.arrays import array
from xrelay.dialects.relay import (
    activation,
    convolution,
    elementwise,
    indexing,
    linear,
    normalization,
    pooling,
    reduce,
    shape,
    transform,
    unary,
)
from xrelay.dialects.relay.types import shape_of

MAX_ELEMENTS = 5000
SIZES = st.sampled_from([1, 2, 3, 5, 7, 8, 9, 15, 16, 17])
SMOOTH = (unary.Tanh, unary.Sigmoid, unary.Erf, unary.Sin, unary.Negative, unary.Abs, activation.Relu, activation.Gelu)
"""Functions under which values, and the differences of two ways to compute them, stay small."""
ARITHMETIC = (elementwise.Add, elementwise.Subtract, elementwise.Multiply, elementwise.Maximum, elementwise.Minimum)
FOLDS = (reduce.Mean, reduce.Max, reduce.Min, reduce.Sum)


class _Drawing:
    """Draws one graph. Each `_operator` method appends an operator to a value, and returns what it gives."""

    def __init__(self, draw: Any):
        self.draw, self.graph = draw, Graph()

    def graph_and_inputs(self) -> tuple[ModuleOp, list[np.ndarray]]:
        count = self.draw(st.integers(1, 2))
        values = [self.graph.input(array(*self.shape(), low=-2, high=2, seed=seed)) for seed in range(count)]
        for _ in range(self.draw(st.integers(3, 12))):
            data = self.draw(st.sampled_from(values[-4:]))
            fitting = [step for step, rank in _STEPS if rank is None or rank == len(shape_of(data.type))]
            values += self.draw(st.sampled_from(fitting))(self, data, values)
        outputs = [values[-1], *self.draw(st.lists(st.sampled_from(values), max_size=2))]
        return self.graph.module(*outputs), self.graph.inputs

    def shape(self) -> tuple[int, ...]:
        shape = self.draw(st.lists(SIZES, max_size=4).map(tuple))
        while np.prod(shape) > MAX_ELEMENTS:
            shape = shape[1:]
        return shape

    def axis(self, data: SSAValue) -> int:
        rank = len(shape_of(data.type))
        return self.draw(st.integers(-rank, rank - 1))

    def size(self, data: SSAValue, axis: int) -> int:
        return shape_of(data.type)[axis]

    # Elementwise -------------------------------------------------------------------------------------------------

    def unary(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        return [self.graph(self.draw(st.sampled_from(SMOOTH)), data)]

    def binary(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        fitting = [v for v in values if _broadcasts(shape_of(v.type), shape_of(data.type))]
        operands = [data, self.draw(st.sampled_from(fitting))]
        return [self.bounded(self.graph(self.draw(st.sampled_from(ARITHMETIC)), *self.draw(st.permutations(operands))))]

    def with_constant(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        shape = shape_of(data.type)
        kept = shape[self.draw(st.integers(0, len(shape))) :]
        other = self.graph.weight(*(size if self.draw(st.booleans()) else 1 for size in kept))
        return [self.graph(self.draw(st.sampled_from(ARITHMETIC)), data, other)]

    def where(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        zero = self.graph.constant(np.float32(0.0))
        return [self.graph(elementwise.Where, self.graph(elementwise.Less, data, zero), zero, data)]

    def bounded(self, value: SSAValue) -> SSAValue:
        """So that repeated products do not grow beyond all tolerances."""
        return self.graph(unary.Clip, value, a_min=-4.0, a_max=4.0)

    # Reductions and normalizations -------------------------------------------------------------------------------

    def fold(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        rank = len(shape_of(data.type))
        axes = self.draw(st.sets(st.integers(0, rank - 1), min_size=1)) if rank else None
        operator, keepdims = self.draw(st.sampled_from(FOLDS)), self.draw(st.booleans())
        return [self.bounded(self.graph(operator, data, axis=axes and tuple(axes), keepdims=keepdims))]

    def softmax(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        return [self.graph(normalization.Softmax, data, axis=self.axis(data))] if shape_of(data.type) else []

    def layer_norm(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        if not shape_of(data.type):
            return []
        axis = self.axis(data)
        scale, shift = (self.graph.weight(self.size(data, axis)) for _ in range(2))
        return [self.graph(normalization.LayerNorm, data, scale, shift, axis=axis, epsilon=0.1)]

    # Shapes ------------------------------------------------------------------------------------------------------

    def transpose(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        return [self.graph(transform.Transpose, data, axes=self.draw(st.permutations(range(len(shape_of(data.type))))))]

    def flatten(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        newshape = self.draw(st.sampled_from([(-1,), (1, -1), (-1, 1)]))
        return [self.graph(shape.Reshape, data, newshape=newshape)]

    def expand(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        rank = len(shape_of(data.type))
        return [self.graph(shape.ExpandDims, data, axis=self.draw(st.integers(0, rank)))] if rank < 5 else []

    def cut(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        if not shape_of(data.type):
            return []
        axis = self.axis(data)
        where = self.draw(st.integers(0, self.size(data, axis)))
        pieces = self.graph.all(indexing.Split, data, indices_or_sections=(where,), axis=axis)
        return [piece for piece in pieces if 0 not in shape_of(piece.type)]

    def slice(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        if not shape_of(data.type):
            return []
        axis, step = self.axis(data), self.draw(st.sampled_from([1, 2, 3, -1, -2]))
        size = self.size(data, axis)
        begin, end = (0, size) if step > 0 else (size - 1, -size - 1)
        return [self.graph(indexing.StridedSlice, data, begin=(begin,), end=(end,), strides=(step,), axes=(axis,))]

    def concatenate(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        shape = shape_of(data.type)
        if not shape or np.prod(shape) > MAX_ELEMENTS:
            return []
        same = [v for v in values if shape_of(v.type) == shape]
        others = self.draw(st.lists(st.sampled_from(same), max_size=2))
        return [self.graph(transform.Concatenate, data, *others, axis=self.axis(data))]

    def pad(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        rank = len(shape_of(data.type))
        width = self.draw(st.lists(st.integers(0, 2), min_size=2 * rank, max_size=2 * rank))
        if np.prod([n + 4 for n in shape_of(data.type)]) > 4 * MAX_ELEMENTS:
            return []
        return [self.graph(transform.Pad, data, pad_width=width, pad_value=0.5)]

    def take(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        if not shape_of(data.type):
            return []
        axis = self.axis(data)
        places = array(self.draw(SIZES), dtype=np.int64, low=0, high=self.size(data, axis))
        if np.prod(shape_of(data.type)) * places.size > 4 * MAX_ELEMENTS:
            return []
        return [self.graph(indexing.Take, data, self.graph.constant(places), axis=axis)]

    # Contractions and pools --------------------------------------------------------------------------------------

    def dense(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        units, inputs = self.draw(SIZES), self.size(data, -1)
        weight = self.graph.weight(units, inputs, low=-1 / inputs, high=1 / inputs)
        return [self.graph(linear.Dense, data, weight)]

    def product(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        scaled = self.graph(elementwise.Divide, data, self.graph.constant(np.float32(self.size(data, -1))))
        return [self.bounded(self.graph(linear.BatchMatmul, scaled, data, transpose_b=True))]

    def convolution(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        channels = self.size(data, 1)
        groups = self.draw(st.sampled_from([1, channels]))
        outputs = channels if groups > 1 else self.draw(SIZES)
        extent = self.draw(st.sampled_from([1, 2, 3]))
        most = groups / (channels * extent * extent)
        weight = self.graph.weight(outputs, channels // groups, extent, extent, low=-most, high=most)
        stride = self.draw(st.sampled_from([(1, 1), (2, 2), (1, 2)]))
        return (
            [self.graph(convolution.Conv2D, data, weight, groups=groups, strides=stride, padding=(extent // 2,))]
            if extent != 2 or min(shape_of(data.type)[2:]) > 1
            else []
        )

    def pool(self, data: SSAValue, values: list[SSAValue]) -> list[SSAValue]:
        operator = self.draw(st.sampled_from([pooling.MaxPool2D, pooling.AvgPool2D]))
        stride = self.draw(st.sampled_from([(1, 1), (2, 2), (3, 1)]))
        return [self.graph(operator, data, pool_size=(3, 3), strides=stride, padding=(1, 1))]


_D = _Drawing
_STEPS = [
    *((step, None) for step in (_D.unary, _D.binary, _D.with_constant, _D.where, _D.fold, _D.softmax, _D.layer_norm)),
    *(
        (step, None)
        for step in (_D.transpose, _D.flatten, _D.expand, _D.cut, _D.slice, _D.concatenate, _D.pad, _D.take)
    ),
    *((_D.dense, rank) for rank in (1, 2, 3)),
    (_D.product, 3),
    (_D.convolution, 4),
    (_D.pool, 4),
]
"""What may come next, and the rank it needs."""


def _broadcasts(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    try:
        return np.prod(np.broadcast_shapes(shape, other)) <= 4 * MAX_ELEMENTS
    except ValueError:
        return False


@st.composite
def graphs(draw: Any) -> tuple[ModuleOp, list[np.ndarray]]:
    """A verified module, and inputs for it."""
    return _Drawing(draw).graph_and_inputs()
