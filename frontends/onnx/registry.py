"""ONNX operator and version → the function that imports it.

```python
@importer("MyOp", domain="my.domain")
def my_op(node: Node) -> SSAValue:
    return node.build(ops.Add, node.input(0), node.input(1))
```

A plugin registers its operators in the same way. Where several functions fit a version, the one with the latest
`since` is taken, and of equal ones the one registered last, so that a plugin may replace an importer.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xrelay.frontends.onnx.node import Node

Importer = Callable[["Node"], Any]
"""Returns an SSA value, an array (a value known during import), or a sequence of those, one for each output."""

_FAMILIES = (
    "activation",
    "control",
    "convolution",
    "creation",
    "einsum",
    "elementwise",
    "image",
    "indexing",
    "linear",
    "loops",
    "microsoft",
    "normalization",
    "pooling",
    "quantization",
    "recurrent",
    "reduce",
    "shape",
    "transform",
)
"""The modules of this package that register importers."""


@dataclass(frozen=True)
class _Entry:
    since: int
    until: int | None
    function: Importer

    def fits(self, version: int) -> bool:
        return self.since <= version and (self.until is None or version <= self.until)


_IMPORTERS: dict[tuple[str, str], list[_Entry]] = {}


def importer(
    *op_types: str, domain: str = "", since: int = 1, until: int | None = None
) -> Callable[[Importer], Importer]:
    """Register a function as the importer of operators, for the versions `since` to `until` of their domain."""

    def register(function: Importer) -> Importer:
        for op_type in op_types:
            _IMPORTERS.setdefault((canonical_domain(domain), op_type), []).append(_Entry(since, until, function))
        return function

    return register


def find_importer(domain: str, op_type: str, version: int) -> Importer | None:
    _load_families()
    entries: Sequence[_Entry] = _IMPORTERS.get((canonical_domain(domain), op_type), ())
    fitting = [entry for entry in entries if entry.fits(version)]
    # max takes the first of equals, the newest registration shall win.
    return max(reversed(fitting), key=lambda entry: entry.since).function if fitting else None


def canonical_domain(domain: str) -> str:
    """`ai.onnx` is another name of the default domain."""
    return "" if domain == "ai.onnx" else domain


def supported_operators() -> dict[str, list[tuple[int, int | None]]]:
    """Operators of the default domain, with the version ranges of their importers."""
    _load_families()
    return {
        op_type: sorted((entry.since, entry.until) for entry in entries)
        for (domain, op_type), entries in sorted(_IMPORTERS.items())
        if not domain
    }


@cache
def _load_families() -> None:
    for family in _FAMILIES:
        importlib.import_module(f"xrelay.frontends.onnx.{family}")
