"""Faults of a source text: collected, then shown together."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from xrelay.errors import RelayParseError
from xrelay.frontends.relay_text.expr import Span

MAX_FAULTS = 20
"""Behind so many, further ones are rarely news."""
SHOWN_WIDTH = 100
"""A line longer than this (data, generated text) is cut around the fault."""


class Source:
    """A text with a name; turns offsets into lines and columns."""

    def __init__(self, text: str, name: str):
        self.text = text
        self.name = name
        self._starts = [0]
        position = text.find("\n")
        while position >= 0:
            self._starts.append(position + 1)
            position = text.find("\n", position + 1)

    def span(self, offset: int) -> Span:
        line = bisect_right(self._starts, offset)
        return Span(self.name, line, offset - self._starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """The line, counted from 1, without its end."""
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[self._starts[number - 1] : end].rstrip("\r")


@dataclass(frozen=True)
class Fault:
    """What is wrong at a place of the text, and what would be right there."""

    offset: int
    length: int
    message: str


class Diagnostics:
    """The faults of a source. Raises RelayParseError when asked to, or at once when there are too many."""

    def __init__(self, source: Source):
        self.source = source
        self.faults: list[Fault] = []

    def add(self, offset: int, length: int, message: str) -> None:
        if any(fault.offset == offset for fault in self.faults):
            return  # a consequence of the first one
        self.faults.append(Fault(offset, length, message))
        if len(self.faults) == MAX_FAULTS:
            raise self._error("there may be more")

    def check(self) -> None:
        """Raises RelayParseError if there is any fault."""
        if self.faults:
            raise self._error()

    def _error(self, *notes: str) -> RelayParseError:
        faults = sorted(self.faults, key=lambda fault: fault.offset)
        return RelayParseError("\n".join([*map(self._render, faults), *notes]))

    def _render(self, fault: Fault) -> str:
        """`source:line:column: message`, the line, a caret below."""
        span = self.source.span(fault.offset)
        line = self.source.line(span.line)
        start = span.column - 1
        first = max(0, start - SHOWN_WIDTH // 2) if len(line) > SHOWN_WIDTH else 0
        shown = line[first : first + SHOWN_WIDTH]
        marks = "^" * max(1, min(fault.length, len(shown) - (start - first)))
        left, right = "…" * (first > 0), "…" * (first + SHOWN_WIDTH < len(line))
        return f"{span}: {fault.message}\n  {left}{shown}{right}\n  {_blank(left + line[first:start])}{marks}"


def _blank(text: str) -> str:
    """White space as wide as the text on a terminal."""
    wide = {"W", "F"}
    return "".join("\t" if c == "\t" else "  " if unicodedata.east_asian_width(c) in wide else " " for c in text)
