"""Reading snippets of Relay text, for tests."""

from __future__ import annotations

import numpy as np
import pytest

from xrelay.errors import RelayParseError
from xrelay.frontends.relay_text.expr import Program
from xrelay.frontends.relay_text.parser import parse, parse_expr

VERSION = '#[version = "0.0.5"]\n'
LIST = "type List[A] { Cons(A, List[A]), Nil, }\n"


def program(text: str, **options) -> Program:
    return parse(VERSION + text, **options)


def body(text: str, params: str = "%x, %y"):
    """The body of a function of %x and %y."""
    return program(f"{LIST}def @main({params}) {{ {text} }}").functions["main"].body


def value(text: str) -> np.ndarray:
    return parse_expr(text).data


def faults(text: str, read=parse) -> list[str]:
    """The faults of a text, without the lines that show where."""
    with pytest.raises(RelayParseError) as error:
        read(text)
    return [line for line in str(error.value).splitlines() if line.startswith("from_string:")]


def fault(text: str, read=parse_expr) -> str:
    """The only fault."""
    (line,) = faults(text, read)
    return line


def name_of(call) -> str:
    return call.op.name
