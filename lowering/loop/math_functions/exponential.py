"""exp, exp2, expm1 and the hyperbolic functions."""

from __future__ import annotations

from xdsl.dialects import math

from xrelay.lowering.loop.math_functions import core
from xrelay.lowering.loop.math_functions.value import Value, expands

_SHIFTER = 1.5 * 2.0**23
"""Added to a float32 below 2²² it leaves the nearest integer in the low bits."""
_SHIFTER_BITS = 0x4B400000

_LN2 = 0.6931471824645996
_LN2_LOW = -1.9046542121259336e-09

# (exp(r) - 1 - r) / r² for |r| ≤ ln 2 / 2
_EXP = (0.49999994, 0.166665196, 0.0416683927, 0.00836878084, 0.00138144626)
# (2ʳ - 1) / r for |r| ≤ ½
_EXP2 = (0.693147182, 0.240226477, 0.0555033237, 0.00961843692, 0.0013398875, 0.000153533634)
# (tanh x - x) / x³ in x² for |x| ≤ 0.648
_TANH = (-0.333332658, 0.133309498, -0.0536971353, 0.0204966404, -0.00554311601)


def _scaled(p: Value, n: Value) -> Value:
    """p · 2ⁿ for -300 < n < 300, in two steps: 2ⁿ alone need not be a float32, and p · 2ⁿ may be subnormal."""
    half = n >> 1
    rest = n - half
    return p * _power_of_two(half) * _power_of_two(rest)


def _power_of_two(n: Value) -> Value:
    return ((n + 127) << 23).as_float()


def exp_f32(x: Value) -> Value:
    """eˣ in float32."""
    x = core.clamp(x, -105.0, 89.0)
    shifted = x.fma(core.LOG2_E, _SHIFTER)
    n = shifted - _SHIFTER
    r = n.fma(-_LN2_LOW, n.fma(-_LN2, x))
    p = (r * r).fma(r.polynomial(_EXP), r) + 1.0
    return _scaled(p, shifted.bits() - _SHIFTER_BITS)


@expands(math.ExpOp)
def exp(x: Value) -> Value:
    """At most 1 ulp."""
    return exp_f32(x)


@expands(math.Exp2Op)
def exp2(x: Value) -> Value:
    """At most 1 ulp."""
    x = core.clamp(x, -152.0, 129.0)
    shifted = x + _SHIFTER
    r = x - (shifted - _SHIFTER)
    p = r.fma(r.polynomial(_EXP2), 1.0)
    return _scaled(p, shifted.bits() - _SHIFTER_BITS)


@expands(math.ExpM1Op)
def expm1(x: Value) -> Value:
    """At most 0.51 ulp."""
    return core.expm1(core.clamp(x.to_f64(), -200.0, 200.0)).to_f32()


@expands(math.TanhOp)
def tanh(x: Value) -> Value:
    """At most 2 ulp."""
    magnitude = x.absolute()
    small = x * x
    small = (magnitude * small).fma(small.polynomial(_TANH), magnitude)
    # 1 - 2 / (e²ˣ + 1) loses digits near 0, where the polynomial serves.
    large = 1.0 - x.constant(2.0) / (exp_f32(magnitude + magnitude) + 1.0)
    return (magnitude < 0.6).select(small, large).copysign(x)


@expands(math.SinhOp)
def sinh(x: Value) -> Value:
    """At most 0.51 ulp."""
    wide = x.to_f64()
    e = core.expm1(core.clamp(wide.absolute(), 0.0, 200.0))
    return ((e + e / (e + 1.0)) * 0.5).copysign(wide).to_f32()


@expands(math.CoshOp)
def cosh(x: Value) -> Value:
    """At most 0.51 ulp."""
    e = core.exp(core.clamp(x.to_f64().absolute(), 0.0, 200.0))
    return ((e + e.constant(1.0) / e) * 0.5).to_f32()


@expands(math.AsinhOp)
def asinh(x: Value) -> Value:
    """At most 0.51 ulp. asinh x = log1p (x + x² / (1 + √(1 + x²)))."""
    wide = x.to_f64()
    magnitude = core.clamp(wide.absolute(), 0.0, 2.0**200)
    square = magnitude * magnitude
    result = core.log1p(magnitude + square / ((square + 1.0).sqrt() + 1.0))
    return (wide.absolute() < core.INFINITY).select(result, wide).copysign(wide).to_f32()


@expands(math.AcoshOp)
def acosh(x: Value) -> Value:
    """At most 0.51 ulp. acosh x = log1p (t + √(2 t + t²)) with t = x - 1."""
    t = x.to_f64() - 1.0
    result = core.log1p(t + (t.fma(t, t + t)).sqrt())
    return (t < 0.0).select(core.NAN, result).to_f32()


@expands(math.AtanhOp)
def atanh(x: Value) -> Value:
    """At most 0.51 ulp. atanh x = ½ log1p (2 x / (1 - x))."""
    wide = x.to_f64()
    magnitude = wide.absolute()
    result = core.log1p((magnitude + magnitude) / (1.0 - magnitude)) * 0.5
    return (magnitude > 1.0).select(core.NAN, result.copysign(wide)).to_f32()
