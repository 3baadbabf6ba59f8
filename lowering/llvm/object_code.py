"""LLVM IR text → object code, by llvmlite."""

from __future__ import annotations

from functools import cache
from importlib import resources

from llvmlite import binding

from xrelay.errors import CompilationError, UnsupportedError
from xrelay.lowering.target import Target, host

HOST = host()

PROGRAM_START = "xrelay_run_program"
"""Whoever calls it is a program, and needs its support code."""


def object_code(ir_text: str, target: Target = HOST) -> bytes:
    """Position-independent object code of a model's LLVM IR with the support code, optimised for `target`."""
    return _machine(target).emit_object(optimized(ir_text, target))


def assembly(ir_text: str, target: Target = HOST) -> str:
    """What `object_code` makes, as assembly text."""
    return _machine(target).emit_assembly(optimized(ir_text, target))


def optimized(ir_text: str, target: Target) -> binding.ModuleRef:
    """The model's LLVM module with the support code linked in, verified and optimised."""
    module = parse(ir_text, target)
    if any(function.name == PROGRAM_START for function in module.functions):
        module.link_in(parse(support_text("program.ll"), target))
    module.link_in(parse(support_text("support.ll"), target))
    optimize(module, target)
    return module


def parse(ir_text: str, target: Target) -> binding.ModuleRef:
    """A verified LLVM module for `target`. Text that LLVM refuses is a fault of the compiler: CompilationError."""
    machine = _machine(target)
    try:
        module = binding.parse_assembly(ir_text)
        module.triple = target.triple
        module.data_layout = str(machine.target_data)
        module.verify()
    except RuntimeError as error:
        raise CompilationError(f"LLVM refuses the module (please report this): {error}") from error
    return module


@cache
def support_text(name: str) -> str:
    """LLVM IR of support code: `support.ll` is in every model (threads, failures, the entry points), `program.ll` in
    those that are programs (stack, heap)."""
    return resources.files("xrelay.lowering.llvm").joinpath(name).read_text()


def optimize(module: binding.ModuleRef, target: Target) -> None:
    """Simplify every function.

    The loops are already as they shall be: the vectorisers and the unroller would take the register tiles apart.
    """
    options = binding.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = False
    options.loop_unrolling = options.loop_interleaving = False
    builder = binding.create_pass_builder(_machine(target), options)
    passes = builder.getFunctionPassManager()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


@cache
def target_machine(triple: str, cpu: str, features: str) -> binding.TargetMachine:
    """LLVM's code generator for a machine. Raises UnsupportedError for a triple this LLVM does not know."""
    _initialize()
    try:
        target = binding.Target.from_triple(triple)
    except RuntimeError as error:
        raise UnsupportedError(f"no code generator for {triple!r}: {error}") from error
    return target.create_target_machine(cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default")


def _machine(target: Target) -> binding.TargetMachine:
    return target_machine(target.triple, target.cpu, target.features)


@cache
def _initialize() -> None:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    binding.initialize_native_asmparser()
