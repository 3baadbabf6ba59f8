"""Type rules of operators that give the same elements another shape."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer
from xrelay.dialects.relay import shape as ops
from xrelay.dialects.relay.core import View
from xrelay.dialects.relay.types import f32, i64


@pytest.mark.parametrize(
    ("data", "newshape", "result"),
    [
        # Relay's examples of the codes.
        ("2x3x4xf32", [4, 0, 2], "4x3x2xf32"),
        ("2x3x4xf32", [2, 0, 0], "2x3x4xf32"),
        ("2x3x4xf32", [6, 1, -1], "6x1x4xf32"),
        ("2x3x4xf32", [3, -1, 8], "3x1x8xf32"),
        ("2x3x4xf32", [-1], "24xf32"),
        ("2x3x4xf32", [-2], "2x3x4xf32"),
        ("2x3x4xf32", [2, -2], "2x3x4xf32"),
        ("2x3x4xf32", [-2, 1, 1], "2x3x4x1x1xf32"),
        ("2x3x4xf32", [-3, 4], "6x4xf32"),
        ("2x3x4x5xf32", [-3, -3], "6x20xf32"),
        ("2x3x4xf32", [0, -3], "2x12xf32"),
        ("2x3x4xf32", [-3, -2], "6x4xf32"),
        ("2x3x4xf32", [-4, 1, 2, -2], "1x2x3x4xf32"),
        ("2x3x4xf32", [2, -4, -1, 3, -2], "2x1x3x4xf32"),
        # Unknown sizes: what is copied cancels.
        ("?x3x4xf32", [0, -1], "?x12xf32"),
        ("?x3x4xf32", [-1, 12], "?x12xf32"),
        ("?x3x4xf32", [-3, -1], "?x4xf32"),
        ("?x4xf32", [-4, -1, 2, 0], "?x2x4xf32"),
        ("?xf32", [2, 3], "2x3xf32"),
        # No elements.
        ("0x3xf32", [0, -1], "0x3xf32"),
        ("0x3xf32", [0, 7], "0x7xf32"),
        ("f32", [1, 1], "1x1xf32"),
        ("1x1xf32", [], "f32"),
    ],
)
def test_reshape(data: str, newshape: list[int], result: str):
    assert infer(ops.Reshape, data, newshape=newshape) == result


def test_reshape_allowzero():
    assert infer(ops.Reshape, "0x3xf32", newshape=[3, 0], allowzero=True) == "3x0xf32"


@pytest.mark.parametrize("newshape", [[5], [5, -1], [3, 3], [0, 0]])
def test_reshape_c1_number_of_elements(newshape: list[int]):
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.Reshape, "2x3x4xf32", newshape=newshape)


@pytest.mark.parametrize("newshape", [[0, 0, 0], [-3, 1, -3], [2, 3, -4, 1], [-5]])
def test_reshape_c2_codes(newshape: list[int]):
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.Reshape, "2x3xf32", newshape=newshape)


def test_reshape_c3_two_inferred():
    with pytest.raises(VerifyException, match="C3: -1 stands more than once"):
        infer(ops.Reshape, "2x3xf32", newshape=[-1, -1])


@pytest.mark.parametrize("parts", [(2, 2), (-1, 4), (-1, -1), (-1, 0)])
def test_reshape_c4_split(parts: tuple[int, int]):
    with pytest.raises(VerifyException, match="C4: "):
        infer(ops.Reshape, "6xf32", newshape=[-4, *parts])


def test_batch_flatten():
    assert infer(ops.BatchFlatten, "2x3x4xf32") == "2x12xf32"
    assert infer(ops.BatchFlatten, "?x3x?xf32") == "?x?xf32"
    assert infer(ops.BatchFlatten, "5xf32") == "5x1xf32"
    with pytest.raises(VerifyException, match="C1: a scalar has no batch axis"):
        infer(ops.BatchFlatten, "f32")


def test_expand_dims():
    assert infer(ops.ExpandDims, "2x?xf32", axis=1) == "2x1x?xf32"
    assert infer(ops.ExpandDims, "2x3xf32", axis=-1, num_newaxis=2) == "2x3x1x1xf32"
    assert infer(ops.ExpandDims, "f32", axis=0) == "1xf32"


@pytest.mark.parametrize(("axis", "num_newaxis"), [(3, 1), (-4, 1), (0, -1)])
def test_expand_dims_c1(axis: int, num_newaxis: int):
    with pytest.raises(VerifyException, match="C1: cannot insert"):
        infer(ops.ExpandDims, "2x3xf32", axis=axis, num_newaxis=num_newaxis)


def test_squeeze():
    assert infer(ops.Squeeze, "1x2x1xf32") == "2xf32"
    assert infer(ops.Squeeze, "1x2x1xf32", axis=[-1]) == "1x2xf32"
    assert infer(ops.Squeeze, "?x2xf32", axis=[0]) == "2xf32"
    assert infer(ops.Squeeze, "1x2xf32", axis=[]) == "1x2xf32"


@pytest.mark.parametrize("axis", [[1], [2], [0, 0]])
def test_squeeze_c1(axis: list[int]):
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.Squeeze, "1x2xf32", axis=axis)


def test_squeeze_c2_unknown():
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.Squeeze, "1x?xf32")


def test_shape_of():
    assert infer(ops.ShapeOf, "1x?xf32") == "2xi32"
    assert infer(ops.ShapeOf, "f32", dtype=i64) == "0xi64"
    with pytest.raises(VerifyException, match="C1: sizes are integers, not f32"):
        infer(ops.ShapeOf, "1xf32", dtype=f32)


@pytest.mark.parametrize("operator", [ops.Reshape, ops.BatchFlatten, ops.ExpandDims, ops.Squeeze])
def test_are_views(operator):
    assert operator.has_trait(View)
