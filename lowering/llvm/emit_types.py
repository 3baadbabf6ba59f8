"""Types and constants as LLVM IR text."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from ctypes import c_float
from functools import cache

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
)
from xdsl.ir import Attribute

from xrelay.errors import CompilationError

_FLOATS: dict[type[Attribute], tuple[str, str]] = {
    # type: (its name, its name in the names of intrinsics)
    BFloat16Type: ("bfloat", "bf16"),
    Float16Type: ("half", "f16"),
    Float32Type: ("float", "f32"),
    Float64Type: ("double", "f64"),
}


@cache
def type_text(value_type: Attribute) -> str:
    """A type in LLVM IR. Raises CompilationError for one that LLVM does not have."""
    match value_type:
        case IntegerType():
            return f"i{value_type.width.data}"
        case llvm.LLVMPointerType(addr_space=IntAttr(data=space)) if space:
            return f"ptr addrspace({space})"
        case llvm.LLVMPointerType():
            return "ptr"
        case llvm.LLVMVoidType():
            return "void"
        case VectorType():
            return f"<{value_type.get_shape()[0]} x {type_text(value_type.element_type)}>"
        case llvm.LLVMArrayType():
            return f"[{value_type.size.data} x {type_text(value_type.type)}]"
        case llvm.LLVMStructType():
            return "{ " + ", ".join(map(type_text, value_type.types)) + " }"
    if type(value_type) in _FLOATS:
        return _FLOATS[type(value_type)][0]
    raise CompilationError(f"cannot write {value_type} in LLVM IR")


@cache
def mangled(value_type: Attribute) -> str:
    """A type as it stands in the name of an intrinsic: `v16f32`."""
    if isinstance(value_type, VectorType):
        return f"v{value_type.get_shape()[0]}{mangled(value_type.element_type)}"
    if isinstance(value_type, llvm.LLVMPointerType):
        space = value_type.addr_space
        return f"p{space.data if isinstance(space, IntAttr) else 0}"
    if type(value_type) in _FLOATS:
        return _FLOATS[type(value_type)][1]
    return type_text(value_type)


def float_text(number: float, element: Attribute) -> str:
    """A float by its bits, so that no digit is lost."""
    match element:
        case Float16Type():
            return f"0xH{_half_bits(number):04X}"
        case BFloat16Type():
            return f"0xR{_bfloat_bits(number):04X}"
        case Float32Type():
            # LLVM writes a float as the double of the same value.
            number = c_float(number).value
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


def _half_bits(number: float) -> int:
    with np.errstate(over="ignore"):
        return int(np.float16(number).view(np.uint16))


def _bfloat_bits(number: float) -> int:
    bits = struct.unpack("<I", struct.pack("<f", c_float(number).value))[0]
    if number != number:
        return (bits >> 16) | 0x40
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def scalar_text(number: float, element: Attribute) -> str:
    if not isinstance(element, IntegerType):
        return float_text(number, element)
    if element.width.data == 1:
        return "true" if number else "false"
    return str(number)


def constant_text(value: Attribute) -> str:
    """The value of a constant, without its type."""
    match value:
        case IntegerAttr():
            return scalar_text(value.value.data, value.type)
        case FloatAttr():
            return float_text(value.value.data, value.type)
        case DenseIntOrFPElementsAttr():
            return _dense_text(value)
        case StringAttr():
            return 'c"' + "".join(f"\\{byte:02X}" for byte in value.data.encode()) + '"'
    raise CompilationError(f"cannot write the constant {value} in LLVM IR")


def _dense_text(value: DenseIntOrFPElementsAttr) -> str:
    element = value.get_element_type()
    prefix = type_text(element)
    numbers: Iterator[float] = value.iter_values()  # pyright: ignore[reportAssignmentType] (none is complex)
    texts = [f"{prefix} {scalar_text(number, element)}" for number in numbers]
    if not isinstance(value.type, VectorType):
        return "[" + ", ".join(texts) + "]"
    # The sign of zero counts, so it is the texts that are compared.
    if all(text == texts[0] for text in texts):
        return f"splat ({texts[0]})"
    return "<" + ", ".join(texts) + ">"


def symbol_text(name: str) -> str:
    """A global's name, quoted where it must be."""
    if name.isascii() and name.replace("_", "a").replace(".", "a").isalnum() and not name[0].isdigit():
        return f"@{name}"
    return '@"' + "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else _escaped(c) for c in name) + '"'


def _escaped(character: str) -> str:
    return "".join(f"\\{byte:02X}" for byte in character.encode())
