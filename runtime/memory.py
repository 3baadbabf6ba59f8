"""Memory of runs: aligned arrays, and arenas that are used again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

ALIGNMENT = 64
"""Bytes: a cache line, and the widest vector register."""


def aligned_empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An uninitialised C-contiguous array whose data starts at a multiple of `ALIGNMENT`."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size].view(dtype).reshape(shape)


class ArenaPool:
    """Arenas of one model: one for each run under way, kept for the next ones.

    A list's `pop` and `append` are atomic, so the free list needs no lock.
    """

    def __init__(self, size: int):
        self.size = size
        self._free: list[np.ndarray] = []

    @contextmanager
    def arena(self) -> Iterator[int]:
        """The address of an arena for the length of a block; 0 for a model that needs none."""
        if self.size == 0:
            yield 0
            return
        try:
            arena = self._free.pop()
        except IndexError:
            arena = aligned_empty((self.size,), np.dtype(np.uint8))
        try:
            yield arena.ctypes.data
        finally:
            self._free.append(arena)
