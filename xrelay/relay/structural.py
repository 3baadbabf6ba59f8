"""Structural equality of modules, expressions and types: the same up to the names of bound variables."""

from __future__ import annotations

from typing import Any

from xrelay.frontends.relay_text import structural
from xrelay.relay.module import Module


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two modules, expressions or types say the same; with `map_free_vars`, free variables may differ too."""
    return structural.structural_equal(_plain(lhs), _plain(rhs), map_free_vars)


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Raises AssertionError that shows the first difference."""
    structural.assert_structural_equal(_plain(lhs), _plain(rhs), map_free_vars)


def structural_hash(value: Any) -> int:
    """The same number for what is structurally equal, in any process."""
    return structural.structural_hash(_plain(value))


def _plain(value: Any) -> Any:
    return value.program if isinstance(value, Module) else value
