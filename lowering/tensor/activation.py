"""Activation functions → linalg."""

from __future__ import annotations

from math import pi, sqrt

from xdsl.dialects import math
from xdsl.ir.affine import AffineExpr, AffineMap

from xrelay.dialects.relay import activation as ops
from xrelay.dialects.relay.types import normalize_axis, shape_of
from xrelay.lowering.tensor.builder import lowers
from xrelay.lowering.tensor.elementwise import elementwise
from xrelay.lowering.tensor.scalar import Scalar

elementwise(ops.Relu, lambda x: x.at_least(0))


@lowers(ops.LeakyRelu)
def leaky_relu(op, operands, b):
    alpha = op.attrs.alpha
    return b.elementwise(op, operands, lambda x: x.in_float32(lambda x: (x > 0).select(x, x * alpha)))


@lowers(ops.PRelu)
def prelu(op, operands, b):
    result_type = op.result.type
    rank = len(shape_of(result_type))
    channel = AffineMap(rank, 0, (AffineExpr.dimension(normalize_axis(op.attrs.axis, rank)),))
    maps = [AffineMap.identity(rank), channel]
    return b.map(result_type, operands, maps, lambda _, x, alpha: (x > 0).select(x, x * alpha))


def gelu_by_erf(x: Scalar) -> Scalar:
    return 0.5 * x * (1 + (x * sqrt(0.5)).math(math.ErfOp))


def gelu_by_tanh(x: Scalar) -> Scalar:
    return 0.5 * x * (1 + (sqrt(2 / pi) * (x + 0.044715 * (x * x * x))).math(math.TanhOp))


@lowers(ops.Gelu)
def gelu(op, operands, b):
    body = gelu_by_tanh if op.attrs.approximate == "tanh" else gelu_by_erf
    return b.elementwise(op, operands, lambda x: x.in_float32(body))
