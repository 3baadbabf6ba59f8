"""Small compiled models for the tests of the runtime, written in LLVM IR: these tests need no compiler of ours."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import llvmlite.binding as llvm
import numpy as np

from xrelay.runtime import Artifact, CompiledModel, Metadata, Target, TensorSpec

FAILURE = 'x is below "-1e30"\nand that is too low?'
"""What the model of `scale_artifact` says of such an x: with all that is hard to write in C or JSON."""

_DECLARATIONS = """
declare void @xrelay_parallel_for(ptr, ptr, i64, ptr)
declare void @xrelay_fail(ptr, i32)
"""

# t = x + constants, a parallel loop into the arena; out = t * y, another one. x below -1e30 fails.
_SCALE = """
define internal void @add(ptr %frame, i64 %begin, i64 %end, ptr %pointers) {
  %x = load ptr, ptr %pointers
  %c.p = getelementptr ptr, ptr %pointers, i64 3
  %c = load ptr, ptr %c.p
  %t.p = getelementptr ptr, ptr %pointers, i64 4
  %t = load ptr, ptr %t.p
  br label %head
head:
  %i = phi i64 [ %begin, %0 ], [ %next, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %check, label %exit
check:
  %x.i.p = getelementptr float, ptr %x, i64 %i
  %x.i = load float, ptr %x.i.p
  %low = fcmp olt float %x.i, 0xC6293E5940000000
  br i1 %low, label %fail, label %body
body:
  %c.i.p = getelementptr float, ptr %c, i64 %i
  %c.i = load float, ptr %c.i.p
  %t.i = fadd float %x.i, %c.i
  %t.i.p = getelementptr float, ptr %t, i64 %i
  store float %t.i, ptr %t.i.p
  %next = add i64 %i, 1
  br label %head
fail:
  call void @xrelay_fail(ptr %frame, i32 1)
  ret void
exit:
  ret void
}

define internal void @multiply(ptr %frame, i64 %begin, i64 %end, ptr %pointers) {
  %y.p = getelementptr ptr, ptr %pointers, i64 1
  %y = load ptr, ptr %y.p
  %out.p = getelementptr ptr, ptr %pointers, i64 2
  %out = load ptr, ptr %out.p
  %t.p = getelementptr ptr, ptr %pointers, i64 4
  %t = load ptr, ptr %t.p
  br label %head
head:
  %i = phi i64 [ %begin, %0 ], [ %next, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %exit
body:
  %t.i.p = getelementptr float, ptr %t, i64 %i
  %t.i = load float, ptr %t.i.p
  %y.i.p = getelementptr float, ptr %y, i64 %i
  %y.i = load float, ptr %y.i.p
  %out.i = fmul float %t.i, %y.i
  %out.i.p = getelementptr float, ptr %out, i64 %i
  store float %out.i, ptr %out.i.p
  %next = add i64 %i, 1
  br label %head
exit:
  ret void
}

define void @xrelay_main(ptr %frame, ptr %inputs, ptr %outputs, ptr %arena, ptr %constants) {
  %pointers = alloca [5 x ptr]
  %x = load ptr, ptr %inputs
  %y.p = getelementptr ptr, ptr %inputs, i64 1
  %y = load ptr, ptr %y.p
  %out = load ptr, ptr %outputs
  store ptr %x, ptr %pointers
  %p.1 = getelementptr ptr, ptr %pointers, i64 1
  store ptr %y, ptr %p.1
  %p.2 = getelementptr ptr, ptr %pointers, i64 2
  store ptr %out, ptr %p.2
  %p.3 = getelementptr ptr, ptr %pointers, i64 3
  store ptr %constants, ptr %p.3
  %p.4 = getelementptr ptr, ptr %pointers, i64 4
  store ptr %arena, ptr %p.4
  call void @xrelay_parallel_for(ptr %frame, ptr @add, i64 SIZE, ptr %pointers)
  call void @xrelay_parallel_for(ptr %frame, ptr @multiply, i64 SIZE, ptr %pointers)
  ret void
}
"""

# REPEAT parallel loops, each adding 1 to out[i, 0] and writing the start of its slice to out[i, 1].
_SLICES = """
define internal void @mark(ptr %frame, i64 %begin, i64 %end, ptr %out) {
  br label %head
head:
  %i = phi i64 [ %begin, %0 ], [ %next, %body ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %body, label %exit
body:
  %count.p = getelementptr [2 x i64], ptr %out, i64 %i, i64 0
  %count = load i64, ptr %count.p
  %raised = add i64 %count, 1
  store i64 %raised, ptr %count.p
  %begin.p = getelementptr [2 x i64], ptr %out, i64 %i, i64 1
  store i64 %begin, ptr %begin.p
  %next = add i64 %i, 1
  br label %head
exit:
  ret void
}

define void @xrelay_main(ptr %frame, ptr %inputs, ptr %outputs, ptr %arena, ptr %constants) {
  %out = load ptr, ptr %outputs
  br label %head
head:
  %turn = phi i64 [ 0, %0 ], [ %next, %head ]
  call void @xrelay_parallel_for(ptr %frame, ptr @mark, i64 SIZE, ptr %out)
  %next = add i64 %turn, 1
  %more = icmp slt i64 %next, REPEAT
  br i1 %more, label %head, label %exit
exit:
  ret void
}
"""

# out[i] = x[i] for BYTES bytes.
_COPY = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @xrelay_main(ptr %frame, ptr %inputs, ptr %outputs, ptr %arena, ptr %constants) {
  %x = load ptr, ptr %inputs
  %out = load ptr, ptr %outputs
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %x, i64 BYTES, i1 false)
  ret void
}
"""


@cache
def object_code(model: str, arena_bytes: int = 0) -> bytes:
    """Relocatable code of `model`, LLVM IR that defines @xrelay_main, with the support code."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    arena = f"@xrelay_arena_bytes = constant i64 {arena_bytes}\n"
    module = llvm.parse_assembly(_DECLARATIONS + arena + model)
    module.link_in(llvm.parse_assembly((files("xrelay.lowering.llvm") / "support.ll").read_text()))
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=3, reloc="pic", codemodel="default")
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return machine.emit_object(module)


def host_target() -> Target:
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


def make_artifact(
    model: str,
    inputs: list[TensorSpec],
    outputs: list[TensorSpec],
    constants: np.ndarray | None = None,
    arena_bytes: int = 0,
    messages: tuple[str, ...] = (),
    target: Target | None = None,
) -> Artifact:
    blob = np.empty(0, np.uint8) if constants is None else constants.view(np.uint8)
    metadata = Metadata(
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        target=target or host_target(),
        arena_bytes=arena_bytes,
        constants_bytes=len(blob),
        messages=messages,
        kernels=1,
        version="test",
    )
    return Artifact(object_code(model, arena_bytes), blob, metadata)


def scale_artifact(size: int = 1000, target: Target | None = None) -> Artifact:
    """out = (x + arange(size)) * y, all float32[size]."""
    specs = [TensorSpec(name, "float32", (size,)) for name in ("x", "y", "out")]
    constants = np.arange(size, dtype=np.float32)
    code = _SCALE.replace("SIZE", str(size))
    return make_artifact(code, specs[:2], specs[2:], constants, 4 * size, (FAILURE,), target)


def scale_model(size: int = 1000, num_threads: int = 2) -> CompiledModel:
    return CompiledModel(scale_artifact(size), num_threads)


def scale_reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (x + np.arange(len(x), dtype=np.float32)) * y


def slices_artifact(size: int, repeat: int = 1) -> Artifact:
    """`repeat` parallel loops over [0, size): out[i, 0] counts the visits of i, out[i, 1] is where its slice starts.

    It adds to what is in the output, so give it zeros.
    """
    code = _SLICES.replace("SIZE", str(size)).replace("REPEAT", str(repeat))
    return make_artifact(code, [], [TensorSpec("out", "int64", (size, 2))])


def copy_model(dtype: str, shape: tuple[int, ...]) -> CompiledModel:
    """out = x."""
    x, out = TensorSpec("x", dtype, shape), TensorSpec("out", dtype, shape)
    return CompiledModel(make_artifact(_COPY.replace("BYTES", str(x.nbytes)), [x], [out]), num_threads=1)
