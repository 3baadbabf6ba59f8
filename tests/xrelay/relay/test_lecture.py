"""The programs of the lecture run, and print what stands beside them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.repository import ROOT

LECTURE = ROOT / "examples" / "lecture"
PROGRAMS = sorted(path.stem for path in LECTURE.glob("*.py"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    program = [sys.executable, str(LECTURE / f"{name}.py")]
    result = subprocess.run(program, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert result.stdout == (LECTURE / f"{name}.txt").read_text()


def test_all_are_listed():
    listed = (LECTURE / "README.md").read_text()
    assert all(f"`{name}.py`" in listed for name in PROGRAMS)
    assert "build" in PROGRAMS
