"""`xrelay.target.Target`: the machine to compile for."""

from __future__ import annotations

from xrelay.lowering.target import Target, host

__all__ = ["Target", "host"]
