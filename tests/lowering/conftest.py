"""Fixture `compile_function`: a loop-level function, through our LLVM level, as a Python function on NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from llvmlite import binding
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.universe import Universe

from xrelay.lowering.llvm.emit import emit_llvm
from xrelay.lowering.llvm.loop_to_llvm import MESSAGES, LoopToLLVM
from xrelay.lowering.llvm.object_code import optimize, parse, target_machine
from xrelay.lowering.llvm.verify_llvm import VerifyLLVM
from xrelay.lowering.loop.expand_math import ExpandMath
from xrelay.lowering.target import host

# What the real support code does, without threads: the frame is one i32.
_SUPPORT = """
define void @xrelay_fail(ptr %frame, i32 %message) {
  store i32 %message, ptr %frame
  ret void
}
define void @xrelay_parallel_for(ptr %frame, ptr %fn, i64 %size, ptr %captures) {
  %half = sdiv i64 %size, 2
  call void %fn(ptr %frame, i64 0, i64 %half, ptr %captures)
  call void %fn(ptr %frame, i64 %half, i64 %size, ptr %captures)
  ret void
}
"""


def context() -> Context:
    ctx = Context()
    for name, get in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, get)
    return ctx


@dataclass
class Compiled:
    """A function in memory. Calling it with arrays returns the message of a failed assertion, or None."""

    engine: Any
    ir: str
    messages: list[str]

    def __call__(self, name: str, *arrays: np.ndarray) -> str | None:
        frame = ctypes.c_int32(0)
        address = self.engine.get_function_address(name)
        prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (1 + len(arrays)))
        assert all(a.flags.c_contiguous for a in arrays)
        prototype(address)(ctypes.addressof(frame), *(a.ctypes.data for a in arrays))
        return self.messages[frame.value - 1] if frame.value else None


def compile_module(module: ModuleOp | str, expand: bool = True, native_half: bool = True) -> Compiled:
    ctx = context()
    if isinstance(module, str):
        module = Parser(ctx, module).parse_module()
    module.verify()
    if expand:
        ExpandMath().apply(ctx, module)
        module.verify()
    LoopToLLVM(native_half=native_half).apply(ctx, module)
    VerifyLLVM().apply(ctx, module)
    module.verify()
    target = host()
    ir = emit_llvm(module, target.function_attributes)
    llvm_module = parse(ir, target)
    llvm_module.link_in(parse(_SUPPORT, target))
    llvm_module.verify()
    optimize(llvm_module, target)
    machine = target_machine(target.triple, target.cpu, target.features)
    objects = binding.ObjectFileRef.from_data(machine.emit_object(llvm_module))
    jit = binding.Target.from_default_triple().create_target_machine(jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), jit)
    engine.add_object_file(objects)
    engine.finalize_object()
    return Compiled(engine, ir, [m.data for m in module.attributes[MESSAGES]])


@pytest.fixture(scope="session")
def compile_function() -> Callable[..., Compiled]:
    return compile_module
