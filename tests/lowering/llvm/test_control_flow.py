"""Loops, branches, assertions, calls and the model's entry."""

from __future__ import annotations

import numpy as np
import pytest

from xrelay.errors import CompilationError


def test_a_loop_carries_values_and_may_not_run(compile_function):
    text = """
    func.func @f(%n: memref<3xi64>, %y: memref<2xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %low64 = memref.load %n[%c0] : memref<3xi64>
      %high64 = memref.load %n[%c1] : memref<3xi64>
      %step64 = memref.load %n[%c2] : memref<3xi64>
      %low = arith.index_cast %low64 : i64 to index
      %high = arith.index_cast %high64 : i64 to index
      %step = arith.index_cast %step64 : i64 to index
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %r:2 = scf.for %i = %low to %high step %step iter_args(%a = %zero, %b = %one) -> (f32, f32) {
        %i64 = arith.index_cast %i : index to i64
        %f = arith.sitofp %i64 : i64 to f32
        %s = arith.addf %a, %f : f32
        scf.yield %b, %s : f32, f32
      }
      memref.store %r#0, %y[%c0] : memref<2xf32>
      memref.store %r#1, %y[%c1] : memref<2xf32>
      func.return
    }"""
    function = compile_function(text)
    for bounds in [(0, 5, 1), (3, 20, 4), (5, 5, 1), (7, 2, 3), (-3, 4, 2)]:
        a, b = np.float32(0), np.float32(1)
        for i in range(*bounds):
            a, b = b, a + np.float32(i)
        y = np.zeros(2, np.float32)
        function("f", np.array(bounds, np.int64), y)
        np.testing.assert_array_equal(y, [a, b])


def test_while_and_if(compile_function):
    """The length of a Collatz sequence."""
    text = """
    func.func @f(%x: memref<i64>, %y: memref<i64>) {
      %n = memref.load %x[] : memref<i64>
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %two = arith.constant 2 : i64
      %three = arith.constant 3 : i64
      %r:2 = scf.while (%a = %n, %k = %zero) : (i64, i64) -> (i64, i64) {
        %go = arith.cmpi ne, %a, %one : i64
        scf.condition(%go) %a, %k : i64, i64
      } do {
      ^bb0(%a: i64, %k: i64):
        %bit = arith.andi %a, %one : i64
        %odd = arith.cmpi eq, %bit, %one : i64
        %next = scf.if %odd -> (i64) {
          %t = arith.muli %a, %three : i64
          %u = arith.addi %t, %one : i64
          scf.yield %u : i64
        } else {
          %h = arith.divui %a, %two : i64
          scf.yield %h : i64
        }
        %k1 = arith.addi %k, %one : i64
        scf.yield %next, %k1 : i64, i64
      }
      memref.store %r#1, %y[] : memref<i64>
      func.return
    }"""
    y = np.zeros((), np.int64)
    compile_function(text)("f", np.array(27), y)
    assert y == 111


def test_a_failed_assertion_leaves_the_function(compile_function):
    text = """
    func.func @f(%x: memref<4xi32>, %y: memref<4xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i32
      %ten = arith.constant 10 : i32
      scf.for %i = %c0 to %c4 step %c1 {
        %v = memref.load %x[%i] : memref<4xi32>
        %low = arith.cmpi sge, %v, %zero : i32
        cf.assert %low, "below the axis"
        %high = arith.cmpi slt, %v, %ten : i32
        cf.assert %high, "beyond the axis"
        cf.assert %low, "below the axis"
        memref.store %v, %y[%i] : memref<4xi32>
      }
      func.return
    }"""
    function = compile_function(text)
    assert function.messages == ["below the axis", "beyond the axis"]
    y = np.zeros(4, np.int32)
    assert function("f", np.array([1, 2, 3, 4], np.int32), y) is None
    assert function("f", np.array([5, 12, -3, 4], np.int32), y) == "beyond the axis"
    np.testing.assert_array_equal(y, [5, 2, 3, 4])


