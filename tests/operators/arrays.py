"""Arrays to try operators on, the same in every run: plain ones, and those with the hard values of a dtype."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
INTEGERS = SIGNED + UNSIGNED
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
NUMBERS = INTEGERS + FLOATS
ALL = [np.bool_, *NUMBERS]

LARGE = (33, 2047)
"""More than 64k elements, so that threads share the work, and no multiple of a vector."""

SHAPES = [(), (0,), (1,), (7,), (15,), (17,), (33,), (2, 0, 3), (3, 5), (1, 7, 1), (2, 3, 4, 5), (2, 1, 3, 2, 5), LARGE]
"""Ranks 0 to 5, no elements, and sizes around those of vectors."""


def array(*shape: int, dtype: Any = np.float32, low: float = -4, high: float = 4, seed: int = 0) -> np.ndarray:
    """Random numbers of [low, high), whole ones for integers; unsigned ones start at 0 at least."""
    dtype = np.dtype(dtype)
    random = np.random.default_rng(seed)
    if dtype == np.bool_:
        return random.integers(0, 2, shape) != 0
    if dtype.kind in "iu":
        return random.integers(max(low, 0) if dtype.kind == "u" else low, high, shape).astype(dtype)
    return random.uniform(low, high, shape).astype(dtype)


def extremes(dtype: Any) -> np.ndarray:
    """The ends of the dtype, the numbers around zero, infinities and NaN; 1-D."""
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        around = [info.min, info.min + 1, -7, -2, -1, 0, 1, 2, 3, 7, info.max // 2, info.max - 1, info.max]
        return np.array(sorted({max(n, info.min) for n in around}), dtype)
    info = ml_dtypes.finfo(dtype)
    positive = [0.0, float(info.tiny), 0.3, 0.5, 1.0, 1.5, 2.5, 7.0, 100.0, float(info.max), np.inf]
    return np.array([*[-x for x in positive], *positive, np.nan]).astype(dtype)


def pairs(dtype: Any, nonzero: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays that, broadcast together, pair each extreme number with each (`nonzero`: with each but 0)."""
    values = extremes(dtype)
    others = values[values != 0] if nonzero else values
    return values[:, None], others[None, :]


def cases(*choices: Any) -> Any:
    """`pytest.mark.parametrize` arguments with short names: `@pytest.mark.parametrize("dtype", cases(*FLOATS))`."""
    return [pytest.param(choice, id=_name(choice)) for choice in choices]


def _name(choice: Any) -> str:
    return choice.__name__ if isinstance(choice, type) else str(choice).replace(" ", "")
