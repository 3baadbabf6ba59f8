"""The functions of `xrelay` itself."""

from __future__ import annotations

from dataclasses import dataclass

from xrelay.errors import UnsupportedError
from xrelay.runtime.loader import load

__all__ = ["Device", "cpu", "load"]


@dataclass(frozen=True)
class Device:
    """Where a model runs."""

    kind: str
    index: int

    def __str__(self) -> str:
        return f"{self.kind}({self.index})"


def cpu(index: int = 0) -> Device:
    """The CPU. It is one device, whatever the number of its cores.

    Raises:
        UnsupportedError: another index than 0.
    """
    if index != 0:
        raise UnsupportedError(f"there is no cpu({index}), only cpu(0); num_threads says how many cores a model uses")
    return Device("cpu", 0)
