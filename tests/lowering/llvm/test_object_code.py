"""Targets, and the machine code for them."""

from __future__ import annotations

import pytest

from xrelay.errors import CompilationError, UnsupportedError
from xrelay.lowering.llvm.object_code import optimize, parse, target_machine
from xrelay.target import Target, host

AVX512 = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=skylake-avx512")

MULTIPLY_ADD = """
define void @f(ptr %p, <16 x float> %a, <16 x float> %b) #0 {
  %c = load <16 x float>, ptr %p, align 4
  %d = fmul <16 x float> %a, %b
  %e = fadd <16 x float> %c, %d
  store <16 x float> %e, ptr %p, align 4
  ret void
}
"""


def compiled(ir: str, target: Target) -> str:
    attributes = " ".join(f'"{key}"="{value}"' for key, value in target.function_attributes.items())
    module = parse(f"{ir}\nattributes #0 = {{ nounwind {attributes} }}", target)
    optimize(module, target)
    return target_machine(target.triple, target.cpu, target.features).emit_assembly(module)


def test_a_vector_fills_a_register():
    assert "zmm" in compiled(MULTIPLY_ADD, AVX512)


def test_only_what_says_so_is_fused():
    assert "vfmadd" not in compiled(MULTIPLY_ADD, AVX512)


def test_unrolling_and_vectorising_are_left_to_us():
    loop = """
    define void @f(ptr %p) #0 {
    b0:
      br label %b1
    b1:
      %i = phi i64 [ 0, %b0 ], [ %n, %b1 ]
      %q = getelementptr float, ptr %p, i64 %i
      %x = load float, ptr %q, align 4
      %y = fadd float %x, %x
      store float %y, ptr %q, align 4
      %n = add nsw i64 %i, 1
      %c = icmp slt i64 %n, 64
      br i1 %c, label %b1, label %b2
    b2:
      ret void
    }"""
    assert compiled(loop, AVX512).count("vaddss") == 1


@pytest.mark.parametrize(
    ("description", "vector_bytes", "registers", "fma", "half"),
    [
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512", 64, 32, True, True),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=haswell", 32, 16, True, True),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64", 16, 16, False, False),
        ("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64 -mattr=+avx2,+fma", 32, 16, True, False),
        ("llvm -mtriple=aarch64-linux-gnu", 16, 32, True, True),
    ],
)
def test_what_a_target_can_do(description, vector_bytes, registers, fma, half):
    target = Target(description)
    assert target.vector_bytes == vector_bytes
    assert target.vector_registers == registers
    assert (target.has_fma, target.native_half) == (fma, half)


def test_the_plain_target_is_this_machine():
    assert Target("llvm") == host()
    assert host().cpu


@pytest.mark.parametrize("description", ["", "cuda", "llvm -O3", "llvm mcpu=x", "llvm -mcpu"])
def test_unknown_targets(description):
    with pytest.raises(UnsupportedError, match="target"):
        Target(description)


def test_an_unknown_triple():
    with pytest.raises(UnsupportedError, match="no code generator"):
        _ = Target("llvm -mtriple=pdp11-dec-unix").vector_bytes


def test_text_that_llvm_refuses_is_our_fault():
    with pytest.raises(CompilationError, match="please report"):
        parse("define void @f() { ret i32 0 }", host())
