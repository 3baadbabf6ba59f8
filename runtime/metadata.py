"""What a compiled model says about itself, as JSON beside its code: its signature, the memory it needs, its target."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from xrelay.errors import ArtifactError

FORMAT = 1
"""Version of the metadata and of the file that holds it. A reader takes exactly its own."""

OUT_OF_MEMORY = -1
"""The status of `xrelay_run` that stands for no message of the model."""

_NUMPY_DTYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)
_ML_DTYPES = frozenset("bfloat16 float8_e4m3fn float8_e5m2".split())


@dataclass(frozen=True)
class TensorSpec:
    """An input or an output: its name, NumPy's name of its dtype, and its shape.

    An optional input has a value in the model, which a run may replace.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    optional: bool = False

    @property
    def numpy_dtype(self) -> np.dtype:
        if self.dtype in _ML_DTYPES:
            import ml_dtypes  # noqa: F401  (registers its dtypes with NumPy; only such models need it)
        return np.dtype(self.dtype)

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.numpy_dtype.itemsize

    @property
    def type(self) -> str:
        """`float32[1, 3, 224, 224]`"""
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"

    def __str__(self) -> str:
        return f"{self.name}: {self.type}"


@dataclass(frozen=True)
class Signature:
    """What a model takes and returns, in order."""

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.outputs))})"


@dataclass(frozen=True)
class Target:
    """The machine that the code is for, in LLVM's terms; `features` lists what the code may use (`+avx2,+fma`)."""

    triple: str
    cpu: str = ""
    features: str = ""


@dataclass(frozen=True)
class Metadata:
    """All that a run needs to know of a compiled model.

    `messages[i]` is the text of status i + 1. `arena_bytes` is the memory of one run for intermediate tensors.
    `interface` is there for a program whose arguments or result are no tensors: `value_types.Interface`, as JSON.
    """

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    target: Target
    arena_bytes: int = 0
    constants_bytes: int = 0
    messages: tuple[str, ...] = ()
    kernels: int = 0
    version: str = ""
    interface: dict[str, Any] | None = None

    @property
    def signature(self) -> Signature:
        return Signature(self.inputs, self.outputs)

    def message(self, status: int) -> str:
        """The text of a status that is not 0."""
        if status == OUT_OF_MEMORY:
            return "not enough memory for the intermediate tensors"
        if 0 < status <= len(self.messages):
            return self.messages[status - 1]
        return f"the compiled code stopped with the unknown status {status}"

    def to_json(self) -> str:
        return json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False)

    @staticmethod
    def from_json(text: bytes | str, where: str) -> Metadata:
        """Reads and checks metadata; `where` names the file in errors.

        Raises:
            ArtifactError: it is no JSON, of another format, or a field is missing or of the wrong kind.
        """
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ArtifactError(f"{where}: the metadata is no valid JSON: {error}") from None
        reader = _Reader(record, where)
        if (found := reader.take("format", int)) != FORMAT:
            raise ArtifactError(wrong_format(found, where))
        target = _Reader(reader.take("target", dict), where)
        return Metadata(
            inputs=tuple(read_spec(item, where) for item in reader.take("inputs", list)),
            outputs=tuple(read_spec(item, where) for item in reader.take("outputs", list)),
            target=Target(*(target.take(key, str) for key in ("triple", "cpu", "features"))),
            arena_bytes=reader.take_size("arena_bytes"),
            constants_bytes=reader.take_size("constants_bytes"),
            messages=tuple(map(str, reader.take("messages", list))),
            kernels=reader.take_size("kernels"),
            version=reader.take("version", str),
            interface=record.get("interface"),
        )


def wrong_format(found: int, where: str) -> str:
    """The message for a file of another format."""
    return f"{where}: format {found}, but this xrelay reads format {FORMAT}; compile the model again"


class _Reader:
    """Fields of a JSON object, each with the kind that it must have."""

    def __init__(self, record: Any, where: str):
        if not isinstance(record, dict):
            raise ArtifactError(f"{where}: the metadata holds {record!r:.40} where an object belongs")
        self.record = record
        self.where = where

    def take(self, key: str, kind: type) -> Any:
        value = self.record.get(key)
        if type(value) is not kind:
            raise ArtifactError(f"{self.where}: metadata field {key!r} is {value!r:.40}, expected {kind.__name__}")
        return value

    def take_size(self, key: str) -> int:
        return _check_size(self.take(key, int), key, self.where)


def _check_size(value: Any, what: str, where: str) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ArtifactError(f"{where}: {what} of {value!r:.40} in the metadata is no size")
    return value


def read_spec(item: Any, where: str) -> TensorSpec:
    reader = _Reader(item, where)
    name, dtype, shape = reader.take("name", str), reader.take("dtype", str), reader.take("shape", list)
    if dtype not in _NUMPY_DTYPES | _ML_DTYPES:
        raise ArtifactError(f"{where}: tensor {name!r} has the unknown dtype {dtype!r}")
    sizes = tuple(_check_size(size, f"a dimension of tensor {name!r}", where) for size in shape)
    return TensorSpec(name, dtype, sizes, reader.take("optional", bool))
