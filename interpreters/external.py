"""Backends in Python: how the debug executor computes the functions that `relay-partition-graph` made for them.

```python
@backend("npu")
def run(function, arguments):
    return [ … ]  # the results of the function on these arrays
```

A function of a backend that is not here is run by the meaning of its operators, as all others are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.dialects.func import FuncOp

from xrelay.dialects.relay.language import FUNCTION_ATTRS

Backend = Callable[[FuncOp, Sequence[Any]], Sequence[Any]]

_BACKENDS: dict[str, Backend] = {}


def backend(name: str) -> Callable[[Backend], Backend]:
    """Decorator: register a function as the backend of this name."""

    def register(function: Backend) -> Backend:
        _BACKENDS[name] = function
        return function

    return register


def backend_of(function: FuncOp) -> Backend | None:
    """The backend that computes a function; None for those that it is not known for."""
    attrs = function.attributes.get(FUNCTION_ATTRS)
    name = attrs.data.get("Compiler") if isinstance(attrs, DictionaryAttr) else None
    return _BACKENDS.get(name.data) if isinstance(name, StringAttr) else None
