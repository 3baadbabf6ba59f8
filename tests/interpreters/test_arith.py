"""The interpreter's arith and math operations, at the values where they are easily wrong."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f16, f32, f64, i1, i8, i32, i64
from xdsl.utils.test_value import create_ssa_value

from xrelay.interpreters.arith import array_dtype, evaluate_scalar_op, float_to_integer


def run(make, element, *operands, **kwargs):
    """An operation on one-element operands, as a Python number."""
    op = make(*(create_ssa_value(element) for _ in operands), **kwargs)
    with np.errstate(all="ignore"):
        result = evaluate_scalar_op(op, [np.array([value]).astype(array_dtype(element)) for value in operands])
    assert result.dtype == array_dtype(op.results[0].type)
    return result[0].item()


def test_integers_wrap():
    assert run(arith.AddiOp, i8, 127, 1) == -128
    assert run(arith.MuliOp, i8, -128, -1) == -128
    assert run(arith.AddiOp, i1, True, True) is False


def test_division_truncates():
    assert run(arith.DivSIOp, i32, -7, 2) == -3
    assert run(arith.RemSIOp, i32, -7, 2) == -1
    assert run(arith.FloorDivSIOp, i32, -7, 2) == -4
    assert run(arith.CeilDivSIOp, i32, -7, 2) == -3
    assert run(arith.DivUIOp, i8, -1, 2) == 127
    assert run(arith.RemUIOp, i8, -1, 2) == 1


def test_what_traps_is_an_error():
    with pytest.raises(ZeroDivisionError):
        run(arith.DivSIOp, i32, 1, 0)
    with pytest.raises(OverflowError):
        run(arith.DivSIOp, i8, -128, -1)
    with pytest.raises(OverflowError):
        run(arith.ShLIOp, i8, 1, 8)


def test_shifts():
    assert run(arith.ShRSIOp, i8, -128, 1) == -64
    assert run(arith.ShRUIOp, i8, -128, 1) == 64


@pytest.mark.parametrize(
    ("predicate", "expected"), [("slt", True), ("ult", False), ("sge", False), ("ugt", True), ("ne", True)]
)
def test_integer_comparisons(predicate: str, expected: bool):
    """-1 is 255 without a sign."""
    assert run(lambda a, b: arith.CmpiOp(a, b, predicate), i8, -1, 1) is expected


def test_minimum_of_bits():
    assert run(arith.MaxUIOp, i8, -1, 1) == -1
    assert run(arith.MinSIOp, i8, -1, 1) == -1
    assert run(arith.MaxSIOp, i1, True, False) is False


@pytest.mark.parametrize("predicate", ["oeq", "ogt", "oge", "olt", "ole", "one", "ord"])
def test_ordered_comparisons_of_nan(predicate: str):
    assert run(lambda a, b: arith.CmpfOp(a, b, predicate), f32, np.nan, 1) is False


@pytest.mark.parametrize("predicate", ["ueq", "ugt", "uge", "ult", "ule", "une", "uno"])
def test_unordered_comparisons_of_nan(predicate: str):
    assert run(lambda a, b: arith.CmpfOp(a, b, predicate), f32, np.nan, 1) is True


def test_comparisons_of_numbers():
    for predicate, expected in {"olt": True, "ult": True, "oge": False, "one": True, "ord": True, "uno": False}.items():
        assert run(lambda a, b, p=predicate: arith.CmpfOp(a, b, p), f32, 1, 2) is expected


@pytest.mark.parametrize("to", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_float_to_integer_saturates(to):
    info = np.iinfo(to)
    values = np.array([np.nan, np.inf, -np.inf, 1.9, -1.9, 2.0**70, -(2.0**70), float(info.max), float(info.min)])
    expected = [0, info.max, info.min, 1, max(-1, info.min), info.max, info.min, info.max, info.min]
    assert float_to_integer(np.dtype(to), values).tolist() == expected


def test_conversions():
    assert run(lambda x: arith.FPToUIOp(x, i8), f32, 200) == -56
    assert run(lambda x: arith.UIToFPOp(x, f32), i8, -1) == 255
    assert run(lambda x: arith.ExtUIOp(x, i32), i1, True) == 1
    assert run(lambda x: arith.ExtSIOp(x, i32), i1, True) == -1
    assert run(lambda x: arith.TruncIOp(x, i8), i64, 300) == 44
    assert run(lambda x: arith.TruncIOp(x, i1), i8, 2) is False
    assert run(lambda x: arith.BitcastOp(x, i32), f32, 1) == 0x3F800000
    assert run(lambda x: arith.TruncFOp(x, f16), f64, 1e6) == np.inf


def test_rounding():
    assert [run(math.RoundOp, f32, x) for x in (0.5, 1.5, -0.5, 0.49999997)] == [1, 2, -1, 0]
    assert [run(math.RoundEvenOp, f32, x) for x in (0.5, 1.5, -0.5, 2.5)] == [0, 2, 0, 2]


def test_nan_of_extrema():
    assert np.isnan(run(arith.MaximumfOp, f32, np.nan, 1))
    assert run(arith.MaxnumfOp, f32, np.nan, 1) == 1


def test_mathematics():
    assert run(math.ErfOp, f32, 0.5) == pytest.approx(0.5204998778, rel=1e-7)
    assert run(math.RsqrtOp, f32, 4) == 0.5
    assert run(math.FmaOp, f32, 1 + 2.0**-12, 1 + 2.0**-12, -1 - 2.0**-11) == 2.0**-24
