"""The meaning of operators that pick elements by position, against PyTorch and NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.lowering_utils import run_meaning
from tests.optional_torch import torch
from xrelay.dialects.relay import indexing as ops
from xrelay.dialects.relay.types import i32
from xrelay.errors import ExecutionError

X = np.random.default_rng(0).standard_normal((3, 4, 5)).astype(np.float32)


def run(operator, *arrays, **attrs):
    results = run_meaning(operator, list(arrays), **attrs)
    return results[0] if len(results) == 1 else results


def test_strided_slice():
    np.testing.assert_array_equal(run(ops.StridedSlice, X, begin=[1, -3], end=[3, -1]), X[1:3, -3:-1])
    np.testing.assert_array_equal(
        run(ops.StridedSlice, X, begin=[9], end=[-9], strides=[-2], axes=[2]), X[:, :, ::-2]
    )
    np.testing.assert_array_equal(
        run(ops.StridedSlice, X, begin=[1, 1], end=[-1, 2], strides=[2, 2], slice_mode="size"), X[1:, 1:3]
    )


def test_split():
    halves = run(ops.Split, X, indices_or_sections=2, axis=1)
    for got, want in zip(halves, torch.from_numpy(X).split(2, 1), strict=True):
        np.testing.assert_array_equal(got, want.numpy())
    pieces = run(ops.Split, X, indices_or_sections=[1, 1, 3], axis=-1)
    for got, want in zip(pieces, torch.from_numpy(X).tensor_split([1, 1, 3], -1), strict=True):
        np.testing.assert_array_equal(got, want.numpy())


def test_take_modes():
    data, indices = np.array([10, 20, 30]), np.array([-4, -1, 1, 5])
    assert run(ops.Take, data, indices).tolist() == [10, 10, 20, 30]
    assert run(ops.Take, data, indices, mode="wrap").tolist() == [30, 30, 20, 30]
    assert run(ops.Take, data, indices[1:3], mode="error").tolist() == [30, 20]
    for outside in (-4, 3):
        with pytest.raises(ExecutionError, match="take: an index is outside its axis of size 3"):
            run(ops.Take, data, np.array([outside]), mode="error")


def test_take_axes():
    indices = np.array([[0, 2], [3, 1]])
    np.testing.assert_array_equal(run(ops.Take, X, indices, axis=1), X[:, indices])
    np.testing.assert_array_equal(run(ops.Take, X, np.array(7)), X.reshape(-1)[7])
    batched = run(ops.Take, X, np.array([[0, 2], [3, 1], [1, 1]]), axis=1, batch_dims=1)
    np.testing.assert_array_equal(batched, np.stack([X[0, [0, 2]], X[1, [3, 1]], X[2, [1, 1]]]))


def test_gather():
    indices = np.random.default_rng(0).integers(0, 4, (2, 6, 5))
    expected = torch.gather(torch.from_numpy(X), 1, torch.from_numpy(indices))
    np.testing.assert_array_equal(run(ops.Gather, X, indices, axis=1), expected.numpy())
    with pytest.raises(ExecutionError, match="gather: an index is outside its axis of size 4"):
        run(ops.Gather, X, -indices - 1, axis=1)


def test_gather_nd():
    indices = np.random.default_rng(0).integers(0, 3, (2, 3, 6))
    np.testing.assert_array_equal(run(ops.GatherND, X, indices), X[indices[0], indices[1]])
    batched = np.stack([X[i][indices[0, i], indices[1, i]] for i in range(3)])
    np.testing.assert_array_equal(run(ops.GatherND, X, indices, batch_dims=1), batched)


def test_gather_nd_outside():
    with pytest.raises(ExecutionError, match="gather_nd: an index is outside its axis of size 4"):
        run(ops.GatherND, X, np.array([[0], [4]]))


@pytest.mark.parametrize(
    ("reduction", "reduce"), [("add", "sum"), ("mul", "prod"), ("min", "amin"), ("max", "amax"), ("update", None)]
)
def test_scatter_elements(reduction: str, reduce: str | None):
    rng = np.random.default_rng(0)
    indices = np.stack([rng.permutation(4)[:2] for _ in range(15)]).T.reshape(2, 3, 5).transpose(1, 0, 2)
    updates = rng.standard_normal(indices.shape).astype(np.float32)
    data, where, new = (torch.from_numpy(a) for a in (X, indices, updates))
    expected = data.scatter(1, where, new) if reduce is None else data.scatter_reduce(1, where, new, reduce)
    got = run(ops.ScatterElements, X, indices, updates, axis=1, reduction=reduction)
    np.testing.assert_allclose(got, expected.numpy(), rtol=1e-6)


def test_scatter_elements_last_update_stays():
    got = run(ops.ScatterElements, np.zeros(3), np.array([1, 1, 0]), np.array([1.0, 2.0, 3.0]))
    assert got.tolist() == [3, 2, 0]
    with pytest.raises(ExecutionError, match="scatter_elements: an index is outside its axis of size 3"):
        run(ops.ScatterElements, np.zeros(3), np.array([3]), np.array([1.0]))


def test_cumsum():
    np.testing.assert_allclose(run(ops.Cumsum, X, axis=1), torch.from_numpy(X).cumsum(1).numpy(), rtol=1e-5)
    assert run(ops.Cumsum, np.array([1, 2, 3]), exclusive=True).tolist() == [0, 1, 3]
    assert run(ops.Cumsum, np.array([[True, True], [False, True]]), dtype=i32).tolist() == [1, 2, 2, 3]
    assert run(ops.Cumsum, np.array([100, 100], np.int8)).tolist() == [100, -56]


@pytest.mark.parametrize("k", [-6, -1, 0, 2, 7])
def test_trilu(k: int):
    np.testing.assert_array_equal(run(ops.Trilu, X, np.array(k)), torch.from_numpy(X).triu(k).numpy())
    np.testing.assert_array_equal(run(ops.Trilu, X, np.array(k), upper=False), torch.from_numpy(X).tril(k).numpy())
