"""The meaning of matrix products."""

from __future__ import annotations

import numpy as np

from xrelay.dialects.relay import linear as ops
from xrelay.interpreters.relay.convolution import sum_dtype
from xrelay.interpreters.relay.registry import meaning


def product(a, b, out_dtype):
    """The matrix product of stacks of matrices, summed in the accumulation type."""
    dtype = sum_dtype(a, out_dtype)
    return np.matmul(a.astype(dtype), b.astype(dtype))


@meaning(ops.Dense)
def dense(attrs, data, weight):
    return product(data, weight.T, attrs.out_dtype)


@meaning(ops.Matmul, ops.BatchMatmul)
def matmul(attrs, a, b):
    a = a.swapaxes(-1, -2) if attrs.transpose_a else a
    b = b.swapaxes(-1, -2) if attrs.transpose_b else b
    return product(a, b, attrs.out_dtype)


@meaning(ops.BiasAdd)
def bias_add(attrs, data, bias):
    return data + along(bias, attrs.axis, data.ndim)


def along(vector, axis, rank):
    """A vector as an array of this rank that extends along one axis only."""
    shape = [1] * rank
    shape[axis] = -1
    return vector.reshape(shape)
