"""The support code is portable: it compiles for every system that we name, and shows no more than its entry points."""

from __future__ import annotations

import re
from importlib.resources import files

import llvmlite.binding as llvm
import pytest

TRIPLES = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-apple-macosx13", "arm64-apple-macosx13"]


@pytest.mark.parametrize("triple", TRIPLES)
def test_compiles(triple):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly((files("xrelay.lowering.llvm") / "support.ll").read_text())
    module.triple = triple
    module.verify()
    machine = llvm.Target.from_triple(triple).create_target_machine(opt=3, reloc="pic")
    assembly = machine.emit_assembly(module)
    symbols = set(re.findall(r"^\s*\.globl\s+_?(\w+)", assembly, re.M))
    hidden = set(re.findall(r"^\s*\.(?:hidden|private_extern)\s+_?(\w+)", assembly, re.M))
    assert symbols - hidden == {"xrelay_create", "xrelay_destroy", "xrelay_run"}
