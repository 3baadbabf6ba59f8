"""The meaning of activation functions."""

from __future__ import annotations

import math

import numpy as np

from xrelay.dialects.relay import activation as ops
from xrelay.interpreters.relay.arrays import in_float32
from xrelay.interpreters.relay.registry import meaning
from xrelay.interpreters.relay.unary import erf


@meaning(ops.Relu)
def relu(attrs, data):
    return np.maximum(data, data.dtype.type(0))


@meaning(ops.LeakyRelu)
@in_float32
def leaky_relu(attrs, data):
    return np.where(data > 0, data, data.dtype.type(attrs.alpha) * data)


@meaning(ops.PRelu)
def prelu(attrs, data, alpha):
    shape = [1] * data.ndim
    shape[attrs.axis] = alpha.size
    return np.where(data > 0, data, alpha.reshape(shape) * data)


@meaning(ops.Gelu)
@in_float32
def gelu(attrs, data):
    if attrs.approximate == "tanh":
        return 0.5 * data * (1 + np.tanh(math.sqrt(2 / math.pi) * (data + 0.044715 * data**3)))
    return 0.5 * data * (1 + erf(data * math.sqrt(0.5)))
