"""Reading Relay text into modules and expressions."""

from __future__ import annotations

from xrelay.frontends.relay_text.expr import Expr
from xrelay.relay.module import Module


def parse(source: str, source_name: str = "from_string") -> Module:
    """The module of a Relay text, with its types inferred.

    Raises:
        RelayParseError: the text is not well formed; every fault is shown with its line.
        TypeInferenceError: the types do not fit.
    """
    from xrelay.frontends.relay_text.parser import parse as parse_program

    return Module.from_program(parse_program(source, source_name)).infer_types()


fromtext = parse


def parse_expr(source: str) -> Expr:
    """The expression of a Relay text. Raises RelayParseError."""
    from xrelay.frontends.relay_text.parser import parse_expr as parse_expression

    return parse_expression(source)
