"""The meaning of normalizations, beside PyTorch and onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from tests.interpreters.references import meaning, onnx_node
from tests.lowering.lowering_utils import run_meaning
from tests.optional_torch import functional, torch
from xrelay.dialects.relay import normalization as ops

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 6, 4, 5), dtype=np.float32)
GAMMA, BETA = RNG.standard_normal((2, 6), dtype=np.float32)
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}
"""Some units in the last place of float32: statistics are summed in another order."""


def torch_result(function, *args, **attrs) -> np.ndarray:
    return function(*(torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in args), **attrs).numpy()


def channels_last(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


def expected_with_scale(normalized: np.ndarray, scale: bool, center: bool) -> np.ndarray:
    gamma, beta = GAMMA[:, None, None], BETA[:, None, None]
    return normalized * (gamma if scale else 1) + (beta if center else 0)


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("center", [False, True])
def test_scale_and_center(scale, center):
    attrs = {"scale": scale, "center": center}
    mean, var = RNG.standard_normal(6, dtype=np.float32), RNG.random(6, dtype=np.float32)
    expected = torch_result(functional.batch_norm, X, mean, var)
    result, new_mean, new_var = run_meaning(ops.BatchNorm, [X, GAMMA, BETA, mean, var], **attrs)
    np.testing.assert_allclose(result, expected_with_scale(expected, scale, center), **TOLERANCE)
    np.testing.assert_array_equal(new_mean, mean)
    np.testing.assert_array_equal(new_var, var)
    expected = expected_with_scale(torch_result(functional.instance_norm, X), scale, center)
    np.testing.assert_allclose(meaning(ops.InstanceNorm, X, GAMMA, BETA, **attrs), expected, **TOLERANCE)
    expected = expected_with_scale(torch_result(functional.group_norm, X, 3), scale, center)
    np.testing.assert_allclose(meaning(ops.GroupNorm, X, GAMMA, BETA, num_groups=3, **attrs), expected, **TOLERANCE)


def test_epsilon():
    x, zero, one = np.full((1, 1, 2), 3, np.float32), np.zeros(1, np.float32), np.ones(1, np.float32)
    result, _, _ = run_meaning(ops.BatchNorm, [x, one, zero, one, zero], epsilon=0.25)
    assert result.tolist() == [[[4, 4]]]


@pytest.mark.parametrize(
    ("operator", "groups", "attrs"), [(ops.InstanceNorm, 6, {}), (ops.GroupNorm, 2, {"num_groups": 2})]
)
def test_channels_last(operator, groups, attrs):
    expected = channels_last(torch_result(functional.group_norm, X, groups)) * GAMMA + BETA
    actual = meaning(operator, channels_last(X), GAMMA, BETA, axis=-1, **attrs)
    np.testing.assert_allclose(actual, expected, **TOLERANCE)


@pytest.mark.parametrize("axis", [-1, 1])
def test_layer_norm(axis):
    x = channels_last(X)
    expected = torch_result(functional.layer_norm, x, (6,)) * GAMMA + BETA
    data = x if axis == -1 else X
    actual = meaning(ops.LayerNorm, data, GAMMA, BETA, axis=axis)
    np.testing.assert_allclose(actual if axis == -1 else channels_last(actual), expected, **TOLERANCE)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax(axis):
    x = X * 50
    expected = torch_result(torch.softmax, x, axis)
    np.testing.assert_allclose(meaning(ops.Softmax, x, axis=axis), expected, rtol=1e-5, atol=1e-30)
    expected = torch_result(torch.log_softmax, x, axis)
    np.testing.assert_allclose(meaning(ops.LogSoftmax, x, axis=axis), expected, **TOLERANCE)


def test_softmax_of_large_numbers():
    x = np.float32([[1e30, 1e30], [-1e30, 0], [np.nan, 1]])
    np.testing.assert_array_equal(meaning(ops.Softmax, x), np.float32([[0.5, 0.5], [0, 1], [np.nan, np.nan]]))
    np.testing.assert_array_equal(meaning(ops.LogSoftmax, x)[1], np.float32([-1e30, 0]))


def test_half_is_computed_in_float32():
    x = np.full((1, 4096), 300, np.float16)  # squares and sums beyond 65504
    ones = np.ones(4096, np.float16)
    np.testing.assert_array_equal(meaning(ops.Softmax, x), np.float16(1 / 4096))
    np.testing.assert_array_equal(meaning(ops.L2Normalize, x, eps=1e-6, axis=[1]), np.float16(1 / 64))
    x[:, ::2] = -300
    np.testing.assert_allclose(meaning(ops.LayerNorm, x, ones, ones), np.sign(x) + 1, atol=1e-3)


@pytest.mark.parametrize("axis", [[1], [-1, 1], [2]])
def test_l2_normalize(axis):
    expected = X / np.sqrt((X.astype(np.float64) ** 2).sum(tuple(axis), keepdims=True))
    np.testing.assert_allclose(meaning(ops.L2Normalize, X, eps=1e-12, axis=axis), expected, **TOLERANCE)


def test_l2_normalize_eps_bounds_the_sum():
    assert meaning(ops.L2Normalize, np.float32([[0.5, 0]]), eps=4.0, axis=[1]).tolist() == [[0.25, 0]]
    assert meaning(ops.L2Normalize, np.float32([[0, 4]]), eps=4.0, axis=[1]).tolist() == [[0, 1]]


@pytest.mark.parametrize("size", [1, 3, 5, 13])
def test_lrn(size):
    attrs = {"size": size, "alpha": 0.3, "beta": 0.6}
    expected = onnx_node("LRN", [X], np.float32, bias=1.5, **attrs)
    np.testing.assert_allclose(meaning(ops.LRN, X, bias=1.5, **attrs), expected, **TOLERANCE)


def test_lrn_along_another_axis():
    expected = meaning(ops.LRN, X, alpha=0.3)
    np.testing.assert_array_equal(meaning(ops.LRN, channels_last(X), alpha=0.3, axis=3), channels_last(expected))


def test_lrn_of_even_size_has_the_longer_side_behind():
    # By ONNX's definition: from c - ⌊(size - 1) / 2⌋ to c + ⌈(size - 1) / 2⌉.
    x = np.float32([[1, 2, 3]])
    squares = np.float32([[1 + 4, 4 + 9, 9]])
    expected = x / (2 + 0.5 * squares) ** np.float32(0.75)
    np.testing.assert_allclose(meaning(ops.LRN, x, size=2, alpha=1.0), expected, rtol=1e-6)


def test_dropout():
    result, mask = run_meaning(ops.Dropout, [X], rate=0.9)
    np.testing.assert_array_equal(result, X)
    np.testing.assert_array_equal(mask, np.ones_like(X))
