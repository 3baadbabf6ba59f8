"""Type rules of operators that rearrange elements."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer
from xrelay.dialects.relay import transform as ops


def test_transpose():
    assert infer(ops.Transpose, "2x?x4xf32") == "4x?x2xf32"
    assert infer(ops.Transpose, "2x?x4xf32", axes=[1, -1, 0]) == "?x4x2xf32"


@pytest.mark.parametrize("axes", [[0], [0, 0], [0, 2]])
def test_transpose_c1(axes: list[int]):
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.Transpose, "2x3xf32", axes=axes)


def test_reverse():
    assert infer(ops.Reverse, "2x?xf32", axis=-1) == "2x?xf32"
    with pytest.raises(VerifyException, match="C1: axis 2"):
        infer(ops.Reverse, "2x3xf32", axis=2)


def test_layout_transform():
    assert infer(ops.LayoutTransform, "1x20x?x4xf32", src_layout="NCHW", dst_layout="NCHW16c") == "1x2x?x4x16xf32"
    assert infer(ops.LayoutTransform, "1x2x5x4x16xf32", src_layout="NCHW16c", dst_layout="NHWC") == "1x5x4x32xf32"


@pytest.mark.parametrize(("src", "dst"), [("NCHW", "NHW"), ("NCH", "NHC"), ("NCHW", "NCHw")])
def test_layout_transform_c1(src: str, dst: str):
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.LayoutTransform, "1x2x3x4xf32", src_layout=src, dst_layout=dst)


def test_concatenate():
    assert infer(ops.Concatenate, "2x3xf32", "4x3xf32") == "6x3xf32"
    assert infer(ops.Concatenate, "2x?xf32", "?x3xf32", axis=-1) == "2x?xf32"
    assert infer(ops.Concatenate, "2x3xf32") == "2x3xf32"


def test_stack():
    assert infer(ops.Stack, "2x?xf32", "2x3xf32", axis=-1) == "2x3x2xf32"
    assert infer(ops.Stack, "f32", "f32", "f32") == "3xf32"


@pytest.mark.parametrize("operator", [ops.Concatenate, ops.Stack])
def test_join_constraints(operator):
    with pytest.raises(VerifyException, match="C1: at least one"):
        infer(operator)
    with pytest.raises(VerifyException, match="C1: element types differ: f32, i32"):
        infer(operator, "2x3xf32", "2x3xi32")
    with pytest.raises(VerifyException, match="C2: sizes differ on axis 1"):
        infer(operator, "2x3xf32", "2x4xf32")
    with pytest.raises(VerifyException, match="C2: ranks differ"):
        infer(operator, "2x3xf32", "2xf32")
    with pytest.raises(VerifyException, match="C3: axis 3"):
        infer(operator, "2x3xf32", "2x3xf32", axis=3)


def test_broadcast_to():
    assert infer(ops.BroadcastTo, "3x1xf32", shape=[2, 3, 4]) == "2x3x4xf32"
    assert infer(ops.BroadcastTo, "?xf32", shape=[4]) == "4xf32"


@pytest.mark.parametrize("shape", [[2], [3, 2], [3]])
def test_broadcast_to_c1(shape: list[int]):
    with pytest.raises(VerifyException, match=r"C1: .* does not broadcast"):
        infer(ops.BroadcastTo, "2x3xf32", shape=shape)


def test_tile():
    assert infer(ops.Tile, "2x?xf32", reps=[3]) == "2x?xf32"
    assert infer(ops.Tile, "2x3xf32", reps=[2, 1, 4]) == "2x2x12xf32"
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.Tile, "2x3xf32", reps=[-1])


def test_repeat():
    assert infer(ops.Repeat, "2x?xf32", repeats=3, axis=0) == "6x?xf32"
    assert infer(ops.Repeat, "2x3xf32", repeats=2) == "12xf32"
    with pytest.raises(VerifyException, match="C1: cannot repeat -1 times"):
        infer(ops.Repeat, "2x3xf32", repeats=-1)
    with pytest.raises(VerifyException, match="C2: axis 2"):
        infer(ops.Repeat, "2x3xf32", repeats=2, axis=2)


def test_pad():
    assert infer(ops.Pad, "2x?xf32", pad_width=[1, 2, 0, 3]) == "5x?xf32"
    assert infer(ops.Pad, "0xf32", pad_width=[1, 2]) == "3xf32"
    assert infer(ops.Pad, "3xf32", pad_width=[2, 2], pad_mode="reflect") == "7xf32"
    assert infer(ops.Pad, "3xf32", pad_width=[5, 5], pad_mode="edge") == "13xf32"


def test_mirror_pad():
    assert infer(ops.MirrorPad, "3xf32", pad_width=[3, 3]) == "9xf32"
    assert infer(ops.MirrorPad, "3x?xf32", pad_width=[2, 2, 1, 1], mode="REFLECT") == "7x?xf32"


@pytest.mark.parametrize("operator", [ops.Pad, ops.MirrorPad])
@pytest.mark.parametrize("pad_width", [[1], [1, 1, 1, 1], [-1, 2]])
def test_pad_c1(operator, pad_width: list[int]):
    with pytest.raises(VerifyException, match="C1: pad_width"):
        infer(operator, "3xf32", pad_width=pad_width)


def test_pad_c2_mode():
    with pytest.raises(VerifyException, match='C2: pad_mode is "constant", "edge" or "reflect", not "wrap"'):
        infer(ops.Pad, "3xf32", pad_width=[1, 1], pad_mode="wrap")
    with pytest.raises(VerifyException, match='C2: mode is "SYMMETRIC" or "REFLECT", not "reflect"'):
        infer(ops.MirrorPad, "3xf32", pad_width=[1, 1], mode="reflect")


@pytest.mark.parametrize(
    ("operator", "data", "attrs"),
    [
        (ops.Pad, "3xf32", {"pad_width": [3, 0], "pad_mode": "reflect"}),
        (ops.Pad, "0xf32", {"pad_width": [0, 1], "pad_mode": "edge"}),
        (ops.MirrorPad, "3xf32", {"pad_width": [0, 4]}),
        (ops.MirrorPad, "3xf32", {"pad_width": [0, 3], "mode": "REFLECT"}),
    ],
)
def test_pad_c3_too_short(operator, data: str, attrs: dict):
    with pytest.raises(VerifyException, match="C3: axis 0"):
        infer(operator, data, **attrs)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_blocks(mode: str):
    assert infer(ops.DepthToSpace, "1x8x?x3xf32", block_size=2, mode=mode) == "1x2x?x6xf32"
    assert infer(ops.SpaceToDepth, "1x4x6x2xf32", block_size=2, mode=mode, layout="NHWC") == "1x2x3x8xf32"


@pytest.mark.parametrize("operator", [ops.DepthToSpace, ops.SpaceToDepth])
@pytest.mark.parametrize(
    ("data", "attrs"), [("4x4x4xf32", {}), ("1x4x4x4xf32", {"layout": "CHWN"}), ("1x4x4x4xf32", {"mode": "RCD"})]
)
def test_blocks_c1(operator, data: str, attrs: dict):
    with pytest.raises(VerifyException, match="C1: "):
        infer(operator, data, **attrs)


@pytest.mark.parametrize("operator", [ops.DepthToSpace, ops.SpaceToDepth])
@pytest.mark.parametrize("block_size", [0, 3])
def test_blocks_c2(operator, block_size: int):
    with pytest.raises(VerifyException, match="C2: "):
        infer(operator, "1x4x4x4xf32", block_size=block_size)
