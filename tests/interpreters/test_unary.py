"""The meaning of elementwise operators of one operand, beside onnxruntime and tables of special values."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.interpreters.references import meaning, onnx_node
from xrelay.dialects.relay import unary as ops
from xrelay.dialects.relay.types import bf16, bool_type, f16, f32, i8, i32, i64, u8, u64

NAN, INF = float("nan"), float("inf")
REAL = np.array([-30, -2.5, -1.5, -1, -0.75, -0.5, -0.25, -1e-3, 0, 1e-3, 0.3, 0.5, 1, 1.5, 2.5, 40, NAN, INF, -INF])

ONNX = {
    ops.Abs: "Abs",
    ops.Negative: "Neg",
    ops.Ceil: "Ceil",
    ops.Floor: "Floor",
    ops.RoundEven: "Round",
    ops.Sqrt: "Sqrt",
    ops.Exp: "Exp",
    ops.Log: "Log",
    ops.Sigmoid: "Sigmoid",
    ops.Erf: "Erf",
    ops.Sin: "Sin",
    ops.Cos: "Cos",
    ops.Tan: "Tan",
    ops.Asin: "Asin",
    ops.Acos: "Acos",
    ops.Atan: "Atan",
    ops.Sinh: "Sinh",
    ops.Cosh: "Cosh",
    ops.Tanh: "Tanh",
    ops.Asinh: "Asinh",
    ops.Acosh: "Acosh",
    ops.Atanh: "Atanh",
}


@pytest.mark.parametrize("operator_class", ONNX, ids=ONNX.values())
def test_as_onnx(operator_class):
    x = REAL.astype(np.float32)
    # onnxruntime's own approximations (erf, tanh, asinh) are good to about 1e-6.
    np.testing.assert_allclose(
        meaning(operator_class, x), onnx_node(ONNX[operator_class], [x], np.float32), rtol=2e-6, atol=2e-7
    )


@pytest.mark.parametrize(
    ("operator_class", "x", "expected"),
    [
        (ops.Sign, [-3.0, -0.0, 0.5, NAN, INF], [-1, 0, 1, NAN, 1]),
        (ops.Trunc, [-1.9, 1.9, -0.5], [-1, 1, 0]),
        (ops.Round, [0.5, 1.5, 2.5, -0.5, -2.5, 0.49999997, 8388609.0, INF], [1, 2, 3, -1, -3, 0, 8388609, INF]),
        (ops.Log2, [8.0, 0.25, 0.0], [3, -2, -INF]),
        (ops.Log10, [1000.0, 1.0], [3, 0]),
        (ops.Rsqrt, [4.0, 0.25, 0.0], [0.5, 2, INF]),
        (ops.Sigmoid, [-200.0, 0.0, 200.0], [0, 0.5, 1]),
    ],
)
def test_special_values(operator_class, x, expected):
    np.testing.assert_allclose(meaning(operator_class, np.float32(x)), np.float32(expected), rtol=1e-7)


def test_predicates():
    x = np.array([1.0, NAN, INF, -INF], np.float16)
    assert meaning(ops.IsNaN, x).tolist() == [False, True, False, False]
    assert meaning(ops.IsInf, x).tolist() == [False, False, True, True]
    assert meaning(ops.IsFinite, x).tolist() == [True, False, False, False]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_halves_are_computed_in_float32(dtype):
    x = np.linspace(-3, 3, 50).astype(dtype)
    wide = x.astype(np.float64)
    result = meaning(ops.Sigmoid, x)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, (1 / (1 + np.exp(-wide))).astype(np.float32).astype(dtype))


def test_integers():
    x = np.array([-128, -1, 0, 5], np.int8)
    assert meaning(ops.Abs, x).tolist() == [-128, 1, 0, 5]
    assert meaning(ops.Negative, x).tolist() == [-128, 1, 0, -5]
    assert meaning(ops.Negative, x.view(np.uint8)).tolist() == [128, 1, 0, 251]
    assert meaning(ops.Sign, x).tolist() == [-1, -1, 0, 1]
    assert meaning(ops.BitwiseNot, x).tolist() == [127, 0, -1, -6]
    assert meaning(ops.BitwiseNot, np.array([True, False])).tolist() == [False, True]
    assert meaning(ops.LogicalNot, np.array([True, False])).tolist() == [False, True]


def test_clip():
    assert meaning(ops.Clip, np.float32([-1, 0.5, 9, INF]), a_min=0.0, a_max=6.0).tolist() == [0, 0.5, 6, 6]
    assert np.isnan(meaning(ops.Clip, np.float32([NAN]), a_min=0.0, a_max=6.0))[0]
    assert meaning(ops.Clip, np.array([-128, 3, 100], np.int8), a_min=-1e9, a_max=4.9).tolist() == [-128, 3, 4]
    # The upper bound is applied last, as in NumPy, PyTorch and onnxruntime.
    assert meaning(ops.Clip, np.float32([0]), a_min=2.0, a_max=1.0).tolist() == [1]


@pytest.mark.parametrize(
    ("x", "dtype", "expected"),
    [
        (np.float32([1.9, -1.9, NAN, INF, -INF, 300]), i8, [1, -1, 0, 127, -128, 127]),
        (np.float32([1.9, -1.9, NAN, INF, -INF, 300]), u8, [1, 0, 0, 255, 0, 255]),
        (np.float32([2147483520, 2147483648, -3e9]), i32, [2147483520, 2**31 - 1, -(2**31)]),
        (np.float64([2.0**63, -(2.0**63), 2.0**62 + 1]), i64, [2**63 - 1, -(2**63), 2**62]),
        (np.float64([2.0**64, 2.0**63, -1]), u64, [2**64 - 1, 2**63, 0]),
        (np.int64([-1, 256, 127, 128]), i8, [-1, 0, 127, -128]),
        (np.int8([-1, 3]), u64, [2**64 - 1, 3]),
        (np.float32([0.0, -0.0, 0.1, NAN]), bool_type, [False, False, True, True]),
        (np.int8([0, 4]), bool_type, [False, True]),
        (np.array([True, False]), f32, [1, 0]),
        (np.float32([65504, 65520, 1.00048828125]), f16, [65504, INF, 1]),
        (np.float32([1.00390625, 1.01171875]), bf16, [1, 1.015625]),
        (np.int32([2**24 + 1]), f32, [2**24]),
    ],
)
def test_cast(x, dtype, expected):
    result = meaning(ops.Cast, x, dtype=dtype)
    assert result.tolist() == expected


def test_reinterpret():
    assert meaning(ops.Reinterpret, np.float32([1, -0.0]), dtype=i32).tolist() == [0x3F800000, -(2**31)]
    assert meaning(ops.Reinterpret, np.float32(1), dtype=i32).shape == ()
    assert meaning(ops.Reinterpret, np.uint16([0x3F80]), dtype=bf16).tolist() == [1]
