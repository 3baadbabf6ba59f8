"""Sliding windows: padding attributes, and how many windows there are."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.types import DYNAMIC
from xrelay.dialects.relay.window import Windows, expand_padding, per_axis


@pytest.mark.parametrize(
    ("padding", "n", "expected"),
    [
        ([1], 1, ((1,), (1,))),
        ([1, 2], 1, ((1,), (2,))),
        ([1], 2, ((1, 1), (1, 1))),
        ([1, 2], 2, ((1, 2), (1, 2))),
        ([1, 2, 3, 4], 2, ((1, 2), (3, 4))),
        ([1, 2, 3], 3, ((1, 2, 3), (1, 2, 3))),
        ([1, 2, 3, 4, 5, 6], 3, ((1, 2, 3), (4, 5, 6))),
    ],
)
def test_expand_padding(padding, n, expected):
    assert expand_padding(padding, n) == expected


@pytest.mark.parametrize(("padding", "n"), [([1, 2, 3], 2), ([], 2), ([1, 2, 3], 1)])
def test_wrong_number_of_paddings(padding, n):
    with pytest.raises(VerifyException, match="items"):
        expand_padding(padding, n)


def test_too_small():
    with pytest.raises(VerifyException, match="must not be below 1"):
        per_axis([0], 2, "strides", least=1)
    with pytest.raises(VerifyException, match="must not be below 0"):
        expand_padding([0, -1], 2)


def test_unknown_length():
    windows = Windows.of([3, DYNAMIC], [1], [1], [0], "C1")
    assert windows.count([DYNAMIC, 8]) == (DYNAMIC, DYNAMIC)


small = st.integers(1, 4)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 12), small, small, small, st.integers(0, 5), st.integers(0, 5), st.booleans())
def test_count(length: int, size: int, stride: int, dilation: int, before: int, after: int, ceil_mode: bool):
    extent = (size - 1) * dilation + 1
    padded = before + length + after
    if padded < extent:
        return
    starts = [start for start in range(0, padded, stride) if start + extent <= padded]
    more = starts[-1] + stride
    # The window that ceil_mode adds sees some place, and starts in the data or the padding before it.
    if ceil_mode and starts[-1] + extent < padded and more < before + length:
        starts.append(more)
    windows = Windows.of([size], [stride], [dilation], [before, after], "C1")
    assert windows.count([length], ceil_mode) == (len(starts),)
