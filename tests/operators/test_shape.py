"""Operators that give the same elements another shape, compiled."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operators.arrays import ALL, INTEGERS, array
from tests.operators.harness import Case, check_all
from xrelay.dialects.relay import shape as ops
from xrelay.dialects.relay.types import element_of


def test_reshape_of_types():
    check_all((Case(ops.Reshape, array(3, 17, dtype=dtype), newshape=(17, 3)) for dtype in ALL), opt_levels=(0, 3))


def test_reshape():
    inputs = [
        ((), (1, 1)),
        ((1, 1), ()),
        ((2, 3, 4), (0, -1)),
        ((2, 3, 4), (-4, 1, 2, -2)),
        ((2, 3, 4), (-3, 4)),
        ((0, 3), (3, 0, 2)),
    ]
    check_all(
        (Case(ops.Reshape, array(*shape), newshape=newshape, allowzero=0 in shape) for shape, newshape in inputs),
        opt_levels=(0, 3),
    )


def test_batch_flatten():
    check_all(
        (Case(ops.BatchFlatten, array(*shape)) for shape in [(7,), (2, 3, 4), (3, 0, 2), (2, 1, 3, 1, 5)]),
        opt_levels=(0, 3),
    )


def test_expand_dims():
    check_all(
        (
            Case(ops.ExpandDims, array(*shape), axis=axis, num_newaxis=num)
            for shape, axis, num in [((), 0, 2), ((7,), 1, 1), ((2, 3), -1, 1), ((2, 0), 1, 3)]
        ),
        opt_levels=(0, 3),
    )


def test_squeeze():
    inputs = [((1,), None), ((1, 7, 1), None), ((1, 7, 1), (-1,)), ((1, 0, 1), (0, 2)), ((), None)]
    check_all((Case(ops.Squeeze, array(*shape), axis=axis) for shape, axis in inputs), opt_levels=(0, 3))


@pytest.mark.parametrize("shape", [(), (3, 0), (2, 1, 7)], ids=str)
def test_shape_of(shape):
    x = array(*shape, dtype=np.bool_)
    check_all((Case(ops.ShapeOf, x, dtype=element_of(dtype)) for dtype in INTEGERS), opt_levels=(0, 3))
