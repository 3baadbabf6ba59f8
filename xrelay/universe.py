"""What xrelay adds to xDSL, for the entry points `xdsl.universe`: `xdsl-opt` sees our dialects, passes and formats.

Everything is a getter, called at its first use, so that `xdsl-opt --help` loads none of it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from xdsl.context import Context
from xdsl.universe import Universe

from xrelay.lowering.registry import get_all_passes
from xrelay.plugins import load_plugins

_DIALECTS = {
    "relay": "xrelay.dialects.relay:dialect",
    "kernel": "xrelay.dialects.kernel:Kernel",
    "vector_ext": "xrelay.dialects.vector_ext:VectorExt",
    "llvm_ext": "xrelay.dialects.llvm_ext:LLVMExt",
}
_TARGETS = {
    "xrelay-llvm": "xrelay.formats:LLVMIRTarget",
    "xrelay-asm": "xrelay.formats:AssemblyTarget",
}
_FRONTENDS = {
    "onnx": "xrelay.formats:ONNXFrontend",
    "relay": "xrelay.formats:RelayFrontend",
}


def _getter(path: str) -> Callable[[], Any]:
    def get() -> Any:
        module, _, name = path.partition(":")
        return getattr(importlib.import_module(module), name)

    return get


def _dialect(path: str) -> Callable[[], Any]:
    """A getter of a dialect; one that is a function is called for a fresh dialect a context."""

    def get() -> Any:
        found = _getter(path)()
        return found() if callable(found) else found

    return get


def context() -> Context:
    """A fresh context that knows every installed dialect: xDSL's, ours, and those of plugins."""
    fresh = Context()
    for name, get in Universe.get_multiverse().all_dialects.items():
        fresh.register_dialect(name, get)
    return fresh


def _pass(get: Callable[[], Any]) -> Callable[[], Any]:
    """A getter of a pass, which meets the operators and lowerings of the plugins."""

    def get_with_plugins() -> Any:
        load_plugins()
        return get()

    return get_with_plugins


UNIVERSE = Universe(
    all_dialects={name: _dialect(path) for name, path in _DIALECTS.items()},
    all_passes={name: _pass(get) for name, get in get_all_passes().items()},
    all_targets={name: _getter(path) for name, path in _TARGETS.items()},
    all_frontends={name: _getter(path) for name, path in _FRONTENDS.items()},
)
