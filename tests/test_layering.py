"""The rules of the house that a machine can check: who imports whom, how long files are, what belongs to a pass."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repository import ROOT, module_name, sources
from xrelay.lowering.registry import _PASSES, get_all_passes

MAY_IMPORT = {
    "dialects": set(),
    "interpreters": {"dialects"},
    "frontends": {"dialects"},
    "lowering": {"dialects", "interpreters"},
    "runtime": set(),
}
FOR_EVERYONE = {"xrelay.errors"}
NOT_IN_RUNTIME = {"xdsl", "onnx", "onnxruntime", "torch", "tensorflow", "rich"}
LAZY_IN_RUNTIME = {"llvmlite", "ml_dtypes"}
MAX_LINES = 600


def imports(path: Path, top_level_only: bool = False) -> Iterator[str]:
    """The modules that a file imports, by absolute names; `from a import b` gives a and a.b."""
    package = module_name(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    tree = ast.parse(path.read_text())
    for node in tree.body if top_level_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_imports_follow_the_arrows(layer):
    allowed = MAY_IMPORT[layer] | {layer}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources(layer)
        for name in imports(path)
        if name.startswith("xrelay.")
        and name.split(".")[1] not in allowed
        and not any(name == free or name.startswith(f"{free}.") for free in FOR_EVERYONE)
    ]
    assert not wrong


def test_runtime_needs_only_numpy():
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources("runtime")
        for name in imports(path)
        if name.split(".")[0] in NOT_IN_RUNTIME
    ]
    assert not wrong


def test_runtime_loads_the_rest_at_need():
    eager = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources("runtime")
        for name in imports(path, top_level_only=True)
        if name.split(".")[0] in LAZY_IN_RUNTIME
    ]
    assert not eager


def test_files_are_short():
    files = [*sources(), *sources("tests", "benchmarks", "examples", "docs"), *(ROOT / "lit").rglob("*.mlir")]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in files}
    assert not {path: n for path, n in lengths.items() if n > MAX_LINES}


def _pass_files() -> dict[str, Path]:
    """Pass name → its file, by the registry."""
    files = {}
    for name, path in _PASSES.items():
        module = path.partition(":")[0].removeprefix("xrelay.")
        files[name] = ROOT / Path(*module.split(".")).with_suffix(".py")
    return files


def test_a_pass_is_one_file_one_lit_file_and_one_name():
    wrong = []
    for name, path in _pass_files().items():
        lit = (ROOT / "lit" / path.relative_to(ROOT)).with_suffix(".mlir")
        if not lit.is_file():
            wrong.append(f"pass {name} has no {lit.relative_to(ROOT)}")
        if name.replace("-", "_") not in {path.stem, f"relay_{path.stem}", f"{path.parent.name}_{path.stem}"}:
            wrong.append(f"pass {name} lives in {path.relative_to(ROOT)}")
    assert not wrong


def test_every_registered_pass_loads_under_its_name():
    assert {name: get().name for name, get in get_all_passes().items()} == {name: name for name in get_all_passes()}


def _is_pass(node: ast.stmt) -> bool:
    """A class with a base called …Pass and a `name` of its own."""
    return (
        isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith("Pass") for base in node.bases)
        and any(isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == "name" for s in node.body)
    )


def test_every_pass_is_registered():
    registered = {path.partition(":")[2] for path in _PASSES.values()}
    found = {n.name for path in sources("lowering") for n in ast.parse(path.read_text()).body if _is_pass(n)}
    assert found <= registered


def test_every_lit_file_of_a_lowering_belongs_to_a_pass():
    known = {(ROOT / "lit" / path.relative_to(ROOT)).with_suffix(".mlir") for path in _pass_files().values()}
    assert set((ROOT / "lit" / "lowering").rglob("*.mlir")) <= known


def test_folders_are_packages_or_not():
    """xDSL's wheel brings top-level `tests` and `benchmarks`, and `lit` is the test runner's name."""
    assert (ROOT / "tests" / "__init__.py").is_file()
    assert (ROOT / "benchmarks" / "__init__.py").is_file()
    assert not list((ROOT / "lit").rglob("__init__.py"))
    assert not {path.parent for path in sources() if not (path.parent / "__init__.py").is_file()}


def test_import_is_cheap():
    """`import xrelay` loads none of the heavy packages; the best of three runs is counted, for a busy machine."""
    code = (
        "import sys, time; start = time.perf_counter(); import xrelay; seconds = time.perf_counter() - start\n"
        "heavy = {'xdsl', 'onnx', 'llvmlite', 'torch', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy; print(seconds)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    assert min(float(run.stdout) for run in runs) < 0.3
