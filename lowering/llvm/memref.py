"""Buffers: a memref is the address of its first element; an i1 element is a byte of 0 or 1."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import llvm, memref, vector
from xdsl.dialects.builtin import MemRefType, i1, i8
from xdsl.ir import Attribute, SSAValue

from xrelay.dialects.llvm_ext import element_type_of, like
from xrelay.lowering.llvm.builder import FunctionBuilder, to_llvm
from xrelay.lowering.llvm.types import array_type, byte_width, convert_type, memory_type


def element_address(
    b: FunctionBuilder, base: SSAValue, memref_type: Attribute, indices: Sequence[SSAValue]
) -> SSAValue:
    """The address of an element; one `getelementptr` through nested arrays does the index arithmetic."""
    assert isinstance(memref_type, MemRefType)
    if not indices:
        return base
    array = array_type(memref_type)
    # The first index of a getelementptr counts whole objects, so the outermost dimension needs no array.
    assert isinstance(array, llvm.LLVMArrayType)
    return b.address(base, array.type, indices)


def from_memory(b: FunctionBuilder, stored: SSAValue, value_type: Attribute) -> SSAValue:
    """A value as it is computed with, from the form in which it was loaded."""
    if stored.type == value_type:
        return stored
    return b.icmp("ne", stored, b.constant(0, stored.type))


def to_memory(b: FunctionBuilder, value: SSAValue) -> SSAValue:
    """A value in the form in which it is stored."""
    if element_type_of(value.type) != i1:
        return value
    return b.op(llvm.ZExtOp, [value], like(value.type, i8))


@to_llvm(memref.LoadOp, vector.LoadOp)
def lower_load(op: memref.LoadOp | vector.LoadOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    base, *indices = operands
    value_type = convert_type(op.results[0].type)
    address = element_address(b, base, op.operands[0].type, indices)
    return from_memory(b, b.load(address, memory_type(value_type)), value_type)


@to_llvm(memref.StoreOp, vector.StoreOp)
def lower_store(op: memref.StoreOp | vector.StoreOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> None:
    value, base, *indices = operands
    address = element_address(b, base, op.operands[1].type, indices)
    b.store(to_memory(b, value), address)


@to_llvm(memref.AllocaOp)
def lower_alloca(op: memref.AllocaOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    memref_type = op.memref.type
    assert isinstance(memref_type, MemRefType)
    convert_type(memref_type)
    return b.stack(memory_type(memref_type.element_type), prod(memref_type.get_shape()))


@to_llvm(memref.ViewOp)
def lower_view(op: memref.ViewOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    convert_type(op.result.type)
    return b.address(operands[0], i8, [operands[1]])


@to_llvm(memref.CastOp, memref.CollapseShapeOp, memref.ExpandShapeOp)
def lower_retyping(op: memref.CastOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    convert_type(op.results[0].type)
    return operands[0]


@to_llvm(memref.CopyOp)
def lower_copy(op: memref.CopyOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> None:
    source, destination = operands
    memref_type = op.source.type
    assert isinstance(memref_type, MemRefType)
    size = prod(memref_type.get_shape()) * byte_width(memref_type.element_type)
    b.intrinsic("llvm.memcpy", [destination, source, b.integer(size), b.integer(0, i1)])


@to_llvm(memref.DimOp)
def lower_dim(op: memref.DimOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    """Sizes are static: a table in the form of nested selects would only serve an index that is no constant."""
    memref_type = op.operands[0].type
    assert isinstance(memref_type, MemRefType)
    size = b.integer(0)
    for axis, extent in enumerate(memref_type.get_shape()):
        size = b.select(b.icmp("eq", operands[1], b.integer(axis)), b.integer(extent), size)
    return size
