"""ONNX element types and shapes as relay types, and the limits on what a model may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from onnx import TensorProto, helper
from xdsl.ir import Attribute

from xrelay.dialects.relay.types import DYNAMIC, dtype_of, element_of
from xrelay.errors import ModelError, UnsupportedError

MAX_TENSOR_BYTES = 1 << 34
"""A tensor beyond 16 GiB is taken for a fault of the model, and no memory is asked for."""

MAX_RANK = 64


def dtype_name(onnx_type: int) -> str:
    try:
        return TensorProto.DataType.Name(onnx_type)
    except ValueError:
        return f"number {onnx_type}"


def numpy_dtype(onnx_type: int, where: str) -> np.dtype:
    """The dtype of an ONNX element type.

    Raises ModelError for a number that is none, UnsupportedError for a type that relay lacks.
    """
    if onnx_type == TensorProto.UNDEFINED or onnx_type not in TensorProto.DataType.values():
        raise ModelError(f"{where}: there is no element type {dtype_name(onnx_type)}")
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(onnx_type))
    try:
        element_of(dtype)
    except KeyError:
        raise UnsupportedError(f"{where}: element type {dtype_name(onnx_type)} is not supported") from None
    return dtype


def element_type(onnx_type: int, where: str) -> Attribute:
    """The relay element type of an ONNX one; errors as in `numpy_dtype`."""
    return element_of(numpy_dtype(onnx_type, where))


def onnx_type_string(element: Attribute) -> str:
    """The name that operator schemas use: `tensor(float)`."""
    onnx_type = helper.np_dtype_to_tensor_dtype(dtype_of(element))
    return f"tensor({TensorProto.DataType.Name(onnx_type).lower()})"


def check_size(shape: Sequence[int], dtype: np.dtype, where: str) -> None:
    """Raises ModelError for a negative size, an absurd rank, or more bytes than MAX_TENSOR_BYTES."""
    if len(shape) > MAX_RANK:
        raise ModelError(f"{where}: rank {len(shape)} is more than {MAX_RANK}")
    known = [size for size in shape if size != DYNAMIC]
    if any(size < 0 for size in known):
        raise ModelError(f"{where}: the shape {list(shape)} has a negative size")
    if prod(known) * dtype.itemsize > MAX_TENSOR_BYTES:
        raise ModelError(f"{where}: a tensor of shape {list(shape)} and dtype {dtype} is larger than 16 GiB")
