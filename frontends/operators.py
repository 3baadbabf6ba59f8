"""Every relay operator by its class name, for frontends, which build many of them: `ops.Conv2D.make(…)`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from xrelay.dialects.relay import Relay

ops: Any = SimpleNamespace(**{operator.__name__: operator for operator in Relay.operations})
