"""Where things lie in the repository, for the tests that look at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("dialects", "interpreters", "frontends", "lowering", "runtime", "xrelay")
"""The folders that are installed."""


def sources(*folders: str) -> Iterator[Path]:
    """The Python files of these folders (of all that are installed if none is given)."""
    for folder in folders or LAYERS:
        yield from sorted((ROOT / folder).rglob("*.py"))


def module_name(path: Path) -> str:
    """`dialects/relay/core.py` → `xrelay.dialects.relay.core`."""
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    if parts[0] != "xrelay":
        parts.insert(0, "xrelay")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
