"""Networks to try things on: `mod, params = relay.testing.resnet.get_workload(num_layers=18)`.

Weights are random, the same each time. Modules of networks load when they are used.
"""

from __future__ import annotations

import importlib
from typing import Any

from xrelay.relay.testing.init import create_workload

_NETWORKS = {"densenet", "init", "layers", "lstm", "mlp", "mobilenet", "resnet", "squeezenet", "vgg"}

__all__ = ["create_workload"]


def __getattr__(name: str) -> Any:
    if name not in _NETWORKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
