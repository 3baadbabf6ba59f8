"""From a module of the relay dialect to a compiled model: runs the phases of `lowering/pipelines.py`, then LLVM."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, MemRefType, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from xrelay import __version__
from xrelay.dialects.relay.types import DYNAMIC, dtype_of, is_static, num_elements, shape_of
from xrelay.errors import UnsupportedError, XRelayError
from xrelay.lowering.graph.base import is_primitive, is_program
from xrelay.lowering.language.entry import takes_tensors_only
from xrelay.lowering.language.interface import interface, named_leaves
from xrelay.lowering.loop.plan_memory import input_defaults
from xrelay.lowering.target import Target
from xrelay.runtime.artifact import Artifact
from xrelay.runtime.memory import aligned_empty
from xrelay.runtime.metadata import Metadata, TensorSpec
from xrelay.runtime.metadata import Target as TargetRecord
from xrelay.runtime.model import CompiledModel

Progress = Callable[[str, int, int], None]
"""`progress(phase, done, total)`: called before each step of the compilation, and once at the end: done == total."""

Shapes = Mapping[str, Sequence[int | None]]


def compile(
    model: Any,
    target: str | Target = "llvm",
    shapes: Shapes | None = None,
    opt_level: int = 3,
    num_threads: int | None = None,
    progress: Progress | None = None,
) -> CompiledModel:
    """Compile a model for a machine.

    `model` is a path of an .onnx, .relay or .mlir file, the bytes of an ONNX model, a `ModelProto`, a `relay.Module`,
    or a module of the relay dialect. `shapes` gives input sizes that the model leaves open:
    `{"input": (1, 3, 224, 224)}`. `opt_level` is 0 (each operator by itself) to 3. `num_threads` is the number of
    threads of a run, by default the number of CPUs.

    Raises XRelayError for a model that cannot be read, has unsupported operators, or open sizes.
    """
    report = progress or (lambda phase, done, total: None)
    total = _steps()
    report("import", 0, total)
    module = read_model(model, shapes)
    artifact = build(module, target, opt_level, lambda phase, done: report(phase, done + 1, total))
    report("load", total - 1, total)
    compiled = CompiledModel(artifact, num_threads)
    report("done", total, total)
    return compiled


def _steps() -> int:
    from xrelay.lowering.pipelines import PHASES

    return len(PHASES) + 3


def read_model(model: Any, shapes: Shapes | None = None) -> ModuleOp:
    """The relay module of a model in any of the forms that `compile` takes; a relay module is copied."""
    from xrelay.plugins import load_plugins
    from xrelay.relay.module import Module

    load_plugins()
    if isinstance(model, Module):
        model = model.executable_ir()
    if isinstance(model, ModuleOp):
        if shapes:
            raise UnsupportedError("shapes= is for models whose sizes are open; give a relay module the types you want")
        return model.clone()
    if isinstance(model, str | Path) and Path(model).suffix == ".mlir":
        return _parse_mlir(Path(model))
    if isinstance(model, str | Path) and Path(model).suffix == ".relay":
        return _parse_relay(Path(model))
    if isinstance(model, str | Path | bytes | bytearray) or type(model).__name__ == "ModelProto":
        from xrelay.frontends.onnx.importer import import_onnx

        return import_onnx(bytes(model) if isinstance(model, bytearray) else model, shapes)
    raise UnsupportedError(
        f"cannot compile a {type(model).__name__}; expected the path of an .onnx, .relay or .mlir file, the bytes "
        "of an ONNX model, a ModelProto, or a relay module"
    )


def _parse_mlir(path: Path) -> ModuleOp:
    from xdsl.parser import Parser
    from xdsl.utils.exceptions import ParseError, VerifyException

    from xrelay.universe import context

    try:
        module = Parser(context(), path.read_text(), str(path)).parse_module()
        module.verify()
    except OSError as error:
        raise XRelayError(f"cannot read {path}: {error.strerror}") from error
    except (ParseError, VerifyException) as error:
        raise XRelayError(f"{path}: {error}") from error
    return module


def _parse_relay(path: Path) -> ModuleOp:
    from xrelay.formats import read_relay_text

    try:
        text = path.read_bytes()
    except OSError as error:
        raise XRelayError(f"cannot read {path}: {error.strerror}") from error
    return read_relay_text(text, str(path))


def build(
    module: ModuleOp,
    target: str | Target = "llvm",
    opt_level: int = 3,
    progress: Callable[[str, int], None] | None = None,
    disabled: Collection[str] = (),
) -> Artifact:
    """Lower a relay module, in place, to machine code, and pack it with its constants and metadata.

    `disabled` names passes, as `PassContext` does, that are not to run.
    """
    from xrelay.lowering.llvm.emit import emit_llvm
    from xrelay.lowering.llvm.object_code import object_code
    from xrelay.lowering.loop.plan_memory import constants_of, table_size, write_table
    from xrelay.lowering.pipelines import MAX_OPT_LEVEL, PHASES

    if not isinstance(opt_level, int) or not 0 <= opt_level <= MAX_OPT_LEVEL:
        raise UnsupportedError(f"opt_level is {opt_level!r}, expected 0 to {MAX_OPT_LEVEL}")
    machine = target if isinstance(target, Target) else Target(target)
    report = progress or (lambda phase, done: None)
    main = main_function(module)
    check_sizes(main)
    boxed = None if takes_tensors_only(main) else interface(main, module)
    inputs, outputs = signature(main) if boxed is None else ((), ())
    kernels, arena_bytes, constants = 0, 0, {}
    context = Context(allow_unregistered=True)
    for number, phase in enumerate(PHASES):
        report(phase.name, number)
        if phase.name == "llvm":
            constants = constants_of(module)
            arena_bytes = arena_size(main)
        for pass_ in phase.passes(opt_level, machine.description):
            if type(pass_).__name__ not in disabled:
                pass_.apply(context, module)
        if phase.name == "graph":
            kernels = sum(is_primitive(f) for f in module.ops)
    report("machine code", len(PHASES))
    code = object_code(emit_llvm(module, machine.function_attributes), machine)
    table = aligned_empty((table_size(constants),), np.dtype(np.uint8))
    table[:] = 0
    write_table(constants, table)
    messages = module.attributes.get("xrelay.messages")
    metadata = Metadata(
        inputs=inputs,
        outputs=outputs,
        target=TargetRecord(machine.triple, machine.cpu, machine.features),
        arena_bytes=arena_bytes,
        constants_bytes=table.size,
        messages=_strings(messages),
        kernels=kernels,
        version=__version__,
        interface=boxed,
    )
    return Artifact(code, table, metadata)


def main_function(module: ModuleOp) -> FuncOp:
    """The module's entry. Raises UnsupportedError if there is none."""
    for op in module.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == "main":
            return op
    raise UnsupportedError("the module has no function @main")


