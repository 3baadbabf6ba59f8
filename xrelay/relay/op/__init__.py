"""Operators as functions on expressions: `relay.op.add(x, y)`, the same as `relay.add`.

The functions are made from the classes of the dialect when they are first used, with the parameters and defaults of
Relay's Python API; so an operator of a plugin is a function here too. `relay.nn`, `relay.image` … are its namespaces.
"""

from __future__ import annotations

from typing import Any

from xrelay.frontends.relay_text.expr import Op

__all__ = ["get"]


def get(name: str) -> Op:
    """The operator of a name. Raises UnsupportedError, listing close names, for one that there is not."""
    from xrelay.frontends.relay_text.operators import operator_class

    operator_class(name)
    return Op(name)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from xrelay.relay.op.generate import ROOT

    return getattr(ROOT, name)


def __dir__() -> list[str]:
    from xrelay.relay.op.generate import ROOT

    return [*__all__, *dir(ROOT)]
