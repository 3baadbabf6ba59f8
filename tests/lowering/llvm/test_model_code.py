"""A whole module with the real support code: object code, entry points, threads, failures."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from llvmlite import binding
from xdsl.parser import Parser

from tests.lowering.conftest import context
from xrelay.lowering.llvm.emit import emit_llvm
from xrelay.lowering.llvm.loop_to_llvm import MESSAGES, LoopToLLVM
from xrelay.lowering.llvm.object_code import assembly, object_code
from xrelay.target import Target, host

SIZE = 1000
MODEL = f"""
func.func private @double_par0(%begin: index, %end: index, %x: memref<{SIZE}xf32>, %y: memref<{SIZE}xf32>) {{
  %c1 = arith.constant 1 : index
  %limit = arith.constant 5000.0 : f32
  scf.for %i = %begin to %end step %c1 {{
    %v = memref.load %x[%i] : memref<{SIZE}xf32>
    %small = arith.cmpf olt, %v, %limit : f32
    cf.assert %small, "too large"
    %d = arith.addf %v, %v : f32
    memref.store %d, %y[%i] : memref<{SIZE}xf32>
  }}
  func.return
}}
func.func private @double(%x: memref<{SIZE}xf32>, %y: memref<{SIZE}xf32>) {{
  %n = arith.constant {SIZE} : index
  kernel.parallel_for @double_par0, %n(%x, %y) : memref<{SIZE}xf32>, memref<{SIZE}xf32>
  func.return
}}
func.func @main(%x: memref<{SIZE}xf32>, %y: memref<{SIZE}xf32>, %arena: memref<4096xi8>)
    attributes {{xrelay.num_inputs = 1 : i64, xrelay.num_outputs = 1 : i64}} {{
  %c0 = arith.constant 0 : index
  %t = memref.view %arena[%c0][] : memref<4096xi8> to memref<{SIZE}xf32>
  func.call @double(%x, %t) : (memref<{SIZE}xf32>, memref<{SIZE}xf32>) -> ()
  func.call @double(%t, %y) : (memref<{SIZE}xf32>, memref<{SIZE}xf32>) -> ()
  func.return
}}"""


def lowered():
    ctx = context()
    module = Parser(ctx, MODEL).parse_module()
    LoopToLLVM().apply(ctx, module)
    return module


@pytest.mark.parametrize("threads", [1, 2])
def test_a_model_runs(threads):
    module = lowered()
    code = object_code(emit_llvm(module, host().function_attributes), host())
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address
    create = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int32)(address("xrelay_create"))
    destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address("xrelay_destroy"))
    run = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 5)(address("xrelay_run"))

    x, y, arena = np.arange(SIZE, dtype=np.float32), np.zeros(SIZE, np.float32), np.zeros(4096, np.uint8)
    buffers = [np.array([a.ctypes.data], np.uint64) for a in (x, y)]
    handle = create(threads)
    try:
        arguments = [buffers[0].ctypes.data, buffers[1].ctypes.data, arena.ctypes.data, 0]
        assert run(handle, *arguments) == 0
        np.testing.assert_array_equal(y, 4 * x)
        x[700] = 1e6
        status = run(handle, *arguments)
        assert module.attributes[MESSAGES].data[status - 1].data == "too large"
        x[700] = 0
        assert run(handle, *arguments) == 0
    finally:
        destroy(handle)


def test_code_for_another_machine():
    target = Target("llvm -mtriple=aarch64-linux-gnu")
    assert "fadd\ts" in assembly(emit_llvm(lowered(), target.function_attributes), target)
