"""The arithmetic of layout strings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xrelay.dialects.relay.layout import UNKNOWN, Layout, convert_shape, convertible


def test_whole_axes():
    layout = Layout.parse("HWIO")
    assert (str(layout), layout.letters, layout.rank) == ("HWIO", "HWIO", 4)
    assert [layout.index(letter) for letter in "OIHW"] == [3, 2, 0, 1]
    assert layout.factor("I") == 1
    assert not layout.is_split("I")
    assert layout.sizes((3, 3, 8, 16)) == {"H": 3, "W": 3, "I": 8, "O": 16}


def test_split_axis():
    layout = Layout.parse("NCHW16c")
    assert (layout.letters, layout.rank, layout.index("C"), layout.factor("C")) == ("NCHW", 5, 1, 16)
    assert [(a.letter, a.step, a.factor) for a in layout.axes] == [
        ("N", 1, None),
        ("C", 16, None),
        ("H", 1, None),
        ("W", 1, None),
        ("C", 1, 16),
    ]
    assert layout.sizes((1, 4, 56, 56, 16)) == {"N": 1, "C": 64, "H": 56, "W": 56}


def test_axis_split_twice():
    layout = Layout.parse("OIHW4i16o4i")
    assert [(a.letter, a.step) for a in layout.axes] == [
        ("O", 16),
        ("I", 16),
        ("H", 1),
        ("W", 1),
        ("I", 4),
        ("O", 1),
        ("I", 1),
    ]
    assert layout.sizes((2, 3, 1, 1, 4, 16, 4)) == {"O": 32, "I": 48, "H": 1, "W": 1}


def test_split_before_its_main_axis():
    assert [a.step for a in Layout.parse("8cNC").axes] == [1, 1, 8]
    assert Layout.parse("NCHW1c").is_split("C")


@pytest.mark.parametrize(
    ("shape", "source", "target", "expected"),
    [
        ((1, 64, 56, 55), "NCHW", "NHWC", (1, 56, 55, 64)),
        ((1, 64, 56, 55), "NCHW", "NCHW16c", (1, 4, 56, 55, 16)),
        ((1, 3, 56, 55), "NCHW", "NCHW16c", (1, 1, 56, 55, 16)),
        ((1, 4, 56, 55, 16), "NCHW16c", "NCHW4c", (1, 16, 56, 55, 4)),
        ((64, 48, 3, 3), "OIHW", "OIHW4i16o4i", (4, 3, 3, 3, 4, 16, 4)),
        ((UNKNOWN, UNKNOWN, 5, 5), "NCHW", "NHWC8c", (UNKNOWN, 5, 5, UNKNOWN, 8)),
    ],
)
def test_convert_shape(shape, source, target, expected):
    assert convert_shape(shape, Layout.parse(source), Layout.parse(target)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no layout"),
        ("NC-HW", "is no layout"),
        ("NC16HW", "is no layout"),
        ("NCHWc", "is no layout"),
        ("NCHC", "names an axis twice"),
        ("NHW4c", "splits the axis C, which it does not have"),
        ("NCHW0c", "splits the axis C by 0"),
    ],
)
def test_no_layout(text: str, message: str):
    with pytest.raises(ValueError, match=message):
        Layout.parse(text)


def test_shape_that_does_not_fit():
    with pytest.raises(ValueError, match="has 5 axes, the shape"):
        Layout.parse("NCHW4c").sizes((1, 2, 3, 4))
    with pytest.raises(ValueError, match="splits C by 4, not by 8"):
        Layout.parse("NCHW4c").sizes((1, 2, 3, 4, 8))


def test_other_axes():
    assert not convertible(Layout.parse("NCHW"), Layout.parse("OIHW"))
    with pytest.raises(ValueError, match="name different axes"):
        convert_shape((1, 1, 1, 1), Layout.parse("NCHW"), Layout.parse("OIHW"))
    with pytest.raises(ValueError, match="has no axis D"):
        Layout.parse("NCHW").index("D")


@settings(max_examples=50, deadline=None)
@given(st.permutations("NCHW"), st.lists(st.sampled_from([2, 3, 4]), max_size=3), st.integers(1, 3))
def test_round_trip(order: list[str], factors: list[int], blocks: int):
    layout = Layout.parse("".join(order) + "".join(f"{factor}c" for factor in factors))
    sizes = {"N": 2, "C": blocks * layout.factor("C"), "H": 5, "W": 7}
    assert layout.sizes(layout.shape(sizes)) == sizes
