"""How programs run: memory, threads, failures, other machines."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

from tests.lowering.language.programs import LIST, compiled, ints, module
from xrelay.compiler import build
from xrelay.errors import ExecutionError
from xrelay.runtime.loader import load

TRIPLES = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-apple-macosx13", "arm64-apple-macosx13"]

SUM = """
def @main(%n: int32, %x: Tensor[(64, 1024), float32]) -> Tensor[(64, 1024), float32] {
  let %loop = fn (%i: int32, %sum: Tensor[(64, 1024), float32]) -> Tensor[(64, 1024), float32] {
    if (%i < %n) { %loop(%i + 1, %sum + %x) } else { %sum }
  };
  %loop(1, %x)
}
"""


@pytest.mark.parametrize("triple", TRIPLES)
def test_support_code_compiles(triple):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    support = llvm.parse_assembly((files("xrelay.lowering.llvm") / "program.ll").read_text())
    support.triple = triple
    support.verify()
    assembly = llvm.Target.from_triple(triple).create_target_machine(opt=3, reloc="pic").emit_assembly(support)
    symbols = set(re.findall(r"^\s*\.globl\s+_?(\w+)", assembly, re.M))
    hidden = set(re.findall(r"^\s*\.(?:hidden|private_extern)\s+_?(\w+)", assembly, re.M))
    assert symbols - hidden == {"xrelay_release"}


@pytest.mark.parametrize("triple", ["aarch64-linux-gnu", "riscv64-linux-gnu"])
def test_programs_for_other_machines(triple):
    assert build(module(LIST + SUM), f"llvm -mtriple={triple}").object_code.startswith(b"\x7fELF")


def peak_memory() -> int:
    """The most memory that this process has used so far, in bytes."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024  # type: ignore[index]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_a_loop_needs_the_memory_of_one_iteration():
    model, x = compiled(SUM), np.ones((64, 1024), np.float32)
    model.run(*ints(10), x)
    before = peak_memory()
    (result,) = model.run(*ints(4000), x)
    assert (result == 4000).all()
    assert peak_memory() - before < 32 * x.nbytes


def test_runs_overlap():
    """On one model of two threads; kernels are large enough to be shared out."""
    text = (
        LIST
        + """
    def @main(%n: int32, %x: Tensor[(256, 512), float32]) -> Tensor[(256, 512), float32] { @sum(@build(%n, %x), %x) }
    def @build(%n: int32, %x: Tensor[(256, 512), float32]) -> List[Tensor[(256, 512), float32]] {
      if (equal(%n, 0)) { Nil } else { Cons(%x * cast(%n, dtype="float32"), @build(%n - 1, %x)) }
    }
    def @sum(%l: List[Tensor[(256, 512), float32]], %a: Tensor[(256, 512), float32]) -> Tensor[(256, 512), float32] {
      match (%l) { Cons(%h, %t) => @sum(%t, %a + %h), Nil => %a, }
    }
    """
    )
    with compiled(text, num_threads=2) as model, ThreadPoolExecutor(6) as pool:
        arrays = [np.full((256, 512), i, np.float32) for i in range(24)]
        results = pool.map(lambda x: model.run(*ints(20), x)[0], arrays)
        for i, result in enumerate(results):
            assert (result == i * (1 + 210)).all()


@pytest.mark.parametrize("opt_level", [0, 3])
def test_a_kernel_that_fails_stops_the_program(opt_level):
    text = """
    def @main(%n: int32) -> int32 { @forever(%n, 1) }
    def @forever(%n: int32, %v: int32) -> int32 { @forever(%n - 1, %v + 100 / %n) }
    """
    model = compiled(text, opt_level)
    for _ in range(2):
        with pytest.raises(ExecutionError, match="zero"):
            model.run(*ints(5))


def test_a_library_of_a_program(tmp_path):
    with load(compiled(SUM).export_library(tmp_path / "sum.so")) as model:
        (result,) = model.run(*ints(5), np.ones((64, 1024), np.float32))
        assert (result == 5).all()


def test_first_order_modules_have_no_heap():
    text = """
    def @main(%c: bool, %x: Tensor[(8), float32]) -> Tensor[(8), float32] { @f(if (%c) { %x + %x } else { exp(%x) }) }
    def @f(%x: Tensor[(8), float32]) -> Tensor[(8), float32] { nn.relu(%x) }
    """
    artifact = build(module(text))
    assert b"xrelay_release" not in artifact.object_code
    assert artifact.metadata.interface is None
