"""docs/language.md: its Python runs and prints what the page shows, its Relay text is the same program."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

import pytest

from tests.repository import ROOT
from xrelay import relay

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall((ROOT / "docs" / "language.md").read_text())


@pytest.fixture(scope="module")
def runs() -> list[tuple[str, str, Any]]:
    """What each Python block prints, what the block behind it shows, and the program it leaves; blocks share names."""
    names: dict[str, Any] = {}
    found = []
    for position, (language, code) in enumerate(BLOCKS):
        if language == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(code, names)
            behind, shown = BLOCKS[position + 1] if position + 1 < len(BLOCKS) else ("", "")
            found.append((printed.getvalue(), shown if behind == "text" else "", names.get("program")))
    return found


def test_outputs(runs):
    for printed, shown, _ in runs:
        assert printed.rstrip() == shown.rstrip()


def test_text_and_python_are_one_program(runs):
    programs = iter(runs)
    compared = 0
    for position, (language, _) in enumerate(BLOCKS):
        if language == "python":
            _, _, program = next(programs)
            if BLOCKS[position - 1][0] == "relay":
                text = BLOCKS[position - 1][1]
                read = relay.parse(text) if isinstance(program, relay.Module) else relay.parse_expr(text)
                assert relay.structural_equal(read, program), text
                compared += 1
    assert compared == [language for language, _ in BLOCKS].count("relay")
