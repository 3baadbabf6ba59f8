"""The meaning of operators that rearrange elements."""

from __future__ import annotations

import numpy as np

from xrelay.dialects.relay import transform as ops
from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.transform import pad_pairs
from xrelay.interpreters.relay.layouts import to_stored, to_whole
from xrelay.interpreters.relay.registry import meaning


@meaning(ops.Transpose)
def transpose(attrs, data):
    return data.transpose(attrs.axes)


@meaning(ops.Reverse)
def reverse(attrs, data):
    return np.flip(data, attrs.axis)


@meaning(ops.LayoutTransform)
def layout_transform(attrs, data):
    source, target = Layout.parse(attrs.src_layout), Layout.parse(attrs.dst_layout)
    return to_stored(to_whole(data, source, source.letters), source.letters, target)


@meaning(ops.Concatenate)
def concatenate(attrs, *data):
    return np.concatenate(data, attrs.axis)


@meaning(ops.Stack)
def stack(attrs, *data):
    return np.stack(data, attrs.axis)


@meaning(ops.BroadcastTo)
def broadcast_to(attrs, data):
    return np.broadcast_to(data, attrs.shape)


@meaning(ops.Tile)
def tile(attrs, data):
    return np.tile(data, attrs.reps)


@meaning(ops.Repeat)
def repeat(attrs, data):
    return np.repeat(data, attrs.repeats, attrs.axis)


def padded(data, pad_width, mode, **kwargs):
    """np.pad, which refuses tensors of rank 0."""
    return np.pad(data, pad_pairs(pad_width, data.ndim), mode, **kwargs) if data.ndim else data


@meaning(ops.Pad)
def pad(attrs, data):
    if attrs.pad_mode == "constant":
        return padded(data, attrs.pad_width, "constant", constant_values=np.asarray(attrs.pad_value).astype(data.dtype))
    return padded(data, attrs.pad_width, attrs.pad_mode)


@meaning(ops.MirrorPad)
def mirror_pad(attrs, data):
    return padded(data, attrs.pad_width, attrs.mode.lower())


@meaning(ops.DepthToSpace)
def depth_to_space(attrs, data):
    b = attrs.block_size
    n, c, h, w = _nchw(attrs, data).shape
    if attrs.mode == "DCR":
        blocks = _nchw(attrs, data).reshape(n, b, b, c // b**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        blocks = _nchw(attrs, data).reshape(n, c // b**2, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return _from_nchw(attrs, blocks.reshape(n, c // b**2, h * b, w * b))


@meaning(ops.SpaceToDepth)
def space_to_depth(attrs, data):
    b = attrs.block_size
    n, c, h, w = _nchw(attrs, data).shape
    blocks = _nchw(attrs, data).reshape(n, c, h // b, b, w // b, b)
    order = (0, 3, 5, 1, 2, 4) if attrs.mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return _from_nchw(attrs, blocks.transpose(order).reshape(n, c * b**2, h // b, w // b))


def _nchw(attrs, data):
    return data.transpose([attrs.layout.index(letter) for letter in "NCHW"])


def _from_nchw(attrs, data):
    return data.transpose(["NCHW".index(letter) for letter in attrs.layout])
