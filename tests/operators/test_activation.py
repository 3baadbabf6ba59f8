"""Activation functions, compiled."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operators.arrays import FLOATS, LARGE, NUMBERS, SHAPES, array, extremes
from tests.operators.harness import Case, check_all
from xrelay.dialects.relay import activation as ops


def test_relu():
    check_all((Case(ops.Relu, extremes(dtype)) for dtype in NUMBERS), opt_levels=(0, 3))


def test_shapes():
    check_all((Case(ops.Relu, array(*shape)) for shape in SHAPES), opt_levels=(0, 3))


@pytest.mark.parametrize("alpha", [0.25, 0.0, -1.5])
def test_leaky_relu(alpha):
    check_all(Case(ops.LeakyRelu, extremes(dtype), alpha=alpha) for dtype in FLOATS)


def test_prelu():
    check_all(Case(ops.PRelu, array(2, 5, 17, dtype=dtype), array(5, dtype=dtype, seed=1)) for dtype in FLOATS)


def test_prelu_axes():
    inputs = [((7,), 0), ((3, 33), -1), ((2, 3, 4, 5), 1), ((0, 3), 1), ((33, 2047), 0)]
    check_all(
        (Case(ops.PRelu, array(*shape), array(shape[axis], seed=1), axis=axis) for shape, axis in inputs),
        opt_levels=(0, 3),
    )


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(approximate):
    check_all(Case(ops.Gelu, np.linspace(-6, 6, 167).astype(dtype), approximate=approximate) for dtype in FLOATS)


def test_gelu_of_many():
    check_all(
        (Case(ops.Gelu, array(*LARGE), approximate=approximate) for approximate in ["none", "tanh"]), opt_levels=(0, 3)
    )
