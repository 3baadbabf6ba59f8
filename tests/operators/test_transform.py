"""Operators that rearrange elements, compiled."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operators.arrays import ALL, LARGE, array, cases
from tests.operators.harness import Case, check, check_all
from xrelay.dialects.relay import transform as ops

SPREADS = {
    ops.Transpose: {"axes": (1, 0)},
    ops.Reverse: {"axis": 1},
    ops.Tile: {"reps": (2, 1)},
    ops.Repeat: {"repeats": 2, "axis": 1},
    ops.BroadcastTo: {"shape": (2, 3, 17)},
    ops.Pad: {"pad_width": (1, 0, 2, 3), "pad_value": 1.0},
    ops.MirrorPad: {"pad_width": (1, 0, 2, 3)},
    ops.LayoutTransform: {"src_layout": "NC", "dst_layout": "NC4c"},
}


@pytest.mark.parametrize("operator", cases(*SPREADS))
def test_types(operator):
    check_all(Case(operator, array(3, 17, dtype=dtype), **SPREADS[operator]) for dtype in ALL)


@pytest.mark.parametrize("operator", cases(ops.Concatenate, ops.Stack))
def test_joins_of_types(operator):
    check_all(Case(operator, *(array(3, 7, dtype=dtype, seed=seed) for seed in range(3)), axis=1) for dtype in ALL)


def test_transpose():
    inputs = [
        ((), None),
        ((7,), None),
        ((15, 17), None),
        ((2, 3, 4), (2, 0, 1)),
        ((2, 3, 4), (0, 2, 1)),
        ((1, 17, 1, 3), (3, 1, 0, 2)),
        ((2, 3, 4, 5), (0, 2, 3, 1)),
        ((2, 3, 2, 3, 7), (4, 2, 0, 1, 3)),
        ((3, 0, 2), (1, 2, 0)),
        (LARGE, None),
        ((4, 33, 17, 31), (0, 2, 3, 1)),
    ]
    check_all((Case(ops.Transpose, array(*shape), axes=axes) for shape, axes in inputs), opt_levels=(0, 3))


def test_reverse():
    inputs = [((7,), 0), ((3, 33), 0), ((3, 33), -1), ((2, 1, 5), 1), ((0, 3), 1), (LARGE, 1)]
    check_all((Case(ops.Reverse, array(*shape), axis=axis) for shape, axis in inputs), opt_levels=(0, 3))


def test_layout_transform():
    inputs = [
        ((2, 3, 5, 7), "NCHW", "NHWC"),
        ((2, 8, 3, 5), "NCHW", "NCHW4c"),
        ((2, 7, 3, 5), "NCHW", "NCHW4c"),
        ((2, 2, 3, 5, 4), "NCHW4c", "NCHW"),
        ((2, 2, 3, 5, 4), "NCHW4c", "NCHW2c"),
        ((8, 6, 3, 3), "OIHW", "OIHW2i4o"),
        ((3, 3, 8, 16), "HWIO", "OIHW4i8o"),
        ((1, 16, 65, 67), "NCHW", "NCHW8c"),
    ]
    check_all(
        (
            Case(ops.LayoutTransform, array(*shape), src_layout=source, dst_layout=target)
            for shape, source, target in inputs
        ),
        opt_levels=(0, 3),
    )


def test_concatenate():
    inputs = [
        ([(7,)], 0),
        ([(1,), (15,), (0,), (17,)], 0),
        ([(2, 3), (2, 5), (2, 1)], 1),
        ([(2, 3), (5, 3)], -2),
        ([(2, 3, 5), (2, 7, 5)], 1),
        ([(0, 3), (0, 5)], 1),
        ([(33, 1023), (33, 1024)], 1),
        ([(17, 2047), (16, 2047)], 0),
    ]
    check_all(
        (
            Case(ops.Concatenate, *(array(*shape, seed=seed) for seed, shape in enumerate(shapes)), axis=axis)
            for shapes, axis in inputs
        ),
        opt_levels=(0, 3),
    )


def test_concatenate_of_one_tensor_with_itself():
    x = array(3, 5)
    check(ops.Concatenate, x, x, axis=1)


def test_stack():
    inputs = [((), 0), ((7,), 0), ((7,), -1), ((3, 5), 1), ((2, 0), 2), ((33, 701), 1)]
    check_all(
        (Case(ops.Stack, *(array(*shape, seed=seed) for seed in range(3)), axis=axis) for shape, axis in inputs),
        opt_levels=(0, 3),
    )


def test_broadcast_to():
    inputs = [
        ((), ()),
        ((), (2, 7)),
        ((1,), (17,)),
        ((3, 1), (2, 3, 5)),
        ((2, 1, 3, 1), (2, 4, 3, 5)),
        ((1,), (3, 0)),
        ((2047,), LARGE),
    ]
    check_all((Case(ops.BroadcastTo, array(*shape), shape=to) for shape, to in inputs), opt_levels=(0, 3))


def test_tile():
    inputs = [
        ((), (3,)),
        ((7,), (2,)),
        ((3, 5), (2, 3)),
        ((5,), (2, 1, 3)),
        ((2, 3, 5), (2,)),
        ((3,), (0,)),
        ((33, 89), (1, 23)),
    ]
    check_all((Case(ops.Tile, array(*shape), reps=reps) for shape, reps in inputs), opt_levels=(0, 3))


def test_repeat():
    inputs = [
        ((7,), 3, 0),
        ((3, 5), 2, None),
        ((3, 5), 2, 0),
        ((3, 5), 3, -1),
        ((2, 3, 4), 2, 1),
        ((3,), 0, 0),
        ((33, 701), 3, 1),
    ]
    check_all(
        (Case(ops.Repeat, array(*shape), repeats=repeats, axis=axis) for shape, repeats, axis in inputs),
        opt_levels=(0, 3),
    )


@pytest.mark.parametrize("pad_mode", ["constant", "edge", "reflect"])
def test_pad(pad_mode):
    inputs = [
        ((7,), (2, 3)),
        ((3, 5), (0, 0, 1, 4)),
        ((3, 5), (2, 1, 0, 0)),
        ((2, 3, 7, 9), (0, 0, 0, 0, 3, 3, 2, 1)),
        ((33, 2047), (1, 0, 2, 2)),
    ]
    check_all(
        (Case(ops.Pad, array(*shape), pad_width=pad_width, pad_mode=pad_mode) for shape, pad_width in inputs),
        opt_levels=(0, 3),
    )


def test_pad_of_nothing_and_by_nothing():
    check(ops.Pad, array(0, 3), pad_width=(2, 1, 1, 0), pad_value=2.5)
    check(ops.Pad, array(3, 5), pad_width=(0, 0, 0, 0))
    check(ops.Pad, array(), pad_width=())


def test_pad_values():
    check_all(
        (
            Case(ops.Pad, array(2, 3), pad_width=(1, 1, 0, 2), pad_value=value)
            for value in [np.inf, -np.inf, np.nan, -2.5]
        ),
        opt_levels=(0, 3),
    )


@pytest.mark.parametrize("mode", ["SYMMETRIC", "REFLECT"])
def test_mirror_pad(mode):
    inputs = [((7,), (3, 6)), ((3, 5), (2, 1, 0, 4)), ((33, 2047), (1, 0, 2, 2))]
    check_all(
        (Case(ops.MirrorPad, array(*shape), pad_width=pad_width, mode=mode) for shape, pad_width in inputs),
        opt_levels=(0, 3),
    )


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_blocks(mode, layout):
    def stored(*sizes: int) -> np.ndarray:
        return array(*(sizes["NCHW".index(letter)] for letter in layout))

    attrs = {"mode": mode, "layout": layout}
    check_all(
        case
        for block in (1, 2, 3)
        for case in (
            Case(ops.DepthToSpace, stored(2, 2 * block * block, 5, 7), block_size=block, **attrs),
            Case(ops.SpaceToDepth, stored(2, 3, 3 * block, 6 * block), block_size=block, **attrs),
        )
    )


def test_large_blocks():
    check(ops.DepthToSpace, array(1, 16, 65, 67), block_size=2)
    check(ops.SpaceToDepth, array(1, 4, 130, 134), block_size=2)
