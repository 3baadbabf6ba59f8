"""Lowered elementwise operators, run by the interpreter of the tensor level, beside their meanings."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.linalg.ops import GenericOp

from tests.lowering.lowering_utils import assert_lowering_matches, run_lowered, single_operator
from xrelay.dialects.relay import activation, creation, elementwise, unary
from xrelay.dialects.relay.core import RelayOp, View
from xrelay.dialects.relay.types import bf16, bool_type, element_of, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64
from xrelay.errors import ExecutionError
from xrelay.lowering.tensor.builder import lowers
from xrelay.lowering.tensor.relay_to_tensor import convert_function

INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
ELEMENTS = (i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, bool_type)
TOLERANCE = {np.float32: 1e-6, np.float64: 1e-15, np.float16: 1e-3, ml_dtypes.bfloat16: 1e-2}
"""About one unit in the last place: the float32 steps are the same, but float16 powers may round differently."""


def operators(family: Any, base: type) -> list[type]:
    return [
        member
        for member in vars(family).values()
        if isinstance(member, type) and issubclass(member, base) and "name" in vars(member)
    ]


BINARY = operators(elementwise, elementwise.BinaryOp)
DIVISIONS = (elementwise.Divide, elementwise.Mod, elementwise.FloorDivide, elementwise.FloorMod)
UNARY = [op for op in operators(unary, unary.UnaryOp) if not op.SCHEMA]


def samples(dtype: Any, seed: int) -> np.ndarray:
    """Numbers of every size, with the special ones of the dtype among them."""
    rng = np.random.default_rng(seed)
    if dtype == np.bool_:
        return rng.integers(0, 2, 40).astype(bool)
    if dtype in INTEGERS:
        info = np.iinfo(dtype)
        ends = np.array([info.min, info.max, info.min + 1, 1, 2, 3, 7, 8], dtype)
        small = rng.integers(max(info.min, -9), 10, 100).astype(dtype)
        whole = rng.integers(info.min, info.max, 60, dtype, endpoint=True)
        return rng.permutation(np.concatenate([ends, ends, small, whole]))
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -0.5, -2.5, 1, -1, 2, 3])
    wide = rng.standard_normal(150) * 10.0 ** rng.uniform(-3, 3, 150)
    return rng.permutation(np.concatenate([special, wide])).astype(dtype)


def takes(operator: Any, dtype: Any) -> bool:
    return operator.ELEMENTS[1](element_of(dtype))


@pytest.mark.parametrize("operator", BINARY, ids=lambda op: op.name)
def test_binary(operator):
    for dtype in (*INTEGERS, *FLOATS, np.bool_):
        if not takes(operator, dtype):
            continue
        lhs, rhs = samples(dtype, 1), samples(dtype, 2)
        if dtype in INTEGERS and operator in DIVISIONS:
            rhs[rhs == 0] = 1
        rtol = TOLERANCE.get(dtype, 0) if operator is elementwise.Power else 0
        assert_lowering_matches(operator, [lhs, rhs], rtol=rtol)


@pytest.mark.parametrize("operator", DIVISIONS, ids=lambda op: op.name)
@pytest.mark.parametrize("dtype", [np.int8, np.uint64])
def test_division_by_zero_stops_the_run(operator, dtype):
    with pytest.raises(ExecutionError, match="division of an integer by zero"):
        run_lowered(operator, [np.array([1, 2], dtype), np.array([1, 0], dtype)])


@pytest.mark.parametrize("operator", UNARY, ids=lambda op: op.name)
def test_unary(operator):
    for dtype in (*INTEGERS, *FLOATS, np.bool_):
        if takes(operator, dtype):
            assert_lowering_matches(operator, [samples(dtype, 3)], rtol=TOLERANCE.get(dtype, 0))


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, np.bool_])
def test_cast(dtype):
    for element in ELEMENTS:
        assert_lowering_matches(unary.Cast, [samples(dtype, 4)], dtype=element)


@pytest.mark.parametrize(
    ("dtype", "element"), [(np.float32, i32), (np.int64, f64), (np.uint16, bf16), (np.int8, u8), (np.float16, u16)]
)
def test_reinterpret(dtype, element):
    assert_lowering_matches(unary.Reinterpret, [samples(dtype, 5)], dtype=element)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("bounds", [(-5, 7.5), (float("-inf"), 6), (0.1, float("inf")), (-1e30, 1e30), (3, 2)])
def test_clip(dtype, bounds):
    assert_lowering_matches(unary.Clip, [samples(dtype, 6)], a_min=bounds[0], a_max=bounds[1])


@pytest.mark.parametrize("condition", [np.bool_, np.uint8, np.float32])
def test_where(condition):
    x, y = samples(np.float16, 7)[:40], np.float16(3)
    assert_lowering_matches(elementwise.Where, [samples(condition, 8)[:40], x, y])


@pytest.mark.parametrize("shapes", [((2, 1, 3), (4, 1)), ((), (3,)), ((0, 3), (1, 3)), ((1,), (1, 1))])
def test_broadcast(shapes):
    rng = np.random.default_rng(9)
    assert_lowering_matches(elementwise.Subtract, [rng.standard_normal(shape).astype(np.float32) for shape in shapes])


@pytest.mark.parametrize("dtype", FLOATS)
def test_activations(dtype):
    x, rtol = samples(dtype, 10), TOLERANCE[dtype]
    assert_lowering_matches(activation.Relu, [x])
    assert_lowering_matches(activation.LeakyRelu, [x], rtol=rtol, alpha=0.1)
    for approximate in ("none", "tanh"):
        assert_lowering_matches(activation.Gelu, [x], rtol=rtol, approximate=approximate)
    for axis, shape in ((1, (4, 5, 8)), (-1, (4, 8, 5))):
        assert_lowering_matches(activation.PRelu, [x[:160].reshape(shape), samples(dtype, 11)[:5]], axis=axis)


def test_relu_of_integers():
    assert_lowering_matches(activation.Relu, [samples(np.int8, 12)])


def test_creation():
    assert_lowering_matches(creation.Zeros, [], shape=(2, 3), dtype=u8)
    assert_lowering_matches(creation.Ones, [], shape=(), dtype=bool_type)
    assert_lowering_matches(creation.Full, [np.float32(-3.7)], shape=(2, 2), dtype=u8)
    assert_lowering_matches(creation.Full, [np.int8(4)], shape=(0, 2))
    data = np.zeros((2, 3), np.int8)
    assert_lowering_matches(creation.ZerosLike, [data])
    assert_lowering_matches(creation.OnesLike, [data])
    assert_lowering_matches(creation.FullLike, [data, np.float32(1000)])


@pytest.mark.parametrize(
    ("start", "stop", "step", "dtype"), [(0, 1, 0.1, f32), (10, 0, -3, i8), (0, 0, 1, u8), (0.5, 9, 0.7, f16)]
)
def test_arange(start, stop, step, dtype):
    assert_lowering_matches(creation.Arange, [], start=start, stop=stop, step=step, dtype=dtype)


@pytest.mark.parametrize("axis", [-1, 0, 1, -2])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8])
def test_one_hot(axis, dtype):
    indices = np.array([[0, 3, 1], [2, 7, 3]]).astype(dtype)
    values = [np.float32(2), np.float32(-1)]
    assert_lowering_matches(creation.OneHot, [indices, *values], depth=4, axis=axis)
    if dtype == np.int64:
        assert_lowering_matches(creation.OneHot, [-indices, *values], depth=4, axis=axis)


def test_every_operator_is_lowered():
    families = (elementwise, unary, activation, creation)
    missing = [
        op.name
        for family in families
        for op in operators(family, RelayOp)
        if op not in lowers and View not in map(type, op.traits.traits)
    ]
    assert missing == []


def test_one_generic_an_operator():
    module, _ = single_operator(unary.Sigmoid, [np.zeros((2, 3), np.float32)])
    (main,) = module.ops
    convert_function(main)
    assert sum(isinstance(op, GenericOp) for op in module.walk()) == 1
