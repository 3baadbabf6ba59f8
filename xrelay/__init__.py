"""xrelay, a deep-learning compiler in Python: Relay on xDSL, machine code by llvmlite.

`import xrelay` is cheap: everything is loaded at its first use.
"""

from __future__ import annotations

import importlib
from typing import Any

from xrelay.errors import XRelayError

__version__ = "0.1.0"

_LAZY = {
    "compile": "xrelay.compiler",
    "load": "xrelay.api",
    "cpu": "xrelay.api",
    "relay": "xrelay.relay",
    "runtime": "xrelay.runtime",
    "target": "xrelay.target",
    "transform": "xrelay.transform",
}
_MODULES = {"relay", "runtime", "target", "transform"}

__all__ = ["XRelayError", "__version__", *_LAZY]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'xrelay' has no attribute {name!r}")
    module = importlib.import_module(_LAZY[name])
    return module if name in _MODULES else getattr(module, name)
