"""The arrays of a model: TensorProto → NumPy, with every size checked before it is believed."""

from __future__ import annotations

from math import prod
from pathlib import Path

import ml_dtypes
import numpy as np
from onnx import SparseTensorProto, TensorProto

from xrelay.errors import ModelError, UnsupportedError
from xrelay.frontends.onnx.types import check_size, dtype_name, numpy_dtype

MAX_DENSE_BYTES = 1 << 28
"""Sparse tensors are written out up to this size: their own bytes say nothing about it."""

_FIELDS: dict[int, str] = {
    TensorProto.FLOAT: "float_data",
    TensorProto.DOUBLE: "double_data",
    TensorProto.INT64: "int64_data",
    TensorProto.UINT32: "uint64_data",
    TensorProto.UINT64: "uint64_data",
}
"""The typed field of an element type that is not stored in `int32_data`."""

_BIT_PATTERNS: dict[int, np.dtype] = {
    TensorProto.FLOAT16: np.dtype(np.float16),
    TensorProto.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
}
"""Stored in `int32_data` as the bits of the number."""


def to_array(tensor: TensorProto, folder: Path | None, where: str) -> np.ndarray:
    """The value of a tensor, read-only. `folder` is that of the model's file, the only place of external data.

    Raises ModelError where the bytes do not fit dtype and dims, or are not in the folder, UnsupportedError for dtypes
    that relay lacks and for external data of a model that has no folder.
    """
    dtype = numpy_dtype(tensor.data_type, where)
    shape = tuple(tensor.dims)
    if any(size < 0 for size in shape):
        raise ModelError(f"{where}: dims {list(shape)} are negative somewhere")
    check_size(shape, dtype, where)
    count = prod(shape)
    if tensor.HasField("segment"):
        raise UnsupportedError(f"{where}: tensors in segments are not supported")
    if tensor.data_location == TensorProto.EXTERNAL:
        raw = _external_bytes(tensor, count * dtype.itemsize, folder, where)
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data
    else:
        return _typed_data(tensor, dtype, count, where).reshape(shape)
    if len(raw) != count * dtype.itemsize:
        raise ModelError(
            f"{where}: {len(raw)} bytes of data, but dims {list(shape)} of {dtype_name(tensor.data_type)} "
            f"need {count * dtype.itemsize}"
        )
    if dtype == np.bool_:
        return (np.frombuffer(raw, np.uint8) != 0).reshape(shape)
    array = np.frombuffer(raw, dtype.newbyteorder("<") if dtype.isbuiltin == 1 else dtype, count)
    return array.astype(dtype, copy=False).reshape(shape)


def _typed_data(tensor: TensorProto, dtype: np.dtype, count: int, where: str) -> np.ndarray:
    field = _FIELDS.get(tensor.data_type, "int32_data")
    data = getattr(tensor, field)
    if len(data) != count:
        raise ModelError(f"{where}: {len(data)} numbers in {field}, but dims {list(tensor.dims)} need {count}")
    if tensor.data_type in _BIT_PATTERNS:
        return _narrow(np.array(data, np.int64), np.dtype(np.uint16), where).view(_BIT_PATTERNS[tensor.data_type])
    array = np.array(data, np.uint64 if field == "uint64_data" else None if count else dtype)
    return array.astype(dtype) if dtype.kind in "fV" else _narrow(array, dtype, where)


def _narrow(array: np.ndarray, dtype: np.dtype, where: str) -> np.ndarray:
    narrow = array.astype(dtype)
    if not np.array_equal(narrow, array):
        raise ModelError(f"{where}: its data holds numbers that {dtype} cannot hold")
    return narrow


def _external_bytes(tensor: TensorProto, needed: int, folder: Path | None, where: str) -> bytes:
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if folder is None:
        raise UnsupportedError(f"{where}: its data is in the file {location!r}; give the model by its path to read it")
    path = _inside(folder, location, where)
    offset = _number(entries.get("offset", "0"), "offset", where)
    length = _number(entries.get("length", str(needed)), "length", where)
    if length != needed:
        raise ModelError(f"{where}: external data of {length} bytes, but dims {list(tensor.dims)} need {needed}")
    if path.stat().st_size < offset + length:
        raise ModelError(f"{where}: {location!r} has {path.stat().st_size} bytes, needed are {length} from {offset} on")
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(length)


def _inside(folder: Path, location: str, where: str) -> Path:
    """The file of that name, which must lie in the folder even when links are followed."""
    relative = Path(location)
    if not location or "\0" in location or relative.is_absolute() or ".." in relative.parts:
        raise ModelError(f"{where}: external data in {location!r}, which is not a path inside the model's folder")
    try:
        path = (folder / relative).resolve()
        inside, present = path.is_relative_to(folder.resolve()), path.is_file()
    except (OSError, RuntimeError) as error:  # a name too long, a loop of links
        raise ModelError(f"{where}: external data in {location!r}: {error}") from error
    if not inside:
        raise ModelError(f"{where}: external data in {location!r}, a link that leaves the model's folder")
    if not present:
        raise ModelError(f"{where}: the file {location!r} of its external data is not there")
    return path


def _number(text: str, what: str, where: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ModelError(f"{where}: {what} {text[:40]!r} of external data is not a number")
    return int(text)


def sparse_to_array(sparse: SparseTensorProto, folder: Path | None, where: str) -> np.ndarray:
    """A sparse tensor in full; errors as in `to_array`."""
    values = to_array(sparse.values, folder, where)
    indices = to_array(sparse.indices, folder, where)
    shape = tuple(sparse.dims)
    check_size(shape, values.dtype, where)
    if prod(shape) * values.itemsize > MAX_DENSE_BYTES:
        raise UnsupportedError(f"{where}: a sparse tensor of dims {list(shape)} is too large to be written out")
    if values.ndim != 1 or indices.ndim not in (1, 2) or len(indices) != len(values):
        raise ModelError(f"{where}: values {values.shape} and indices {indices.shape} of a sparse tensor do not fit")
    dense = np.zeros(shape, values.dtype)
    try:
        dense[np.unravel_index(indices, shape) if indices.ndim == 1 else tuple(indices.T)] = values
    except (IndexError, ValueError) as error:
        raise ModelError(f"{where}: indices of a sparse tensor are outside {list(shape)}") from error
    return dense
