"""exp, log and arc tangent in float64 to about 2⁻⁵⁰, the parts of which other functions are made."""

from __future__ import annotations

from xrelay.lowering.loop.math_functions.value import Value

INFINITY = float("inf")
NAN = float("nan")
LN2 = 0.6931471805599453
LN2_LOW = 2.3190468138462996e-17
LOG2_E = 1.4426950408889634
PI = 3.141592653589793
PI_2 = 1.5707963267948966
PI_4 = 0.7853981633974483
SQRT2 = 1.4142135623730951

_SHIFTER = 1.5 * 2.0**52
"""Added to a float64 below 2⁵¹ it leaves the nearest integer in the low bits."""

# (exp(r) - 1 - r) / r² for |r| ≤ ln 2 / 2, relative error of exp 2⁻⁵¹
_EXP = (
    0.49999999999998307,
    0.16666666666611116,
    0.04166666666814824,
    0.008333333371094188,
    0.0013888888514016532,
    0.00019841184899211598,
    2.4801933050870347e-05,
    2.763514556731237e-06,
    2.7476655870092217e-07,
)

# (log m - 2 s) / (2 s³) in s² for s = (m - 1) / (m + 1), √½ ≤ m ≤ √2, relative error of log 2⁻⁵⁸
_LOG = (
    0.6666666666666734,
    0.3999999999941468,
    0.28571428742387095,
    0.22222198573209567,
    0.18183564325812251,
    0.1531405053881141,
    0.14795950026743845,
)

# (atan t - t) / t³ in t² for |t| ≤ √2 - 1, relative error of atan 2⁻⁵⁴
_ATAN = (
    -0.3333333333333019,
    0.1999999999909734,
    -0.14285714195884444,
    0.11111106676139268,
    -0.09090782870379739,
    0.07690073859806759,
    -0.06641162254890245,
    0.05692718899036981,
    -0.04359521973118672,
    0.02126402251586964,
)


def nearest(x: Value) -> tuple[Value, Value]:
    """The nearest integer of a float64 below 2⁵¹, as a float64 and in the low bits of an i64."""
    shifted = x + _SHIFTER
    return shifted - _SHIFTER, shifted.bits()


def _reduce(x: Value) -> tuple[Value, Value]:
    """x = n · ln 2 + r: r, and 2ⁿ; |x| < 700."""
    n, bits = nearest(x * LOG2_E)
    r = n.fma(-LN2_LOW, n.fma(-LN2, x))
    return r, ((bits << 52) + (1023 << 52)).as_float()


def clamp(x: Value, low: float, high: float) -> Value:
    """x within bounds; NaN stays NaN."""
    x = (x > high).select(high, x)
    return (x < low).select(low, x)


def exp(x: Value) -> Value:
    """eˣ for |x| ≤ 700, NaN for NaN."""
    r, scale = _reduce(x)
    return (r * r).fma(r.polynomial(_EXP), r).fma(scale, scale)


def expm1(x: Value) -> Value:
    """eˣ - 1 for |x| ≤ 700, exact near 0 too."""
    r, scale = _reduce(x)
    return (r * r).fma(r.polynomial(_EXP), r).fma(scale, scale - 1.0)


def split_log(x: Value) -> tuple[Value, Value]:
    """x = 2ⁿ · m with √½ ≤ m ≤ √2: n and log m, for positive normal x."""
    bits = x.bits()
    # Subtracting the bits of √½ carries into the exponent exactly from √2 on.
    exponent = (bits - _SQRT_HALF_BITS) >> 52
    m = (bits - (exponent << 52)).as_float()
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    # exponent + 2⁵² + 2⁵¹ in the bits of a float64: cheaper than a conversion of 64-bit integers.
    n = (exponent + _SHIFTER_BITS).as_float() - _SHIFTER
    return n, (s * z).fma(z.polynomial(_LOG), s + s)


def log(x: Value) -> Value:
    """The natural logarithm of 0, a normal number, infinity or NaN; NaN for what is below 0."""
    n, log_m = split_log(x)
    return log_limits(x, n.fma(LN2, log_m))


def log1p(x: Value) -> Value:
    """log (1 + x), exact near 0 too."""
    u = x + 1.0
    lost = x - (u - 1.0)
    n, log_m = split_log(u)
    result = n.fma(LN2, log_m + lost / u)
    return log_limits(u, result)


def log_limits(x: Value, result: Value) -> Value:
    result = (x < INFINITY).select(result, x)
    result = (x > 0.0).select(result, NAN)
    result = x.equals(0.0).select(-INFINITY, result)
    return x.is_nan().select(x, result)


def atan_positive(numerator: Value, denominator: Value) -> Value:
    """atan (numerator / denominator) for numbers of at least 0, not both 0 or both infinite."""
    steep = numerator > denominator * (SQRT2 + 1.0)
    middle = numerator > denominator * (SQRT2 - 1.0)
    # The differences π/4 and π/2 of angles are differences of quotients.
    top = steep.select(-denominator, middle.select(numerator - denominator, numerator))
    bottom = steep.select(numerator, middle.select(numerator + denominator, denominator))
    base = steep.select(numerator.constant(PI_2), middle.select(numerator.constant(PI_4), 0.0))
    t = top / bottom
    z = t * t
    return base + (t * z).fma(z.polynomial(_ATAN), t)


_SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
_SHIFTER_BITS = 0x4338000000000000
