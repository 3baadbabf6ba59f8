"""Code that can be called: object code placed in memory by llvmlite, or a shared library."""

from __future__ import annotations

import ctypes
import mmap
import os
import tempfile
import weakref
from pathlib import Path
from typing import Any

from xrelay.errors import ArtifactError
from xrelay.runtime import elf
from xrelay.runtime.artifact import Artifact
from xrelay.runtime.host import check_target
from xrelay.runtime.metadata import Metadata

# ctypes releases the interpreter's lock while such a function runs.
_CREATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int32)
_DESTROY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_RUN = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 5)

_ENTRY_POINTS = {"xrelay_create": _CREATE, "xrelay_destroy": _DESTROY, "xrelay_run": _RUN}
_OF_VALUES = {"xrelay_release": _DESTROY}
"""What programs whose results are no tensors have beside these."""


def _entry_points(metadata: Metadata) -> dict[str, Any]:
    return _ENTRY_POINTS if metadata.interface is None else _ENTRY_POINTS | _OF_VALUES


class Engine:
    """The entry points of one model's code, and what they have to be called with.

    `constants` is the address of the constants, or 0 where the code has them inside.
    `artifact` is what the code came from, or None where that cannot be had back.
    """

    metadata: Metadata
    constants: int = 0
    artifact: Artifact | None = None
    functions: dict[str, Any]

    def run(self, handle: int, inputs: ctypes.Array, outputs: ctypes.Array, arena: int) -> int:
        return self.functions["xrelay_run"](handle, inputs, outputs, arena, self.constants)

    def release(self, heap: int | None) -> None:
        """Free the heap that a program of values left."""
        self.functions["xrelay_release"](heap)


class Handle:
    """A thread pool in an engine. Ended when nothing refers to it any more, so never during a run.

    At the end of the process it is left to the system: threads of other libraries may still be running the code.
    """

    def __init__(self, engine: Engine, num_threads: int):
        self.engine = engine
        address = engine.functions["xrelay_create"](num_threads)
        if not address:
            raise MemoryError("no memory for the thread pool")
        self.address = address
        # The finalizer's arguments keep the engine, so the code is there when it is called.
        weakref.finalize(self, _destroy, engine, address).atexit = False


def _destroy(engine: Engine, address: int) -> None:
    engine.functions["xrelay_destroy"](address)


class JITEngine(Engine):
    """An artifact's object code, placed in this process by llvmlite.

    Raises:
        ArtifactError: the code is for another machine, or calls functions that this process lacks.
        ImportError: llvmlite is not installed.
    """

    def __init__(self, artifact: Artifact, where: str = "the compiled model"):
        llvm = _import_llvmlite()
        check_target(artifact.metadata.target, where)
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
        self._jit = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        # LLVM would end the process for a function that it does not find.
        missing = [name for name in elf.undefined_symbols(artifact.object_code) if not llvm.address_of_symbol(name)]
        if missing:
            raise ArtifactError(f"{where}: its code calls {', '.join(missing)}, which this process does not have")

        self.artifact = artifact
        self.metadata = artifact.metadata
        self.constants = artifact.constants.ctypes.data
        self._jit.add_object_file(llvm.ObjectFileRef.from_data(artifact.object_code))
        self._jit.finalize_object()
        entry_points = _entry_points(artifact.metadata)
        addresses = {name: self._jit.get_function_address(name) for name in entry_points}
        if not all(addresses.values()):
            raise ArtifactError(f"{where}: its code lacks an entry point of {', '.join(entry_points)}")
        self.functions = {name: prototype(addresses[name]) for name, prototype in entry_points.items()}


class LibraryEngine(Engine):
    """A shared library that `export_library` made. Needs no llvmlite.

    Raises:
        ArtifactError: it is no such library, is damaged, or is for another machine.
    """

    def __init__(self, path: str | os.PathLike[str]):
        where = os.fspath(path)
        _check_library(Path(path), where)
        library = _open_library(Path(path), where)
        try:
            text = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, "xrelay_metadata")))
            self.metadata = Metadata.from_json(text, where)
            check_target(self.metadata.target, where)
            entry_points = _entry_points(self.metadata)
            self.functions = {name: prototype((name, library)) for name, prototype in entry_points.items()}
        except (ValueError, AttributeError) as error:
            raise ArtifactError(f"{where}: not a library that export_library made: {error}") from None


def _import_llvmlite() -> Any:
    try:
        import llvmlite.binding as llvm
    except ImportError as error:
        raise ImportError(
            "to run a model in place, install llvmlite (pip install llvmlite); exported libraries run without it"
        ) from error
    return llvm


def _check_library(path: Path, where: str) -> None:
    """Looks into the file first: opening a foreign library runs its code, opening a cut one can end the process."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if content[:4] == elf.MAGIC and (wanted := elf.file_bytes(content)) > len(content):
                raise ArtifactError(f"{where}: the library is truncated: {len(content)} bytes instead of {wanted}")
            if content.find(b"xrelay_metadata") < 0:
                raise ArtifactError(f"{where}: not a library that export_library made: it has no metadata of a model")
    except (OSError, ValueError) as error:
        raise ArtifactError(f"{where}: cannot be read: {error}") from None


def _open_library(path: Path, where: str) -> ctypes.CDLL:
    """Opens it under a name of its own.

    The loader goes by the name first: a library exported anew to a path would give the old one while that is open.
    """
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder, path.name)
        link.symlink_to(path.resolve())
        try:
            return ctypes.CDLL(str(link))
        except OSError as error:
            reason = str(error).replace(str(link), where)
            raise ArtifactError(f"{where}: the system cannot load the library: {reason}") from None