def test_a_parallel_loop_gets_its_captures(compile_function):
    text = """
    func.func private @body(%begin: index, %end: index, %x: memref<10xf32>, %flag: i1, %k: f32, %v: vector<16xf32>,
                            %y: memref<10xf32>) {
      %c1 = arith.constant 1 : index
      scf.for %i = %begin to %end step %c1 {
        %e = memref.load %x[%i] : memref<10xf32>
        %l = vector.extract %v[3] : f32 from vector<16xf32>
        %a = arith.mulf %e, %k : f32
        %b = arith.addf %a, %l : f32
        %r = arith.select %flag, %b, %e : f32
        memref.store %r, %y[%i] : memref<10xf32>
      }
      func.return
    }
    func.func @f(%x: memref<10xf32>, %y: memref<10xf32>) {
      %n = arith.constant 10 : index
      %flag = arith.constant true
      %k = arith.constant 3.0 : f32
      %v = arith.constant dense<0.5> : vector<16xf32>
      kernel.parallel_for @body, %n(%x, %flag, %k, %v, %y) : memref<10xf32>, i1, f32, vector<16xf32>, memref<10xf32>
      func.return
    }"""
    x, y = np.arange(10, dtype=np.float32), np.zeros(10, np.float32)
    compile_function(text)("f", x, y)
    np.testing.assert_array_equal(y, 3 * x + 0.5)


ENTRY = """
builtin.module {
  func.func private @scale(%x: memref<2x3xf32>, %c: memref<3xf32>, %m: memref<2x3xi1>, %y: memref<6xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %z = arith.constant 0.0 : f32
    %t = memref.alloca() : memref<2x3xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c3 step %c1 {
        %a = memref.load %x[%i, %j] : memref<2x3xf32>
        %b = memref.load %c[%j] : memref<3xf32>
        %k = memref.load %m[%i, %j] : memref<2x3xi1>
        %p = arith.mulf %a, %b : f32
        %r = arith.select %k, %p, %z : f32
        memref.store %r, %t[%i, %j] : memref<2x3xf32>
      }
    }
    %v = kernel.view %t : memref<2x3xf32> to memref<6xf32>
    "memref.copy"(%v, %y) : (memref<6xf32>, memref<6xf32>) -> ()
    func.return
  }
  func.func @main(%x: memref<2x3xf32>, %m: memref<2x3xi1>, %y: memref<6xf32>, %arena: memref<128xi8>)
      attributes {xrelay.num_inputs = 2 : i64, xrelay.num_outputs = 1 : i64} {
    %c = "kernel.constant"() <{value = #relay.tensor<[2.0, 3.0, 4.0] : tensor<3xf32>>OFFSET}> : () -> memref<3xf32>
    %c64 = arith.constant 64 : index
    %t = memref.view %arena[%c64][] : memref<128xi8> to memref<6xf32>
    func.call @scale(%x, %c, %m, %t) : (memref<2x3xf32>, memref<3xf32>, memref<2x3xi1>, memref<6xf32>) -> ()
    "memref.copy"(%t, %y) : (memref<6xf32>, memref<6xf32>) -> ()
    func.return
  }
}"""


def test_the_entry_of_a_model(compile_function):
    """Arrays of addresses, the arena at an offset, a constant at an offset, bools as bytes."""
    text = ENTRY.replace("value = #relay", "offset = 64 : i64, value = #relay").replace("OFFSET", "")
    function = compile_function(text)
    assert "@xrelay_arena_bytes = constant i64 128" in function.ir.replace("  ", " ")
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.zeros(6, np.float32)
    m = np.array([[True, False, True], [True, True, False]])
    arena, constants = np.zeros(128, np.uint8), np.zeros(19, np.float32)
    constants[16:] = [2, 3, 4]
    inputs = np.array([x.ctypes.data, m.ctypes.data], np.uint64)
    outputs = np.array([y.ctypes.data], np.uint64)
    assert function("xrelay_main", inputs, outputs, arena, constants) is None
    np.testing.assert_array_equal(y, np.where(m, x * [2, 3, 4], 0).reshape(-1))
    assert arena[:64].sum() == 0


def test_a_constant_needs_its_place(compile_function):
    with pytest.raises(CompilationError, match="has no place among"):
        compile_function(ENTRY.replace("OFFSET", ""))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f(%x: memref<?xf32>) { func.return }", "dynamic size"),
        ("func.func @f(%x: memref<4xf32, strided<[2]>>) { func.return }", "has a layout"),
        ("func.func @f(%x: f32) -> f32 { func.return %x : f32 }", "functions return through memory"),
        ("func.func @f(%x: vector<2x2xf32>) { func.return }", "one-dimensional vector"),
        ("func.func private @f(%x: f32)", "has no body"),
        ("func.func @main(%x: memref<1xi8>) { func.return }", "xrelay.num_inputs"),
        ('func.func @f() { %x = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4xf32> \n'
         "func.return }", "no rule for memref.alloc"),
    ],
)  # fmt: skip
def test_what_cannot_be_lowered(compile_function, text, message):
    with pytest.raises(CompilationError, match=message):
        compile_function(text)
