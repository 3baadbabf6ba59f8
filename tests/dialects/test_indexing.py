"""Type rules of operators that pick elements by position."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer
from xrelay.dialects.relay import indexing as ops
from xrelay.dialects.relay.types import bool_type, i64


def test_strided_slice():
    assert infer(ops.StridedSlice, "5x6xf32", begin=[1], end=[4]) == "3x6xf32"
    assert infer(ops.StridedSlice, "5x6xf32", begin=[-3], end=[2**40], axes=[-1]) == "5x3xf32"
    assert infer(ops.StridedSlice, "5x6xf32", begin=[4, 5], end=[-(2**40), 0], strides=[-1, -2]) == "5x3xf32"
    assert infer(ops.StridedSlice, "5x6xf32", begin=[1, 0], end=[2, -1], slice_mode="size") == "2x6xf32"
    assert infer(ops.StridedSlice, "?x6xf32", begin=[1, 1], end=[2, 1]) == "?x0xf32"
    assert infer(ops.StridedSlice, "5xf32", begin=[7], end=[9]) == "0xf32"


@pytest.mark.parametrize(
    "attrs",
    [
        {"begin": [0], "end": [1, 1]},
        {"begin": [0], "end": [1], "strides": [1, 1]},
        {"begin": [0], "end": [1], "axes": [2]},
        {"begin": [0, 0], "end": [1, 1], "axes": [1, -1]},
        {"begin": [0, 0, 0], "end": [1, 1, 1]},
    ],
)
def test_strided_slice_c1(attrs: dict):
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.StridedSlice, "5x6xf32", **attrs)


@pytest.mark.parametrize("attrs", [{"strides": [0]}, {"slice_mode": "begin"}])
def test_strided_slice_c2(attrs: dict):
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.StridedSlice, "5x6xf32", begin=[0], end=[1], **attrs)


@pytest.mark.parametrize(("begin", "end", "stride"), [(3, 1, 1), (1, 3, -1), (-1, 0, 1)])
def test_strided_slice_c3(begin: int, end: int, stride: int):
    with pytest.raises(VerifyException, match="C3: the slice of axis 0 begins at"):
        infer(ops.StridedSlice, "5x6xf32", begin=[begin], end=[end], strides=[stride])


def test_split():
    assert infer(ops.Split, "6x?xf32", indices_or_sections=3) == ["2x?xf32"] * 3
    assert infer(ops.Split, "6x?xf32", indices_or_sections=2, axis=1) == ["6x?xf32"] * 2
    assert infer(ops.Split, "6xf32", indices_or_sections=[2, 2, 9]) == ["2xf32", "0xf32", "4xf32", "0xf32"]


@pytest.mark.parametrize("where", [4, 0, -1, [3, 2], [-1]])
def test_split_c2(where):
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.Split, "6xf32", indices_or_sections=where)


def test_split_c1_and_unknown_axis():
    with pytest.raises(VerifyException, match="C1: axis 1"):
        infer(ops.Split, "6xf32", indices_or_sections=2, axis=1)
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.Split, "?xf32", indices_or_sections=[2])


def test_take():
    assert infer(ops.Take, "4x5xf32", "2x3xi32", axis=0) == "2x3x5xf32"
    assert infer(ops.Take, "4x5xf32", "i64", axis=-1) == "4xf32"
    assert infer(ops.Take, "4x5xf32", "?xi32") == "?xf32"
    assert infer(ops.Take, "4x5xf32", "4x3xi32", axis=1, batch_dims=1) == "4x3xf32"


def test_take_constraints():
    with pytest.raises(VerifyException, match="C1: indices are integers, not f32"):
        infer(ops.Take, "4xf32", "2xf32")
    with pytest.raises(VerifyException, match="C1: mode"):
        infer(ops.Take, "4xf32", "2xi32", mode="raise")
    with pytest.raises(VerifyException, match="C2: axis 1"):
        infer(ops.Take, "4xf32", "2xi32", axis=1)
    with pytest.raises(VerifyException, match="C2: batch_dims 1"):
        infer(ops.Take, "4x5xf32", "4x2xi32", axis=0, batch_dims=1)
    with pytest.raises(VerifyException, match="C2: batch_dims 1 needs an axis"):
        infer(ops.Take, "4x5xf32", "4x2xi32", batch_dims=1)
    with pytest.raises(VerifyException, match="C3: "):
        infer(ops.Take, "4x5xf32", "3x2xi32", axis=1, batch_dims=1)
    with pytest.raises(VerifyException, match=r"C4: axis 0 of .* has no element"):
        infer(ops.Take, "0x5xf32", "2xi32", axis=0)


def test_gather():
    assert infer(ops.Gather, "4x5xf32", "4x2xi32", axis=1) == "4x2xf32"
    assert infer(ops.Gather, "?x5xf32", "3x9xi64", axis=-1) == "3x9xf32"
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.Gather, "4x5xf32", "4x2xf32", axis=1)
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.Gather, "4x5xf32", "4x2xi32", axis=2)
    with pytest.raises(VerifyException, match="C3: "):
        infer(ops.Gather, "4x5xf32", "5x2xi32", axis=1)
    with pytest.raises(VerifyException, match="C3: "):
        infer(ops.Gather, "4x5xf32", "4xi32", axis=1)


def test_gather_nd():
    assert infer(ops.GatherND, "4x5x6xf32", "2x3xi32") == "3x6xf32"
    assert infer(ops.GatherND, "4x5x6xf32", "1x4x3xi32", batch_dims=1) == "4x3x6xf32"
    assert infer(ops.GatherND, "4x5xf32", "?x3xi32", index_rank=2) == "3xf32"
    with pytest.raises(VerifyException, match="C1: indices"):
        infer(ops.GatherND, "4x5xf32", "2xf32")
    with pytest.raises(VerifyException, match="C1: the first size"):
        infer(ops.GatherND, "4x5xf32", "?x3xi32")
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.GatherND, "4x5xf32", "3x3xi32")
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.GatherND, "4x5xf32", "1xi32", batch_dims=1)
    with pytest.raises(VerifyException, match="C3: "):
        infer(ops.GatherND, "4x5xf32", "1x3xi32", batch_dims=1)


def test_scatter_elements():
    assert infer(ops.ScatterElements, "4x5xf32", "2x3xi32", "2x3xf32", axis=1) == "4x5xf32"
    with pytest.raises(VerifyException, match="C1: indices"):
        infer(ops.ScatterElements, "4xf32", "2xf32", "2xf32")
    with pytest.raises(VerifyException, match='C1: cannot "update" f16 into f32'):
        infer(ops.ScatterElements, "4xf32", "2xi32", "2xf16")
    with pytest.raises(VerifyException, match='C1: cannot "add" i1 into i1'):
        infer(ops.ScatterElements, "4xi1", "2xi32", "2xi1", reduction="add")
    with pytest.raises(VerifyException, match="C2: reduction"):
        infer(ops.ScatterElements, "4xf32", "2xi32", "2xf32", reduction="mean")
    with pytest.raises(VerifyException, match="C2: axis"):
        infer(ops.ScatterElements, "4xf32", "2xi32", "2xf32", axis=1)
    with pytest.raises(VerifyException, match="C3: "):
        infer(ops.ScatterElements, "4x5xf32", "5x1xi32", "5x1xf32", axis=1)
    with pytest.raises(VerifyException, match="C3: "):
        infer(ops.ScatterElements, "4xf32", "2xi32", "3xf32")


def test_cumsum():
    assert infer(ops.Cumsum, "2x?xi32", axis=-1) == "2x?xi32"
    assert infer(ops.Cumsum, "2x3xi1", dtype=i64) == "6xi64"
    with pytest.raises(VerifyException, match="C1: axis 2"):
        infer(ops.Cumsum, "2x3xf32", axis=2)
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.Cumsum, "2x3xf32", dtype=bool_type)


def test_trilu():
    assert infer(ops.Trilu, "2x?x3xf32", "i64") == "2x?x3xf32"
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.Trilu, "3xf32", "i64")
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.Trilu, "3x3xf32", "1xi64")
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.Trilu, "3x3xf32", "f32")


@pytest.mark.parametrize("size", [1, 4, 5])
@pytest.mark.parametrize("stride", [1, 2, -1, -3])
def test_slices_are_numpys(size: int, stride: int):
    """Where NumPy's slice is not empty by begin behind end, the sizes agree with it."""
    data = np.empty(size)
    for begin in range(-size - 2, size + 2):
        for end in range(-size - 2, size + 2):
            expected = data[begin:end:stride].size
            try:
                result = infer(ops.StridedSlice, f"{size}xf32", begin=[begin], end=[end], strides=[stride])
            except VerifyException:
                result = "0xf32"
            assert result == f"{expected}xf32", (begin, end)