def arena_size(main: FuncOp) -> int:
    """The size in bytes of the arena, the last argument of @main at the loop level. A program has a heap instead."""
    if is_program(main):
        return 0
    arena = main.args[-1].type
    assert isinstance(arena, MemRefType)
    return num_elements(arena.get_shape())


def _strings(stored: Attribute | None) -> tuple[str, ...]:
    """The strings of an array attribute, none where it is absent."""
    return tuple(s.data for s in stored if isinstance(s, StringAttr)) if isinstance(stored, ArrayAttr) else ()


def check_sizes(main: FuncOp) -> None:
    """Raises UnsupportedError if an input is a tensor of unknown size, and says how to give it."""
    names = _strings(main.attributes.get("relay.input_names")) or [arg.name_hint or "input" for arg in main.args]
    open_inputs = {
        name: arg.type
        for name, arg in zip(names, main.args, strict=False)
        if isinstance(arg.type, TensorType) and not is_static(arg.type)
    }
    if not open_inputs:
        return
    listed = "; ".join(f"input {name!r} is a {value_type}" for name, value_type in open_inputs.items())
    shapes = {name: tuple(1 if d == DYNAMIC else d for d in shape_of(t)) for name, t in open_inputs.items()}
    raise UnsupportedError(f"sizes of inputs are open: {listed}; give them when compiling, as in shapes={shapes}")


def signature(main: FuncOp) -> tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]:
    """Names, dtypes and shapes of the tensors that @main takes and returns; fields of a tuple `x` are `x.0`, `x.1` …"""

    def names(key: str, count: int, default: str) -> list[str]:
        given = _strings(main.attributes.get(f"relay.{key}_names"))
        return list(given) if len(given) == count else [f"{default}{i}" for i in range(count)]

    def specs(types: Sequence[Any], given: list[str]) -> tuple[TensorSpec, ...]:
        return tuple(TensorSpec(name, str(dtype_of(t)), tuple(shape_of(t))) for name, t in named_leaves(given, types))

    types = main.function_type
    args = [arg.name_hint or f"input{i}" for i, arg in enumerate(main.args)]
    declared = names("input", len(args), "input")
    inputs = specs(types.inputs.data, declared if "relay.input_names" in main.attributes else args)
    optional = [value is not None for value in input_defaults(main)] or [False] * len(inputs)
    inputs = tuple(replace(spec, optional=o) for spec, o in zip(inputs, optional, strict=True))
    return inputs, specs(types.outputs.data, names("output", len(types.outputs), "output"))
