"""The operators in kernels, element by element."""

from __future__ import annotations

from xdsl.dialects import math

from xrelay.lowering.tensor.builder import lowers
from xrelay_plugin_example.dialect import Snake


@lowers(Snake)
def snake(op, operands, b):
    def element(x, alpha):
        sine = (alpha * x).math(math.SinOp)
        return alpha.eq(0).select(x, x + sine * sine / alpha)

    return b.elementwise(op, operands, element)
