"""An example of a plugin for xrelay: the Snake activation."""

from __future__ import annotations


def register() -> None:
    """Called once by xrelay: importing the modules registers what they define."""
    from xrelay_plugin_example import importer, lowering, meaning  # noqa: F401
