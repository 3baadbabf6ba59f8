"""Type rules of normalizations."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer
from xrelay.dialects.relay import normalization as ops

X = "2x8x4x5xf32"
STATISTICS = (ops.LayerNorm, ops.InstanceNorm, ops.GroupNorm)


def required(operator) -> dict:
    return {"num_groups": 2} if operator is ops.GroupNorm else {}


def test_batch_norm():
    assert infer(ops.BatchNorm, X, *["8xf32"] * 4) == [X, "8xf32", "8xf32"]
    assert infer(ops.BatchNorm, "2x4x5x8xf16", *["8xf16"] * 4, axis=-1) == ["2x4x5x8xf16", "8xf16", "8xf16"]
    assert infer(ops.BatchNorm, "?x?x4x4xf32", "?xf32", *["8xf32"] * 3) == ["?x8x4x4xf32", "8xf32", "8xf32"]


@pytest.mark.parametrize("operator", STATISTICS)
def test_statistics(operator):
    assert infer(operator, X, "8xf32", "8xf32", axis=1, **required(operator)) == X
    assert infer(operator, "2x4x?xf32", "8xf32", "8xf32", axis=-1, **required(operator)) == "2x4x8xf32"


def test_layer_norm_is_over_the_last_axis():
    assert infer(ops.LayerNorm, "2x3x8xf32", "8xf32", "8xf32") == "2x3x8xf32"


@pytest.mark.parametrize("operator", [ops.Softmax, ops.LogSoftmax])
def test_softmax(operator):
    assert infer(operator, "2x?xf32") == "2x?xf32"
    assert infer(operator, "2x3x4xbf16", axis=-3) == "2x3x4xbf16"


def test_others():
    assert infer(ops.L2Normalize, X, eps=1e-6, axis=[1, -1]) == X
    assert infer(ops.LRN, X, size=4) == X
    assert infer(ops.Dropout, "2x?xf32", rate=0.1) == ["2x?xf32", "2x?xf32"]


@pytest.mark.parametrize("operator", [ops.BatchNorm, *STATISTICS])
@pytest.mark.parametrize(
    ("data", "vector", "axis", "message"),
    [
        (X, "8xf16", 1, "C1: operands have element types f32, f16"),
        ("2x8xi32", "8xi32", 1, "C1: .* takes floats, got i32"),
        (X, "8xf32", 4, "C2: axis 4 is outside"),
        (X, "4xf32", 1, r"C3: .* must have the shape \(8,\)"),
        (X, "8x1xf32", 1, "C3: "),
    ],
)
def test_constraints(operator, data, vector, axis, message):
    count = 4 if operator is ops.BatchNorm else 2
    with pytest.raises(VerifyException, match=message):
        infer(operator, data, *[vector] * count, axis=axis, **required(operator))


def test_vectors_of_two_sizes():
    with pytest.raises(VerifyException, match="C3: "):
        infer(ops.LayerNorm, "2x?xf32", "8xf32", "4xf32")


@pytest.mark.parametrize("operator", [ops.InstanceNorm, ops.GroupNorm])
def test_c4_channels_along_the_batch(operator):
    with pytest.raises(VerifyException, match="C4: axis 0 is the batch"):
        infer(operator, X, "2xf32", "2xf32", axis=-4, **required(operator))


@pytest.mark.parametrize("groups", [0, 3])
def test_c5_groups_do_not_divide(groups):
    with pytest.raises(VerifyException, match=f"C5: num_groups {groups} does not divide the 8 channels"):
        infer(ops.GroupNorm, X, "8xf32", "8xf32", num_groups=groups)


@pytest.mark.parametrize("operator", [ops.Softmax, ops.LogSoftmax])
@pytest.mark.parametrize(
    ("data", "axis", "message"),
    [
        ("2x3xi32", -1, "C1: .* takes floats, got i32"),
        ("2x3xf32", 2, r"C2: axis 2 is outside \[-2, 2\)"),
        ("2x3xf32", -3, "C2: axis -3 is outside"),
        ("f32", -1, "C2: axis -1 is outside"),
    ],
)
def test_softmax_constraints(operator, data, axis, message):
    with pytest.raises(VerifyException, match=message):
        infer(operator, data, axis=axis)


@pytest.mark.parametrize(
    ("data", "axis", "message"),
    [("2x3xi32", [1], "C1: "), ("2x3xf32", [2], "C2: axis 2"), ("2x3xf32", [1, -1], "C2: .* names an axis twice")],
)
def test_l2_normalize_constraints(data, axis, message):
    with pytest.raises(VerifyException, match=message):
        infer(ops.L2Normalize, data, eps=1e-6, axis=axis)


@pytest.mark.parametrize(
    ("data", "attrs", "message"),
    [("2x3xi32", {}, "C1: "), (X, {"axis": 4}, "C2: axis 4"), (X, {"size": 0}, "C3: size 0 must be positive")],
)
def test_lrn_constraints(data, attrs, message):
    with pytest.raises(VerifyException, match=message):
        infer(ops.LRN, data, **attrs)


@pytest.mark.parametrize(("data", "rate", "message"), [("2xi32", 0.5, "C1: "), ("2xf32", 1.0, "C2: rate 1.0")])
def test_dropout_constraints(data, rate, message):
    with pytest.raises(VerifyException, match=message):
        infer(ops.Dropout, data, rate=rate)
