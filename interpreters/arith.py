"""The meaning of arith and math operations on NumPy arrays, for the levels below relay.

Integers are signless there: arrays hold signed ones (bool for `i1`, int64 for `index`), and unsigned operations read
the same bits as unsigned. What hardware leaves undefined or traps on (a zero divisor, a shift beyond the width) is an
error.
"""

from __future__ import annotations

import math as scalar_math
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, TensorType
from xdsl.ir import Attribute, Operation

from xrelay.dialects import kernel
from xrelay.dialects.relay.types import dtype_of

Meaning = Callable[..., Any]


def array_dtype(element: Attribute) -> np.dtype:
    """The dtype of arrays that hold signless elements (of a type or of a tensor's)."""
    if isinstance(element, TensorType):
        element = element.element_type
    return np.dtype(np.int64) if isinstance(element, IndexType) else dtype_of(element)


def is_scalar_op(op: Operation) -> bool:
    known = isinstance(op, arith.ConstantOp | arith.CmpiOp | arith.CmpfOp)
    return known or type(op) in _WITHOUT_TYPE or type(op) in _WITH_TYPE


def evaluate_scalar_op(op: Operation, args: list[np.ndarray]) -> np.ndarray:
    """The result of an arith or math operation, elementwise on arrays that broadcast. KeyError for an unknown one."""
    if isinstance(op, arith.ConstantOp):
        assert isinstance(op.value, IntegerAttr | FloatAttr), f"a constant that is no number: {op}"
        return np.asarray(op.value.value.data).astype(array_dtype(op.result.type))
    if isinstance(op, arith.CmpiOp):
        return _CMPI[op.predicate.value.data](*args)
    if isinstance(op, arith.CmpfOp):
        return _cmpf(op.predicate.value.data, *args)
    to = array_dtype(op.results[0].type)
    if type(op) in _WITH_TYPE:
        return _WITH_TYPE[type(op)](to, *args)
    return np.asarray(_WITHOUT_TYPE[type(op)](*args)).astype(to, copy=False)


# Integers ----------------------------------------------------------------------------------------------------------


def unsigned(x: np.ndarray) -> np.ndarray:
    """The same bits, read as an unsigned number."""
    return x if x.dtype == np.bool_ else x.view(np.dtype(f"u{x.dtype}"))


def signed(x: np.ndarray) -> np.ndarray:
    """An i1 that is set is -1 where it is read as a signed number."""
    return -x.astype(np.int8) if x.dtype == np.bool_ else x


