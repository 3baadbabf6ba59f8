"""Operators that rearrange and pick elements: the lowering gives what the meaning gives."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.lowering_utils import assert_lowering_matches, run_lowered
from xrelay.dialects.relay import indexing, shape, transform
from xrelay.dialects.relay.types import i32, i64
from xrelay.errors import ExecutionError

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 4, 5)).astype(np.float32)
IMAGE = RNG.standard_normal((2, 16, 4, 6)).astype(np.float32)
BYTES = RNG.integers(0, 256, (3, 4, 5)).astype(np.uint8)
BOOLS = X > 0


@pytest.mark.parametrize("data", [X, BYTES, BOOLS], ids=lambda a: str(a.dtype))
@pytest.mark.parametrize(
    ("operator", "attrs"),
    [
        (shape.Reshape, {"newshape": [0, -1]}),
        (shape.BatchFlatten, {}),
        (shape.ExpandDims, {"axis": 1, "num_newaxis": 2}),
        (shape.ShapeOf, {}),
        (shape.ShapeOf, {"dtype": i64}),
        (transform.Transpose, {}),
        (transform.Transpose, {"axes": [2, 0, -2]}),
        (transform.Reverse, {"axis": 1}),
        (transform.BroadcastTo, {"shape": [2, 3, 4, 5]}),
        (transform.Tile, {"reps": [2, 1, 3, 1]}),
        (transform.Tile, {"reps": [2]}),
        (transform.Tile, {"reps": [0, 2]}),
        (transform.Repeat, {"repeats": 3, "axis": -2}),
        (transform.Repeat, {"repeats": 2}),
        (transform.Repeat, {"repeats": 0}),
        (transform.Pad, {"pad_width": [1, 2, 0, 0, 3, 4], "pad_value": 1.0}),
        (transform.Pad, {"pad_width": [1, 2, 0, 0, 3, 4], "pad_mode": "edge"}),
        (transform.Pad, {"pad_width": [1, 2, 0, 0, 3, 4], "pad_mode": "reflect"}),
        (transform.MirrorPad, {"pad_width": [3, 2, 0, 0, 4, 5]}),
        (transform.MirrorPad, {"pad_width": [1, 2, 0, 0, 3, 4], "mode": "REFLECT"}),
        (indexing.StridedSlice, {"begin": [2, 0, 1], "end": [-100, 100, 4], "strides": [-1, 2, 1]}),
        (indexing.StridedSlice, {"begin": [0], "end": [2], "axes": [1]}),
        (indexing.StridedSlice, {"begin": [1], "end": [-1], "axes": [2], "slice_mode": "size"}),
        (indexing.StridedSlice, {"begin": [1], "end": [1], "axes": [2]}),
        (indexing.Split, {"indices_or_sections": 2, "axis": 1}),
        (indexing.Split, {"indices_or_sections": [1, 1, 3], "axis": -1}),
    ],
)
def test_one_operand(operator, attrs: dict, data: np.ndarray):
    assert_lowering_matches(operator, [data], **attrs)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_join(axis: int):
    assert_lowering_matches(transform.Concatenate, [X, X[::-1]], axis=axis)
    assert_lowering_matches(transform.Stack, [X, X[::-1]], axis=axis)


def test_join_with_nothing():
    assert_lowering_matches(transform.Concatenate, [X[:0], BYTES[:0].astype(np.float32), X])
    assert_lowering_matches(transform.Concatenate, [X[:0], X[:0]])


@pytest.mark.parametrize("operator", [transform.DepthToSpace, transform.SpaceToDepth])
@pytest.mark.parametrize("mode", ["DCR", "CRD"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_blocks(operator, mode: str, layout: str):
    data = IMAGE if layout == "NCHW" else IMAGE.transpose(0, 2, 3, 1)
    assert_lowering_matches(operator, [data], block_size=2, mode=mode, layout=layout)


@pytest.mark.parametrize(
    ("src", "dst", "sizes"),
    [
        ("NCHW", "NHWC", (2, 20, 3, 4)),
        ("NCHW", "NCHW4c", (2, 20, 3, 4)),
        ("NCHW", "NCHW16c", (2, 20, 3, 4)),
        ("NCHW", "NCHW16c", (0, 20, 3, 4)),
        ("NCHW16c", "NCHW", (2, 2, 3, 4, 16)),
        ("NCHW16c", "NHWC", (2, 2, 3, 4, 16)),
        ("NCHW16c", "NCHW8c", (2, 2, 3, 4, 16)),
        ("NCHW4c", "NCHW16c", (2, 3, 3, 4, 4)),
        ("NCHW16c", "NHWC16c", (2, 2, 3, 4, 16)),
        ("OIHW", "OIHW4i16o4i", (20, 17, 2, 2)),
        ("OIHW4i16o4i", "IHWO", (2, 2, 1, 1, 4, 16, 4)),
    ],
)
def test_layout_transform(src: str, dst: str, sizes: tuple[int, ...]):
    data = RNG.standard_normal(sizes).astype(np.float32)
    assert_lowering_matches(transform.LayoutTransform, [data], src_layout=src, dst_layout=dst)


INDICES = RNG.integers(-6, 8, (2, 3))


@pytest.mark.parametrize("mode", ["clip", "wrap", "fast"])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int8])
def test_take(mode: str, dtype):
    assert_lowering_matches(indexing.Take, [X, INDICES.astype(dtype)], axis=1, mode=mode)
    assert_lowering_matches(indexing.Take, [X, INDICES.astype(dtype)], mode=mode)


def test_take_of_other_ranks():
    assert_lowering_matches(indexing.Take, [X, np.uint8(200)], axis=0)
    assert_lowering_matches(indexing.Take, [X, np.empty((0, 2), np.int32)], axis=0)
    assert_lowering_matches(indexing.Take, [X, INDICES.clip(-4, 3)], axis=1, mode="error")
    assert_lowering_matches(indexing.Take, [X, RNG.integers(0, 4, (3, 2))], axis=1, batch_dims=1)


def test_gather():
    assert_lowering_matches(indexing.Gather, [X, RNG.integers(0, 4, (2, 6, 5))], axis=1)
    assert_lowering_matches(indexing.GatherND, [X, RNG.integers(0, 3, (2, 4, 5))])
    assert_lowering_matches(indexing.GatherND, [X, RNG.integers(0, 3, (2, 3, 6)).astype(np.uint8)], batch_dims=1)
    assert_lowering_matches(indexing.GatherND, [X, np.empty((0, 3, 6), np.int32)], batch_dims=1)


@pytest.mark.parametrize(
    ("operator", "indices", "attrs"),
    [
        (indexing.Take, [4], {"axis": 1, "mode": "error"}),
        (indexing.Take, [-5], {"axis": 1, "mode": "error"}),
        (indexing.Gather, [[[-1]]], {"axis": 1}),
        (indexing.GatherND, [[3], [0]], {}),
        (indexing.ScatterElements, [[[4]]], {"axis": 1}),
    ],
)
def test_an_index_outside_stops_the_run(operator, indices: list, attrs: dict):
    operands = [X, np.array(indices)]
    if operator is indexing.ScatterElements:
        operands.append(np.ones((1, 1, 1), np.float32))
    with pytest.raises(ExecutionError, match=r"an index is outside its axis of size [34]"):
        run_lowered(operator, operands, **attrs)


@pytest.mark.parametrize("reduction", ["update", "add", "mul", "min", "max"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint8, np.float16])
def test_scatter_elements(reduction: str, axis: int, dtype):
    data = (RNG.random((3, 4, 5)) * 9).astype(dtype)
    indices, updates = RNG.integers(0, 3, (2, 3, 4)), (RNG.random((2, 3, 4)) * 9).astype(dtype)
    rtol = 0 if np.dtype(dtype).kind in "iu" else 5e-3 if dtype is np.float16 else 1e-6
    assert_lowering_matches(
        indexing.ScatterElements, [data, indices, updates], rtol=rtol, axis=axis, reduction=reduction
    )


@pytest.mark.parametrize("exclusive", [False, True])
def test_cumsum(exclusive: bool):
    assert_lowering_matches(indexing.Cumsum, [X], rtol=1e-6, axis=1, exclusive=exclusive)
    assert_lowering_matches(indexing.Cumsum, [BYTES], exclusive=exclusive)
    assert_lowering_matches(indexing.Cumsum, [BOOLS], dtype=i32, axis=-1, exclusive=exclusive)
    assert_lowering_matches(indexing.Cumsum, [X.astype(np.float16)], rtol=2e-3, axis=0, exclusive=exclusive)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("k", [-6, -1, 0, 2])
def test_trilu(k: int, upper: bool):
    assert_lowering_matches(indexing.Trilu, [X, np.array(k)], upper=upper)
