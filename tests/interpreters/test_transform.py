"""The meaning of operators that rearrange elements, against PyTorch and written-out values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.lowering_utils import run_meaning
from tests.optional_torch import functional, torch
from xrelay.dialects.relay import shape
from xrelay.dialects.relay import transform as ops

X = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
IMAGE = np.random.default_rng(0).standard_normal((2, 16, 4, 6)).astype(np.float32)


def run(operator, *arrays, **attrs):
    (result,) = run_meaning(operator, list(arrays), **attrs)
    return result


def test_against_torch():
    x = torch.from_numpy(X)
    cases = [
        (run(ops.Transpose, X, axes=[2, 0, 1]), x.permute(2, 0, 1)),
        (run(ops.Transpose, X), x.permute(2, 1, 0)),
        (run(ops.Reverse, X, axis=-1), x.flip(-1)),
        (run(ops.Concatenate, X, X, axis=1), torch.cat([x, x], 1)),
        (run(ops.Stack, X, X, axis=-1), torch.stack([x, x], -1)),
        (run(ops.BroadcastTo, X[:, :1], shape=[2, 3, 4]), x[:, :1].expand(2, 3, 4)),
        (run(ops.Tile, X, reps=[2, 1, 2]), x.tile(2, 1, 2)),
        (run(ops.Repeat, X, repeats=2, axis=1), x.repeat_interleave(2, 1)),
        (run(ops.Repeat, X, repeats=2), x.repeat_interleave(2)),
        (run(shape.Reshape, X, newshape=[0, -1]), x.reshape(2, 12)),
        (run(shape.BatchFlatten, X), x.flatten(1)),
        (run(shape.ExpandDims, X, axis=-1), x.unsqueeze(-1)),
        (run(shape.Squeeze, X[:1], axis=[0]), x[:1].squeeze(0)),
    ]
    for got, want in cases:
        np.testing.assert_array_equal(got, want.numpy())
    assert run(shape.ShapeOf, X).tolist() == [2, 3, 4]


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
def test_pad(mode: str):
    """PyTorch lists the last axis first."""
    torch_mode = {"edge": "replicate"}.get(mode, mode)
    value = 1.5 if mode == "constant" else 0
    expected = functional.pad(torch.from_numpy(X), (1, 2), torch_mode, value)
    got = run(ops.Pad, X, pad_width=[0, 0, 0, 0, 1, 2], pad_mode=mode, pad_value=value)
    np.testing.assert_array_equal(got, expected.numpy())


def test_pad_value_of_integers():
    assert run(ops.Pad, np.array([1], np.uint8), pad_width=[1, 0], pad_value=255).tolist() == [255, 1]


def test_mirror_pad():
    x = np.array([1, 2, 3])
    assert run(ops.MirrorPad, x, pad_width=[3, 2]).tolist() == [3, 2, 1, 1, 2, 3, 3, 2]
    assert run(ops.MirrorPad, x, pad_width=[2, 1], mode="REFLECT").tolist() == [3, 2, 1, 2, 3, 2]


def test_depth_to_space_is_pixel_shuffle():
    x = torch.from_numpy(IMAGE)
    attrs = {"block_size": 2, "mode": "CRD"}
    np.testing.assert_array_equal(run(ops.DepthToSpace, IMAGE, **attrs), functional.pixel_shuffle(x, 2).numpy())
    np.testing.assert_array_equal(run(ops.SpaceToDepth, IMAGE, **attrs), functional.pixel_unshuffle(x, 2).numpy())


def test_depth_to_space_of_tensorflow():
    """The example in TensorFlow's documentation of depth_to_space, layout NHWC."""
    x = np.array([[[[1, 2, 3, 4], [5, 6, 7, 8]], [[9, 10, 11, 12], [13, 14, 15, 16]]]])
    y = run(ops.DepthToSpace, x, block_size=2, layout="NHWC")
    assert y[0, :, :, 0].tolist() == [[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]
    np.testing.assert_array_equal(run(ops.SpaceToDepth, y, block_size=2, layout="NHWC"), x)


def test_layout_transform():
    blocked = run(ops.LayoutTransform, IMAGE, src_layout="NCHW", dst_layout="NCHW8c")
    np.testing.assert_array_equal(blocked, IMAGE.reshape(2, 2, 8, 4, 6).transpose(0, 1, 3, 4, 2))
    back = run(ops.LayoutTransform, blocked, src_layout="NCHW8c", dst_layout="NHWC")
    np.testing.assert_array_equal(back, IMAGE.transpose(0, 2, 3, 1))
    narrower = run(ops.LayoutTransform, blocked, src_layout="NCHW8c", dst_layout="NCHW4c")
    np.testing.assert_array_equal(narrower, IMAGE.reshape(2, 4, 4, 4, 6).transpose(0, 1, 3, 4, 2))


def test_layout_transform_fills_up_with_zeros():
    padded = run(ops.LayoutTransform, IMAGE[:, :5], src_layout="NCHW", dst_layout="NCHW4c")
    assert padded.shape == (2, 2, 4, 6, 4)
    np.testing.assert_array_equal(padded[:, 1, :, :, 0], IMAGE[:, 4])
    assert not padded[:, 1, :, :, 1:].any()


def test_layout_transform_of_split_weights():
    weight = np.random.default_rng(0).standard_normal((32, 32, 1, 1)).astype(np.float32)
    got = run(ops.LayoutTransform, weight, src_layout="OIHW", dst_layout="OIHW4i16o4i")
    # i = I · 16 + i0 · 4 + i1
    expected = weight.reshape(2, 16, 2, 4, 4, 1, 1).transpose(0, 2, 5, 6, 3, 1, 4)
    np.testing.assert_array_equal(got, expected)
