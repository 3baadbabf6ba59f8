"""Helpers over builtin types: element types, shapes, broadcasting.

A relay value is a `tensor`, a `tuple`, or what `language_types.py` adds: a function, a data type, a reference. Element
types map one to one to NumPy dtypes: signed integers are signless in MLIR (`i8` … `i64`), unsigned ones are `ui8` …
`ui64`, `i1` is bool.
Unknown sizes are `?` (`DYNAMIC`), and every rule here understands them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeGuard

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    TensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.utils.exceptions import VerifyException

DYNAMIC = DYNAMIC_INDEX

bool_type = IntegerType(1)
i8, i16, i32, i64 = (IntegerType(n) for n in (8, 16, 32, 64))
u8, u16, u32, u64 = (IntegerType(n, Signedness.UNSIGNED) for n in (8, 16, 32, 64))
f16, f32, f64, bf16 = Float16Type(), Float32Type(), Float64Type(), BFloat16Type()

_DTYPES: dict[Attribute, np.dtype] = {
    bool_type: np.dtype(np.bool_),
    i8: np.dtype(np.int8),
    i16: np.dtype(np.int16),
    i32: np.dtype(np.int32),
    i64: np.dtype(np.int64),
    u8: np.dtype(np.uint8),
    u16: np.dtype(np.uint16),
    u32: np.dtype(np.uint32),
    u64: np.dtype(np.uint64),
    f16: np.dtype(np.float16),
    f32: np.dtype(np.float32),
    f64: np.dtype(np.float64),
}
"""All but bfloat16, which ml_dtypes brings."""
_ELEMENTS = {dtype: element for element, dtype in _DTYPES.items()}


def dtype_of(element: Attribute) -> np.dtype:
    """The NumPy dtype of an element type (or of a tensor's elements)."""
    if isinstance(element, TensorType):
        element = element.element_type
    return _bfloat16() if element == bf16 else _DTYPES[element]


def element_of(dtype: np.typing.DTypeLike) -> Attribute:
    """The element type of a NumPy dtype. Raises KeyError for dtypes that relay does not have."""
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    return bf16 if name == "bfloat16" else _ELEMENTS[np.dtype(dtype)]


@cache
def _bfloat16() -> np.dtype:
    """Loaded at need: ml_dtypes takes half a second."""
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16)


def is_float(element: Attribute) -> TypeGuard[AnyFloat]:
    return isinstance(element, (Float16Type, Float32Type, Float64Type, BFloat16Type))


def is_bool(element: Attribute) -> bool:
    return element == bool_type


def is_integer(element: Attribute) -> TypeGuard[IntegerType]:
    """Signed or unsigned integers; bool is not one."""
    return isinstance(element, IntegerType) and element != bool_type


def is_unsigned(element: Attribute) -> TypeGuard[IntegerType]:
    return isinstance(element, IntegerType) and element.signedness.data == Signedness.UNSIGNED


def bit_width(element: Attribute) -> int:
    """The width of an element type in bits (1 for bool)."""
    assert isinstance(element, IntegerType) or is_float(element)
    return element.bitwidth


def check_element_type(element: Attribute, what: str) -> None:
    """Raises VerifyException for a type that no relay tensor holds."""
    if element != bf16 and element not in _DTYPES:
        known = ", ".join(map(str, (*_DTYPES, bf16)))
        raise VerifyException(f"{what} {element} is no element type; relay has {known}")


def tensor_type(shape: Iterable[int], element: Attribute) -> TensorType:
    return TensorType(element, list(shape))


def as_tensor(value_type: Attribute, what: str = "operand") -> TensorType:
    """The type itself, checked to be a tensor."""
    if not isinstance(value_type, TensorType):
        raise VerifyException(f"{what} must be a tensor, got {value_type}")
    return value_type


def shape_of(value_type: Attribute) -> tuple[int, ...]:
    return tuple(as_tensor(value_type).get_shape())


def is_static(value_type: Attribute) -> bool:
    return DYNAMIC not in shape_of(value_type)


def num_elements(shape: Sequence[int]) -> int:
    """Product of the sizes; DYNAMIC if one of them is unknown and none is zero."""
    if 0 in shape:
        return 0
    if DYNAMIC in shape:
        return DYNAMIC
    n = 1
    for size in shape:
        n *= size
    return n


def normalize_axis(axis: int, rank: int, what: str = "axis") -> int:
    """`axis` counted from the front. Raises VerifyException outside [-rank, rank)."""
    if not -rank <= axis < rank:
        raise VerifyException(f"{what} {axis} is outside [-{rank}, {rank}) of a rank-{rank} tensor")
    return axis % rank if rank else 0


def normalize_axes(axes: Iterable[int], rank: int, what: str = "axis") -> tuple[int, ...]:
    """Axes counted from the front, without duplicates, in the order given."""
    normalized = tuple(normalize_axis(axis, rank, what) for axis in axes)
    if len(set(normalized)) != len(normalized):
        raise VerifyException(f"{what} list {tuple(axes)} names an axis twice")
    return normalized


def unify_dim(a: int, b: int) -> int | None:
    """The size both stand for, None if they contradict. A known size wins over `?`."""
    if a == DYNAMIC:
        return b
    if b == DYNAMIC or a == b:
        return a
    return None


def broadcast_dim(a: int, b: int) -> int | None:
    """NumPy's rule for one axis. `?` against N > 1 gives N; `?` against 1 gives `?`."""
    if a == b:
        return a
    if a == 1:
        return b
    if b == 1:
        return a
    if a == DYNAMIC:
        return b
    if b == DYNAMIC:
        return a
    return None


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """NumPy's broadcast of shapes, aligned at the right. Raises VerifyException if they do not fit."""
    rank = max((len(shape) for shape in shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, start=rank - len(shape)):
            merged = broadcast_dim(result[axis], size)
            if merged is None:
                listed = ", ".join(format_shape(s) for s in shapes)
                raise VerifyException(f"shapes {listed} do not broadcast")
            result[axis] = merged
    return tuple(result)


def compatible(inferred: Attribute, actual: Attribute) -> bool:
    """Whether `actual` is `inferred` up to sizes that one of the two does not know, at any depth of the type."""
    if inferred == actual:
        return True
    if isinstance(inferred, TensorType) and isinstance(actual, TensorType):
        a, b = inferred.get_shape(), actual.get_shape()
        return (
            inferred.element_type == actual.element_type
            and len(a) == len(b)
            and all(unify_dim(x, y) is not None for x, y in zip(a, b, strict=True))
        )
    if type(inferred) is not type(actual):
        return False
    if isinstance(inferred, ArrayAttr) and isinstance(actual, ArrayAttr):
        return len(inferred) == len(actual) and all(map(compatible, inferred, actual))
    # A type made of types: a tuple, a function, a reference, a data type.
    return isinstance(inferred, ParametrizedAttribute) and all(map(compatible, inferred.parameters, actual.parameters))  # type: ignore[attr-defined]


def format_shape(shape: Sequence[int]) -> str:
    sizes = ", ".join("?" if size == DYNAMIC else str(size) for size in shape)
    return f"({sizes},)" if len(shape) == 1 else f"({sizes})"
