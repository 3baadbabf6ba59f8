"""Small programs that go through the whole compiler: what networks are made of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import ModuleOp

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

Program = tuple[ModuleOp, list[np.ndarray]]


def convolutional_network() -> Program:
    """Convolution, batch normalization, relu and pool, twice; then dense."""
    g = Graph()
    x = g.input(array(1, 3, 17, 15, low=-1, high=1))
    for inputs, outputs in ((3, 8), (8, 5)):
        x = g(convolution.Conv2D, x, g.weight(outputs, inputs, 3, 3), padding=(1, 1))
        gamma, beta, mean, var = (g.weight(outputs, low=low, high=1) for low in (0.5, -1, -1, 0.5))
        x = g(normalization.BatchNorm, x, gamma, beta, mean, var)
        x = g(activation.Relu, x)
        x = g(pooling.MaxPool2D, x, pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    x = g(shape.BatchFlatten, g(pooling.GlobalAvgPool2D, x))
    x = g(linear.BiasAdd, g(linear.Dense, x, g.weight(7, 5)), g.weight(7))
    return g.module(g(normalization.Softmax, x)), g.inputs


def attention() -> Program:
    """Self-attention of two heads, a residual and two layer normalizations."""
    length, heads, width = 9, 2, 17
    g = Graph()
    x = g.input(array(length, heads * width, low=-1, high=1))

    def normalized(value):
        return g(normalization.LayerNorm, value, g.weight(heads * width), g.weight(heads * width))

    def projection(value):
        value = g(linear.Dense, value, g.weight(heads * width, heads * width))
        value = g(shape.Reshape, value, newshape=(length, heads, width))
        return g(transform.Transpose, value, axes=(1, 0, 2))

    y = normalized(x)
    query, key, value = (projection(y) for _ in range(3))
    scores = g(linear.BatchMatmul, query, key, transpose_b=True)
    scores = g(elementwise.Multiply, scores, g.constant(np.array(width**-0.5, np.float32)))
    mixed = g(linear.BatchMatmul, g(normalization.Softmax, scores), value)
    mixed = g(shape.Reshape, g(transform.Transpose, mixed, axes=(1, 0, 2)), newshape=(length, -1))
    return g.module(normalized(g(elementwise.Add, x, mixed))), g.inputs


def branches() -> Program:
    """A split, branches of which one value is used three times, a residual, a concatenation; two outputs."""
    g = Graph()
    x, scale = g.input(array(2, 6, 7, 5)), g.input(array(seed=1))
    first, second = g.all(indexing.Split, x, indices_or_sections=2, axis=1)
    first = g(activation.LeakyRelu, first, alpha=0.1)
    second = g(elementwise.Multiply, second, scale)
    both = g(elementwise.Add, first, second)
    rows = g(reduce.Mean, both, axis=(-1,), keepdims=True)
    joined = g(transform.Concatenate, g(elementwise.Subtract, both, rows), first, both, axis=1)
    joined = g(indexing.StridedSlice, joined, begin=(1,), end=(8,), strides=(3,), axes=(1,))
    return g.module(g(unary.Tanh, joined), g(reduce.Argmax, both, axis=(1, 2))), g.inputs


def choice(condition: bool) -> Program:
    """A conditional, whose branches use values from outside and one of which yields an input as it is."""
    g = Graph()
    x, chosen = g.input(array(3, 17)), g.input(np.array(condition))
    total = g(reduce.Sum, x, axis=(1,), keepdims=True)

    def normalized():
        return [g(elementwise.Divide, x, total), g(unary.Exp, total)]

    scaled, exponent = g.if_(chosen, normalized, lambda: [x, total])
    return g.module(g(elementwise.Add, scaled, exponent), exponent), g.inputs


PROGRAMS: dict[str, Callable[[], Program]] = {
    "convolutional network": convolutional_network,
    "attention": attention,
    "branches": branches,
    "chosen": lambda: choice(True),
    "not chosen": lambda: choice(False),
}
