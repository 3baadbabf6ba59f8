"""The math dialect: intrinsics that LLVM turns into instructions, and the C library for what `expand-math` left.

`expand-math` replaces the float32 functions; float64 is rare in models, and there the C library is exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import Float32Type, i1
from xdsl.ir import Operation, SSAValue

from xrelay.lowering.llvm.arith import float_op
from xrelay.lowering.llvm.builder import NO_FAST_MATH, FunctionBuilder, to_llvm

_OPERATIONS: dict[type[Operation], type[Operation]] = {
    math.AbsFOp: llvm.FAbsOp,
    math.CeilOp: llvm.FCeilOp,
    math.FloorOp: llvm.FFloorOp,
    math.SqrtOp: llvm.FSqrtOp,
    math.CopySignOp: llvm.FCopySignOp,
    math.FmaOp: llvm.FMAOp,
}

_INTRINSICS: dict[type[Operation], str] = {
    math.TruncOp: "llvm.trunc",
    math.RoundOp: "llvm.round",
    math.RoundEvenOp: "llvm.roundeven",
}

_LIBRARY: dict[type[Operation], str] = {
    math.AcosOp: "acos",
    math.AcoshOp: "acosh",
    math.AsinOp: "asin",
    math.AsinhOp: "asinh",
    math.AtanOp: "atan",
    math.AtanhOp: "atanh",
    math.Atan2Op: "atan2",
    math.CbrtOp: "cbrt",
    math.CosOp: "cos",
    math.CoshOp: "cosh",
    math.ErfOp: "erf",
    math.ExpOp: "exp",
    math.Exp2Op: "exp2",
    math.ExpM1Op: "expm1",
    math.LogOp: "log",
    math.Log10Op: "log10",
    math.Log1pOp: "log1p",
    math.Log2Op: "log2",
    math.PowFOp: "pow",
    math.SinOp: "sin",
    math.SinhOp: "sinh",
    math.TanOp: "tan",
    math.TanhOp: "tanh",
}


@to_llvm(*_OPERATIONS)
def lower_operation(op: Operation, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    operation = _OPERATIONS[type(op)]
    return float_op(b, lambda *wide: b.op(operation, wide, wide[0].type, NO_FAST_MATH), *operands)


@to_llvm(*_INTRINSICS)
def lower_intrinsic(op: Operation, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    name = _INTRINSICS[type(op)]
    return float_op(b, lambda x: b.intrinsic(name, [x], x.type)[0], *operands)


@to_llvm(*_LIBRARY)
def lower_library(op: Operation, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    name = _LIBRARY[type(op)]

    def call(*scalars: SSAValue) -> SSAValue:
        element = scalars[0].type
        suffix = "f" if isinstance(element, Float32Type) else ""
        return b.call_external(name + suffix, scalars, element)[0]

    return float_op(b, lambda *wide: b.per_lane(call, *wide), *operands)


@to_llvm(math.RsqrtOp)
def lower_rsqrt(op: math.RsqrtOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    def rsqrt(x: SSAValue) -> SSAValue:
        root = b.op(llvm.FSqrtOp, [x], x.type, NO_FAST_MATH)
        return b.op(llvm.FDivOp, [b.constant(1.0, x.type), root], x.type, NO_FAST_MATH)

    return float_op(b, rsqrt, *operands)


@to_llvm(math.AbsIOp)
def lower_absi(op: math.AbsIOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    """The smallest integer is its own magnitude, as in NumPy."""
    return b.intrinsic("llvm.abs", [*operands, b.integer(0, i1)], operands[0].type)[0]


@to_llvm(math.CtPopOp)
def lower_ctpop(op: math.CtPopOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return b.intrinsic("llvm.ctpop", operands, operands[0].type)[0]


_COUNTS: dict[type[Operation], str] = {math.CountLeadingZerosOp: "llvm.ctlz", math.CountTrailingZerosOp: "llvm.cttz"}


@to_llvm(*_COUNTS)
def lower_count_zeros(op: Operation, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return b.intrinsic(_COUNTS[type(op)], [*operands, b.integer(0, i1)], operands[0].type)[0]
