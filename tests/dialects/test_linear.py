"""Type rules of matrix products and bias."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer
from xrelay.dialects.relay.linear import BatchMatmul, BiasAdd, Dense, Matmul, accumulator
from xrelay.dialects.relay.types import bf16, f16, f32, f64, i8, i32, i64, u8, u32


@pytest.mark.parametrize(
    ("data", "weight", "attrs", "expected"),
    [
        ("2x8xf32", "4x8xf32", {}, "2x4xf32"),
        ("2x8xf32", "4x8xf32", {"units": 4}, "2x4xf32"),
        ("8xf32", "4x8xf32", {}, "4xf32"),
        ("2x3x8xf32", "4x8xf32", {}, "2x3x4xf32"),
        ("?x8xf32", "4x?xf32", {}, "?x4xf32"),
        ("2x8xf32", "?x8xf32", {"units": 4}, "2x4xf32"),
        ("2x8xi8", "4x8xi8", {"out_dtype": i32}, "2x4xi32"),
        ("2x0xf32", "4x0xf32", {}, "2x4xf32"),
    ],
)
def test_dense(data, weight, attrs, expected):
    assert infer(Dense, data, weight, **attrs) == expected


@pytest.mark.parametrize(
    ("data", "weight", "attrs", "message"),
    [
        ("2x8xf32", "4x8xf16", {}, "C1: operands have element types f32 and f16"),
        ("2x8xui8", "4x8xi8", {}, "C1: .* out_dtype must be given"),
        ("2x8xi1", "4x8xi1", {}, "C1: sums of products of i1"),
        ("2x8xf32", "4x8xf32", {"out_dtype": i32}, "C1: sums of products of f32 cannot be given as i32"),
        ("f32", "4x8xf32", {}, "C2: "),
        ("2x8xf32", "8xf32", {}, "C2: "),
        ("2x8xf32", "8x4xf32", {}, "C3: cannot sum over 8 and 4 elements"),
        ("2x8xf32", "4x8xf32", {"units": 8}, "C4: units 8 is not the size of the weight, 4"),
    ],
)
def test_dense_constraints(data, weight, attrs, message):
    with pytest.raises(VerifyException, match=message):
        infer(Dense, data, weight, **attrs)


@pytest.mark.parametrize(
    ("a", "b", "attrs", "expected"),
    [
        ("2x8xf32", "8x4xf32", {}, "2x4xf32"),
        ("2x8xf32", "4x8xf32", {"transpose_b": True}, "2x4xf32"),
        ("8x2xf32", "4x8xf32", {"transpose_a": True, "transpose_b": True}, "2x4xf32"),
        ("5x2x8xf32", "8x4xf32", {"units": 4}, "5x2x4xf32"),
        ("8xf32", "8x4xf32", {}, "4xf32"),
        ("2x?xf32", "8x?xf32", {}, "2x?xf32"),
    ],
)
def test_matmul(a, b, attrs, expected):
    assert infer(Matmul, a, b, **attrs) == expected


@pytest.mark.parametrize(
    ("a", "b", "attrs", "message"),
    [
        ("2x8xf32", "8x4xf64", {}, "C1: "),
        ("f32", "8x4xf32", {}, "C2: "),
        ("2x8xf32", "8xf32", {}, "C2: "),
        ("5x8x2xf32", "8x4xf32", {"transpose_a": True}, "C2: "),
        ("2x8xf32", "4x8xf32", {}, "C3: cannot sum over 8 and 4"),
        ("2x8xf32", "8x4xf32", {"units": 2}, "C4: "),
    ],
)
def test_matmul_constraints(a, b, attrs, message):
    with pytest.raises(VerifyException, match=message):
        infer(Matmul, a, b, **attrs)


@pytest.mark.parametrize(
    ("a", "b", "attrs", "expected"),
    [
        ("5x2x8xf32", "5x8x4xf32", {}, "5x2x4xf32"),
        ("1x2x8xf32", "5x8x4xf32", {}, "5x2x4xf32"),
        ("5x2x8xf32", "1x4x8xf32", {"transpose_b": True}, "5x2x4xf32"),
        ("?x8x2xf32", "5x8x4xf32", {"transpose_a": True}, "5x2x4xf32"),
        ("?x2x8xf32", "1x8x4xf32", {}, "?x2x4xf32"),
    ],
)
def test_batch_matmul(a, b, attrs, expected):
    assert infer(BatchMatmul, a, b, **attrs) == expected


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("5x2x8xf32", "5x8x4xf16", "C1: "),
        ("5x2x8xf32", "8x4xf32", "C2: "),
        ("5x2x8xf32", "3x8x4xf32", "C3: batch sizes 5 and 3 differ"),
        ("5x2x8xf32", "5x4x8xf32", "C4: cannot sum over 8 and 4"),
    ],
)
def test_batch_matmul_constraints(a, b, message):
    with pytest.raises(VerifyException, match=message):
        infer(BatchMatmul, a, b)


def test_bias_add():
    assert infer(BiasAdd, "1x8x4x4xf32", "8xf32") == "1x8x4x4xf32"
    assert infer(BiasAdd, "1x4x4x8xi32", "8xi32", axis=-1) == "1x4x4x8xi32"
    assert infer(BiasAdd, "1x?xf32", "8xf32") == "1x8xf32"


@pytest.mark.parametrize(
    ("data", "bias", "axis", "message"),
    [
        ("1x8xf32", "8xf16", 1, "C1: "),
        ("1x8xi1", "8xi1", 1, "C1: "),
        ("1x8xf32", "8xf32", 2, "C2: axis 2 is outside"),
        ("8xf32", "8xf32", 1, "C2: axis 1 is outside"),
        ("1x8xf32", "4xf32", 1, r"C3: bias .* must have the shape \(8,\)"),
        ("1x8xf32", "1x8xf32", 1, "C3: "),
    ],
)
def test_bias_add_constraints(data, bias, axis, message):
    with pytest.raises(VerifyException, match=message):
        infer(BiasAdd, data, bias, axis=axis)


@pytest.mark.parametrize(
    ("element", "result", "expected"),
    [
        (f32, f32, f32),
        (f16, f16, f32),
        (bf16, f32, f32),
        (f32, f16, f32),
        (f64, f64, f64),
        (i8, i8, i32),
        (u8, i32, i32),
        (i8, i64, i64),
        (i64, i32, i64),
        (u32, u32, u32),
    ],
)
def test_accumulator(element, result, expected):
    assert accumulator(element, result) == expected
