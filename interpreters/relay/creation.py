"""The meaning of operators that make tensors."""

from __future__ import annotations

import numpy as np

from xrelay.dialects.relay import creation as ops
from xrelay.dialects.relay.types import dtype_of, is_float
from xrelay.interpreters.relay.arrays import cast_array
from xrelay.interpreters.relay.registry import meaning


@meaning(ops.Zeros)
def zeros(attrs):
    return np.zeros(attrs.shape, dtype_of(attrs.dtype))


@meaning(ops.Ones)
def ones(attrs):
    return np.ones(attrs.shape, dtype_of(attrs.dtype))


@meaning(ops.Full)
def full(attrs, fill_value):
    dtype = fill_value.dtype if attrs.dtype is None else dtype_of(attrs.dtype)
    return np.broadcast_to(cast_array(fill_value, dtype), attrs.shape)


@meaning(ops.ZerosLike)
def zeros_like(attrs, data):
    return np.zeros_like(data)


@meaning(ops.OnesLike)
def ones_like(attrs, data):
    return np.ones_like(data)


@meaning(ops.FullLike)
def full_like(attrs, data, fill_value):
    return np.broadcast_to(cast_array(fill_value, data.dtype), data.shape)


@meaning(ops.Arange)
def arange(attrs):
    number = float if is_float(attrs.dtype) else int
    positions = np.arange(ops.arange_length(attrs), dtype=np.dtype(number))
    return (number(attrs.start) + positions * number(attrs.step)).astype(dtype_of(attrs.dtype))


@meaning(ops.OneHot)
def one_hot(attrs, indices, on_value, off_value):
    axis = attrs.axis % (indices.ndim + 1)
    positions = np.arange(attrs.depth).reshape([-1] + [1] * (indices.ndim - axis))
    return np.where(np.expand_dims(indices, axis) == positions, on_value, off_value)
