"""The expansions of float32 functions against float64, over the whole range, on scalars and on vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

POINTS = 1 << 16
_SPECIAL = np.array(
    """0 -0 1 -1 0.5 -0.5 2 -2 3 inf -inf nan 1e-45 -1e-45 1.1754942e-38 1.17549435e-38 3.4028235e38 -3.4028235e38
    88.72283 88.72284 -87.33655 -103.97 -104.5 1e-20 0.99999994 1.0000001""".split(),
    np.float32,
)

# operation: (NumPy's or the C library's function in float64, largest error in ulp)
FUNCTIONS = {
    "exp": (np.exp, 1.0),
    "exp2": (np.exp2, 1.0),
    "expm1": (np.expm1, 0.51),
    "log": (np.log, 1.0),
    "log2": (np.log2, 0.51),
    "log10": (np.log10, 0.51),
    "log1p": (np.log1p, 0.51),
    "tanh": (np.tanh, 2.0),
    "sinh": (np.sinh, 0.51),
    "cosh": (np.cosh, 0.51),
    "asinh": (np.arcsinh, 0.51),
    "acosh": (np.arccosh, 0.51),
    "atanh": (np.arctanh, 0.51),
    "sin": (np.sin, 0.51),
    "cos": (np.cos, 0.51),
    "tan": (np.tan, 0.51),
    "asin": (np.arcsin, 0.51),
    "acos": (np.arccos, 0.51),
    "atan": (np.arctan, 0.51),
    "cbrt": (np.cbrt, 0.51),
    "erf": (np.vectorize(math.erf, otypes=[np.float64]), 2.0),
}
BINARY = {"powf": np.power, "atan2": np.arctan2}


def _module(name: str, operands: int, lanes: int) -> str:
    """`y = name(x…)` over all points, in steps of `lanes`."""
    buffer, element = f"memref<{POINTS}xf32>", f"vector<{lanes}xf32>" if lanes else "f32"
    parameters = ", ".join(f"%x{i}: {buffer}" for i in range(operands))
    if lanes:
        loads = "".join(f"%v{i} = vector.load %x{i}[%i] : {buffer}, {element}\n" for i in range(operands))
        store = f"vector.store %r, %y[%i] : {buffer}, {element}"
    else:
        loads = "".join(f"%v{i} = memref.load %x{i}[%i] : {buffer}\n" for i in range(operands))
        store = f"memref.store %r, %y[%i] : {buffer}"
    arguments = ", ".join(f"%v{i}" for i in range(operands))
    return f"""
    func.func @f({parameters}, %y: {buffer}) {{
      %start = arith.constant 0 : index
      %end = arith.constant {POINTS} : index
      %step = arith.constant {lanes or 1} : index
      scf.for %i = %start to %end step %step {{
        {loads} %r = math.{name} {arguments} : {element}
        {store}
      }}
      func.return
    }}"""


def _points(seed: int) -> np.ndarray:
    """Bits at random, numbers of everyday size, and the special ones."""
    rng = np.random.default_rng(seed)
    third = POINTS // 3
    bits = rng.integers(0, 1 << 32, third, dtype=np.uint32).view(np.float32)
    near = rng.uniform(-4, 4, third).astype(np.float32)
    wide = rng.uniform(-110, 110, POINTS - 2 * third - len(_SPECIAL)).astype(np.float32)
    return np.concatenate([_SPECIAL, bits, near, wide])


def _ulps(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Errors in units of the last place of the exact value as a float32; 0 where both are the same special value."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        same = (got == rounded) & (np.signbit(got) == np.signbit(rounded)) | (np.isnan(got) & np.isnan(rounded))
        unit = np.maximum(np.spacing(np.abs(rounded)), np.float32(1e-45)).astype(np.float64)
        unit = np.where(np.isinf(rounded), np.float64(2.0**104), unit)
        error = np.abs(got.astype(np.float64) - exact) / unit
    error = np.where(same, np.where(np.isfinite(error), error, 0.0), error)
    return np.where(np.isnan(error), np.inf, error)


def _check(name: str, got: np.ndarray, exact: np.ndarray, bound: float, *points: np.ndarray) -> None:
    errors = _ulps(got, exact)
    worst = int(np.argmax(errors))
    assert errors[worst] <= bound, (
        f"{name}({', '.join(repr(p[worst]) for p in points)}) = {got[worst]!r}, exactly {exact[worst]!r}: "
        f"{errors[worst]:.3f} ulp"
    )


@pytest.mark.parametrize("lanes", [0, 16], ids=["scalar", "vector"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_unary(compile_function, name, lanes):
    reference, bound = FUNCTIONS[name]
    function = compile_function(_module(name, 1, lanes))
    x, y = _points(1), np.zeros(POINTS, np.float32)
    function("f", x, y)
    with np.errstate(all="ignore"):
        exact = reference(x.astype(np.float64))
    _check(name, y, exact, bound, x)


@pytest.mark.parametrize("lanes", [0, 16], ids=["scalar", "vector"])
@pytest.mark.parametrize("name", BINARY)
def test_binary(compile_function, name, lanes):
    function = compile_function(_module(name, 2, lanes))
    a, b, y = _points(2), np.random.default_rng(3).permutation(_points(4)), np.zeros(POINTS, np.float32)
    grid = np.array(np.meshgrid(_SPECIAL, _SPECIAL)).reshape(2, -1)
    a[-grid.shape[1] :], b[-grid.shape[1] :] = grid
    # Bases and exponents whose power is finite.
    small = slice(100, 20000)
    a[small] = np.abs(np.random.default_rng(5).normal(1, 0.5, 19900))
    function("f", a, b, y)
    with np.errstate(all="ignore"):
        exact = BINARY[name](a.astype(np.float64), b.astype(np.float64))
    _check(name, y, exact, 0.51, a, b)


def test_a_trigonometric_argument_may_be_huge(compile_function):
    """Arguments of which all digits cancel, in every binade."""
    exponents = np.repeat(np.arange(0, 127), POINTS // 127 + 1)[:POINTS]
    x = np.ldexp(1 + np.random.default_rng(6).random(POINTS), exponents).astype(np.float32)
    y = np.zeros(POINTS, np.float32)
    compile_function(_module("sin", 1, 16))("f", x, y)
    _check("sin", y, np.sin(x.astype(np.float64)), 0.51, x)


def test_what_is_not_float32_stays(compile_function):
    """float64 functions become calls of the C library."""
    text = """
    func.func @f(%x: memref<4xf64>, %y: memref<4xf64>) {
      %c0 = arith.constant 0 : index
      %v = vector.load %x[%c0] : memref<4xf64>, vector<4xf64>
      %r = math.erf %v : vector<4xf64>
      vector.store %r, %y[%c0] : memref<4xf64>, vector<4xf64>
      func.return
    }"""
    x, y = np.array([0.1, -0.5, 3.0, np.inf]), np.zeros(4)
    function = compile_function(text)
    assert "call double @erf" in function.ir
    function("f", x, y)
    np.testing.assert_array_equal(y, [math.erf(v) for v in x])
