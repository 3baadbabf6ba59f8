"""Output of the commands: tables, numbers with units."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

_WIDTH_OF_FILES = 160
"""A terminal has its own width; a file or a pipe gets enough for every column."""


def console() -> Console:
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=_WIDTH_OF_FILES)


def forget_stdout() -> None:
    """Whoever read our output has gone (`… | head`): let Python flush the rest into nothing when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Numbers (int, or text that starts with a digit) are set to the right."""
    rows = [[str(cell) for cell in row] for row in rows]
    table = Table(title=title, title_justify="left")
    for i, column in enumerate(columns):
        numeric = bool(rows) and all(row[i][:1].isdigit() or row[i][:1] == "-" for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console().print(table, markup=False)


def duration(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 0.01 else f"{seconds * 1e3:.3f} ms"


def size(n: int) -> str:
    """A number of bytes in the unit that suits it."""
    value, units = float(n), ["B", "KiB", "MiB", "GiB"]
    while value >= 1024 and len(units) > 1:
        value /= 1024
        units.pop(0)
    return f"{n} B" if units[0] == "B" else f"{value:.1f} {units[0]}"


def shape(sizes: Iterable[Any]) -> str:
    return "×".join("?" if s is None or s == -1 else str(s) for s in sizes) or "scalar"
