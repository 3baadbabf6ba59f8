"""Pages that are generated are up to date; the files that pages name exist."""

from __future__ import annotations

import importlib.util
import re

import pytest

from tests.repository import LAYERS, ROOT

PAGES = ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "examples/plugin/README.md"]


def test_operators_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("generate_operators", ROOT / "docs" / "generate_operators.py")
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert generator.PAGE.read_text() == generator.page(), "run make docs"


@pytest.mark.parametrize("page", PAGES)
def test_named_files_exist(page):
    folders = "|".join([*LAYERS, "tests", "lit", "docs", "benchmarks", "examples"])
    named = re.findall(rf"`((?:{folders})/[\w/.]*)`", (ROOT / page).read_text())
    assert not [name for name in named if not (ROOT / name).exists()]
