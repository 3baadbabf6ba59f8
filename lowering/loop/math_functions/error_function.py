"""The error function."""

from __future__ import annotations

from xdsl.dialects import math

from xrelay.lowering.loop.math_functions.exponential import exp_f32
from xrelay.lowering.loop.math_functions.value import Value, expands

# erf(x) / x - 1 in x² for |x| ≤ 0.93
_SMALL = (0.128379166, -0.376126349, 0.112836942, -0.0268592704, 0.00520063424, -0.000813743798, 8.34522652e-05)
# log (1 - erf x) for 0.92 ≤ x ≤ 3.95
_LARGE = (
    0.000174685701,
    -1.12951493,
    -0.633346915,
    -0.1082801,
    0.0251194369,
    -0.00417106645,
    0.00043446332,
    -2.10951112e-05,
)
_ONE_FROM = 3.92
"""From here on erf is 1 in float32."""


@expands(math.ErfOp)
def erf(x: Value) -> Value:
    """At most 2 ulp."""
    magnitude = x.absolute()
    small = magnitude.fma((x * x).polynomial(_SMALL), magnitude)
    bounded = (magnitude > _ONE_FROM).select(_ONE_FROM, magnitude)
    large = 1.0 - exp_f32(bounded.polynomial(_LARGE))
    return (magnitude < 0.925).select(small, large).copysign(x)
