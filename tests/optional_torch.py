"""PyTorch as a reference, where it is installed (the extra `torch`): without it, a test that asks it is skipped."""

from __future__ import annotations

from typing import Any

import pytest


class _Module:
    """A module that is imported when an attribute of it is first asked for."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # pytest looks at what a test module imports, which is no use of PyTorch.
        if attribute.startswith(("_", "pytest")):
            raise AttributeError(attribute)
        return getattr(pytest.importorskip(self._name), attribute)


torch: Any = _Module("torch")
functional: Any = _Module("torch.nn.functional")
