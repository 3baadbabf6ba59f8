"""The border between a caller's arrays and compiled code: what is handed over, and what is refused."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from xrelay.errors import InputError
from xrelay.runtime.memory import aligned_empty
from xrelay.runtime.metadata import TensorSpec


def bind(specs: Sequence[TensorSpec], given: Mapping[str, Any] | Sequence[Any]) -> list[Any]:
    """The values of all inputs in the model's order, from a mapping by name or a sequence; None for one left out.

    Optional inputs may be left out, in a sequence those at its end.

    Raises:
        InputError: some are missing, unknown or too many.
    """
    if not isinstance(given, Mapping):
        if len(given) > len(specs) or not all(spec.optional for spec in specs[len(given) :]):
            raise InputError(f"{len(given)} inputs given, the model takes {len(specs)}: {_names(specs)}")
        return [*given, *[None] * (len(specs) - len(given))]
    wanted = {spec.name for spec in specs}
    unknown = [f"unknown input {name!r}{_suggestion(name, wanted)}" for name in given if name not in wanted]
    missing = [f"input {spec.name!r} is missing" for spec in specs if spec.name not in given and not spec.optional]
    if unknown or missing:
        raise InputError(f"{'; '.join(unknown + missing)}; the model takes {_names(specs)}")
    return [given.get(spec.name) for spec in specs]


def as_input(value: Any, spec: TensorSpec) -> np.ndarray:
    """`value` as a C-contiguous, aligned array in native byte order. Shares memory where it is one already.

    Raises:
        InputError: it is no array, or its dtype or shape is not the input's.
    """
    array = _as_array(value, spec)
    wanted = spec.numpy_dtype
    if array.dtype.newbyteorder("=") != wanted:
        hint = f"convert it with .astype({spec.dtype!r})"
        raise InputError(f"input {spec.name!r} is {spec.type}, given {_type(array)}; {hint}")
    if array.shape != spec.shape:
        ranks = "" if array.ndim == len(spec.shape) else f" (rank {len(spec.shape)} wanted, rank {array.ndim} given)"
        raise InputError(f"input {spec.name!r} is {spec.type}, given {_type(array)}{ranks}")
    array = np.asarray(array, dtype=wanted, order="C")
    return array if array.flags.aligned else array.copy()


def as_outputs(specs: Sequence[TensorSpec], out: Sequence[np.ndarray] | np.ndarray | None) -> list[np.ndarray]:
    """The arrays to write to: new ones, or the caller's.

    Raises:
        InputError: the caller's are too few or too many, of another dtype or shape, overlap, or cannot be written to.
    """
    if out is None:
        return [aligned_empty(spec.shape, spec.numpy_dtype) for spec in specs]
    arrays = [out] if isinstance(out, np.ndarray) else list(out)
    if len(arrays) != len(specs):
        raise InputError(f"{len(arrays)} arrays in `out`, the model has {len(specs)} outputs: {_names(specs)}")
    for index, (array, spec) in enumerate(zip(arrays, specs, strict=True)):
        _check_output(array, spec)
        if any(np.may_share_memory(array, other) for other in arrays[:index]):
            raise InputError(f"the array for output {spec.name!r} overlaps that of another output")
    return arrays


def apart_from(inputs: list[np.ndarray | None], outputs: Sequence[np.ndarray]) -> list[np.ndarray | None]:
    """The inputs, copied where they overlap an output: the code writes outputs while it still reads inputs."""
    return [
        array.copy() if array is not None and any(np.may_share_memory(array, output) for output in outputs) else array
        for array in inputs
    ]


def _as_array(value: Any, spec: TensorSpec) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    try:
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        if hasattr(value, "__array__"):
            return np.asarray(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(f"input {spec.name!r}: the {_kind(value)} cannot be read as an array: {error}") from error
    hint = f"make it an array: np.asarray(value, {spec.dtype!r})"
    raise InputError(f"input {spec.name!r} is {spec.type}, given a {_kind(value)}; {hint}")


def _check_output(array: Any, spec: TensorSpec) -> None:
    if not isinstance(array, np.ndarray):
        raise InputError(f"the array for output {spec.name!r} is a {_kind(array)}, expected a NumPy array")
    if array.dtype != spec.numpy_dtype or array.shape != spec.shape:
        raise InputError(f"output {spec.name!r} is {spec.type}, the array for it is {_type(array)}")
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned and flags.writeable):
        raise InputError(f"the array for output {spec.name!r} must be C-contiguous, aligned and writeable")


def _type(array: np.ndarray) -> str:
    return f"{array.dtype.name}[{', '.join(map(str, array.shape))}]"


def _kind(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _names(specs: Sequence[TensorSpec]) -> str:
    return ", ".join(str(spec) for spec in specs) or "none"


def _suggestion(name: Any, wanted: set[str]) -> str:
    close = difflib.get_close_matches(str(name), wanted, n=1)
    return f", did you mean {close[0]!r}?" if close else ""
