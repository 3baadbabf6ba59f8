"""Gradient rules of the operators that work element by element: arithmetic, unary functions, activations."""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from xrelay.dialects.relay.activation import Gelu, LeakyRelu, PRelu, Relu
from xrelay.dialects.relay.creation import OnesLike, ZerosLike
from xrelay.dialects.relay.elementwise import (
    Add,
    Divide,
    Equal,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LogicalAnd,
    Maximum,
    Minimum,
    Multiply,
    Power,
    Subtract,
    Where,
)
from xrelay.dialects.relay.reference import Let
from xrelay.dialects.relay.types import as_tensor, is_float, shape_of
from xrelay.dialects.relay.unary import (
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cast,
    Ceil,
    Clip,
    Copy,
    Cos,
    Cosh,
    Erf,
    Exp,
    Floor,
    Log,
    Log2,
    Log10,
    Negative,
    Round,
    RoundEven,
    Rsqrt,
    Sigmoid,
    Sign,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
    Trunc,
)
from xrelay.lowering.graph.gradients import GradientBuilder, gradient_of

# Arithmetic --------------------------------------------------------------------------------------------------------


@gradient_of(Add)
def add(op, b, grad):
    return grad, grad


@gradient_of(Subtract)
def subtract(op, b, grad):
    return grad, b.negative(grad)


@gradient_of(Multiply)
def multiply(op, b, grad):
    return b.multiply(grad, op.rhs), b.multiply(grad, op.lhs)


@gradient_of(Divide)
def divide(op, b, grad):
    part = b.divide(grad, op.rhs)
    return part, b.negative(b.multiply(part, op.result))


@gradient_of(Power)
def power(op, b, grad):
    """rhs · lhs^(rhs - 1) and lhs^rhs · log lhs; 0 where the exponent or the base is 0, whatever the other factor."""
    zero = b.number(0, op.lhs)
    slope = b.multiply(op.rhs, b.make(Power, op.lhs, b.shift(op.rhs, -1)))
    growth = b.multiply(op.result, b.make(Log, op.lhs))
    lhs = b.make(Where, b.make(Equal, op.rhs, zero), zero, slope)
    rhs = b.make(Where, b.make(Equal, op.lhs, zero), zero, growth)
    return b.multiply(grad, lhs), b.multiply(grad, rhs)


@gradient_of(Maximum)
def maximum(op, b, grad):
    """All of it goes to the larger operand, to the left one of two equals."""
    return _to_one_of(b, b.make(GreaterEqual, op.lhs, op.rhs), grad)


@gradient_of(Minimum)
def minimum(op, b, grad):
    return _to_one_of(b, b.make(LessEqual, op.lhs, op.rhs), grad)


@gradient_of(Where)
def where(op, b, grad):
    return None, *_to_one_of(b, op.condition, grad)


def _to_one_of(b: GradientBuilder, first: SSAValue, grad: SSAValue) -> tuple[SSAValue, SSAValue]:
    zero = b.number(0, grad)
    return b.make(Where, first, grad, zero), b.make(Where, first, zero, grad)


# Unary functions ---------------------------------------------------------------------------------------------------


@gradient_of(Sign, Ceil, Floor, Trunc, Round, RoundEven, ZerosLike, OnesLike)
def constant_in_steps(op, b, grad):
    return (None,)


@gradient_of(Copy, Let)
def same(op, b, grad):
    return grad


@gradient_of(Cast)
def cast(op, b, grad):
    element = as_tensor(op.data.type).element_type
    return (b.make(Cast, grad, dtype=element) if is_float(element) else None,)


@gradient_of(Negative)
def negative(op, b, grad):
    return b.negative(grad)


@gradient_of(Abs)
def abs_(op, b, grad):
    return b.multiply(grad, b.make(Sign, op.data))


@gradient_of(Clip)
def clip(op, b, grad):
    low, high = b.number(op.attrs.a_min, grad), b.number(op.attrs.a_max, grad)
    inside = b.make(LogicalAnd, b.make(GreaterEqual, op.data, low), b.make(LessEqual, op.data, high))
    return b.make(Where, inside, grad, b.number(0, grad))


@gradient_of(Exp)
def exp(op, b, grad):
    return b.multiply(grad, op.result)


@gradient_of(Log)
def log(op, b, grad):
    return b.divide(grad, op.data)


@gradient_of(Log2)
def log2(op, b, grad):
    return b.divide(grad, b.scale(op.data, math.log(2)))


@gradient_of(Log10)
def log10(op, b, grad):
    return b.divide(grad, b.scale(op.data, math.log(10)))


