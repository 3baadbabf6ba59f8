"""Vectors through the LLVM level, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

X = np.random.default_rng(1).normal(size=16).astype(np.float32)


def function(parameters: str, body: str) -> str:
    return f"""
    func.func @f({parameters}) {{
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %c5 = arith.constant 5 : index
      {body}
      func.return
    }}"""


def test_elementwise(compile_function):
    """Comparisons, selections and casts on all lanes; vectors of i1 in memory."""
    text = function(
        "%x: memref<16xf32>, %y: memref<16xf32>, %m: memref<16xi1>, %n: memref<16xi64>",
        """
        %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
        %z = arith.constant dense<0.0> : vector<16xf32>
        %p = vector_ext.cmpf ogt, %v, %z : vector<16xf32>
        vector.store %p, %m[%c0] : memref<16xi1>, vector<16xi1>
        %q = vector.load %m[%c0] : memref<16xi1>, vector<16xi1>
        %d = arith.addf %v, %v : vector<16xf32>
        %r = vector_ext.select %q, %d, %z : vector<16xi1>, vector<16xf32>
        vector.store %r, %y[%c0] : memref<16xf32>, vector<16xf32>
        %i = vector_ext.fptosi %r : vector<16xf32> to vector<16xi32>
        %w = vector_ext.extsi %i : vector<16xi32> to vector<16xi64>
        vector.store %w, %n[%c0] : memref<16xi64>, vector<16xi64>
        """,
    )
    y, m, n = np.zeros(16, np.float32), np.zeros(16, bool), np.zeros(16, np.int64)
    compile_function(text)("f", X, y, m, n)
    np.testing.assert_array_equal(m, X > 0)
    np.testing.assert_array_equal(y, np.where(X > 0, 2 * X, 0))
    np.testing.assert_array_equal(n, y.astype(np.int64))


def test_lanes(compile_function):
    """Broadcast, extraction, insertion, shuffle, fused multiplication and addition, at an unaligned address."""
    text = function(
        "%x: memref<20xf32>, %y: memref<16xf32>",
        """
        %c1 = arith.constant 1 : index
        %v = vector.load %x[%c1] : memref<20xf32>, vector<16xf32>
        %e = vector.extract %v[2] : f32 from vector<16xf32>
        %d = vector.extract %v[%c5] : f32 from vector<16xf32>
        %b = vector.broadcast %e : f32 to vector<16xf32>
        %i = vector.insert %d, %b [7] : f32 into vector<16xf32>
        %s = vector.shuffle %v, %i [31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 23]
          : vector<16xf32>, vector<16xf32>
        %r = vector.fma %s, %i, %v : vector<16xf32>
        vector.store %r, %y[%c0] : memref<16xf32>, vector<16xf32>
        """,
    )
    x, y = np.random.default_rng(2).normal(size=20).astype(np.float32), np.zeros(16, np.float32)
    compile_function(text)("f", x, y)
    v = x[1:17]
    i = np.full(16, v[2])
    i[7] = v[5]
    s = np.concatenate([i[15:16], v[:14], i[7:8]])
    exact = s.astype("f8") * i + v
    np.testing.assert_array_equal(y, exact.astype("f4"))


@pytest.mark.parametrize("count", [0, 1, 5, 16])
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
def test_masked_memory(compile_function, count, dtype):
    """Only the lanes below the bound are touched."""
    element = {"float32": "f32", "int8": "i8", "bool": "i1"}[dtype]
    text = function(
        f"%n: memref<i64>, %x: memref<16x{element}>, %y: memref<16x{element}>",
        f"""
        %n64 = memref.load %n[] : memref<i64>
        %k = arith.index_cast %n64 : i64 to index
        %m = vector.create_mask %k : vector<16xi1>
        %o = arith.constant {"1.0" if element == "f32" else "true" if element == "i1" else "1"} : {element}
        %p = vector.broadcast %o : {element} to vector<16x{element}>
        %v = vector.maskedload %x[%c0], %m, %p
          : memref<16x{element}>, vector<16xi1>, vector<16x{element}> into vector<16x{element}>
        vector.maskedstore %y[%c0], %m, %v : memref<16x{element}>, vector<16xi1>, vector<16x{element}>
        vector.store %v, %x[%c0] : memref<16x{element}>, vector<16x{element}>
        """,
    ).replace("true : i1", "true")
    x = (X * 50 > 0) if dtype == "bool" else (X * 50).astype(dtype)
    original, y = x.copy(), np.zeros(16, dtype)
    compile_function(text)("f", np.array(count), x, y)
    np.testing.assert_array_equal(y[:count], original[:count])
    np.testing.assert_array_equal(y[count:], np.zeros(16 - count, dtype))
    np.testing.assert_array_equal(x, np.where(np.arange(16) < count, original, np.ones(16, dtype)))


REDUCTIONS = {
    "add": np.sum,
    "mul": np.prod,
    "minsi": np.min,
    "maxsi": np.max,
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
}


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_integer_reductions(compile_function, kind):
    text = function(
        "%x: memref<16xi32>, %y: memref<6xi32>",
        f"""
        %v = vector.load %x[%c0] : memref<16xi32>, vector<16xi32>
        %r = vector.reduction <{kind}>, %v : vector<16xi32> into i32
        memref.store %r, %y[%c0] : memref<6xi32>
        %a = arith.constant 3 : i32
        %s = vector.reduction <{kind}>, %v, %a : vector<16xi32> into i32
        memref.store %s, %y[%c5] : memref<6xi32>
        """,
    )
    x, y = (X * 100).astype(np.int32), np.zeros(6, np.int32)
    compile_function(text)("f", x, y)
    assert y[0] == REDUCTIONS[kind](x).astype(np.int32)
    assert y[5] == REDUCTIONS[kind](np.append(x, np.int32(3))).astype(np.int32)


def test_float_reductions(compile_function):
    """Sums go from lane 0 upwards; extrema keep NaN or drop it."""
    kinds = ["add", "mul", "maximumf", "minimumf", "maxnumf", "minnumf"]
    body = "%v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>\n"
    for i, kind in enumerate(kinds):
        body += f"""%i{i} = arith.constant {i} : index
        %r{i} = vector.reduction <{kind}>, %v : vector<16xf32> into f32
        memref.store %r{i}, %y[%i{i}] : memref<6xf32>\n"""
    compiled = compile_function(function("%x: memref<16xf32>, %y: memref<6xf32>", body))
    y = np.zeros(6, np.float32)
    compiled("f", X, y)
    total = np.float32(0)
    for value in X:
        total += value
    np.testing.assert_array_equal(y[[0, 2, 3]], [total, X.max(), X.min()])
    np.testing.assert_allclose(y[1], X.prod(), rtol=1e-6)
    with_nan = X.copy()
    with_nan[4] = np.nan
    compiled("f", with_nan, y)
    assert np.isnan(y[:4]).all()
    np.testing.assert_array_equal(y[4:], [np.nanmax(with_nan), np.nanmin(with_nan)])
