"""Sine, cosine, tangent and their inverses."""

from __future__ import annotations

from xdsl.dialects import math

from xrelay.lowering.loop.math_functions import core
from xrelay.lowering.loop.math_functions.value import Value, expands

_TWO_OVER_PI = (
    170891318 * 2.0**-28,
    240010261 * 2.0**-56,
    44024437 * 2.0**-84,
    131200308 * 2.0**-112,
    232525238 * 2.0**-140,
    43358524 * 2.0**-168,
    70845471 * 2.0**-196,
    240214955 * 2.0**-224,
)
"""2/π in pieces of 28 bits: a piece times a float32 is exact in float64."""

# sin(r · π/2) / r in r² for |r| ≤ ½
_SIN = (
    1.5707963267948966,
    -0.6459640975062443,
    0.07969262624604184,
    -0.004681754132318417,
    0.00016044115054794162,
    -3.598642590536448e-06,
    5.633822569388578e-08,
)
# cos(r · π/2) in r² for |r| ≤ ½
_COS = (
    1.0,
    -1.2337005501361697,
    0.2536695079010467,
    -0.02086348076331081,
    0.0009192602741781157,
    -2.5202036738110963e-05,
    4.710608704986273e-07,
    -6.321130896518495e-09,
)


def _quadrant(x: Value) -> tuple[Value, Value]:
    """x · 2/π = n + r modulo 4: r with |r| ≤ ½ as a float64, and n in the low bits of an i64. Right for every float32.

    Each product with a piece of 2/π is exact, and so is taking multiples of 4 away from it; what is left is small
    enough to add.
    """
    wide = x.to_f64()
    products = [wide * piece for piece in _TWO_OVER_PI]
    parts = [(product * 0.25).round_even().fma(-4.0, product) for product in products]
    total = parts[-1]
    for part in reversed(parts[:-1]):
        total = total + part
    n, bits = core.nearest(total)
    # From the large parts to the small ones: the digits of n cancel before they can push out the last ones.
    r = parts[0] - n
    for part in parts[1:]:
        r = r + part
    return r, bits


def _sin_cos(r: Value) -> tuple[Value, Value]:
    z = r * r
    return r * z.polynomial(_SIN), z.polynomial(_COS)


def _pick(bits: Value, even: Value, odd: Value) -> Value:
    """`even` or `odd` by the quadrant, negated in the last two."""
    magnitude = (bits & 1).equals(0).select(even, odd)
    return (bits & 2).equals(0).select(magnitude, -magnitude)


@expands(math.SinOp)
def sin(x: Value) -> Value:
    """At most 0.51 ulp for every float32; NaN for infinities."""
    r, bits = _quadrant(x)
    sine, cosine = _sin_cos(r)
    # Keeps the sign of zero.
    return x.equals(0.0).select(x, _pick(bits, sine, cosine).to_f32())


@expands(math.CosOp)
def cos(x: Value) -> Value:
    """At most 0.51 ulp for every float32; NaN for infinities."""
    r, bits = _quadrant(x)
    sine, cosine = _sin_cos(r)
    return _pick(bits + 1, sine, cosine).to_f32()


@expands(math.TanOp)
def tan(x: Value) -> Value:
    """At most 0.51 ulp for every float32; NaN for infinities."""
    r, bits = _quadrant(x)
    sine, cosine = _sin_cos(r)
    even = (bits & 1).equals(0)
    result = even.select(sine, -cosine) / even.select(cosine, sine)
    return x.equals(0.0).select(x, result.to_f32())


@expands(math.AtanOp)
def atan(x: Value) -> Value:
    """At most 0.51 ulp."""
    wide = x.to_f64()
    return core.atan_positive(wide.absolute(), wide.constant(1.0)).copysign(wide).to_f32()


@expands(math.AsinOp)
def asin(x: Value) -> Value:
    """At most 0.51 ulp. asin x is the angle of (√(1 - x²), x)."""
    wide = x.to_f64()
    magnitude = wide.absolute()
    other = ((1.0 - magnitude) * (magnitude + 1.0)).sqrt()
    return core.atan_positive(magnitude, other).copysign(wide).to_f32()


@expands(math.AcosOp)
def acos(x: Value) -> Value:
    """At most 0.51 ulp. acos x is twice the angle of (√(1 + x), √(1 - x))."""
    wide = x.to_f64()
    half = core.atan_positive((1.0 - wide).sqrt(), (wide + 1.0).sqrt())
    return (half + half).to_f32()


@expands(math.Atan2Op)
def atan2(y: Value, x: Value) -> Value:
    """At most 0.51 ulp, with all special cases of IEEE 754's atan2."""
    rise, run = y.to_f64(), x.to_f64()
    height, width = rise.absolute(), run.absolute()
    # Where the quotient has no value it is that of (0, 1) or of (1, 1).
    infinite = height.equals(core.INFINITY) & width.equals(core.INFINITY)
    height, width = infinite.select(1.0, height), infinite.select(1.0, width)
    width = (height + width).equals(0.0).select(1.0, width)
    angle = core.atan_positive(height, width)
    angle = (run.bits() < 0).select(core.PI - angle, angle)
    return (y.is_nan() | x.is_nan()).select(rise + run, angle.copysign(rise)).to_f32()
