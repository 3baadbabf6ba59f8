"""Operator class → its meaning, a function `(attrs, *arrays) -> array | tuple of arrays`.

```python
@meaning(Add)
def add(attrs, lhs, rhs):
    return lhs + rhs
```
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from xrelay.dialects.relay import COMPUTED
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.types import dtype_of

Meaning = Callable[..., Any]

_MEANINGS: dict[type[RelayOp], Meaning] = {}


def meaning(*operators: type[RelayOp]) -> Callable[[Meaning], Meaning]:
    """Register a function as the meaning of these operators."""

    def register(function: Meaning) -> Meaning:
        for operator in operators:
            _MEANINGS[operator] = function
        return function

    return register


def has_meaning(operator: type[RelayOp]) -> bool:
    _load()
    return operator in _MEANINGS


def evaluate(op: RelayOp, arrays: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The results of one operator on arrays, in the dtypes of its result types."""
    _load()
    with np.errstate(all="ignore"):
        results = _MEANINGS[type(op)](op.attrs, *arrays)
        results = results if isinstance(results, tuple) else (results,)
        return tuple(
            np.asarray(value).astype(dtype_of(result.type), copy=False)
            for value, result in zip(results, op.results, strict=True)
        )


@cache
def _load() -> None:
    """Import the families, so that their meanings are registered."""
    for family in COMPUTED:
        importlib.import_module(f"xrelay.interpreters.relay.{family}")
