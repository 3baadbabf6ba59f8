"""Type rules of elementwise operators of one operand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from tests.dialects.type_rules import infer, parse_type
from xrelay.dialects.relay import unary as ops
from xrelay.dialects.relay.core import FusionKind, View, fusion_kind
from xrelay.dialects.relay.types import bool_type, f16, f32, i8, i32, i64, u8, u64


def test_result_has_the_operand_type():
    assert infer(ops.Exp, "2x?xf16") == "2x?xf16"
    assert infer(ops.Negative, "ui8") == "ui8"
    assert infer(ops.BitwiseNot, "3xi1") == "3xi1"


def test_predicates_give_bool():
    assert infer(ops.IsNaN, "2x?xbf16") == "2x?xi1"


def test_cast_and_reinterpret_change_the_element_type():
    assert infer(ops.Cast, "2x?xf32", dtype=bool_type) == "2x?xi1"
    assert infer(ops.Reinterpret, "2xf32", dtype=i32) == "2xi32"
    assert infer(ops.Reinterpret, "2xui8", dtype=i8) == "2xi8"


@pytest.mark.parametrize(
    ("operator", "element"),
    [(ops.Exp, "i32"), (ops.Round, "i8"), (ops.IsInf, "i64"), (ops.Abs, "i1"), (ops.LogicalNot, "i8")],
)
def test_unary_c1_element_type_is_not_taken(operator: type[ops.UnaryOp], element: str):
    with pytest.raises(VerifyException, match=f"C1: {operator.name} takes .*, got {element}"):
        infer(operator, f"2x{element}")


def test_clip_c2_bound_is_nan():
    with pytest.raises(VerifyException, match=r"C2: bounds nan and 1\.0"):
        infer(ops.Clip, "2xf32", a_min=float("nan"), a_max=1.0)


def test_cast_c2_no_element_type():
    with pytest.raises(VerifyException, match=r"C2: dtype .* is no element type"):
        infer(ops.Cast, "2xf32", dtype=parse_type("2xf32"))


def test_reinterpret_c2_no_element_type():
    with pytest.raises(VerifyException, match="C2: dtype"):
        infer(ops.Reinterpret, "2xf32", dtype=parse_type("2xf32"))


def test_reinterpret_c3_widths_differ():
    with pytest.raises(VerifyException, match="C3: cannot read f32 as i64"):
        infer(ops.Reinterpret, "2xf32", dtype=i64)


@pytest.mark.parametrize(
    ("low", "high", "element", "bounds"),
    [
        (-1.5, 2.5, i8, (-1, 2)),
        (-1e9, 1e9, i8, (-128, 127)),
        (float("-inf"), float("inf"), u64, (0, 2**64 - 1)),
        (300.0, 400.0, u8, (255, 255)),
        (0.0, 6.0, f32, (0.0, 6.0)),
        (-1e9, 1e9, f16, (float("-inf"), float("inf"))),
    ],
)
def test_clip_bounds_fit_the_element_type(low: float, high: float, element, bounds: tuple):
    assert ops.clip_bounds(SimpleNamespace(a_min=low, a_max=high), element) == bounds


def test_traits():
    x = create_ssa_value(parse_type("2xf32"))
    assert fusion_kind(ops.Exp.make(x)) == FusionKind.ELEMENTWISE
    assert ops.Copy.make(x).has_trait(View)
    assert not ops.Exp.make(x).has_trait(View)
