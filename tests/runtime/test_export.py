"""Exported libraries: run from C and from Python, without llvmlite, and refused where they are damaged."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.utils import FAILURE, host_target, scale_artifact, scale_model, scale_reference, slices_artifact
from xrelay.errors import ArtifactError, ExecutionError, ToolchainError, UnsupportedError
from xrelay.runtime import CompiledModel, Target, load
from xrelay.runtime.c_interface import _comment, _string, symbol_prefix
from xrelay.runtime.export import export_library

SIZE = 1000
ROOT = Path(__file__).resolve().parents[2]
CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
pytestmark = pytest.mark.skipif(CC is None, reason="needs a C compiler")

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scale.h"
#include "other.h"

static float x[1000], y[1000], out[1000], other_x[3] = {1, 2, 3}, other_out[3];

int main(void) {
  for (int i = 0; i < 1000; ++i) x[i] = i * 0.5f, y[i] = 2;
  scale_model *model = scale_create(3);
  other_model *other = other_create(2);
  if (!model || !other) return 2;
  const void *inputs[SCALE_NUM_INPUTS] = {x, y}, *other_inputs[] = {other_x, other_x};
  void *outputs[SCALE_NUM_OUTPUTS] = {out}, *other_outputs[] = {other_out};
  for (int turn = 0; turn < 100; ++turn) {
    if (scale_run(model, inputs, outputs) || other_run(other, other_inputs, other_outputs)) return 3;
  }
  for (int i = 0; i < 1000; ++i) if (out[i] != (i * 0.5f + i) * 2) return 4;
  for (int i = 0; i < 3; ++i) if (other_out[i] != (other_x[i] + i) * other_x[i]) return 5;
  x[7] = -2e30f;
  int32_t status = scale_run(model, inputs, outputs);
  printf("%d [%s] [%s] [%s]", status, scale_message(status), scale_message(0), scale_message(99));
  if (!strstr(scale_metadata(), "\\"name\\": \\"x\\"")) return 6;
  scale_destroy(model);
  other_destroy(other);
  scale_destroy(NULL);
  return 0;
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    with scale_model(SIZE) as model:
        return model.export_library(tmp_path_factory.mktemp("library") / "scale.so")


def build(folder: Path, *arguments: str) -> None:
    command = [CC, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", *arguments, "-Wl,-rpath,.", "-o", "main"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_a_c_program_with_two_models(library):
    folder = library.parent
    with scale_model(3) as other:
        other.export_library(folder / "other.so")
    (folder / "main.c").write_text(MAIN)
    build(folder, "main.c", "./scale.so", "./other.so")
    result = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True, timeout=20)
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"1 [{FAILURE}] [] [unknown status]"


def test_the_example_in_the_header_is_a_program(library):
    comment = library.with_suffix(".h").read_text().split("*/")[0]
    lines = comment[comment.index("Example") :].splitlines()[1:]
    (library.parent / "example.c").write_text("\n".join(line.removeprefix(" *") for line in lines))
    build(library.parent, "example.c", "./scale.so")
    assert subprocess.run(["./main"], cwd=library.parent, timeout=20).returncode == 0


def test_the_header_names_the_tensors(library):
    header = library.with_suffix(".h").read_text()
    assert " *   inputs[1]  y: float32[1000], 4000 bytes\n" in header
    assert "#define SCALE_NUM_INPUTS 2\n" in header


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
def test_the_header_is_cpp_too(library):
    (library.parent / "main.cpp").write_text('#include "scale.h"\nint main() { scale_destroy(scale_create(1)); }\n')
    command = ["c++", "-Wall", "-Werror", "main.cpp", "./scale.so", "-Wl,-rpath,.", "-o", "main"]
    assert subprocess.run(command, cwd=library.parent).returncode == 0
    assert subprocess.run(["./main"], cwd=library.parent).returncode == 0


def test_python_loads_a_library(library):
    x, y = np.random.default_rng(0).standard_normal((2, SIZE), np.float32)
    with load(library, num_threads=2) as model:
        assert str(model.signature) == "(x: float32[1000], y: float32[1000]) -> (out: float32[1000])"
        np.testing.assert_array_equal(model.run(x, y)[0], scale_reference(x, y))
        x[0] = -2e30
        with pytest.raises(ExecutionError, match="too low"):
            model.run(x, y)
        for method in (model.save, model.export_library):
            with pytest.raises(UnsupportedError, match="came from a shared library"):
                method("copy.so")


def test_neither_xdsl_nor_llvmlite_is_imported(library):
    program = f"""
import sys, numpy as np, xrelay, xrelay.runtime
for name in xrelay.runtime.__all__: getattr(xrelay.runtime, name)
ones = np.ones({SIZE}, np.float32)
with xrelay.load({str(library)!r}) as model: model.run(ones, ones)
heavy = {{"xdsl", "onnx", "llvmlite", "ml_dtypes", "torch", "rich"}} & set(sys.modules)
assert heavy <= {{"llvmlite"}}, heavy
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)
    # Where llvmlite is there it says what the CPU is; it must not be needed.
    without = "import sys; sys.modules['llvmlite'] = None\n" + program.replace('heavy <= {"llvmlite"}', "True")
    subprocess.run([sys.executable, "-c", without], cwd=ROOT, check=True, timeout=60)


