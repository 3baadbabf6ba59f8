"""Elementwise operators of one operand → linalg."""

from __future__ import annotations

from math import inf, isinf

from xdsl.dialects import math

from xrelay.dialects.relay import unary as ops
from xrelay.dialects.relay.types import is_float, is_unsigned
from xrelay.lowering.tensor.builder import lowers
from xrelay.lowering.tensor.elementwise import elementwise
from xrelay.lowering.tensor.scalar import Scalar

_MATH = {
    ops.Ceil: math.CeilOp,
    ops.Floor: math.FloorOp,
    ops.Trunc: math.TruncOp,
    ops.Round: math.RoundOp,
    ops.RoundEven: math.RoundEvenOp,
    ops.Sqrt: math.SqrtOp,
    ops.Rsqrt: math.RsqrtOp,
    ops.Exp: math.ExpOp,
    ops.Log: math.LogOp,
    ops.Log2: math.Log2Op,
    ops.Log10: math.Log10Op,
    ops.Erf: math.ErfOp,
    ops.Sin: math.SinOp,
    ops.Cos: math.CosOp,
    ops.Tan: math.TanOp,
    ops.Asin: math.AsinOp,
    ops.Acos: math.AcosOp,
    ops.Atan: math.AtanOp,
    ops.Sinh: math.SinhOp,
    ops.Cosh: math.CoshOp,
    ops.Tanh: math.TanhOp,
    ops.Asinh: math.AsinhOp,
    ops.Acosh: math.AcoshOp,
    ops.Atanh: math.AtanhOp,
}
"""Operators that are one operation of the math dialect."""

for _operator, _operation in _MATH.items():
    elementwise(_operator, lambda x, operation=_operation: x.math(operation))


def absolute(x: Scalar) -> Scalar:
    if is_float(x.element):
        return x.math(math.AbsFOp)
    return x if is_unsigned(x.element) else (x < 0).select(-x, x)


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1; x itself where it is NaN."""
    not_positive = x if is_unsigned(x.element) else (x < 0).select(x.constant(-1), x)
    return (x > 0).select(x.constant(1), not_positive)


def sigmoid(x: Scalar) -> Scalar:
    return 1 / (1 + (-x).math(math.ExpOp))


elementwise(ops.Abs, absolute)
elementwise(ops.Negative, lambda x: -x)
elementwise(ops.Sign, sign)
elementwise(ops.Sigmoid, lambda x: x.in_float32(sigmoid))
elementwise(ops.IsNaN, lambda x: x.is_nan())
elementwise(ops.IsInf, lambda x: absolute(x).eq(inf))
elementwise(ops.IsFinite, lambda x: absolute(x) < inf)
elementwise(ops.LogicalNot, lambda x: x ^ True)
elementwise(ops.BitwiseNot, lambda x: x ^ -1)


@lowers(ops.Clip)
def clip(op, operands, b):
    low, high = ops.clip_bounds(op.attrs, b.element(operands[0]))

    def body(x: Scalar) -> Scalar:
        x = x if isinf(low) and low < 0 else x.at_least(low)
        return x if isinf(high) and high > 0 else x.at_most(high)

    return b.elementwise(op, operands, body)


@lowers(ops.Cast)
def cast(op, operands, b):
    return b.elementwise(op, operands, lambda x: x.cast(op.attrs.dtype))


@lowers(ops.Reinterpret)
def reinterpret(op, operands, b):
    return b.elementwise(op, operands, lambda x: x.bitcast(op.attrs.dtype))
