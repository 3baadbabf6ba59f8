"""The wheel holds every module of ours, under the one name `xrelay`, and the files that are read at run time."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile

import pytest

from tests.repository import LAYERS, ROOT, module_name, sources


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> set[str]:
    """The names in a wheel built from a copy: setuptools reuses what an older build left in `build/`."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for folder in LAYERS:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target), str(source)]
    built = subprocess.run(command, capture_output=True, text=True, check=False, cwd=target)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = target.glob("xrelay-*.whl")
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def test_wheel_holds_every_module(wheel):
    expected = {
        module_name(path).replace(".", "/") + ("/__init__.py" if path.name == "__init__.py" else ".py")
        for path in sources()
    }
    packed = {name for name in wheel if name.endswith(".py")}
    assert packed == expected


def test_wheel_holds_what_is_read_at_run_time(wheel):
    data = [
        path.relative_to(ROOT).as_posix()
        for layer in LAYERS
        for path in (ROOT / layer).rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    ]
    missing = [name for name in data if name not in wheel and f"xrelay/{name}" not in wheel]
    assert not missing


def test_wheel_brings_one_top_level_name(wheel):
    assert {name.split("/")[0] for name in wheel if ".dist-info/" not in name} == {"xrelay"}


def test_wheel_names_commands_and_universe(wheel):
    assert any(name.endswith("entry_points.txt") for name in wheel)
    assert any("LICENSE" in name for name in wheel)
