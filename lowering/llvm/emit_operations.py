"""How each operation of the llvm level is written."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.llvm import FCmpPredicateFlag, ICmpPredicateFlag
from xdsl.ir import Attribute, Operation

from xrelay.dialects import llvm_ext
from xrelay.lowering.llvm.emit import FunctionEmitter, convention_text, emits
from xrelay.lowering.llvm.emit_types import mangled, symbol_text, type_text

# Arithmetic ------------------------------------------------------------------------------------------------------

_OVERFLOW = {0: "", 1: "nsw ", 2: "nuw ", 3: "nuw nsw "}


@cache
def _flags(fast_math: llvm.FastMathAttr | None) -> str:
    if fast_math is None or not fast_math.data:
        return ""
    return " ".join(sorted(flag.value for flag in fast_math.data)) + " "


def _binary(keyword: str, flags: Callable[[Any], str] | None = None) -> Callable[[Any, FunctionEmitter], None]:
    def write(op: Any, e: FunctionEmitter) -> None:
        lhs, rhs = op.operands
        e.define(op.results[0], f"{keyword} {flags(op) if flags else ''}{e.typed(lhs)}, {e.name(rhs)}")

    return write


def _overflow(op: Any) -> str:
    return "" if op.overflowFlags is None else _OVERFLOW[op.overflowFlags.value.data]


def _exact(op: Any) -> str:
    return "" if op.is_exact is None else "exact "


def _fast_math(op: Any) -> str:
    return _flags(op.fastmathFlags)


for _operation in (llvm.AddOp, llvm.SubOp, llvm.MulOp, llvm.ShlOp):
    emits(_operation)(_binary(_operation.name.removeprefix("llvm."), _overflow))
for _operation in (llvm.UDivOp, llvm.SDivOp, llvm.LShrOp, llvm.AShrOp):
    emits(_operation)(_binary(_operation.name.removeprefix("llvm."), _exact))
for _operation in (llvm.URemOp, llvm.SRemOp, llvm.AndOp, llvm.XOrOp):
    emits(_operation)(_binary(_operation.name.removeprefix("llvm.")))
for _operation in (llvm.FAddOp, llvm.FSubOp, llvm.FMulOp, llvm.FDivOp, llvm.FRemOp):
    emits(_operation)(_binary(_operation.name.removeprefix("llvm."), _fast_math))
emits(llvm.OrOp)(_binary("or", lambda op: "" if op.is_disjoint is None else "disjoint "))
emits(llvm.ICmpOp)(_binary("icmp", lambda op: f"{ICmpPredicateFlag.from_int(op.predicate.value.data)} "))


@emits(llvm.FCmpOp, llvm_ext.FCmpOp)
def write_fcmp(op: llvm.FCmpOp | llvm_ext.FCmpOp, e: FunctionEmitter) -> None:
    predicate = FCmpPredicateFlag.from_int(op.predicate.value.data).removeprefix("_")
    flags = _flags(op.fastmathFlags) if isinstance(op, llvm.FCmpOp) else ""
    e.define(op.res, f"fcmp {flags}{predicate} {e.typed(op.lhs)}, {e.name(op.rhs)}")


@emits(llvm.FNegOp)
def write_fneg(op: llvm.FNegOp, e: FunctionEmitter) -> None:
    e.define(op.res, f"fneg {_flags(op.fastmathFlags)}{e.typed(op.arg)}")


@emits(llvm.SelectOp, llvm_ext.SelectOp)
def write_select(op: Operation, e: FunctionEmitter) -> None:
    e.define(op.results[0], "select " + ", ".join(map(e.typed, op.operands)))


# Casts -----------------------------------------------------------------------------------------------------------

_CASTS: dict[type[Operation], str] = {
    llvm.TruncOp: "trunc",
    llvm.ZExtOp: "zext",
    llvm.SExtOp: "sext",
    llvm.PtrToIntOp: "ptrtoint",
    llvm.IntToPtrOp: "inttoptr",
    llvm.BitcastOp: "bitcast",
    llvm.FPExtOp: "fpext",
    llvm.FPTruncOp: "fptrunc",
    llvm.SIToFPOp: "sitofp",
    llvm_ext.UIToFPOp: "uitofp",
}


@emits(*_CASTS)
def write_cast(op: Operation, e: FunctionEmitter) -> None:
    result = op.results[0]
    e.define(result, f"{_CASTS[type(op)]} {e.typed(op.operands[0])} to {type_text(result.type)}")


# Memory ----------------------------------------------------------------------------------------------------------


def _align(op: Any) -> str:
    return "" if op.alignment is None else f", align {op.alignment.value.data}"


@emits(llvm.AllocaOp)
def write_alloca(op: llvm.AllocaOp, e: FunctionEmitter) -> None:
    e.define(op.res, f"alloca {type_text(op.elem_type)}, {e.typed(op.size)}{_align(op)}")


@emits(llvm.LoadOp)
def write_load(op: llvm.LoadOp, e: FunctionEmitter) -> None:
    e.define(op.dereferenced_value, f"load {type_text(op.dereferenced_value.type)}, {e.typed(op.ptr)}{_align(op)}")


@emits(llvm.StoreOp)
def write_store(op: llvm.StoreOp, e: FunctionEmitter) -> None:
    e.write(f"store {e.typed(op.value)}, {e.typed(op.ptr)}{_align(op)}")


@emits(llvm.GEPOp)
def write_gep(op: llvm.GEPOp, e: FunctionEmitter) -> None:
    pointer, *dynamic = op.operands
    values = iter(dynamic)
    indices = [
        e.typed(next(values)) if index == llvm.GEP_USE_SSA_VAL else f"i32 {index}"
        for index in op.rawConstantIndices.iter_values()
    ]
    inbounds = "inbounds " if op.inbounds is not None else ""
    operands = ", ".join([e.typed(pointer), *indices])
    e.define(op.result, f"getelementptr {inbounds}{type_text(op.elem_type)}, {operands}")


# Vectors and aggregates ------------------------------------------------------------------------------------------


@emits(llvm_ext.ExtractElementOp)
def write_extract_element(op: llvm_ext.ExtractElementOp, e: FunctionEmitter) -> None:
    e.define(op.res, f"extractelement {e.typed(op.vector)}, {e.typed(op.index)}")


@emits(llvm.InsertElementOp)
def write_insert_element(op: llvm.InsertElementOp, e: FunctionEmitter) -> None:
    e.define(op.res, f"insertelement {e.typed(op.vector)}, {e.typed(op.value)}, {e.typed(op.index)}")


@emits(llvm.ShuffleVectorOp)
def write_shuffle(op: llvm.ShuffleVectorOp, e: FunctionEmitter) -> None:
    lanes = [f"i32 {lane}" if lane >= 0 else "i32 poison" for lane in op.mask.iter_values()]
    mask = f"<{len(lanes)} x i32> <{', '.join(lanes)}>"
    e.define(op.res, f"shufflevector {e.typed(op.v1)}, {e.typed(op.v2)}, {mask}")


@emits(llvm.ExtractValueOp, llvm.InsertValueOp)
def write_aggregate(op: llvm.ExtractValueOp | llvm.InsertValueOp, e: FunctionEmitter) -> None:
    keyword = op.name.removeprefix("llvm.")
    e.define(
        op.res, ", ".join([f"{keyword} {e.typed(op.operands[0])}", *map(e.typed, op.operands[1:]), *_position(op)])
    )


def _position(op: llvm.ExtractValueOp | llvm.InsertValueOp) -> list[str]:
    return [str(index) for index in op.position.iter_values()]


# Control flow ----------------------------------------------------------------------------------------------------


@emits(llvm.BrOp)
def write_branch(op: llvm.BrOp, e: FunctionEmitter) -> None:
    e.write(f"br {e.edge(op.successor, [e.name(a) for a in op.arguments])}")


@emits(llvm.CondBrOp)
def write_conditional_branch(op: llvm.CondBrOp, e: FunctionEmitter) -> None:
    condition = e.typed(op.cond)
    if op.then_block is op.else_block:
        # A phi has one value a predecessor: choose before the branch.
        chosen = []
        for on_true, on_false in zip(op.then_arguments, op.else_arguments, strict=True):
            chosen.append(e.new_register())
            e.write(f"{chosen[-1]} = select {condition}, {e.typed(on_true)}, {e.typed(on_false)}")
        e.write(f"br {e.edge(op.then_block, chosen)}")
        return
    then = e.edge(op.then_block, [e.name(a) for a in op.then_arguments])
    otherwise = e.edge(op.else_block, [e.name(a) for a in op.else_arguments])
    e.write(f"br {condition}, {then}, {otherwise}")


@emits(llvm.ReturnOp)
def write_return(op: llvm.ReturnOp, e: FunctionEmitter) -> None:
    e.write("ret void" if op.arg is None else f"ret {e.typed(op.arg)}")


@emits(llvm.UnreachableOp)
def write_unreachable(op: llvm.UnreachableOp, e: FunctionEmitter) -> None:
    e.write("unreachable")


@emits(llvm.CallOp)
def write_call(op: llvm.CallOp, e: FunctionEmitter) -> None:
    arguments = list(op.args)
    callee = e.name(arguments.pop(0)) if op.callee is None else symbol_text(op.callee.string_value())
    kind = op.TailCallKind.data
    prefix = "" if kind is llvm.TailCallKind.NONE else f"{kind.value} "
    _call(op, callee, arguments, e, prefix, convention_text(op.CConv))


# Intrinsics ------------------------------------------------------------------------------------------------------

_RESULT, _FIRST, _SECOND = ("result",), (0,), (1,)

_REDUCTIONS = "add mul and or xor smin smax umin umax fmin fmax fminimum fmaximum"
_ON_INTEGERS = "abs smin smax umin umax ctpop ctlz cttz "
_ON_FLOATS = "maximum minimum maxnum minnum fma fabs floor ceil trunc round roundeven sqrt copysign"

_OVERLOADS: dict[str, tuple[str | int, ...]] = {
    # name: whose types its full name carries – the result or an argument by its position. Others stay as they are.
    "llvm.fptosi.sat": ("result", 0),
    "llvm.fptoui.sat": ("result", 0),
    "llvm.masked.load": ("result", 0),
    "llvm.masked.store": (0, 1),
    "llvm.memcpy": (0, 1, 2),
    "llvm.memmove": (0, 1, 2),
    "llvm.memset": (0, 2),
    "llvm.vector.reduce.fadd": _SECOND,
    "llvm.vector.reduce.fmul": _SECOND,
    **{f"llvm.vector.reduce.{kind}": _FIRST for kind in _REDUCTIONS.split()},
    **{f"llvm.{name}": _RESULT for name in (_ON_INTEGERS + _ON_FLOATS).split()},
}

_INTRINSICS: dict[type[Operation], str] = {
    llvm.FAbsOp: "llvm.fabs",
    llvm.FSqrtOp: "llvm.sqrt",
    llvm.FFloorOp: "llvm.floor",
    llvm.FCeilOp: "llvm.ceil",
    llvm.FCopySignOp: "llvm.copysign",
    llvm.FMAOp: "llvm.fma",
    llvm.VectorFMaxOp: "llvm.maxnum",
    llvm.VectorFMinOp: "llvm.minnum",
    llvm.VectorReduceFAddOp: "llvm.vector.reduce.fadd",
    llvm.VectorReduceFMulOp: "llvm.vector.reduce.fmul",
}


@emits(*_INTRINSICS)
def write_intrinsic_operation(op: Operation, e: FunctionEmitter) -> None:
    _intrinsic(op, _INTRINSICS[type(op)], list(op.operands), e)


@emits(llvm.CallIntrinsicOp)
def write_intrinsic_call(op: llvm.CallIntrinsicOp, e: FunctionEmitter) -> None:
    _intrinsic(op, op.intrin.data, list(op.args), e)


def _intrinsic(op: Any, name: str, arguments: list, e: FunctionEmitter) -> None:
    result: Attribute = op.results[0].type if op.results else llvm.LLVMVoidType()
    types = [a.type for a in arguments]
    suffixes = [mangled(types[which] if isinstance(which, int) else result) for which in _OVERLOADS.get(name, ())]
    full_name = symbol_text(".".join([name, *suffixes]))
    e.declare(full_name, result, types)
    _call(op, full_name, arguments, e)


def _call(op: Any, callee: str, arguments: list, e: FunctionEmitter, prefix: str = "", convention: str = "") -> None:
    operands = ", ".join(map(e.typed, arguments))
    if not op.results:
        e.write(f"{prefix}call {convention}void {callee}({operands})")
    else:
        result = op.results[0]
        flags = _flags(op.fastmathFlags)
        e.define(result, f"{prefix}call {flags}{convention}{type_text(result.type)} {callee}({operands})")
