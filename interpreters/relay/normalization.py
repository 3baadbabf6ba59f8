"""The meaning of normalizations."""

from __future__ import annotations

import numpy as np

from xrelay.dialects.relay import normalization as ops
from xrelay.interpreters.relay.arrays import in_float32
from xrelay.interpreters.relay.linear import along
from xrelay.interpreters.relay.registry import meaning


def scaled(attrs, normalized, gamma, beta):
    """normalized · gamma + beta along the axis, as far as the operator wants them."""
    if attrs.scale:
        normalized = normalized * along(gamma, attrs.axis, normalized.ndim)
    if attrs.center:
        normalized = normalized + along(beta, attrs.axis, normalized.ndim)
    return normalized


def standardized(attrs, data, axes):
    """(data - mean) / sqrt(variance + epsilon), with the statistics over some axes."""
    centred = data - _mean(data, axes)
    return centred / np.sqrt(_mean(centred * centred, axes) + data.dtype.type(attrs.epsilon))


def _mean(data, axes):
    count = np.prod([data.shape[axis] for axis in axes], dtype=np.int64)
    return data.sum(axes, keepdims=True) / data.dtype.type(count)


@meaning(ops.BatchNorm)
def batch_norm(attrs, data, gamma, beta, moving_mean, moving_var):
    return _normalized(attrs, data, gamma, beta, moving_mean, moving_var), moving_mean, moving_var


@in_float32
def _normalized(attrs, data, gamma, beta, mean, var):
    centred = data - along(mean, attrs.axis, data.ndim)
    spread = np.sqrt(along(var, attrs.axis, data.ndim) + data.dtype.type(attrs.epsilon))
    return scaled(attrs, centred / spread, gamma, beta)


@meaning(ops.LayerNorm)
@in_float32
def layer_norm(attrs, data, gamma, beta):
    return scaled(attrs, standardized(attrs, data, (attrs.axis,)), gamma, beta)


@meaning(ops.InstanceNorm)
@in_float32
def instance_norm(attrs, data, gamma, beta):
    channel = attrs.axis % data.ndim
    axes = tuple(axis for axis in range(1, data.ndim) if axis != channel)
    return scaled(attrs, standardized(attrs, data, axes), gamma, beta)


@meaning(ops.GroupNorm)
@in_float32
def group_norm(attrs, data, gamma, beta):
    channel = attrs.axis % data.ndim
    shape = list(data.shape)
    shape[channel : channel + 1] = [attrs.num_groups, shape[channel] // attrs.num_groups]
    axes = tuple(axis for axis in range(1, data.ndim + 1) if axis != channel)
    return scaled(attrs, standardized(attrs, data.reshape(shape), axes).reshape(data.shape), gamma, beta)


def _shifted(attrs, data):
    return data - data.max(attrs.axis, keepdims=True, initial=-np.inf)


@meaning(ops.Softmax)
@in_float32
def softmax(attrs, data):
    powers = np.exp(_shifted(attrs, data))
    return powers / powers.sum(attrs.axis, keepdims=True)


@meaning(ops.LogSoftmax)
@in_float32
def log_softmax(attrs, data):
    shifted = _shifted(attrs, data)
    return shifted - np.log(np.exp(shifted).sum(attrs.axis, keepdims=True))


@meaning(ops.L2Normalize)
@in_float32
def l2_normalize(attrs, data):
    total = (data * data).sum(tuple(attrs.axis), keepdims=True)
    return data / np.sqrt(np.maximum(total, data.dtype.type(attrs.eps)))


@meaning(ops.LRN)
@in_float32
def lrn(attrs, data):
    squares = np.moveaxis(data * data, attrs.axis, -1)
    before = (attrs.size - 1) // 2
    padded = np.pad(squares, [(0, 0)] * (data.ndim - 1) + [(before, attrs.size - 1 - before)])
    total = np.stack([padded[..., i : i + squares.shape[-1]] for i in range(attrs.size)]).sum(0)
    scale = attrs.bias + attrs.alpha / attrs.size * np.moveaxis(total, -1, attrs.axis)
    return data / scale**attrs.beta


@meaning(ops.Dropout)
def dropout(attrs, data):
    return data, np.ones_like(data)
