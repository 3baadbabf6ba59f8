"""Arithmetic, comparisons and casts through the LLVM level, against NumPy."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

N = 64


def elementwise(body: str, inputs: list[str], output: str, size: int = N) -> str:
    """A function that applies `body` (from %x0, %x1 … to %r) to every element; types are element types."""
    parameters = ", ".join(f"%b{i}: memref<{size}x{t}>" for i, t in enumerate(inputs))
    loads = "\n".join(f"%x{i} = memref.load %b{i}[%i] : memref<{size}x{t}>" for i, t in enumerate(inputs))
    return f"""
    func.func @f({parameters}, %y: memref<{size}x{output}>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {size} : index
      scf.for %i = %c0 to %n step %c1 {{
        {loads}
        {body}
        memref.store %r, %y[%i] : memref<{size}x{output}>
      }}
      func.return
    }}"""


def integers(dtype: str, seed: int, size: int = N) -> np.ndarray:
    info = np.iinfo(dtype)
    values = np.random.default_rng(seed).integers(info.min, info.max, size, dtype=dtype, endpoint=True)
    edges = [v for v in (info.min, info.max, 0, 1, 2, 3, 7) if info.min <= v <= info.max]
    values[: len(edges)] = edges
    return values


BINARY = {
    # operation: (NumPy's, signed, unsigned)
    "addi": (np.add, True, True),
    "subi": (np.subtract, True, True),
    "muli": (np.multiply, True, True),
    "andi": (np.bitwise_and, True, True),
    "ori": (np.bitwise_or, True, True),
    "xori": (np.bitwise_xor, True, True),
    "minsi": (np.minimum, True, False),
    "maxsi": (np.maximum, True, False),
    "minui": (np.minimum, False, True),
    "maxui": (np.maximum, False, True),
    "remsi": (np.fmod, True, False),
    "remui": (np.fmod, False, True),
    "divui": (np.floor_divide, False, True),
    "floordivsi": (np.floor_divide, True, False),
}


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("name", BINARY)
def test_integer_operations(compile_function, name, bits):
    reference, signed, unsigned = BINARY[name]
    function = compile_function(elementwise(f"%r = arith.{name} %x0, %x1 : i{bits}", [f"i{bits}"] * 2, f"i{bits}"))
    for dtype in [f"int{bits}"] * signed + [f"uint{bits}"] * unsigned:
        a, b = integers(dtype, 1), integers(dtype, 2)
        b = np.where(b == 0, 1, np.where(b == -1, 1, b)).astype(dtype) if name[:3] in ("rem", "div", "flo") else b
        y = np.zeros_like(a)
        function("f", a, b, y)
        np.testing.assert_array_equal(y, reference(a, b))


def test_divisions_round_as_they_say(compile_function):
    a = np.array([7, -7, 7, -7, 6, -6, 0, 1] * 8, np.int32)
    b = np.array([2, 2, -2, -2, 3, 3, 5, -9] * 8, np.int32)
    for name, reference in {"divsi": np.trunc, "floordivsi": np.floor, "ceildivsi": np.ceil}.items():
        y = np.zeros_like(a)
        compile_function(elementwise(f"%r = arith.{name} %x0, %x1 : i32", ["i32", "i32"], "i32"))("f", a, b, y)
        np.testing.assert_array_equal(y, reference(a / b))
    y = np.zeros_like(a)
    compile_function(elementwise("%r = arith.ceildivui %x0, %x1 : i32", ["i32"] * 2, "i32"))("f", abs(a), abs(b), y)
    np.testing.assert_array_equal(y, np.ceil(abs(a) / abs(b)))


@pytest.mark.parametrize("bits", [8, 32, 64])
def test_shifts(compile_function, bits):
    counts = np.arange(N) % bits
    for name, dtype, reference in [
        ("shli", f"int{bits}", np.left_shift),
        ("shrsi", f"int{bits}", np.right_shift),
        ("shrui", f"uint{bits}", np.right_shift),
    ]:
        a, b = integers(dtype, 3), counts.astype(dtype)
        y = np.zeros_like(a)
        compile_function(elementwise(f"%r = arith.{name} %x0, %x1 : i{bits}", [f"i{bits}"] * 2, f"i{bits}"))(
            "f", a, b, y
        )
        np.testing.assert_array_equal(y, reference(a, b))


@pytest.mark.parametrize(
    ("predicate", "dtype", "reference"),
    [
        ("eq", "int32", np.equal),
        ("ne", "int32", np.not_equal),
        ("slt", "int32", np.less),
        ("sge", "int32", np.greater_equal),
        ("ult", "uint32", np.less),
        ("uge", "uint32", np.greater_equal),
    ],
)
def test_integer_comparisons(compile_function, predicate, dtype, reference):
    a, b = integers(dtype, 4), integers(dtype, 5)
    b[::3] = a[::3]
    y = np.zeros(N, bool)
    compile_function(elementwise(f"%r = arith.cmpi {predicate}, %x0, %x1 : i32", ["i32"] * 2, "i1"))("f", a, b, y)
    np.testing.assert_array_equal(y, reference(a, b))


FLOAT_COMPARISONS = {"oeq": np.equal, "une": np.not_equal, "olt": np.less, "ole": np.less_equal, "ogt": np.greater}


@pytest.mark.parametrize("predicate", [*FLOAT_COMPARISONS, "uno"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
def test_float_comparisons(compile_function, predicate, dtype):
    numpy_dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    element = dtype.replace("bfloat", "bf").replace("float", "f")
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=N).astype(numpy_dtype), rng.normal(size=N).astype(numpy_dtype)
    a[:4], b[2:6], b[10:20] = np.nan, np.nan, a[10:20]
    a[30], b[30], a[31], b[31] = 0.0, -0.0, np.inf, np.inf
    y = np.zeros(N, bool)
    compile_function(elementwise(f"%r = arith.cmpf {predicate}, %x0, %x1 : {element}", [element] * 2, "i1"))(
        "f", a, b, y
    )
    expected = np.isnan(a) | np.isnan(b) if predicate == "uno" else FLOAT_COMPARISONS[predicate](a, b)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("addf", np.add),
        ("subf", np.subtract),
        ("mulf", np.multiply),
        ("divf", np.divide),
        ("maximumf", np.maximum),
        ("minimumf", np.minimum),
        ("maxnumf", np.fmax),
        ("minnumf", np.fmin),
    ],
)
def test_float_operations(compile_function, dtype, name, reference):
    numpy_dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    element = dtype.replace("bfloat", "bf").replace("float", "f")
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=N).astype(numpy_dtype), rng.normal(size=N).astype(numpy_dtype)
    a[:3], b[2:5], a[5], b[6] = np.nan, np.nan, np.inf, 0
    y = np.zeros_like(a)
    compile_function(elementwise(f"%r = arith.{name} %x0, %x1 : {element}", [element] * 2, element))("f", a, b, y)
    with np.errstate(all="ignore"):
        if dtype in ("float16", "bfloat16"):
            expected = reference(a.astype("f4"), b.astype("f4")).astype(numpy_dtype)
        else:
            expected = reference(a, b)
    np.testing.assert_array_equal(y.astype("f8"), expected.astype("f8"))


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("absf", np.abs),
        ("floor", np.floor),
        ("ceil", np.ceil),
        ("trunc", np.trunc),
        ("roundeven", np.rint),
        ("round", lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)),
        ("sqrt", np.sqrt),
        ("rsqrt", lambda x: 1 / np.sqrt(x)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rounding_and_roots(compile_function, dtype, name, reference):
    x = np.random.default_rng(8).normal(scale=4, size=N).astype(dtype)
    x[:8] = [0.5, -0.5, 1.5, 2.5, -2.5, np.inf, np.nan, -0.0]
    y = np.zeros_like(x)
    element = dtype.replace("float", "f")
    compile_function(elementwise(f"%r = math.{name} %x0 : {element}", [element], element))("f", x, y)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(y, reference(x))


def test_counting_bits(compile_function):
    x = integers("int32", 9)
    bits = [format(int(v) & 0xFFFFFFFF, "032b") for v in x]
    expected = {
        "ctpop": [b.count("1") for b in bits],
        "ctlz": [len(b) - len(b.lstrip("0")) for b in bits],
        "cttz": [len(b) - len(b.rstrip("0")) for b in bits],
        "absi": np.abs(x),
    }
    for name, values in expected.items():
        y = np.zeros_like(x)
        compile_function(elementwise(f"%r = math.{name} %x0 : i32", ["i32"], "i32"))("f", x, y)
        np.testing.assert_array_equal(y, values)


@pytest.mark.parametrize("target", ["int8", "int32", "int64", "uint8", "uint32", "uint64"])
@pytest.mark.parametrize("source", ["float16", "float32", "float64", "bfloat16"])
def test_float_to_integer_saturates(compile_function, source, target):
    numpy_source, info = np.dtype(getattr(ml_dtypes, source, source)), np.iinfo(target)
    x = np.random.default_rng(10).normal(scale=100, size=N).astype(numpy_source)
    with np.errstate(all="ignore"):
        x[:9] = np.array([np.nan, np.inf, -np.inf, 1e20, -1e20, -0.9, 255.7, -128.9, 3e9]).astype(numpy_source)
    element = source.replace("bfloat", "bf").replace("float", "f")
    operation = "fptoui" if target[0] == "u" else "fptosi"
    y = np.zeros(N, target)
    body = f"%r = arith.{operation} %x0 : {element} to i{info.bits}"
    compile_function(elementwise(body, [element], f"i{info.bits}"))("f", x, y)
    exact = np.nan_to_num(np.trunc(x.astype("f8")), nan=0, posinf=1e300, neginf=-1e300)
    expected = [min(max(int(value), info.min), info.max) for value in exact]
    np.testing.assert_array_equal(y, np.array(expected, target))


@pytest.mark.parametrize("source", ["int8", "int32", "int64", "uint8", "uint32", "uint64"])
@pytest.mark.parametrize("target", ["float32", "float64"])
def test_integer_to_float(compile_function, source, target):
    x, y = integers(source, 11), np.zeros(N, target)
    bits, element = np.iinfo(source).bits, target.replace("float", "f")
    operation = "uitofp" if source[0] == "u" else "sitofp"
    compile_function(elementwise(f"%r = arith.{operation} %x0 : i{bits} to {element}", [f"i{bits}"], element))(
        "f", x, y
    )
    np.testing.assert_array_equal(y, x.astype(target))


def test_integer_widths(compile_function):
    x = integers("int8", 12)
    for body, output, expected in [
        ("%r = arith.extsi %x0 : i8 to i64", "i64", x.astype("int64")),
        ("%r = arith.extui %x0 : i8 to i64", "i64", x.view("uint8").astype("int64")),
        ("%r = arith.index_cast %w : index to i16", "i16", x.astype("int16")),
    ]:
        y = np.zeros(N, expected.dtype)
        prefix = "%w = arith.index_cast %x0 : i8 to index\n" if "%w" in body else ""
        compile_function(elementwise(prefix + body, ["i8"], output))("f", x, y)
        np.testing.assert_array_equal(y, expected)
    wide = integers("int64", 13)
    y = np.zeros(N, "int8")
    compile_function(elementwise("%r = arith.trunci %x0 : i64 to i8", ["i64"], "i8"))("f", wide, y)
    np.testing.assert_array_equal(y, wide.astype("int8"))


ALL_HALVES = np.arange(1 << 16, dtype=np.uint16)


@pytest.mark.parametrize("native", [True, False], ids=["instruction", "integers"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_floats_widen(compile_function, dtype, native):
    """Every one of them."""
    element = dtype.replace("bfloat", "bf").replace("float", "f")
    x = ALL_HALVES.view(getattr(ml_dtypes, dtype, dtype))
    y = np.zeros(x.shape, np.float32)
    text = elementwise(f"%r = arith.extf %x0 : {element} to f32", [element], "f32", x.size)
    compile_function(text, native_half=native)("f", x, y)
    np.testing.assert_array_equal(y, x.astype(np.float32))
    np.testing.assert_array_equal(np.signbit(y), np.signbit(x.astype(np.float32)))


@pytest.mark.parametrize("native", [True, False], ids=["instruction", "integers"])
@pytest.mark.parametrize("source", ["f32", "f64"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_floats_are_rounded_once(compile_function, dtype, source, native):
    element = dtype.replace("bfloat", "bf").replace("float", "f")
    target, wide = np.dtype(getattr(ml_dtypes, dtype, dtype)), np.dtype(source.replace("f", "float"))
    with np.errstate(all="ignore"):
        exact = ALL_HALVES.view(target).astype(wide)
        ties = (exact[:-1] + exact[1:]) / 2
        close = [np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf)]
        x = np.concatenate([exact, ties, *close, np.array([1e30, -1e30, 65519.996, 65520, 3.4e38, 1e-40], wide)])
        x = x.astype(wide)
        expected = x.astype(target) if dtype == "float16" or source == "f32" else _round_to_bfloat16(x)
    y = np.zeros(x.shape, target)
    text = elementwise(f"%r = arith.truncf %x0 : {source} to {element}", [source], element, x.size)
    compile_function(text, native_half=native)("f", x, y)
    np.testing.assert_array_equal(y.astype("f4"), expected.astype("f4"))


def _round_to_bfloat16(x: np.ndarray) -> np.ndarray:
    """float64 → bfloat16 in one rounding (ml_dtypes goes through float32)."""
    below = x.astype(np.float32)
    odd = below.view(np.uint32)
    odd = np.where(np.abs(below.astype("f8")) > np.abs(x), odd - 1, odd)
    odd = np.where((below.astype("f8") != x) & np.isfinite(x), odd | 1, odd)
    return odd.astype(np.uint32).view(np.float32).astype(ml_dtypes.bfloat16)
