"""Types of the loop level → types of the llvm level, and how elements lie in memory."""

from __future__ import annotations

from functools import cache, reduce

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerType, MemRefType, NoneAttr, VectorType, i1, i8, i64
from xdsl.ir import Attribute

from xrelay.dialects.llvm_ext import like
from xrelay.dialects.relay.types import bit_width, is_float
from xrelay.errors import CompilationError

POINTER = llvm.LLVMPointerType()


@cache
def convert_type(value_type: Attribute) -> Attribute:
    """The llvm type of a value. A memref becomes the bare address of its first element.

    Raises CompilationError for what the llvm level does not hold (tensors, vectors of rank other than 1).
    """
    if isinstance(value_type, IndexType):
        return i64
    if isinstance(value_type, MemRefType):
        _check_layout(value_type)
        return POINTER
    if isinstance(value_type, VectorType):
        if len(value_type.get_shape()) != 1 or any(value_type.get_scalable_dims()):
            raise CompilationError(f"loop-to-llvm: {value_type} is not a one-dimensional vector of fixed length")
        return VectorType(convert_type(value_type.element_type), value_type.shape)
    if isinstance(value_type, IntegerType) or is_float(value_type) or isinstance(value_type, llvm.LLVMPointerType):
        return value_type
    raise CompilationError(f"loop-to-llvm: no llvm type for {value_type}")


def _check_layout(memref: MemRefType) -> None:
    if not isinstance(memref.layout, NoneAttr):
        raise CompilationError(f"loop-to-llvm: {memref} has a layout; only contiguous row-major buffers are supported")
    if DYNAMIC_INDEX in memref.get_shape():
        raise CompilationError(f"loop-to-llvm: {memref} has a dynamic size")


@cache
def memory_type(value_type: Attribute) -> Attribute:
    """The type under which a scalar or a vector lies in memory: an i1 takes a byte."""
    value_type = convert_type(value_type)
    element = value_type.element_type if isinstance(value_type, VectorType) else value_type
    return like(value_type, i8) if element == i1 else value_type


@cache
def array_type(memref: MemRefType) -> Attribute:
    """The nested array `[d0 x [d1 x … element]]` that a buffer is."""
    element = memory_type(memref.element_type)
    return reduce(lambda inner, size: llvm.LLVMArrayType(size, inner), reversed(memref.get_shape()), element)


@cache
def byte_width(value_type: Attribute) -> int:
    """Bytes of one element in memory. Raises CompilationError for integers narrower than a byte, other than i1."""
    stored = memory_type(value_type)
    if isinstance(stored, llvm.LLVMPointerType):
        return 8
    bits = bit_width(stored)
    if bits % 8:
        raise CompilationError(f"loop-to-llvm: elements of type {value_type} do not fill whole bytes")
    return bits // 8
