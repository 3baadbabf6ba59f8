"""A compiled model with the interface that users of Relay know: set inputs, run, fetch outputs."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from xrelay.errors import InputError, XRelayError
from xrelay.runtime.arrays import as_input
from xrelay.runtime.metadata import TensorSpec
from xrelay.runtime.model import CompiledModel


class NDArray(np.ndarray):
    """A NumPy array that also answers to `numpy()`."""

    def numpy(self) -> np.ndarray:
        return self.view(np.ndarray)

    asnumpy = numpy


@dataclass(frozen=True)
class BenchmarkResult:
    """Seconds that one run took, one number a repeat."""

    results: tuple[float, ...]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.results)

    @property
    def median(self) -> float:
        return statistics.median(self.results)

    @property
    def min(self) -> float:
        return min(self.results)

    @property
    def max(self) -> float:
        return max(self.results)

    @property
    def std(self) -> float:
        return statistics.pstdev(self.results)

    def __str__(self) -> str:
        names = ("mean", "median", "max", "min", "std")
        head = "".join(f"{f'{name} (ms)':^14}" for name in names)
        row = "".join(f"{getattr(self, name) * 1000:^14.4f}" for name in names)
        return f"Execution time summary:\n{head.rstrip()}\n{row.rstrip()}"


class GraphModule:
    """Holds the inputs and outputs of a model between calls. For one thread at a time.

    Args:
        module: a compiled model, or what `lib["default"](device)` gives.
    """

    def __init__(self, module: CompiledModel):
        self.module = module
        self._inputs: dict[str, np.ndarray] = {}
        self._outputs: list[np.ndarray] | None = None

    def set_input(self, key: str | int | None = None, value: Any = None, **params: Any) -> None:
        """Copies one input, by name or index, and any number by keyword.

        Keywords that are no input are passed over: `set_input(**params)` may hold weights that were compiled in.

        Raises:
            InputError: `key` is no input, or a value's dtype or shape is not the input's.
        """
        if key is not None:
            spec = self._spec(key)
            self._inputs[spec.name] = as_input(value, spec).copy()
        for spec in self.module.signature.inputs:
            if spec.name in params:
                self._inputs[spec.name] = as_input(params[spec.name], spec).copy()

    def set_input_zero_copy(self, key: str | int, value: Any) -> None:
        """Uses the caller's array itself, so that a change of it is seen by the next run. It must be contiguous.

        Raises:
            InputError: as `set_input`, or the array cannot be used as it is.
        """
        spec = self._spec(key)
        array = as_input(value, spec)
        if isinstance(value, np.ndarray) and not np.may_share_memory(array, value) and array.size:
            raise InputError(f"input {spec.name!r} cannot be used without a copy: it must be C-contiguous and aligned")
        self._inputs[spec.name] = array

    def run(self, **inputs: Any) -> None:
        """Sets the inputs given and runs the model.

        Raises:
            InputError: an input was never set.
            ExecutionError: a value that an operator of the model does not allow stopped the run.
        """
        self.set_input(**inputs)
        self._outputs = self.module.run(self._inputs)

    def get_output(self, index: int, out: np.ndarray | None = None) -> NDArray:
        """Output `index` of the last run; copied to `out` where that is given.

        Raises:
            XRelayError: nothing was run yet, or there is no such output.
        """
        if self._outputs is None:
            raise XRelayError("get_output: run() comes first")
        if not 0 <= index < len(self._outputs):
            raise InputError(f"there is no output {index}, the model has {len(self._outputs)}")
        if out is None:
            return self._outputs[index].view(NDArray)
        np.copyto(out, self._outputs[index], casting="no")
        return out.view(NDArray)

    def get_input(self, key: str | int) -> NDArray:
        """The input as it was set last.

        Raises:
            InputError: it is no input, or it was never set.
        """
        spec = self._spec(key)
        if spec.name not in self._inputs:
            raise InputError(f"input {spec.name!r} was never set")
        return self._inputs[spec.name].view(NDArray)

    def get_num_inputs(self) -> int:
        return len(self.module.signature.inputs)

    def get_num_outputs(self) -> int:
        return len(self.module.signature.outputs)

    def get_input_index(self, name: str) -> int:
        """The position of an input, -1 where there is none of this name."""
        names = self.module.input_names
        return names.index(name) if name in names else -1

    def get_input_info(self) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
        """Shapes and dtypes of the inputs, by name."""
        inputs = self.module.signature.inputs
        return {spec.name: spec.shape for spec in inputs}, {spec.name: spec.dtype for spec in inputs}

    def benchmark(
        self,
        device: Any = None,
        func_name: str = "run",
        repeat: int = 5,
        number: int = 5,
        min_repeat_ms: float = 0,
        end_to_end: bool = False,
        **inputs: Any,
    ) -> BenchmarkResult:
        """Times `repeat` times `number` runs, after one to warm up.

        Args:
            device, func_name: as users of Relay give them; there is one device and one function.
            min_repeat_ms: `number` grows until a repeat takes that long.
            end_to_end: also time the copies of inputs and of outputs.
        """
        if func_name != "run":
            raise InputError(f"there is no function {func_name!r} to time, only 'run'")
        self.run(**inputs)
        values = dict(self._inputs)

        def once() -> None:
            self.run(**(values if end_to_end else {}))
            for output in (self._outputs or ()) if end_to_end else ():
                output.copy()

        while (elapsed := _time(once, number)) * 1000 < min_repeat_ms:
            # A little more than the time just measured asks for, at most ten times as many.
            number = min(number * 10, int(number * 1.2 * min_repeat_ms / 1000 / max(elapsed, 1e-9)) + 1)
        return BenchmarkResult(tuple(_time(once, number) / number for _ in range(repeat)))

    def _spec(self, key: str | int) -> TensorSpec:
        inputs = self.module.signature.inputs
        index = self.get_input_index(key) if isinstance(key, str) else key
        if not 0 <= index < len(inputs):
            raise InputError(f"there is no input {key!r}; the model takes {', '.join(map(str, inputs)) or 'none'}")
        return inputs[index]


def _time(function: Any, number: int) -> float:
    start = time.perf_counter()
    for _ in range(number):
        function()
    return time.perf_counter() - start
