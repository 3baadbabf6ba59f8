"""Lowered convolutions, run by the interpreter of the tensor level, beside their meanings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.linalg.ops import GenericOp

from tests.lowering.lowering_utils import assert_lowering_matches, single_operator
from xrelay.dialects.relay.convolution import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose
from xrelay.dialects.relay.types import f32, i32
from xrelay.lowering.tensor.contraction import is_contraction
from xrelay.lowering.tensor.generic import maps_of
from xrelay.lowering.tensor.relay_to_tensor import convert_function

RNG = np.random.default_rng(0)
RTOL = 1e-5
"""The same products in another order."""


def randoms(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape, dtype=np.float32)


def lowered_generics(op_class, arrays, **attrs) -> list[GenericOp]:
    module, _ = single_operator(op_class, arrays, **attrs)
    (main,) = module.ops
    convert_function(main)
    return [op for op in module.walk() if isinstance(op, GenericOp)]


# The form that the loop level tiles ---------------------------------------------------------------------------------


def only_map(op_class, arrays, operand: int, **attrs) -> str:
    """How the one contraction reads its operand (0: data, 1: weight)."""
    (generic,) = lowered_generics(op_class, arrays, **attrs)
    assert is_contraction(generic)
    kinds = [kind.data.value for kind in generic.iterator_types]
    assert kinds == sorted(kinds)  # parallel dimensions before reductions
    return str(maps_of(generic)[operand]).split(" -> ")[1]


def test_maps_of_a_convolution():
    arrays = [randoms(1, 8, 6, 6), randoms(4, 8, 3, 3)]
    attrs = {"strides": [2, 1], "dilation": [1, 2]}
    assert only_map(Conv2D, arrays, 0, **attrs) == "(d0, d4, ((d2 * 2) + d5), (d3 + (d6 * 2)))"
    assert only_map(Conv2D, arrays, 1, **attrs) == "(d1, d4, d5, d6)"


def test_maps_of_a_blocked_convolution():
    arrays = [randoms(1, 2, 5, 5, 4), randoms(2, 2, 3, 3, 4, 8)]
    attrs = {"data_layout": "NCHW4c", "kernel_layout": "OIHW4i8o", "out_layout": "NCHW8c"}
    assert only_map(Conv2D, arrays, 0, **attrs) == "(d0, d5, (d2 + d6), (d3 + d7), d8)"
    assert only_map(Conv2D, arrays, 1, **attrs) == "(d1, d5, d6, d7, d8, d4)"


def test_maps_of_a_grouped_convolution():
    arrays = [randoms(1, 8, 5, 5), randoms(4, 4, 3, 3)]
    assert only_map(Conv2D, arrays, 0, groups=2) == "(d0, ((d1 * 4) + d5), (d3 + d6), (d4 + d7))"
    assert only_map(Conv2D, arrays, 1, groups=2) == "(((d1 * 2) + d2), d5, d6, d7)"


def test_maps_of_a_depthwise_convolution():
    arrays = [randoms(1, 8, 5, 5), randoms(8, 1, 3, 3)]
    assert only_map(Conv2D, arrays, 0, groups=8) == "(d0, d1, (d2 + d4), (d3 + d5))"
    assert only_map(Conv2D, arrays, 1, groups=8) == "(d1, 0, d4, d5)"


def test_maps_of_a_transposed_convolution():
    arrays = [randoms(1, 8, 5, 5), randoms(8, 4, 3, 3)]
    assert only_map(Conv2DTranspose, arrays, 0, strides=[2]) == (
        "(d0, d4, ((d2 + (d5 * -1)) + 2), ((d3 + (d6 * -1)) + 2))"
    )
    assert only_map(Conv2DTranspose, arrays, 1, strides=[2]) == "(d4, d1, d5, d6)"


def test_wider_result_is_cast_before_the_product():
    arrays = [np.ones((1, 4, 5, 5), np.int8), np.ones((4, 4, 3, 3), np.int8)]
    (generic,) = lowered_generics(Conv2D, arrays, out_dtype=i32)
    assert [op.name for op in generic.body.block.ops] == [
        "arith.extsi",
        "arith.extsi",
        "arith.muli",
        "arith.addi",
        "linalg.yield",
    ]


# Values -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("groups", [1, 2, 8])
@pytest.mark.parametrize(
    "attrs",
    [
        {},
        {"strides": [2, 1], "padding": [1, 2]},
        {"strides": [2, 3], "padding": [0, 2, 1, 0], "dilation": [2, 1]},
        {"out_layout": "NHWC"},
        {"out_layout": "NCHW4c"},
    ],
)
def test_conv2d(attrs, groups):
    assert_lowering_matches(Conv2D, [randoms(2, 8, 7, 6), randoms(16, 8 // groups, 3, 2)], RTOL, groups=groups, **attrs)


SIXES = {"data_layout": "NCHW6c", "out_layout": "NHWC"}


@pytest.mark.parametrize(
    ("data", "kernel", "attrs"),
    [
        # No piece of one layout ends where a piece of another does.
        ((1, 2, 4, 4, 6), (2, 3, 3, 3, 4, 8), {**SIXES, "kernel_layout": "OIHW4i8o"}),
        ((1, 2, 4, 4, 4), (2, 2, 3, 3, 4, 8), {"data_layout": "NCHW4c", "kernel_layout": "OIHW4i8o"}),
        ((1, 2, 4, 4, 4), (16, 8, 3, 3), {"data_layout": "NCHW4c", "out_layout": "NCHW16c"}),
        ((1, 2, 4, 4, 6), (2, 3, 3, 3, 2, 8, 2), {**SIXES, "kernel_layout": "OIHW2i8o2i"}),
        ((8, 4, 4, 2), (16, 8, 3, 3), {"data_layout": "CHWN", "out_layout": "NCHW"}),
        ((4, 4, 1, 8, 2), (3, 3, 8, 6), {"data_layout": "HWNC2n", "kernel_layout": "HWIO", "out_layout": "NHWC"}),
        # A block of the result holds several groups, or a group several blocks.
        ((1, 2, 4, 4, 4), (16, 2, 3, 3), {"data_layout": "NCHW4c", "out_layout": "NCHW8c", "groups": 4}),
        ((1, 4, 4, 4, 4), (16, 8, 3, 3), {"data_layout": "NCHW4c", "groups": 2}),
        ((1, 2, 4, 4, 4), (2, 1, 3, 3, 1, 4), {"data_layout": "NCHW4c", "kernel_layout": "OIHW1i4o", "groups": 8}),
        ((1, 4, 4, 8), (3, 3, 8, 1), {"data_layout": "NHWC", "kernel_layout": "HWOI", "groups": 8}),
        ((1, 4, 4, 8), (3, 3, 16, 1), {"data_layout": "NHWC", "kernel_layout": "HWOI", "groups": 8}),
        ((1, 4, 4, 8), (3, 3, 4, 6), {"data_layout": "NHWC", "kernel_layout": "HWIO", "groups": 2}),
    ],
)
def test_layouts(data, kernel, attrs):
    assert_lowering_matches(Conv2D, [randoms(*data), randoms(*kernel)], RTOL, **attrs)


@pytest.mark.parametrize("groups", [1, 2, 8])
@pytest.mark.parametrize(
    "attrs",
    [
        {},
        {"strides": [2, 3], "padding": [1, 2], "output_padding": [1, 0]},
        {"strides": [2, 3], "padding": [1, 0, 0, 2], "dilation": [2, 1], "output_padding": [1, 2]},
        {"strides": [3, 3], "padding": [3, 3]},  # cuts off more than a kernel reaches
        {"out_layout": "NHWC"},
    ],
)
def test_conv2d_transpose(attrs, groups):
    arrays = [randoms(2, 8, 4, 5), randoms(8, 2, 3, 2)]
    assert_lowering_matches(Conv2DTranspose, arrays, RTOL, groups=groups, **attrs)


@pytest.mark.parametrize(
    ("data", "kernel", "attrs"),
    [
        ((1, 2, 3, 3, 4), (2, 1, 2, 2, 4, 8), {"data_layout": "NCHW4c", "kernel_layout": "IOHW4i8o"}),
        ((1, 2, 3, 3, 4), (1, 8, 2, 2, 8), {"data_layout": "NCHW4c", "kernel_layout": "IOHW8i"}),
        ((1, 3, 3, 8), (2, 2, 4, 8), {"data_layout": "NHWC", "kernel_layout": "HWOI"}),
    ],
)
@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_layouts(data, kernel, attrs, groups):
    arrays = [randoms(*data), randoms(*kernel)]
    assert_lowering_matches(Conv2DTranspose, arrays, RTOL, strides=[2], groups=groups, **attrs)


def test_one_spatial_axis():
    x = randoms(2, 4, 9)
    assert_lowering_matches(Conv1D, [x, randoms(3, 4, 3)], RTOL, strides=[2], padding=[1, 2], dilation=[2])
    assert_lowering_matches(Conv1D, [x.transpose(0, 2, 1), randoms(3, 4, 3)], RTOL, data_layout="NWC")
    attrs = {"strides": [2], "output_padding": [1], "padding": [1], "groups": 2}
    assert_lowering_matches(Conv1DTranspose, [x, randoms(4, 3, 3)], RTOL, **attrs)


@pytest.mark.parametrize(
    "dtypes", [(np.int8, np.int8), (np.uint8, np.int8), (np.uint8, np.uint8), (np.int16, np.int16)]
)
def test_integers(dtypes):
    shapes = [(1, 4, 5, 5), (3, 4, 3, 3)]
    ranges = [(np.iinfo(dtype).min, np.iinfo(dtype).max) for dtype in dtypes]
    x, w = (RNG.integers(*bounds, shape, dtype) for bounds, shape, dtype in zip(ranges, shapes, dtypes, strict=True))
    assert_lowering_matches(Conv2D, [x, w], out_dtype=i32, padding=[1])
    if x.dtype == w.dtype:
        assert_lowering_matches(Conv2D, [x, w])


def test_half():
    x, w = randoms(1, 64, 3, 3).astype(np.float16), randoms(4, 64, 3, 3).astype(np.float16)
    assert_lowering_matches(Conv2D, [x, w], 1e-3)
    assert_lowering_matches(Conv2D, [x, w], 1e-4, out_dtype=f32)


def test_size_one_and_no_batch():
    assert_lowering_matches(Conv2D, [randoms(1, 8, 1, 1), randoms(4, 8, 1, 1)], RTOL)
    assert_lowering_matches(Conv2D, [randoms(1, 1, 3, 3), randoms(1, 1, 3, 3)], RTOL)
    assert_lowering_matches(Conv2D, [randoms(0, 8, 3, 3), randoms(4, 8, 1, 1)])
    assert_lowering_matches(Conv2DTranspose, [randoms(1, 8, 1, 1), randoms(8, 4, 1, 1)], RTOL, strides=[2])


small = st.integers(1, 3)


@settings(max_examples=40, deadline=None)
@given(st.booleans(), small, small, small, small, st.integers(0, 2), st.integers(0, 2), st.sampled_from([1, 2, 4]))
def test_random_windows(transposed, length, size, stride, dilation, before, after, groups):
    extent = (size - 1) * dilation + 1
    attrs = {"strides": [stride], "dilation": [dilation], "padding": [before, after], "groups": groups}
    if transposed:
        if (length - 1) * stride + extent - before - after < 1:
            return
        assert_lowering_matches(Conv1DTranspose, [randoms(1, 4, length), randoms(4, 2, size)], RTOL, **attrs)
    elif length + before + after >= extent:
        assert_lowering_matches(Conv1D, [randoms(1, 4, length), randoms(4, 4 // groups, size)], RTOL, **attrs)
