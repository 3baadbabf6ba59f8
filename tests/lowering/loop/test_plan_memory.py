"""Where buffers are placed in the arena."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from xrelay.lowering.loop.plan_memory import ALIGNMENT, Interval, aligned, place


@st.composite
def intervals(draw) -> list[Interval]:
    found = []
    for _ in range(draw(st.integers(0, 12))):
        start = draw(st.integers(0, 10))
        size = draw(st.one_of(st.integers(0, 300), st.integers(1, 4).map(lambda n: n * 4096)))
        found.append(Interval(size, start, start + draw(st.integers(0, 5))))
    return found


@settings(max_examples=200, deadline=None)
@given(intervals())
def test_what_is_alive_together_does_not_overlap(buffers: list[Interval]):
    total = place(buffers)
    for buffer in buffers:
        assert buffer.offset % ALIGNMENT == 0
        assert buffer.offset + buffer.size <= total
    for a, b in itertools.combinations(buffers, 2):
        if a.start <= b.end and b.start <= a.end:
            assert a.offset + a.size <= b.offset or b.offset + b.size <= a.offset or 0 in (a.size, b.size)


@settings(max_examples=200, deadline=None)
@given(intervals())
def test_total_is_between_what_is_alive_at_once_and_the_sum(buffers: list[Interval]):
    total = place(buffers)
    assert total <= sum(aligned(b.size) for b in buffers)
    for time in range(16):
        assert total >= sum(b.size for b in buffers if b.start <= time <= b.end)


def test_a_chain_needs_two_buffers():
    chain = [Interval(1000, n, n + 1) for n in range(10)]
    assert place(chain) == 2 * aligned(1000)


def test_a_small_buffer_goes_into_a_gap():
    large = [Interval(4096, 0, 3), Interval(4096, 0, 1), Interval(4096, 2, 3)]
    assert place([*large, Interval(64, 4, 5)]) == 2 * 4096
