"""The meaning of operators that give the same elements another shape."""

from __future__ import annotations

import numpy as np

from xrelay.dialects.relay import shape as ops
from xrelay.interpreters.relay.registry import meaning


@meaning(ops.Reshape)
def reshape(attrs, data):
    return data.reshape(ops.Reshape.infer_shape(data.shape, attrs))


@meaning(ops.BatchFlatten)
def batch_flatten(attrs, data):
    return data.reshape(ops.BatchFlatten.infer_shape(data.shape, attrs))


@meaning(ops.ExpandDims)
def expand_dims(attrs, data):
    return data.reshape(ops.ExpandDims.infer_shape(data.shape, attrs))


@meaning(ops.Squeeze)
def squeeze(attrs, data):
    return data.squeeze(attrs.axis)


@meaning(ops.ShapeOf)
def shape_of(attrs, data):
    return np.array(data.shape, np.int64)
