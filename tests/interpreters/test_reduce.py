"""The meaning of reductions, against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.lowering_utils import run_meaning
from tests.optional_torch import torch
from xrelay.dialects.relay import reduce as ops

X = np.random.default_rng(0).standard_normal((3, 4, 5)).astype(np.float32)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [(0,), (1, -1), (0, 1, 2)])
def test_floats(axis: tuple[int, ...], keepdims: bool):
    x = torch.from_numpy(X)
    expected = {
        ops.Sum: x.sum(axis, keepdim=keepdims),
        ops.Max: x.amax(axis, keepdim=keepdims),
        ops.Min: x.amin(axis, keepdim=keepdims),
        ops.Mean: x.mean(axis, keepdim=keepdims),
    }
    for operator, want in expected.items():
        (got,) = run_meaning(operator, [X], axis=axis, keepdims=keepdims)
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-5, atol=1e-6)


def test_prod_of_one_axis():
    (got,) = run_meaning(ops.Prod, [X], axis=[1])
    np.testing.assert_allclose(got, torch.from_numpy(X).prod(1).numpy(), rtol=1e-5)


def test_exclude_and_empty_axes():
    np.testing.assert_allclose(run_meaning(ops.Sum, [X], axis=[0], exclude=True)[0], X.sum((1, 2)), rtol=1e-5)
    np.testing.assert_allclose(run_meaning(ops.Sum, [X], axis=[])[0], X.sum(), rtol=1e-5)


def test_integers_wrap_and_the_mean_truncates():
    x = np.array([100, 100, -3], np.int8)
    assert run_meaning(ops.Sum, [x])[0] == np.int8(197 - 256)
    assert run_meaning(ops.Prod, [x])[0] == torch.tensor([100, 100, -3], dtype=torch.int8).prod(dtype=torch.int8).item()
    assert run_meaning(ops.Mean, [np.array([-3, -4], np.int32)])[0] == -3
    assert run_meaning(ops.Mean, [np.full(300, 1, np.uint8)])[0] == 300 % 256 // 300


def test_half_is_accumulated_in_float32():
    (got,) = run_meaning(ops.Sum, [np.full(4096, 1.0, np.float16)])
    assert got == 4096  # in float16 the sum sticks at 2048
    assert run_meaning(ops.Mean, [np.full(100000, 1.0, np.float16)])[0] == 1


def test_nan_propagates():
    x = np.array([[1, np.nan], [2, 3]], np.float32)
    np.testing.assert_array_equal(run_meaning(ops.Max, [x], axis=[1])[0], torch.from_numpy(x).amax(1).numpy())
    np.testing.assert_array_equal(run_meaning(ops.Min, [x], axis=[1])[0], torch.from_numpy(x).amin(1).numpy())


def test_no_elements():
    x = np.empty((2, 0), np.float32)
    assert run_meaning(ops.Sum, [x])[0] == 0
    assert run_meaning(ops.Prod, [x])[0] == 1
    assert run_meaning(ops.Max, [x])[0] == -np.inf
    assert run_meaning(ops.Min, [x.astype(np.int16)])[0] == 2**15 - 1
    assert np.isnan(run_meaning(ops.Mean, [x])[0])
    assert run_meaning(ops.Mean, [x.astype(np.int32)])[0] == 0
    assert run_meaning(ops.All, [x.astype(bool)])[0]
    assert not run_meaning(ops.Any, [x.astype(bool)])[0]


@pytest.mark.parametrize(("operator", "reference"), [(ops.Argmax, np.argmax), (ops.Argmin, np.argmin)])
def test_argmax(operator, reference):
    x = np.random.default_rng(1).integers(0, 3, (3, 4, 5)).astype(np.float32)
    np.testing.assert_array_equal(run_meaning(operator, [x])[0], reference(x))
    np.testing.assert_array_equal(run_meaning(operator, [x], axis=[1])[0], reference(x, axis=1))
    np.testing.assert_array_equal(
        run_meaning(operator, [x], axis=[1, 2], keepdims=True)[0].reshape(3), reference(x.reshape(3, 20), axis=1)
    )
    last = 19 - reference(x.reshape(3, 20)[:, ::-1], axis=1)
    np.testing.assert_array_equal(run_meaning(operator, [x], axis=[1, 2], select_last_index=True)[0], last)


@pytest.mark.parametrize("unbiased", [False, True])
def test_variance(unbiased: bool):
    mean = X.mean(axis=(0, 2), keepdims=True)
    (got,) = run_meaning(ops.Variance, [X, mean], axis=[0, 2], unbiased=unbiased)
    np.testing.assert_allclose(got, torch.from_numpy(X).var((0, 2), unbiased=unbiased).numpy(), rtol=1e-5)


def test_logic():
    x = X > 0.5
    np.testing.assert_array_equal(run_meaning(ops.All, [x], axis=[0])[0], torch.from_numpy(x).all(0).numpy())
    np.testing.assert_array_equal(run_meaning(ops.Any, [x], axis=[0])[0], torch.from_numpy(x).any(0).numpy())
