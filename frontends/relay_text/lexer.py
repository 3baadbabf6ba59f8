"""Relay text into tokens."""

from __future__ import annotations

import re
from typing import NamedTuple

from xrelay.frontends.relay_text.diagnostics import Diagnostics
from xrelay.frontends.relay_text.literals import NUMBER
from xrelay.frontends.relay_text.names import DOTTED, KEYWORDS, QUOTED, SIGIL_NAME


class Token(NamedTuple):
    """A piece of the text.

    The kind is `local` (%x), `graph` (%0), `global` (@f), `name`, `quoted` ($"…"), `number`, `string`, `projection`
    (.0), `meta` (meta[key][0]), `end`, or the text itself for a keyword or a punctuation mark.
    """

    kind: str
    text: str
    start: int

    def __str__(self) -> str:
        return "the end of the text" if self.kind == "end" else f"`{self.text}`"


META = re.compile(rf"meta\s*\[\s*({DOTTED})\s*\]\s*\[\s*(\d+)\s*\]")
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<line_comment>//[^\n]*)
    | (?P<comment>/\*)
    | (?P<graph>%\d+)
    | (?P<local>%(?:{SIGIL_NAME}|{QUOTED}))
    | (?P<global>@(?:{SIGIL_NAME}|{QUOTED}))
    | (?P<quoted>\${QUOTED})
    | (?P<meta>{META.pattern})
    | (?P<name>{DOTTED})
    | (?P<number>{NUMBER})
    | (?P<projection>\.\d+)
    | (?P<string>"[^"\n]*")
    | (?P<metadata>\#\[metadata\])
    | (?P<mark>=>|->|==|!=|<=|>=|[][(){{}},;:=+*/<>?-])
    | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_COMMENT_ENDS = re.compile(r"/\*|\*/")


def tokenize(text: str, start: int, diagnostics: Diagnostics) -> tuple[list[Token], int | None]:
    """The tokens from `start` on, and where the metadata behind `#[metadata]` starts, None without them.

    The last token is of kind `end`. Text that is no token is a fault and is left out.
    """
    tokens: list[Token] = []
    position = start
    while True:
        match = _TOKEN.match(text, position)
        if match is None:
            position = _skip_fault(text, position, diagnostics)
            continue
        kind = match.lastgroup
        assert kind is not None
        begin, position = match.span(kind)
        if kind == "line_comment":
            continue
        if kind == "comment":
            position = _comment_end(text, begin, diagnostics)
            continue
        if kind == "metadata":
            tokens.append(Token("end", "#[metadata]", begin))
            return tokens, position
        word = text[begin:position]
        if kind == "end" and tokens:
            begin = tokens[-1].start + len(tokens[-1].text)
        if kind == "mark" or (kind == "name" and word in KEYWORDS):
            kind = word
        tokens.append(Token(kind, word, begin))
        if kind == "end":
            return tokens, None


def _comment_end(text: str, begin: int, diagnostics: Diagnostics) -> int:
    """Behind the comment, which may hold others."""
    depth = 1
    for mark in _COMMENT_ENDS.finditer(text, begin + 2):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    diagnostics.add(begin, 2, "the comment has no end: expected `*/`")
    return len(text)


def _skip_fault(text: str, position: int, diagnostics: Diagnostics) -> int:
    """Behind the text at the position, which is no token."""
    match = re.compile(r"\s*(\S)\1*").match(text, position)
    assert match is not None
    begin, character = match.start(1), match[1]
    if character == '"':
        line_end = text.find("\n", begin)
        diagnostics.add(begin, 1, 'the string has no end: expected `"` on the same line')
        return len(text) if line_end < 0 else line_end
    expected = {
        "%": "expected a name or a number behind `%`",
        "@": "expected a name behind `@`",
        "$": "expected a string behind `$`",
        "#": 'expected `#[version = "0.0.5"]` at the start or `#[metadata]` at the end',
    }.get(character, "it belongs to no Relay text")
    diagnostics.add(begin, match.end() - begin, f"unexpected `{character}`: {expected}")
    return match.end()
