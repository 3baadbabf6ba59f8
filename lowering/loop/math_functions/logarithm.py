"""Logarithms and powers."""

from __future__ import annotations

from xdsl.dialects import math

from xrelay.lowering.loop.math_functions import core
from xrelay.lowering.loop.math_functions.value import Value, expands

_LN2 = 0.693145751953125
"""The leading bits of ln 2: its product with an exponent is exact."""
_LN2_LOW = 1.428606820309417e-06
_SQRT_HALF_BITS = 0x3F3504F3
_SMALLEST_NORMAL = 2.0**-126

# (log(1 + f) - f + f² / 2) / f³ for √½ - 1 ≤ f ≤ √2 - 1
_LOG = (0.333333313, -0.250008196, 0.200012267, -0.166233584, 0.142017588, -0.131601796, 0.127615795, -0.0763450935)

_LOG10_2 = 0.30102999566398120
_LOG10_E = 0.43429448190325182


@expands(math.LogOp)
def log(x: Value) -> Value:
    """At most 1 ulp."""
    subnormal = x < _SMALLEST_NORMAL
    scaled = subnormal.select(x * 2.0**23, x)
    bits = scaled.bits()
    exponent = (bits - _SQRT_HALF_BITS) >> 23
    f = (bits - (exponent << 23)).as_float() - 1.0
    n = exponent.to_float() - subnormal.select(x.constant(23.0), 0.0)
    square = f * f
    tail = (f * square).fma(f.polynomial(_LOG), n * _LN2_LOW)
    result = n.fma(_LN2, square.fma(-0.5, tail) + f)
    result = (x < core.INFINITY).select(result, x)
    result = (x > 0.0).select(result, core.NAN)
    result = x.equals(0.0).select(-core.INFINITY, result)
    return x.is_nan().select(x, result)


@expands(math.Log2Op)
def log2(x: Value) -> Value:
    """At most 0.51 ulp; exact for powers of two."""
    return _logarithm(x, 1.0, core.LOG2_E)


@expands(math.Log10Op)
def log10(x: Value) -> Value:
    """At most 0.51 ulp."""
    return _logarithm(x, _LOG10_2, _LOG10_E)


def _logarithm(x: Value, of_two: float, of_e: float) -> Value:
    wide = x.to_f64()
    n, log_m = core.split_log(wide)
    return core.log_limits(wide, n.fma(of_two, log_m * of_e)).to_f32()


@expands(math.Log1pOp)
def log1p(x: Value) -> Value:
    """At most 0.51 ulp."""
    wide = x.to_f64()
    # Keeps the sign of zero.
    return x.equals(0.0).select(x, core.log1p(wide).to_f32())


@expands(math.CbrtOp)
def cbrt(x: Value) -> Value:
    """At most 0.51 ulp; exact for cubes."""
    wide = x.to_f64()
    magnitude = wide.absolute()
    n, log_m = core.split_log(magnitude)
    root = core.exp((n.fma(core.LN2, log_m)) * (1.0 / 3.0))
    # One Newton step makes cubes exact.
    root = root - (root * root * root - magnitude) / (root * root * 3.0)
    special = _any(magnitude.equals(0.0), _not_finite(magnitude))
    return special.select(wide, root.copysign(wide)).to_f32()


@expands(math.PowFOp)
def powf(x: Value, y: Value) -> Value:
    """At most 0.51 ulp, with all special cases of IEEE 754's pow."""
    base, exponent = x.to_f64(), y.to_f64()
    magnitude = base.absolute()
    integral, odd = _integrality(exponent)
    result = _power(magnitude, exponent)
    negative = base.bits() < 0
    result = _all(negative, odd).select(-result, result)
    invalid = _all(base < 0.0, magnitude < core.INFINITY, exponent.absolute() < core.INFINITY, _not(integral))
    result = invalid.select(core.NAN, result)
    result = _any(base.is_nan(), exponent.is_nan()).select(base + exponent, result)
    return _any(base.equals(1.0), exponent.equals(0.0)).select(1.0, result).to_f32()


def _power(magnitude: Value, exponent: Value) -> Value:
    """magnitude ^ exponent for a magnitude of at least 0; NaN gives anything."""
    n, log_m = core.split_log(magnitude)
    power = core.exp(core.clamp(exponent * n.fma(core.LN2, log_m), -300.0, 300.0))
    grows = (magnitude > 1.0) ^ (exponent < 0.0)
    limit = grows.select(power.constant(core.INFINITY), 0.0)
    extreme = _any(magnitude.equals(0.0), _not_finite(magnitude), _not_finite(exponent))
    power = extreme.select(limit, power)
    return _all(magnitude.equals(1.0), _not_finite(exponent)).select(1.0, power)


def _integrality(y: Value) -> tuple[Value, Value]:
    """Whether a float64 that is a float32 is an integer, and whether it is odd. From 2²⁴ on all are even."""
    bounded = core.clamp(y, -(2.0**26), 2.0**26)
    rounded, bits = core.nearest(bounded)
    integral = rounded.equals(bounded)
    return integral, _all(integral, (bits & 1).differs(0))


def _not_finite(magnitude: Value) -> Value:
    return magnitude.absolute().equals(core.INFINITY)


def _all(first: Value, *others: Value) -> Value:
    for other in others:
        first = first & other
    return first


def _any(first: Value, *others: Value) -> Value:
    for other in others:
        first = first | other
    return first


def _not(condition: Value) -> Value:
    return condition ^ 1