def test_a_saved_model_without_llvmlite(tmp_path):
    path = scale_artifact(SIZE).save(tmp_path / "model.xr")
    program = f"""
import sys; sys.modules["llvmlite"] = None
import xrelay
try: xrelay.load({str(path)!r})
except ImportError as error: print(error)
"""
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60, capture_output=True)
    assert b"install llvmlite" in result.stdout


def test_a_library_exported_anew_while_the_old_one_is_open(tmp_path):
    path = scale_model(4).export_library(tmp_path / "model.so")
    ones = np.ones(4, np.float32)
    with load(path) as old:
        scale_model(5).export_library(path)
        with load(path) as new:
            assert new.run(np.ones(5, np.float32), np.ones(5, np.float32))[0].shape == (5,)
            np.testing.assert_array_equal(old.run(ones, ones)[0], scale_reference(ones, ones))


def test_a_model_without_constants(tmp_path):
    path = CompiledModel(slices_artifact(10)).export_library(tmp_path / "slices.so")
    with load(path) as model:
        np.testing.assert_array_equal(model.run(out=[np.zeros((10, 2), np.int64)])[0][:, 0], 1)
    assert "static int64_t output_0[20];" in path.with_suffix(".h").read_text()


@pytest.mark.parametrize("name", ["xrelay.so", "7 days.v1.so", "int.so", "modèle.so", "-o.so", "a,b$c'd.so"])
def test_unusual_file_names(name, tmp_path):
    path = scale_model(4).export_library(tmp_path / name)
    ones = np.ones(4, np.float32)
    with load(path) as model:
        np.testing.assert_array_equal(model.run(ones, ones)[0], scale_reference(ones, ones))


def test_cut_and_foreign_libraries_are_refused(library, tmp_path):
    content = library.read_bytes()
    path = tmp_path / "cut.so"
    for length in (4, 16, 64, 1000, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(ArtifactError, match=r"cut\.so: "):
            load(path)
    foreign = "#include <stdlib.h>\n__attribute__((constructor)) void leave(void) { exit(1); }\n"
    (tmp_path / "foreign.c").write_text(foreign)
    subprocess.run([CC, "-shared", "-fPIC", "foreign.c", "-o", "foreign.so"], cwd=tmp_path, check=True)
    with pytest.raises(ArtifactError, match=r"foreign\.so: not a library that export_library made"):
        load(tmp_path / "foreign.so")


def test_a_library_for_another_cpu_is_refused(tmp_path):
    features = f"{host_target().features},+no-such-feature"
    absent = next(name[1:] for name in features.split(",") if name.startswith("-"))
    target = Target(host_target().triple, "", features.replace(f"-{absent}", f"+{absent}"))
    # Not by way of a CompiledModel: that would refuse it too.
    path = export_library(scale_artifact(4, target), tmp_path / "other.so")
    with pytest.raises(ArtifactError, match=f"other.so: compiled for a CPU with {re.escape(absent)}, which"):
        load(path)


def test_no_compiler(tmp_path, monkeypatch):
    with pytest.raises(ToolchainError, match=r"found none \('no-such-cc'\); install gcc or clang.*save\(\)"):
        scale_model(4).export_library(tmp_path / "model.so", cc="no-such-cc")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(ToolchainError, match=r"found none \(\$CC, cc, gcc, clang\)"):
        scale_model(4).export_library(tmp_path / "model.so")


def test_the_compiler_is_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", f"{CC} -DFROM_CC")
    scale_model(4).export_library(tmp_path / "model.so")
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\necho no space, or worse >&2\nexit 3\n")
    failing.chmod(0o755)
    with pytest.raises(ToolchainError, match=r"C compiler failed \(status 3\).*failing(.|\n)*no space, or worse"):
        scale_model(4).export_library(tmp_path / "second.so", cc=str(failing))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["failing", "model.h", "model.so"]


def test_where_a_library_cannot_be_written(tmp_path):
    with pytest.raises(UnsupportedError, match=r"a library's name ends in \.so or \.dylib"):
        scale_model(4).export_library(tmp_path / "model.tar")
    with pytest.raises((ArtifactError, ToolchainError), match="No such file or directory"):
        scale_model(4).export_library(tmp_path / "nowhere" / "model.so")


def test_text_that_goes_into_c():
    assert _string('a"\\?\n\0é') == '"a\\042\\134\\077\\012\\000\\303\\251"'
    assert _comment("a*/b\n/*") == "a* /b?/ *"
    prefixes = {"a.b-c": "a_b_c", "1x": "model_1x", "": "model_", "xrelay": "xrelay_model"}
    assert {name: symbol_prefix(name) for name in prefixes} == prefixes
