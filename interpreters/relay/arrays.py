"""Helpers over arrays that several meanings share."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

_HALVES = ("float16", "bfloat16")
"""By their names: bfloat16 is ml_dtypes', which takes half a second to load."""


def is_float_array(array: np.ndarray) -> bool:
    return array.dtype.kind == "f" or array.dtype.name in _HALVES


def widen(array: np.ndarray) -> np.ndarray:
    """float16 and bfloat16 as float32; other arrays as they are."""
    return array.astype(np.float32) if array.dtype.name in _HALVES else array


def in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compute a meaning on 16-bit floats in float32; the result is rounded once, by whoever evaluates it."""

    @wraps(function)
    def wide(attrs: Any, *arrays: np.ndarray) -> Any:
        return function(attrs, *map(widen, arrays))

    return wide


def cast_array(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """NumPy's astype, with a defined result for every number.

    Float to integer truncates toward zero and saturates, NaN gives 0; anything but zero is true.
    """
    if dtype == np.bool_:
        return array != 0
    if not is_float_array(array) or dtype.kind not in "iu":
        return array.astype(dtype)
    info = np.iinfo(dtype)
    whole = np.trunc(array.astype(np.float64))
    # float(info.max) may be the first number beyond the range, never the last but one: `>=` is right for both.
    below, above = whole <= float(info.min), whole >= float(info.max)
    inside = np.where(below | above | np.isnan(whole), 0, whole).astype(dtype)
    return np.where(below, dtype.type(info.min), np.where(above, dtype.type(info.max), inside))
