"""Normalizations, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.operators.arrays import FLOATS, array, cases
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import normalization as ops

STATISTICS = (ops.LayerNorm, ops.InstanceNorm, ops.GroupNorm)


def scale_and_shift(size: int, **kwargs) -> tuple[np.ndarray, np.ndarray]:
    return array(size, seed=1, **kwargs), array(size, seed=2, **kwargs)


def batch_norm(shape: tuple[int, ...], axis: int = 1, dtype: Any = np.float32, **kwargs: Any) -> Case:
    size = shape[axis]
    mean, var = array(size, seed=3, dtype=dtype), array(size, seed=4, low=0.5, dtype=dtype)
    data, *vectors = array(*shape, dtype=dtype), *scale_and_shift(size, dtype=dtype), mean, var
    return Case(ops.BatchNorm, data, *vectors, axis=axis, **kwargs)


@pytest.mark.parametrize(("shape", "axis"), [((2, 5, 7, 3), 1), ((33, 17), -1), ((0, 3), 1)], ids=str)
def test_batch_norm(shape, axis):
    check_all((batch_norm(shape, axis, dtype) for dtype in FLOATS), opt_levels=(0, 3))


@pytest.mark.parametrize("attrs", [{"scale": False}, {"center": False}, {"epsilon": 0.1}], ids=str)
def test_batch_norm_attributes(attrs):
    check_all([batch_norm((2, 5, 17), constants=(1, 2, 3, 4), **attrs)], opt_levels=(0, 3))


@pytest.mark.parametrize("operator", cases(*STATISTICS))
def test_statistics_of_types(operator):
    attrs = {"num_groups": 2} if operator is ops.GroupNorm else {}
    check_all(
        Case(operator, array(2, 6, 6, dtype=dtype), *scale_and_shift(6, dtype=dtype), **attrs) for dtype in FLOATS
    )


@pytest.mark.parametrize("attrs", [{"scale": False}, {"center": False}, {"epsilon": 0.1}], ids=str)
@pytest.mark.parametrize("operator", cases(*STATISTICS))
def test_statistics_with_attributes(operator, attrs):
    attrs |= {"num_groups": 2} if operator is ops.GroupNorm else {}
    check(operator, array(2, 6, 6), *scale_and_shift(6), **attrs, opt_levels=(3,))


def test_layer_norm():
    inputs = [((7,), 0), ((3, 33), -1), ((3, 33), 0), ((2, 17, 5), 1), ((5, 1), -1), ((0, 7), -1), ((65, 1025), -1)]
    check_all(
        (Case(ops.LayerNorm, array(*shape), *scale_and_shift(shape[axis]), axis=axis) for shape, axis in inputs),
        opt_levels=(0, 3),
    )


def test_instance_norm():
    inputs = [((2, 3, 33), 1), ((2, 7, 5, 3), -1), ((1, 17, 15, 15), 1), ((4, 8, 47, 47), 1)]
    check_all(
        (Case(ops.InstanceNorm, array(*shape), *scale_and_shift(shape[axis]), axis=axis) for shape, axis in inputs),
        opt_levels=(0, 3),
    )


def test_group_norm():
    inputs = [((2, 6, 7), 1, 3), ((2, 5, 5, 6), -1, 2), ((1, 4, 7, 7), 1, 1), ((4, 8, 47, 47), 1, 4)]
    check_all(
        (
            Case(ops.GroupNorm, array(*shape), *scale_and_shift(shape[axis]), axis=axis, num_groups=groups)
            for shape, axis, groups in inputs
        ),
        opt_levels=(0, 3),
    )


@pytest.mark.parametrize("operator", cases(ops.Softmax, ops.LogSoftmax))
def test_softmax_of_types(operator):
    check_all(Case(operator, array(5, 17, dtype=dtype)) for dtype in FLOATS)


@pytest.mark.parametrize("operator", cases(ops.Softmax, ops.LogSoftmax))
def test_softmax(operator):
    inputs = [
        ((7,), 0),
        ((3, 33), 0),
        ((2, 15, 4), 1),
        ((2, 3, 1), -1),
        ((0, 3), 1),
        ((3, 0), 0),
        ((2, 3, 4, 5), -2),
        ((65, 1025), -1),
    ]
    check_all((Case(operator, array(*shape), axis=axis) for shape, axis in inputs), opt_levels=(0, 3))


@pytest.mark.parametrize("operator", cases(ops.Softmax, ops.LogSoftmax))
def test_softmax_of_hard_numbers(operator):
    inf, nan = np.inf, np.nan
    x = np.array(
        [[1e30, 1, -1e30], [88, 89, 90], [-inf, 0, 1], [-inf, -inf, -inf], [inf, 0, 1], [nan, 0, 1]], np.float32
    )
    check(operator, x)


@pytest.mark.parametrize(
    ("shape", "axis"), [((7,), (0,)), ((2, 5, 17), (1,)), ((2, 3, 4, 5), (1, -1)), ((0, 3), (1,))], ids=str
)
def test_l2_normalize(shape, axis):
    check_all(Case(ops.L2Normalize, array(*shape, dtype=dtype), axis=axis, eps=1e-5) for dtype in FLOATS)


def test_l2_normalize_of_zeros_and_of_many():
    check(ops.L2Normalize, np.zeros((2, 5), np.float32), axis=(1,), eps=1e-3)
    check(ops.L2Normalize, array(65, 1025), axis=(1,), eps=1e-5)


def test_lrn_of_types():
    check_all(Case(ops.LRN, array(1, 7, 3, 5, dtype=dtype), alpha=0.1) for dtype in FLOATS)


def test_lrn():
    inputs = [{"size": 1}, {"size": 4}, {"size": 11}, {"axis": -1}, {"bias": 1.0, "alpha": 0.5, "beta": 0.5}]
    check_all((Case(ops.LRN, array(2, 7, 5, 3), **attrs) for attrs in inputs), opt_levels=(0, 3))


def test_lrn_of_many():
    check(ops.LRN, array(1, 17, 65, 65))


def test_dropout():
    check_all((Case(ops.Dropout, array(3, 5, dtype=dtype)) for dtype in FLOATS), opt_levels=(0, 3))
