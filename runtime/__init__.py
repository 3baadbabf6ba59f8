"""What a compiled model needs to run: files, memory, threads, the call. NumPy is enough; names load when used."""

from __future__ import annotations

import importlib
from typing import Any

_LAZY = {
    "Artifact": "artifact",
    "BenchmarkResult": "graph_module",
    "CompiledModel": "model",
    "GraphModule": "graph_module",
    "Metadata": "metadata",
    "NDArray": "graph_module",
    "Signature": "metadata",
    "Target": "metadata",
    "TensorSpec": "metadata",
    "load": "loader",
}

__all__ = sorted(_LAZY)


def __getattr__(name: str) -> Any:
    if name == "load_module":  # the name that users of Relay know
        name = "load"
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
