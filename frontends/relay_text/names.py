"""How names are written. A name that is no identifier (`dense.weight`, `input:0`) is written as a JSON string."""

from __future__ import annotations

import json
import re

IDENTIFIER = r"[^\W\d]\w*"
"""Types, constructors, parts of operators' names."""
DOTTED = rf"{IDENTIFIER}(?:\.{IDENTIFIER})*"
"""Operators and attributes: `nn.conv2d`."""
SIGIL_NAME = rf"/?{IDENTIFIER}(?:/{IDENTIFIER})*"
"""What stands behind `%` and `@`. A `/` belongs to the name where a letter follows: else it divides."""
QUOTED = r'"(?:[^"\\\n]|\\.)*"'

KEYWORDS = frozenset(
    ("let", "fn", "def", "if", "else", "type", "match", "extern", "free_var", "ref", "ref_read", "ref_write")
)
SPECIAL_FLOATS = {f"{value}f{width}": value for value in ("inf", "nan") for width in ("", "16", "32", "64")} | {
    "infbf16": "inf",
    "nanbf16": "nan",
}
RESERVED = KEYWORDS | SPECIAL_FLOATS.keys() | {"_", "True", "False", "nullptr", "meta", "Tensor"}


def local_name(name: str) -> str:
    """`%x`, or `%"input:0"`."""
    return f"%{_name(name, SIGIL_NAME)}"


def global_name(name: str) -> str:
    """`@main`, or `@"my model"`."""
    return f"@{_name(name, SIGIL_NAME)}"


def bare_name(name: str) -> str:
    """`Cons`, or `$"my type"`: of types and their parameters and of constructors."""
    if name not in RESERVED and re.fullmatch(IDENTIFIER, name):
        return name
    return f"${json.dumps(name)}"


def attribute_name(name: str) -> str:
    """`relay.reshape_only`"""
    if name not in RESERVED and re.fullmatch(DOTTED, name):
        return name
    return f"${json.dumps(name)}"


def _name(name: str, form: str) -> str:
    return name if re.fullmatch(form, name) else json.dumps(name)


def unquoted(text: str) -> str:
    """The name in the text behind the sigil. Raises ValueError for a malformed string."""
    return json.loads(text, strict=False) if text.startswith('"') else text