def _on_unsigned(function: Meaning) -> Meaning:
    def meaning(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        result = np.asarray(function(unsigned(a), unsigned(b)))
        return result if result.dtype == np.bool_ else result.view(a.dtype)

    return meaning


def _divisor(b: np.ndarray) -> np.ndarray:
    if not np.all(b):
        raise ZeroDivisionError("an integer division by zero that no assertion guards")
    return b


def _divsi(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if np.any((b == -1) & (a == np.iinfo(a.dtype).min)):
        raise OverflowError(f"the least {a.dtype} divided by -1")
    floor = a // _divisor(b)
    return floor + ((floor < 0) & (floor * b != a)).astype(a.dtype)


def _shift(function: Meaning) -> Meaning:
    def meaning(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if np.any((b < 0) | (b >= 8 * b.dtype.itemsize)):
            raise OverflowError(f"a shift of {a.dtype} beyond its width")
        return function(a, b)

    return meaning


_CMPI = [
    np.equal,
    np.not_equal,
    *(lambda a, b, f=f: f(signed(a), signed(b)) for f in (np.less, np.less_equal, np.greater, np.greater_equal)),
    *map(_on_unsigned, (np.less, np.less_equal, np.greater, np.greater_equal)),
]


# Floats ------------------------------------------------------------------------------------------------------------


def _cmpf(predicate: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Predicates 1 to 7 are false, 8 to 14 true where a or b is NaN."""
    comparisons = (np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal)
    nan = np.isnan(a) | np.isnan(b)
    if predicate in (0, 15):
        return np.full(nan.shape, predicate == 15)
    if predicate in (7, 14):
        return ~nan if predicate == 7 else nan
    ordered = predicate < 7
    result = comparisons[(predicate - 1) % 7](a, b)
    return result & ~nan if ordered else result | nan


def float_to_integer(to: np.dtype, x: np.ndarray) -> np.ndarray:
    """Truncation, saturated to the range of `to`; NaN gives 0."""
    info = np.iinfo(to)
    whole = np.trunc(x.astype(np.float64))
    # The bounds below are exact in float64, which the greatest int64 is not.
    low, beyond = float(info.min), 2.0 ** (info.bits - (info.min < 0))
    inside = (whole >= low) & (whole < beyond)
    limit = np.where(whole < low, info.min, info.max).astype(to)
    converted = np.where(inside, whole, 0).astype(to)
    return np.where(inside | np.isnan(whole), converted, limit)


def _float_to_unsigned(to: np.dtype, x: np.ndarray) -> np.ndarray:
    return float_to_integer(np.dtype(f"u{to}"), x).view(to)


def _elementwise(function: Callable[[float], float]) -> Meaning:
    def meaning(x: np.ndarray) -> np.ndarray:
        return np.vectorize(function, otypes=[np.float64])(x).astype(x.dtype)

    return meaning


def _round_half_away(x: np.ndarray) -> np.ndarray:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole)


def _fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Rounded once for the types below float64, where the product is exact in float64."""
    return a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)


_WITHOUT_TYPE: dict[type[Operation], Meaning] = {
    arith.AddiOp: lambda a, b: a ^ b if a.dtype == np.bool_ else a + b,
    arith.SubiOp: lambda a, b: a ^ b if a.dtype == np.bool_ else a - b,
    arith.MuliOp: np.multiply,
    arith.DivSIOp: _divsi,
    arith.DivUIOp: _on_unsigned(lambda a, b: a // _divisor(b)),
    arith.FloorDivSIOp: lambda a, b: a // _divisor(b),
    arith.CeilDivSIOp: lambda a, b: -(-a // _divisor(b)),
    arith.RemSIOp: lambda a, b: np.fmod(a, _divisor(b)),
    arith.RemUIOp: _on_unsigned(lambda a, b: np.fmod(a, _divisor(b))),
    arith.MaxSIOp: lambda a, b: np.where(signed(a) > signed(b), a, b),
    arith.MinSIOp: lambda a, b: np.where(signed(a) < signed(b), a, b),
    arith.MaxUIOp: _on_unsigned(np.maximum),
    arith.MinUIOp: _on_unsigned(np.minimum),
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.ShLIOp: _shift(np.left_shift),
    arith.ShRSIOp: _shift(np.right_shift),
    arith.ShRUIOp: _shift(_on_unsigned(np.right_shift)),
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.DivfOp: np.divide,
    arith.NegfOp: np.negative,
    kernel.RemFOp: np.fmod,
    arith.MaximumfOp: np.maximum,
    arith.MinimumfOp: np.minimum,
    arith.MaxnumfOp: np.fmax,
    arith.MinnumfOp: np.fmin,
    arith.SelectOp: np.where,
    math.AbsFOp: np.abs,
    math.AbsIOp: np.abs,
    math.AcosOp: np.arccos,
    math.AcoshOp: np.arccosh,
    math.AsinOp: np.arcsin,
    math.AsinhOp: np.arcsinh,
    math.AtanOp: np.arctan,
    math.Atan2Op: np.arctan2,
    math.AtanhOp: np.arctanh,
    math.CbrtOp: np.cbrt,
    math.CeilOp: np.ceil,
    math.CopySignOp: np.copysign,
    math.CosOp: np.cos,
    math.CoshOp: np.cosh,
    math.CtPopOp: lambda x: np.bitwise_count(unsigned(x)),
    math.ErfOp: _elementwise(scalar_math.erf),
    math.ExpOp: np.exp,
    math.Exp2Op: np.exp2,
    math.ExpM1Op: np.expm1,
    math.FPowIOp: np.power,
    math.FloorOp: np.floor,
    math.FmaOp: _fma,
    math.IPowIOp: np.power,
    math.LogOp: np.log,
    math.Log10Op: np.log10,
    math.Log1pOp: np.log1p,
    math.Log2Op: np.log2,
    math.PowFOp: np.power,
    math.RoundOp: _round_half_away,
    math.RoundEvenOp: np.rint,
    math.RsqrtOp: lambda x: 1 / np.sqrt(x),
    math.SinOp: np.sin,
    math.SinhOp: np.sinh,
    math.SqrtOp: np.sqrt,
    math.TanOp: np.tan,
    math.TanhOp: np.tanh,
    math.TruncOp: np.trunc,
}

_WITH_TYPE: dict[type[Operation], Meaning] = {
    arith.IndexCastOp: lambda to, x: x.astype(to),
    arith.BitcastOp: lambda to, x: x.view(to),
    arith.ExtFOp: lambda to, x: x.astype(to),
    arith.TruncFOp: lambda to, x: x.astype(to),
    # i1 keeps the lowest bit, other widths are cut by astype.
    arith.TruncIOp: lambda to, x: (x & 1).astype(to) if to == np.bool_ else x.astype(to),
    arith.ExtSIOp: lambda to, x: signed(x).astype(to),
    arith.ExtUIOp: lambda to, x: unsigned(x).astype(to),
    arith.SIToFPOp: lambda to, x: signed(x).astype(to),
    arith.UIToFPOp: lambda to, x: unsigned(x).astype(to),
    arith.FPToSIOp: float_to_integer,
    arith.FPToUIOp: _float_to_unsigned,
}
