"""Lowered matrix products, run by the interpreter of the tensor level, beside their meanings."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp

from tests.lowering.lowering_utils import assert_lowering_matches, single_operator
from xrelay.dialects.relay.linear import BatchMatmul, BiasAdd, Dense, Matmul
from xrelay.dialects.relay.types import i32
from xrelay.lowering.tensor.contraction import is_contraction
from xrelay.lowering.tensor.generic import maps_of
from xrelay.lowering.tensor.relay_to_tensor import convert_function

RNG = np.random.default_rng(0)
RTOL = 1e-5
"""The same products in another order."""
BOTH = (False, True)


def randoms(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape, dtype=np.float32)


def test_one_contraction():
    module, _ = single_operator(BatchMatmul, [randoms(1, 2, 3), randoms(4, 5, 3)], transpose_b=True)
    (main,) = module.ops
    assert isinstance(main, FuncOp)
    convert_function(main)
    (generic,) = (op for op in module.walk() if isinstance(op, GenericOp))
    assert is_contraction(generic)
    assert [str(m).split(" -> ")[1] for m in maps_of(generic)] == ["(0, d1, d3)", "(d0, d2, d3)", "(d0, d1, d2)"]


@pytest.mark.parametrize("shape", [(7,), (2, 7), (2, 3, 7), (0, 7)])
def test_dense(shape):
    assert_lowering_matches(Dense, [randoms(*shape), randoms(5, 7)], RTOL)


def test_sum_of_nothing():
    assert_lowering_matches(Dense, [randoms(2, 0), randoms(3, 0)])


@pytest.mark.parametrize("transpose_a", BOTH)
@pytest.mark.parametrize("transpose_b", BOTH)
@pytest.mark.parametrize(("batch_a", "batch_b"), [(3, 3), (1, 3), (3, 1), (1, 1)])
def test_matmul(transpose_a, transpose_b, batch_a, batch_b):
    a = randoms(batch_a, *((5, 2) if transpose_a else (2, 5)))
    b = randoms(batch_b, *((4, 5) if transpose_b else (5, 4)))
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    assert_lowering_matches(BatchMatmul, [a, b], RTOL, **attrs)
    assert_lowering_matches(Matmul, [a[0], b[0]], RTOL, **attrs)


def test_matmul_keeps_leading_axes():
    assert_lowering_matches(Matmul, [randoms(2, 3, 5), randoms(5, 4)], RTOL)
    assert_lowering_matches(Matmul, [randoms(5), randoms(4, 5)], RTOL, transpose_b=True)


def test_narrow_types():
    x, w = RNG.integers(-128, 128, (2, 50), np.int8), RNG.integers(-128, 128, (3, 50), np.int8)
    assert_lowering_matches(Dense, [x, w], out_dtype=i32)
    assert_lowering_matches(Dense, [x, w])
    assert_lowering_matches(Dense, [x.view(np.uint8), w], out_dtype=i32)
    assert_lowering_matches(Dense, [randoms(2, 50).astype(np.float16), randoms(3, 50).astype(np.float16)], 1e-3)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint8])
def test_bias_add(axis, dtype):
    x = RNG.integers(0, 100, (3, 3, 3)).astype(dtype)
    assert_lowering_matches(BiasAdd, [x, RNG.integers(0, 100, 3).astype(dtype)], axis=axis)
