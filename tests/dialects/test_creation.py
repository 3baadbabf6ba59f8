"""Type rules of operators that make tensors."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.dialects.type_rules import infer, parse_type
from xrelay.dialects.relay import creation as ops
from xrelay.dialects.relay.types import bool_type, f32, f64, i8, i32, u8


def test_filled_from_attributes():
    assert infer(ops.Zeros, shape=(2, 0), dtype=u8) == "2x0xui8"
    assert infer(ops.Ones, shape=(), dtype=bool_type) == "i1"
    assert infer(ops.Full, "f32", shape=(2,)) == "2xf32"
    assert infer(ops.Full, "f32", shape=(2,), dtype=i8) == "2xi8"


def test_like():
    assert infer(ops.ZerosLike, "2x?xi1") == "2x?xi1"
    assert infer(ops.FullLike, "2x?xi8", "f32") == "2x?xi8"


@pytest.mark.parametrize(
    ("start", "stop", "step", "length"),
    [(0, 5, 1, 5), (0, 5, 2, 3), (5, 0, -2, 3), (0, 0, 1, 0), (3, 0, 1, 0), (0, 1, 0.1, 10), (0.5, 2.75, 0.75, 3)],
)
def test_arange_length(start: float, stop: float, step: float, length: int):
    assert infer(ops.Arange, start=start, stop=stop, step=step, dtype=f32) == f"{length}xf32"


def test_one_hot_axis():
    def one_hot(**attrs):
        return infer(ops.OneHot, "2x?xi64", "f32", "f32", depth=5, **attrs)

    assert one_hot() == one_hot(axis=2) == "2x?x5xf32"
    assert one_hot(axis=0) == one_hot(axis=-3) == "5x2x?xf32"


@pytest.mark.parametrize("operator", [ops.Zeros, ops.Ones])
def test_fill_c1_negative_size(operator: type[ops.FillOp]):
    with pytest.raises(VerifyException, match=r"C1: shape \[2, -1\] has a negative size"):
        infer(operator, shape=(2, -1), dtype=f32)


@pytest.mark.parametrize("operator", [ops.Zeros, ops.Ones])
def test_fill_c2_no_element_type(operator: type[ops.FillOp]):
    with pytest.raises(VerifyException, match="C2: dtype"):
        infer(operator, shape=(2,), dtype=parse_type("2xf32"))


def test_full_c1_negative_size():
    with pytest.raises(VerifyException, match="C1: "):
        infer(ops.Full, "f32", shape=(-1,))


def test_full_c2_no_element_type():
    with pytest.raises(VerifyException, match="C2: dtype"):
        infer(ops.Full, "f32", shape=(1,), dtype=parse_type("f32"))


def test_full_c3_fill_value_is_no_scalar():
    with pytest.raises(VerifyException, match=r"C3: fill_value must have rank 0, got tensor<1xf32>"):
        infer(ops.Full, "1xf32", shape=(2,))


def test_full_like_c1_fill_value_is_no_scalar():
    with pytest.raises(VerifyException, match="C1: fill_value must have rank 0"):
        infer(ops.FullLike, "2xf32", "2xf32")


@pytest.mark.parametrize(("start", "stop", "step"), [(0, 1, 0), (0, float("inf"), 1), (0, 1e300, 1e-300)])
def test_arange_c1_no_end(start: float, stop: float, step: float):
    with pytest.raises(VerifyException, match="C1: no range"):
        infer(ops.Arange, start=start, stop=stop, step=step, dtype=f64)


def test_arange_c2_no_numbers():
    with pytest.raises(VerifyException, match="C2: "):
        infer(ops.Arange, start=0, stop=1, step=1, dtype=bool_type)


def test_arange_c3_fraction_in_integers():
    with pytest.raises(VerifyException, match=r"C3: .* not all whole"):
        infer(ops.Arange, start=0.5, stop=2, step=1, dtype=i32)


def test_one_hot_c1_float_indices():
    with pytest.raises(VerifyException, match=r"C1: relay\.one_hot takes integers"):
        infer(ops.OneHot, "2xf32", "f32", "f32", depth=3)


@pytest.mark.parametrize(("on", "off"), [("1xf32", "1xf32"), ("f32", "f64")])
def test_one_hot_c2_values(on: str, off: str):
    with pytest.raises(VerifyException, match="C2: on_value"):
        infer(ops.OneHot, "2xi32", on, off, depth=3)


def test_one_hot_c3_dtype():
    with pytest.raises(VerifyException, match="C3: dtype is i8, the values are f32"):
        infer(ops.OneHot, "2xi32", "f32", "f32", depth=3, dtype=i8)


def test_one_hot_c4_negative_depth():
    with pytest.raises(VerifyException, match="C4: depth -1 is negative"):
        infer(ops.OneHot, "2xi32", "f32", "f32", depth=-1)


@pytest.mark.parametrize("axis", [2, -3])
def test_one_hot_c5_axis(axis: int):
    with pytest.raises(VerifyException, match=f"C5: axis {axis} is outside"):
        infer(ops.OneHot, "2xi32", "f32", "f32", depth=3, axis=axis)