@gradient_of(Sqrt)
def sqrt(op, b, grad):
    return b.divide(b.scale(grad, 0.5), op.result)


@gradient_of(Rsqrt)
def rsqrt(op, b, grad):
    return b.divide(b.scale(b.multiply(grad, op.result), -0.5), op.data)


@gradient_of(Sigmoid)
def sigmoid(op, b, grad):
    return b.multiply(grad, b.multiply(op.result, b.shift(b.negative(op.result), 1)))


@gradient_of(Tanh)
def tanh(op, b, grad):
    return b.multiply(grad, _one_minus_square(b, op.result))


@gradient_of(Erf)
def erf(op, b, grad):
    return b.multiply(grad, b.scale(b.make(Exp, b.negative(_square(b, op.data))), 2 / math.sqrt(math.pi)))


@gradient_of(Sin)
def sin(op, b, grad):
    return b.multiply(grad, b.make(Cos, op.data))


@gradient_of(Cos)
def cos(op, b, grad):
    return b.negative(b.multiply(grad, b.make(Sin, op.data)))


@gradient_of(Tan)
def tan(op, b, grad):
    return b.multiply(grad, b.shift(_square(b, op.result), 1))


@gradient_of(Asin)
def asin(op, b, grad):
    return b.multiply(grad, b.make(Rsqrt, _one_minus_square(b, op.data)))


@gradient_of(Acos)
def acos(op, b, grad):
    return b.negative(asin(op, b, grad))


@gradient_of(Atan)
def atan(op, b, grad):
    return b.divide(grad, b.shift(_square(b, op.data), 1))


@gradient_of(Sinh)
def sinh(op, b, grad):
    return b.multiply(grad, b.make(Cosh, op.data))


@gradient_of(Cosh)
def cosh(op, b, grad):
    return b.multiply(grad, b.make(Sinh, op.data))


@gradient_of(Asinh)
def asinh(op, b, grad):
    return b.multiply(grad, b.make(Rsqrt, b.shift(_square(b, op.data), 1)))


@gradient_of(Acosh)
def acosh(op, b, grad):
    return b.multiply(grad, b.make(Rsqrt, b.shift(_square(b, op.data), -1)))


@gradient_of(Atanh)
def atanh(op, b, grad):
    return b.divide(grad, _one_minus_square(b, op.data))


def _square(b: GradientBuilder, value: SSAValue) -> SSAValue:
    return b.multiply(value, value)


def _one_minus_square(b: GradientBuilder, value: SSAValue) -> SSAValue:
    return b.shift(b.negative(_square(b, value)), 1)


# Activations -------------------------------------------------------------------------------------------------------


@gradient_of(Relu)
def relu(op, b, grad):
    zero = b.number(0, grad)
    return b.make(Where, b.make(Greater, op.data, zero), grad, zero)


@gradient_of(LeakyRelu)
def leaky_relu(op, b, grad):
    positive = b.make(Greater, op.data, b.number(0, grad))
    return b.make(Where, positive, grad, b.scale(grad, op.attrs.alpha))


@gradient_of(PRelu)
def prelu(op, b, grad):
    zero, shape = b.number(0, grad), shape_of(op.data.type)
    axis = op.attrs.axis % len(shape)
    alpha = b.reshape(op.alpha, (shape[axis], *(1 for _ in shape[axis + 1 :])))
    negative = b.make(Less, op.data, zero)
    data = b.make(Where, negative, b.multiply(grad, alpha), grad)
    slopes = b.make(Where, negative, b.multiply(grad, op.data), zero)
    return data, b.sum(slopes, [i for i in range(len(shape)) if i != axis])


@gradient_of(Gelu)
def gelu(op, b, grad):
    """Φ(x) + x · Φ'(x)."""
    x = op.data
    if op.attrs.approximate == "tanh":
        rate = math.sqrt(2 / math.pi)
        square = _square(b, x)
        inner = b.make(Tanh, b.scale(b.multiply(x, b.shift(b.scale(square, 0.044715), 1)), rate))
        slope = b.shift(b.scale(square, 3 * 0.044715), 1)
        density = b.scale(b.multiply(_one_minus_square(b, inner), slope), rate / 2)
    else:
        inner = b.make(Erf, b.scale(x, math.sqrt(0.5)))
        density = b.scale(b.make(Exp, b.scale(_square(b, x), -0.5)), 1 / math.sqrt(2 * math.pi))
    distribution = b.scale(b.shift(inner, 1), 0.5)
    return b.multiply(grad, b.add(distribution, b.multiply(x, density)))
