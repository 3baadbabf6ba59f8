"""Type rules of elementwise operators of several operands."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from tests.dialects.type_rules import infer, parse_type
from xrelay.dialects.relay import elementwise as ops
from xrelay.dialects.relay.core import FusionKind, fusion_kind


@pytest.mark.parametrize(
    ("lhs", "rhs", "result"),
    [
        ("2x3xf32", "2x3xf32", "2x3xf32"),
        ("2x1x3xf32", "4x1xf32", "2x4x3xf32"),
        ("f32", "3xf32", "3xf32"),
        ("0x3xi8", "1x3xi8", "0x3xi8"),
        ("?x3xf32", "1x3xf32", "?x3xf32"),
        ("?x3xf32", "4x3xf32", "4x3xf32"),
        ("?xf32", "?xf32", "?xf32"),
        ("?x?xui8", "?xui8", "?x?xui8"),
    ],
)
def test_operands_are_broadcast(lhs: str, rhs: str, result: str):
    assert infer(ops.Add, lhs, rhs) == result
    assert infer(ops.Add, rhs, lhs) == result


def test_comparison_gives_bool():
    assert infer(ops.Less, "2x1xi64", "3xi64") == "2x3xi1"
    assert infer(ops.Equal, "2xi1", "2xi1") == "2xi1"


def test_where_broadcasts_three_operands():
    assert infer(ops.Where, "2x1xi1", "3xf32", "f32") == "2x3xf32"
    assert infer(ops.Where, "?xf32", "4xui8", "?xui8") == "4xui8"


def test_binary_c1_element_types_differ():
    with pytest.raises(VerifyException, match="C1: operands have element types f32 and f64"):
        infer(ops.Add, "2xf32", "2xf64")


def test_binary_c2_shapes_do_not_broadcast():
    with pytest.raises(VerifyException, match=r"C2: shapes \(2, 3\), \(2,\) do not broadcast"):
        infer(ops.Multiply, "2x3xf32", "2xf32")


@pytest.mark.parametrize(
    ("operator", "element"),
    [
        (ops.Add, "i1"),
        (ops.Power, "i1"),
        (ops.LeftShift, "f32"),
        (ops.LeftShift, "i1"),
        (ops.BitwiseAnd, "f16"),
        (ops.LogicalAnd, "i8"),
    ],
)
def test_binary_c3_element_type_is_not_taken(operator: type[ops.BinaryOp], element: str):
    with pytest.raises(VerifyException, match=f"C3: {operator.name} takes .*, got {element}"):
        infer(operator, f"2x{element}", f"2x{element}")


def test_where_c1_element_types_differ():
    with pytest.raises(VerifyException, match="C1: x and y have element types f32 and i32"):
        infer(ops.Where, "2xi1", "2xf32", "2xi32")


def test_where_c2_shapes_do_not_broadcast():
    with pytest.raises(VerifyException, match="C2: shapes"):
        infer(ops.Where, "3xi1", "2xf32", "2xf32")


def test_fusion_kind_is_broadcast():
    x = create_ssa_value(parse_type("2xf32"))
    assert fusion_kind(ops.Add.make(x, x)) == FusionKind.BROADCAST
