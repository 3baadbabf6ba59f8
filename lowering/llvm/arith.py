"""Integer and float arithmetic, comparisons and casts, of scalars and vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, IntegerAttr, MemRefType, VectorType, f32, i1, i64
from xdsl.ir import Operation, SSAValue

from xrelay.dialects import kernel, llvm_ext, vector_ext
from xrelay.dialects.llvm_ext import element_type_of, like
from xrelay.dialects.relay.types import bit_width
from xrelay.lowering.llvm.builder import NO_FAST_MATH, FunctionBuilder, to_llvm
from xrelay.lowering.llvm.half import is_half, narrow, widen
from xrelay.lowering.llvm.types import convert_type


@to_llvm(arith.ConstantOp)
def lower_constant(op: arith.ConstantOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    value, result = op.value, convert_type(op.result.type)
    if isinstance(value, IntegerAttr) and isinstance(value.type, IndexType):
        value = IntegerAttr(value.value.data, i64)
    elif isinstance(value, DenseIntOrFPElementsAttr) and value.type != result:
        assert isinstance(result, VectorType)
        value = DenseIntOrFPElementsAttr(result, value.data)
    return b.op(llvm.ConstantOp, [], result, {"value": value})


# Integers --------------------------------------------------------------------------------------------------------

_INTEGER_OPERATIONS: dict[type[Operation], type[Operation]] = {
    arith.AddiOp: llvm.AddOp,
    arith.SubiOp: llvm.SubOp,
    arith.MuliOp: llvm.MulOp,
    arith.DivSIOp: llvm.SDivOp,
    arith.DivUIOp: llvm.UDivOp,
    arith.RemSIOp: llvm.SRemOp,
    arith.RemUIOp: llvm.URemOp,
    arith.AndIOp: llvm.AndOp,
    arith.OrIOp: llvm.OrOp,
    arith.XOrIOp: llvm.XOrOp,
    arith.ShLIOp: llvm.ShlOp,
    arith.ShRSIOp: llvm.AShrOp,
    arith.ShRUIOp: llvm.LShrOp,
}

_INTEGER_INTRINSICS: dict[type[Operation], str] = {
    arith.MinSIOp: "llvm.smin",
    arith.MaxSIOp: "llvm.smax",
    arith.MinUIOp: "llvm.umin",
    arith.MaxUIOp: "llvm.umax",
}


@to_llvm(*_INTEGER_OPERATIONS)
def lower_integer(op: Operation, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return b.same(_INTEGER_OPERATIONS[type(op)], *operands)


@to_llvm(*_INTEGER_INTRINSICS)
def lower_integer_extremum(op: Operation, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return b.intrinsic(_INTEGER_INTRINSICS[type(op)], operands, operands[0].type)[0]


@to_llvm(arith.FloorDivSIOp, arith.CeilDivSIOp)
def lower_rounded_division(op: Operation, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    """Truncating division, corrected by one where the remainder points the other way."""
    dividend, divisor = operands
    floor = isinstance(op, arith.FloorDivSIOp)
    zero, one = b.constant(0, dividend.type), b.constant(1, dividend.type)
    quotient, remainder = b.same(llvm.SDivOp, *operands), b.same(llvm.SRemOp, *operands)
    signs = b.same(llvm.XOrOp, dividend, divisor)
    inexact = b.icmp("ne", remainder, zero)
    misrounded = b.same(llvm.AndOp, inexact, b.icmp("slt" if floor else "sge", signs, zero))
    corrected = b.same(llvm.SubOp if floor else llvm.AddOp, quotient, one)
    return b.select(misrounded, corrected, quotient)


@to_llvm(arith.CeilDivUIOp)
def lower_unsigned_ceil_division(op: Operation, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    quotient, remainder = b.same(llvm.UDivOp, *operands), b.same(llvm.URemOp, *operands)
    inexact = b.icmp("ne", remainder, b.constant(0, remainder.type))
    return b.same(llvm.AddOp, quotient, b.op(llvm.ZExtOp, [inexact], quotient.type))


@to_llvm(arith.CmpiOp, vector_ext.CmpiOp)
def lower_cmpi(op: Any, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return b.op(llvm.ICmpOp, operands, like(operands[0].type, i1), {"predicate": op.predicate})


@to_llvm(arith.SelectOp, vector_ext.SelectOp)
def lower_select(op: Operation, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return b.select(*operands)


# Floats ----------------------------------------------------------------------------------------------------------

_FLOAT_OPERATIONS: dict[type[Operation], type[Operation]] = {
    arith.AddfOp: llvm.FAddOp,
    arith.SubfOp: llvm.FSubOp,
    arith.MulfOp: llvm.FMulOp,
    arith.DivfOp: llvm.FDivOp,
    arith.NegfOp: llvm.FNegOp,
    kernel.RemFOp: llvm.FRemOp,
}

_FLOAT_INTRINSICS: dict[type[Operation], str] = {
    arith.MaximumfOp: "llvm.maximum",
    arith.MinimumfOp: "llvm.minimum",
    arith.MaxnumfOp: "llvm.maxnum",
    arith.MinnumfOp: "llvm.minnum",
}


@cache
def convert_flags(flags: arith.FastMathFlagsAttr) -> llvm.FastMathAttr:
    return llvm.FastMathAttr(flags.data)


def float_op(b: FunctionBuilder, function: Callable[..., SSAValue], *operands: SSAValue) -> SSAValue:
    """Apply a function of floats; 16-bit floats are computed with in float32 and rounded."""
    half = operands[0].type
    if not is_half(half):
        return function(*operands)
    return narrow(b, function(*(widen(b, v) for v in operands)), half)


@to_llvm(*_FLOAT_OPERATIONS)
def lower_float(op: Any, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    operation = _FLOAT_OPERATIONS[type(op)]
    flags = {"fastmathFlags": convert_flags(op.fastmath)} if op.fastmath is not None else NO_FAST_MATH
    return float_op(b, lambda *wide: b.op(operation, wide, wide[0].type, flags), *operands)


@to_llvm(*_FLOAT_INTRINSICS)
def lower_float_extremum(op: Any, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    name = _FLOAT_INTRINSICS[type(op)]
    return float_op(b, lambda *wide: b.intrinsic(name, wide, wide[0].type)[0], *operands)


@to_llvm(arith.CmpfOp, vector_ext.CmpfOp)
def lower_cmpf(op: Any, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    if is_half(operands[0].type):
        operands = [widen(b, v) for v in operands]
    operation = llvm_ext.FCmpOp if isinstance(operands[0].type, VectorType) else llvm.FCmpOp
    return b.op(operation, operands, like(operands[0].type, i1), {"predicate": op.predicate})


# Casts -----------------------------------------------------------------------------------------------------------


@to_llvm(arith.ExtSIOp, vector_ext.ExtSIOp)
def lower_extsi(op: Any, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return b.op(llvm.SExtOp, operands, convert_type(op.result.type))


@to_llvm(arith.ExtUIOp, vector_ext.ExtUIOp)
def lower_extui(op: Any, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return b.op(llvm.ZExtOp, operands, convert_type(op.result.type))


@to_llvm(arith.TruncIOp, vector_ext.TruncIOp)
def lower_trunci(op: Any, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return b.op(llvm.TruncOp, operands, convert_type(op.result.type))


@to_llvm(arith.IndexCastOp, vector_ext.IndexCastOp)
def lower_index_cast(op: Any, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    source, result = operands[0].type, convert_type(op.result.type)
    widths = [bit_width(element_type_of(t)) for t in (source, result)]
    if widths[0] == widths[1]:
        return operands[0]
    return b.op(llvm.SExtOp if widths[0] < widths[1] else llvm.TruncOp, operands, result)


@to_llvm(arith.SIToFPOp, vector_ext.SIToFPOp, arith.UIToFPOp, vector_ext.UIToFPOp)
def lower_integer_to_float(op: Any, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    signed = isinstance(op, (arith.SIToFPOp, vector_ext.SIToFPOp))
    result = convert_type(op.result.type)
    wide = like(result, f32) if is_half(result) else result
    value = b.op(llvm.SIToFPOp if signed else llvm_ext.UIToFPOp, operands, wide)
    return narrow(b, value, result) if wide != result else value


@to_llvm(arith.FPToSIOp, vector_ext.FPToSIOp, arith.FPToUIOp, vector_ext.FPToUIOp)
def lower_float_to_integer(op: Any, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    """Saturating: the plain instructions are undefined outside the integer's range."""
    signed = isinstance(op, (arith.FPToSIOp, vector_ext.FPToSIOp))
    value = widen(b, operands[0]) if is_half(operands[0].type) else operands[0]
    return b.intrinsic("llvm.fptosi.sat" if signed else "llvm.fptoui.sat", [value], convert_type(op.result.type))[0]


@to_llvm(arith.ExtFOp)
def lower_extf(op: arith.ExtFOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    value, result = operands[0], convert_type(op.result.type)
    if is_half(value.type):
        value = widen(b, value)
    return value if value.type == result else b.op(llvm.FPExtOp, [value], result)


@to_llvm(arith.TruncFOp)
def lower_truncf(op: arith.TruncFOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    result = convert_type(op.result.type)
    return narrow(b, operands[0], result) if is_half(result) else b.op(llvm.FPTruncOp, operands, result)


@to_llvm(arith.BitcastOp)
def lower_bitcast(op: arith.BitcastOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    if isinstance(op.input.type, MemRefType):
        return operands[0]
    return b.op(llvm.BitcastOp, operands, convert_type(op.result.type))
