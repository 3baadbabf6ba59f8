"""The meaning of elementwise operators of one operand."""

from __future__ import annotations

import math

import numpy as np

from xrelay.dialects.relay import unary as ops
from xrelay.dialects.relay.types import dtype_of, element_of
from xrelay.interpreters.relay.arrays import cast_array, in_float32
from xrelay.interpreters.relay.registry import meaning

_erf = np.frompyfunc(math.erf, 1, 1)


def erf(x: np.ndarray) -> np.ndarray:
    """The error function, computed in float64 and rounded to the dtype of x."""
    return np.asarray(_erf(x.astype(np.float64))).astype(x.dtype)


def round_half_away(x: np.ndarray) -> np.ndarray:
    whole = np.trunc(x)
    # Adding 0.5 before truncation would round 0.49999997 up.
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole).astype(x.dtype)


_FUNCTIONS = {
    ops.Abs: np.abs,
    ops.Negative: np.negative,
    ops.Sign: np.sign,
    ops.Ceil: np.ceil,
    ops.Floor: np.floor,
    ops.Trunc: np.trunc,
    ops.Round: round_half_away,
    ops.RoundEven: np.rint,
    ops.Sqrt: np.sqrt,
    ops.Rsqrt: lambda x: 1 / np.sqrt(x),
    ops.Exp: np.exp,
    ops.Log: np.log,
    ops.Log2: np.log2,
    ops.Log10: np.log10,
    ops.Sigmoid: lambda x: 1 / (1 + np.exp(-x)),
    ops.Erf: erf,
    ops.Sin: np.sin,
    ops.Cos: np.cos,
    ops.Tan: np.tan,
    ops.Asin: np.arcsin,
    ops.Acos: np.arccos,
    ops.Atan: np.arctan,
    ops.Sinh: np.sinh,
    ops.Cosh: np.cosh,
    ops.Tanh: np.tanh,
    ops.Asinh: np.arcsinh,
    ops.Acosh: np.arccosh,
    ops.Atanh: np.arctanh,
    ops.IsNaN: np.isnan,
    ops.IsInf: np.isinf,
    ops.IsFinite: np.isfinite,
    ops.LogicalNot: np.logical_not,
    ops.BitwiseNot: np.bitwise_not,
    ops.Copy: np.copy,
}

for _operator, _function in _FUNCTIONS.items():
    meaning(_operator)(in_float32(lambda attrs, data, function=_function: function(data)))


@meaning(ops.Clip)
def clip(attrs, data):
    low, high = ops.clip_bounds(attrs, element_of(data.dtype))
    return np.minimum(np.maximum(data, data.dtype.type(low)), data.dtype.type(high))


@meaning(ops.Cast)
def cast(attrs, data):
    return cast_array(data, dtype_of(attrs.dtype))


@meaning(ops.Reinterpret)
def reinterpret(attrs, data):
    return data.view(dtype_of(attrs.dtype))
