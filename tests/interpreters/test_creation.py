"""The meaning of operators that make tensors, beside NumPy and onnxruntime."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.interpreters.references import meaning, onnx_node
from xrelay.dialects.relay import creation as ops
from xrelay.dialects.relay.types import bf16, element_of, f32, i8, u8


def same(actual: np.ndarray, expected: np.ndarray) -> None:
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    np.testing.assert_array_equal(actual, expected)


def test_filled():
    same(meaning(ops.Zeros, shape=(2, 0), dtype=u8), np.zeros((2, 0), np.uint8))
    same(meaning(ops.Ones, shape=(), dtype=bf16), np.ones((), ml_dtypes.bfloat16))
    same(meaning(ops.Full, np.float32(-3.7), shape=(2, 2)), np.full((2, 2), -3.7, np.float32))
    same(meaning(ops.Full, np.float32(-3.7), shape=(2,), dtype=i8), np.full((2,), -3, np.int8))


def test_like():
    data = np.empty((2, 3), np.int8)
    same(meaning(ops.ZerosLike, data), np.zeros((2, 3), np.int8))
    same(meaning(ops.OnesLike, data), np.ones((2, 3), np.int8))
    same(meaning(ops.FullLike, data, np.float32(1000)), np.full((2, 3), 127, np.int8))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.int32, np.int64])
@pytest.mark.parametrize(("start", "stop", "step"), [(0, 10, 1), (10, 0, -3), (5, 5, 1), (2, 1, 1), (-3, 4, 2)])
def test_arange_as_onnx(dtype, start, stop, step):
    scalars = [np.array(v, dtype) for v in (start, stop, step)]
    same(
        meaning(ops.Arange, start=start, stop=stop, step=step, dtype=element_of(dtype)),
        onnx_node("Range", scalars, dtype),
    )


def test_arange_does_not_add_up_rounding_errors():
    expected = np.array([i / 10 for i in range(1000)], np.float32)
    np.testing.assert_allclose(meaning(ops.Arange, start=0, stop=100, step=0.1, dtype=f32), expected, rtol=1e-7)


@pytest.mark.parametrize("axis", [-1, 0, 1, -2])
def test_one_hot_as_onnx(axis: int):
    indices = np.array([[0, 3, 1], [2, 0, 3]])
    expected = onnx_node("OneHot", [indices, np.array(4), np.float32([-1, 2])], np.float32, axis=axis)
    same(meaning(ops.OneHot, indices, np.float32(2), np.float32(-1), depth=4, axis=axis), expected)


def test_one_hot_does_not_wrap_negative_indices():
    result = meaning(ops.OneHot, np.array([-1, 4, 1]), np.int8(1), np.int8(0), depth=2)
    assert result.tolist() == [[0, 0], [0, 0], [0, 1]]
