"""Measuring calls side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Timing:
    """Seconds of one call: over all calls measured."""

    median: float
    minimum: float
    p95: float

    @classmethod
    def of(cls, seconds: list[float]) -> Timing:
        return cls(float(np.median(seconds)), min(seconds), float(np.percentile(seconds, 95)))


def measure(calls: Mapping[str, Callable[[], object]], repeat: int | None, warmup: int = 3) -> dict[str, Timing]:
    """Time each of the calls `repeat` times, in turns, so that a change of the machine's speed meets all of them.

    Without `repeat`, as often as fits into about a second each, at least 10 and at most 1000 times.
    """
    longest = 0.0
    for _ in range(max(warmup, 1)):
        for call in calls.values():
            start = time.perf_counter()
            call()
            longest = max(longest, time.perf_counter() - start)
    if repeat is None:
        repeat = int(np.clip(1.0 / max(longest, 1e-9), 10, 1000))
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeat):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return {name: Timing.of(times) for name, times in seconds.items()}
