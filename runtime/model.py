"""A compiled model that can be called."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from xrelay.errors import ExecutionError, InputError, UnsupportedError, XRelayError
from xrelay.runtime.arrays import apart_from, as_input, as_outputs, bind
from xrelay.runtime.artifact import Artifact
from xrelay.runtime.engine import Engine, Handle, JITEngine
from xrelay.runtime.export import export_library
from xrelay.runtime.host import check_num_threads, default_num_threads
from xrelay.runtime.memory import ArenaPool
from xrelay.runtime.metadata import Metadata, Signature
from xrelay.runtime.value_types import Interface
from xrelay.runtime.values import Encoder, decode


class CompiledModel:
    """A compiled model, ready to run. Threads of Python may share it; their runs overlap.

    One run at a time uses the model's own threads, the others run in the thread of their caller. Results do not depend
    on the number of threads. Use it in a `with` statement, or `close` it, to end its threads early.

    Args:
        program: an artifact, or an engine that holds code already.
        num_threads: how many threads one run uses; by default XRELAY_NUM_THREADS, else the CPUs this process may use.
        where: what errors call the model.

    Raises:
        ArtifactError: the code is for another machine.
        XRelayError: `num_threads` is no number of threads.
    """

    def __init__(self, program: Artifact | Engine, num_threads: int | None = None, where: str = "the compiled model"):
        self._num_threads = default_num_threads() if num_threads is None else check_num_threads(num_threads)
        engine = JITEngine(program, where) if isinstance(program, Artifact) else program
        self._metadata = engine.metadata
        self._artifact = engine.artifact
        self._arenas = ArenaPool(engine.metadata.arena_bytes)
        interface = engine.metadata.interface
        self._interface = None if interface is None else Interface.from_json(interface, where)
        self._handle: Handle | None = Handle(engine, self._num_threads)

    @property
    def metadata(self) -> Metadata:
        return self._metadata

    @property
    def signature(self) -> Signature:
        """The names, dtypes and shapes of inputs and outputs."""
        return self._metadata.signature

    @property
    def input_names(self) -> tuple[str, ...]:
        return tuple(spec.name for spec in self._metadata.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        return tuple(spec.name for spec in self._metadata.outputs)

    @property
    def num_threads(self) -> int:
        return self._num_threads

    def run(self, *inputs: Any, out: Sequence[np.ndarray] | np.ndarray | None = None) -> list[np.ndarray]:
        """Computes the outputs, in the model's order.

        Args:
            inputs: one mapping by name (`run({"x": x})`), one list or tuple (`run([x, y])`), or the arrays
                (`run(x, y)`): NumPy arrays, or what has `__dlpack__` or `__array__`, as torch tensors do. Dtype and
                shape must be those of the signature; any strides and byte order are taken.
            out: arrays to write the outputs to. They are returned; without, new ones are.

        Raises:
            InputError: inputs are missing or unknown, or a dtype or shape is not the signature's.
            ExecutionError: a value that an operator of the model does not allow stopped the run.
        """
        # Held to the end of the run, so that a `close` in another thread waits for it.
        handle = self._open_handle()
        if self._interface is not None:
            raise UnsupportedError("@main takes or gives values that are no tensors: use evaluate()")
        given = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], Mapping | list | tuple) else inputs
        specs = self._metadata.inputs
        arrays = [
            None if value is None and spec.optional else as_input(value, spec)
            for value, spec in zip(bind(specs, given), specs, strict=True)
        ]
        outputs = as_outputs(self._metadata.outputs, out)
        if out is not None:
            arrays = apart_from(arrays, outputs)
        with self._arenas.arena() as arena:
            status = handle.engine.run(handle.address, _addresses(arrays), _addresses(outputs), arena)
        if status != 0:
            raise ExecutionError(self._metadata.message(status))
        return outputs

    def evaluate(self, *arguments: Any) -> Any:
        """What @main gives for these arguments, as values of the language.

        A tensor is an array, a tuple a tuple; `runtime/values.py` has the classes of the others. A model of tensors
        takes tuples or their fields one by one, and gives all the tensors of its results as one tuple.

        Raises:
            InputError: an argument is not of its type.
            ExecutionError: the program stopped: no clause of a match fitted, a recursion did not end.
        """
        if self._interface is None:
            outputs = self.run(*_flat(arguments))
            return outputs[0] if len(outputs) == 1 else tuple(outputs)
        handle = self._open_handle()
        types = self._interface.inputs
        if len(arguments) != len(types):
            raise InputError(f"{len(arguments)} arguments given, the program takes {len(types)}")
        encoder = Encoder(self._interface)
        addresses = encoder.encode(arguments, types)
        result, heap = ctypes.c_void_p(), ctypes.c_void_p()
        inputs = (ctypes.c_void_p * len(addresses))(*addresses)
        outputs = (ctypes.c_void_p * 2)(ctypes.addressof(result), ctypes.addressof(heap))
        status = handle.engine.run(handle.address, inputs, outputs, 0)
        if status != 0:
            raise ExecutionError(self._metadata.message(status))
        try:
            # Parts of the result may lie in the arguments' memory, which the encoder holds.
            return decode(result.value or 0, self._interface.output, self._interface)
        finally:
            handle.engine.release(heap.value)

    def __call__(self, *inputs: Any, **named: Any) -> list[np.ndarray]:
        """`run`, with the inputs in order or by name."""
        if inputs and named:
            raise XRelayError("give the inputs in order or by name, not both")
        return self.run(named) if named else self.run(*inputs)

    def __getitem__(self, name: str) -> Any:
        """`model["default"](device)` is the model itself: how users of Relay take a module from a library."""
        if name != "default":
            raise KeyError(f"the only module of a compiled model is 'default', not {name!r}")
        return lambda device=None: self

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the model to one file, which `xrelay.load` reads. Needs no C compiler.

        Raises:
            ArtifactError: the file cannot be written.
            UnsupportedError: the model came from a shared library.
        """
        return self._require_artifact("save").save(path)

    def export_library(self, path: str | os.PathLike[str], cc: str | None = None) -> Path:
        """Links the model and its constants into a shared library, with a C header beside it. `xrelay.load` reads it.

        Args:
            path: the library; the header has the suffix `.h` instead.
            cc: the C compiler's command, by default `$CC`, `cc`, `gcc` or `clang`.

        Raises:
            ToolchainError: there is no C compiler, or it failed.
            UnsupportedError: the model came from a shared library.
        """
        return export_library(self._require_artifact("export_library"), path, cc)

    def close(self) -> None:
        """Ends the model's threads and frees its code, once the runs under way are over. Twice is fine."""
        self._handle = None

    def __enter__(self) -> CompiledModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", closed" if self._handle is None else ""
        return f"CompiledModel({self.signature}, num_threads={self._num_threads}{state})"

    def _open_handle(self) -> Handle:
        if (handle := self._handle) is None:
            raise XRelayError("the model is closed")
        return handle

    def _require_artifact(self, method: str) -> Artifact:
        if self._artifact is None:
            raise UnsupportedError(f"{method}: the model came from a shared library, copy that file instead")
        return self._artifact


def _flat(arguments: Sequence[Any]) -> list[Any]:
    """The arguments, and the fields of those that are tuples."""
    found: list[Any] = []
    for argument in arguments:
        found += _flat(argument) if isinstance(argument, tuple) else [argument]
    return found


def _addresses(arrays: Sequence[np.ndarray | None]) -> ctypes.Array:
    """A C array of their addresses; null stands for an input's default."""
    return (ctypes.c_void_p * len(arrays))(*[None if array is None else array.ctypes.data for array in arrays])
