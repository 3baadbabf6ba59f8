"""The types and functions that every program may import: `prelude.rly`, beside this file."""

from __future__ import annotations

from importlib.resources import files

from xrelay.frontends.relay_text.expr import Program
from xrelay.frontends.relay_text.infer import infer_types
from xrelay.frontends.relay_text.parser import parse


def prelude() -> Program:
    """Lists, options, trees and natural numbers, with the usual functions; a new program each time, with its types.

    `parse(text, init_module=prelude())` reads a program that uses it.
    """
    text = files("xrelay.frontends.relay_text").joinpath("prelude.rly").read_text(encoding="utf-8")
    return infer_types(parse(text, "prelude.rly"))
