"""Type rules of reductions."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer
from xrelay.dialects.relay import reduce as ops

NUMERIC = (ops.Sum, ops.Prod, ops.Max, ops.Min, ops.Mean)


@pytest.mark.parametrize("operator", NUMERIC)
def test_axes(operator):
    assert infer(operator, "2x3x?xf32") == "f32"
    assert infer(operator, "2x3x?xf32", axis=[]) == "f32"
    assert infer(operator, "2x3x?xf32", axis=[1]) == "2x?xf32"
    assert infer(operator, "2x3x?xi8", axis=[-1, 0], keepdims=True) == "1x3x1xi8"
    assert infer(operator, "2x3x?xui8", axis=[-1], exclude=True) == "?xui8"
    assert infer(operator, "2x3xf32", exclude=True) == "f32"
    assert infer(operator, "f32") == "f32"


@pytest.mark.parametrize("operator", [ops.All, ops.Any])
def test_logic(operator):
    assert infer(operator, "2x3xi1", axis=[0]) == "3xi1"


@pytest.mark.parametrize("operator", [ops.Argmax, ops.Argmin])
def test_argmax_is_int32(operator):
    assert infer(operator, "2x3xf16", axis=[1]) == "2xi32"
    assert infer(operator, "?x3xi64", keepdims=True) == "1x1xi32"


def test_variance():
    assert infer(ops.Variance, "2x3xf32", "2x1xf32", axis=[1]) == "2xf32"
    assert infer(ops.Variance, "?x3xf32", "1x1xf32", unbiased=True) == "f32"


@pytest.mark.parametrize("axis", [[2], [-3], [0, -2]])
def test_c1_axis(axis: list[int]):
    with pytest.raises(VerifyException, match="C1: axis"):
        infer(ops.Sum, "2x3xf32", axis=axis)


@pytest.mark.parametrize("operator", NUMERIC)
def test_numbers_c2_bool(operator):
    with pytest.raises(VerifyException, match=r"C2: relay\..* needs numbers, got i1"):
        infer(operator, "2xi1")


@pytest.mark.parametrize("operator", [ops.All, ops.Any])
def test_logic_c2_numbers(operator):
    with pytest.raises(VerifyException, match=r"C2: relay\..* needs i1 elements, got f32"):
        infer(operator, "2xf32")


@pytest.mark.parametrize("operator", [ops.Argmax, ops.Argmin])
def test_argmax_c3_no_elements(operator):
    assert infer(operator, "2x0xf32", axis=[0]) == "0xi32"
    with pytest.raises(VerifyException, match=r"C3: relay\..* of no elements"):
        infer(operator, "2x0xf32", axis=[1])


def test_variance_c2_integers():
    with pytest.raises(VerifyException, match=r"C2: .* needs floats, got i32"):
        infer(ops.Variance, "2xi32", "1xi32")


@pytest.mark.parametrize("mean", ["2xf32", "2x3xf32", "2x1xf16"])
def test_variance_c3_mean(mean: str):
    with pytest.raises(VerifyException, match="C3: the mean must be tensor<2x1xf32>"):
        infer(ops.Variance, "2x3xf32", mean, axis=[1])
