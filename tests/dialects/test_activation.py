"""Type rules of activation functions."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer
from xrelay.dialects.relay import activation as ops


def test_result_has_the_operand_type():
    assert infer(ops.Relu, "2x?xi8") == "2x?xi8"
    assert infer(ops.LeakyRelu, "2x?xf32", alpha=0.1) == "2x?xf32"
    assert infer(ops.Gelu, "2xf16", approximate="tanh") == "2xf16"


def test_prelu():
    assert infer(ops.PRelu, "1x8x4x4xf32", "8xf32") == "1x8x4x4xf32"
    assert infer(ops.PRelu, "1x4x4x8xf32", "8xf32", axis=-1) == "1x4x4x8xf32"
    assert infer(ops.PRelu, "?x?xf32", "8xf32") == "?x8xf32"


def test_relu_c1_bool():
    with pytest.raises(VerifyException, match=r"C1: relay\.nn\.relu takes numbers, got i1"):
        infer(ops.Relu, "2xi1")


def test_gelu_c2_unknown_approximation():
    with pytest.raises(VerifyException, match='C2: approximate is "none" or "tanh", not "sigmoid"'):
        infer(ops.Gelu, "2xf32", approximate="sigmoid")


@pytest.mark.parametrize(("data", "alpha"), [("1x8xf32", "8xf16"), ("1x8xi32", "8xi32")])
def test_prelu_c1_element_types(data: str, alpha: str):
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.PRelu, data, alpha)


def test_prelu_c2_axis_outside():
    with pytest.raises(VerifyException, match="C2: axis 2 is outside"):
        infer(ops.PRelu, "1x8xf32", "8xf32", axis=2)


@pytest.mark.parametrize("alpha", ["7xf32", "8x1xf32", "f32", "1xf32"])
def test_prelu_c3_alpha_does_not_fit(alpha: str):
    with pytest.raises(VerifyException, match="C3: alpha"):
        infer(ops.PRelu, "1x8xf32", alpha)
