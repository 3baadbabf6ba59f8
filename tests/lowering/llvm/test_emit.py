"""The llvm dialect as LLVM IR text: what LLVM's parser accepts and what it means."""

from __future__ import annotations

import math
import struct

import pytest
from llvmlite import binding
from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32, f64, i1, i8
from xdsl.parser import Parser

from tests.lowering.conftest import context
from xrelay.errors import CompilationError
from xrelay.lowering.llvm.emit import emit_llvm
from xrelay.lowering.llvm.emit_types import float_text, scalar_text, symbol_text


def emitted(text: str) -> str:
    ir = emit_llvm(Parser(context(), text).parse_module())
    binding.parse_assembly(ir).verify()
    return ir


def test_both_ways_to_one_block():
    """A phi has one value a predecessor, so the choice is made before."""
    ir = emitted("""
    llvm.func @f(%c: i1, %a: f32, %b: f32) -> f32 {
      llvm.cond_br %c, ^bb1(%a : f32), ^bb1(%b : f32)
    ^bb1(%r: f32):
      llvm.return %r : f32
    }""")
    assert "select i1 %v0, float %v1, float %v2" in ir
    assert "phi float [ %v3, %b0 ]" in ir


def test_blocks_in_any_order():
    ir = emitted("""
    llvm.func @f(%a: i32) -> i32 {
      llvm.br ^bb2
    ^bb1:
      llvm.return %s : i32
    ^bb2:
      %s = llvm.add %a, %a : i32
      llvm.br ^bb1
    }""")
    assert "ret i32" in ir


def test_intrinsics_of_one_name_on_several_types():
    ir = emitted("""
    llvm.func @f(%a: f32, %b: vector<8xf32>, %c: f64) {
      %0 = llvm.call_intrinsic "llvm.maximum"(%a, %a) : (f32, f32) -> f32
      %1 = llvm.call_intrinsic "llvm.maximum"(%b, %b) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
      %2 = llvm.call_intrinsic "llvm.fptosi.sat"(%c) : (f64) -> i8
      %3 = llvm.intr.fma(%b, %b, %b) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
      %4 = llvm.intr.floor(%c) : (f64) -> f64
      llvm.return
    }""")
    for name in ("maximum.f32", "maximum.v8f32", "fptosi.sat.i8.f64", "fma.v8f32", "floor.f64"):
        assert ir.count(f"declare {'i8' if 'sat' in name else ''}") >= 1
        assert f"@llvm.{name}(" in ir


def test_flags_linkage_and_globals():
    ir = emitted("""
    llvm.mlir.global internal constant @table(dense<[1, 2]> : tensor<2xi32>)
      {alignment = 64 : i64} : !llvm.array<2 x i32>
    llvm.func internal @f(%a: f32, %i: i64) -> f32 {
      %p = llvm.mlir.addressof @table : !llvm.ptr
      %0 = llvm.fadd %a, %a {fastmathFlags = #llvm.fastmath<reassoc, nsz>} : f32
      %1 = llvm.add %i, %i overflow<nsw> : i64
      %2 = llvm.lshr exact %1, %i : i64
      %3 = llvm.getelementptr inbounds %p[0, %2] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x i32>
      llvm.return %0 : f32
    }""")
    assert "@table = internal constant [2 x i32] [i32 1, i32 2], align 64" in ir
    assert "define internal float @f" in ir
    assert "fadd nsz reassoc float" in ir
    assert "add nsw i64" in ir
    assert "lshr exact i64" in ir
    assert "getelementptr inbounds [2 x i32], ptr @table, i32 0, i64" in ir


def test_an_operation_without_a_writer_is_named():
    with pytest.raises(CompilationError, match=r"emit: llvm\.intr\.stacksave at .* cannot be written"):
        emitted("""
        llvm.func @f() {
          %0 = llvm.intr.stacksave : !llvm.ptr
          llvm.return
        }""")


@pytest.mark.parametrize("number", [0.0, -0.0, 1.0, 0.1, -3.5e-42, 1e-310, 3e38, math.inf, -math.inf, math.nan])
def test_floats_keep_every_bit(number):
    assert float_text(number, f64) == f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    as_float32 = struct.unpack("<d", bytes.fromhex(float_text(number, f32)[2:])[::-1])[0]
    with_rounding = struct.unpack("<f", struct.pack("<f", number))[0]
    assert as_float32 == with_rounding or math.isnan(number)


def test_small_types():
    assert [float_text(1.5, Float16Type()), float_text(1.5, BFloat16Type())] == ["0xH3E00", "0xR3FC0"]
    assert [scalar_text(-1, i1), scalar_text(0, i1), scalar_text(-1, i8)] == ["true", "false", "-1"]


def test_symbols_are_quoted_where_they_must_be():
    assert symbol_text("fused_add.1") == "@fused_add.1"
    assert symbol_text('a "b"\n') == '@"a \\22b\\22\\0A"'
