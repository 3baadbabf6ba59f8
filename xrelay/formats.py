"""The file formats of `relay-opt`: what it reads beside MLIR text (frontends) and what it writes (targets)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer
from xdsl.targets.mlir import MLIRTarget
from xdsl.utils.frontend import Frontend
from xdsl.utils.target import Target

from xrelay.errors import ModelError

if TYPE_CHECKING:
    from xrelay.lowering.target import Target as Machine


@dataclass(frozen=True)
class ONNXFrontend(Frontend):
    """An ONNX model, as a module of the relay dialect."""

    name = "onnx"

    def parse(self, ctx: Context, input: IO[bytes], input_name: str) -> ModuleOp:
        from xrelay.frontends.onnx.importer import import_onnx
        from xrelay.plugins import load_plugins

        load_plugins()
        # By its path where it has one: a model's external data lies beside it.
        path = Path(input_name)
        return import_onnx(path if path.is_file() else input.read())


@dataclass(frozen=True)
class RelayFrontend(Frontend):
    """Relay text, as a module of the relay dialect."""

    name = "relay"

    def parse(self, ctx: Context, input: IO[bytes], input_name: str) -> ModuleOp:
        return read_relay_text(input.read(), input_name)


def read_relay_text(text: bytes, source_name: str) -> ModuleOp:
    """The module of a Relay program. Raises XRelayError for text that is not UTF-8, not Relay, or ill-typed."""
    from xrelay.plugins import load_plugins
    from xrelay.relay.text import parse

    load_plugins()
    try:
        program = text.decode()
    except UnicodeDecodeError as error:
        raise ModelError(f"{source_name} is not UTF-8 text: {error}") from error
    return parse(program, source_name).executable_ir()


@dataclass(frozen=True)
class ElidedTarget(MLIRTarget):
    """MLIR text whose large constants are names only; such a file can be read by people, not run."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        Printer(
            stream=output,
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
            print_debuginfo=self.print_debuginfo,
        ).print_op(module)
        output.write("\n")


@dataclass(frozen=True)
class CodeTarget(Target):
    """What becomes of a module at the llvm level. `-t 'asm{target="llvm -mcpu=znver4"}'` names another machine."""

    target: str = "llvm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        from xrelay.lowering.llvm.emit import emit_llvm
        from xrelay.lowering.target import Target as Machine

        machine = Machine(self.target)
        output.write(self.code(emit_llvm(module, machine.function_attributes), machine))

    @abstractmethod
    def code(self, ir_text: str, machine: Machine) -> str: ...


@dataclass(frozen=True)
class LLVMIRTarget(CodeTarget):
    """LLVM IR, before LLVM's own optimisation."""

    name = "xrelay-llvm"

    def code(self, ir_text: str, machine: Machine) -> str:
        return ir_text


@dataclass(frozen=True)
class AssemblyTarget(CodeTarget):
    """Assembly, with the support code that every model carries."""

    name = "xrelay-asm"

    def code(self, ir_text: str, machine: Machine) -> str:
        from xrelay.lowering.llvm.object_code import assembly

        return assembly(ir_text, machine)


@dataclass(frozen=True)
class ObjectTarget(CodeTarget):
    """Object code. The stream is text of one character a byte (latin-1), which `relay-opt` writes as it is."""

    name = "xrelay-obj"

    def code(self, ir_text: str, machine: Machine) -> str:
        from xrelay.lowering.llvm.object_code import object_code

        return object_code(ir_text, machine).decode("latin-1")
