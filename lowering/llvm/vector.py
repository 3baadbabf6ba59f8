"""Vectors of one dimension."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType, i32, i64
from xdsl.ir import SSAValue

from xrelay.dialects.llvm_ext import element_type_of, lanes_of
from xrelay.dialects.relay.types import is_float
from xrelay.lowering.llvm.arith import convert_flags, float_op
from xrelay.lowering.llvm.builder import NO_FAST_MATH, FunctionBuilder, segments, to_llvm
from xrelay.lowering.llvm.memref import element_address, from_memory, to_memory
from xrelay.lowering.llvm.types import byte_width, convert_type, memory_type


@to_llvm(vector.BroadcastOp)
def lower_broadcast(op: vector.BroadcastOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    (source,), result = operands, convert_type(op.vector.type)
    assert isinstance(result, VectorType)
    if source.type == result:
        return source
    if isinstance(source.type, VectorType):
        source = b.extract(source, b.integer(0))
    return b.splat(source, result)


@to_llvm(vector.FMAOp)
def lower_fma(op: vector.FMAOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return float_op(b, lambda *wide: b.op(llvm.FMAOp, wide, wide[0].type, NO_FAST_MATH), *operands)


@to_llvm(vector.ShuffleOp)
def lower_shuffle(op: vector.ShuffleOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    mask = segments(*op.mask.get_values())
    return b.op(llvm.ShuffleVectorOp, operands, convert_type(op.result.type), {"mask": mask})


@to_llvm(vector.BitcastOp)
def lower_bitcast(op: vector.BitcastOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return b.op(llvm.BitcastOp, operands, convert_type(op.result.type))


@to_llvm(vector.ExtractOp)
def lower_extract(op: vector.ExtractOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    source, *dynamic = operands
    return b.extract(source, _lane(op, dynamic, b))


@to_llvm(vector.InsertOp)
def lower_insert(op: vector.InsertOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    source, into, *dynamic = operands
    return b.op(llvm.InsertElementOp, [into, source, _lane(op, dynamic, b)], into.type)


def _lane(op: vector.ExtractOp | vector.InsertOp, dynamic: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    if dynamic:
        return dynamic[0]
    (position,) = op.static_position.get_values()
    return b.integer(position)


# Masks -----------------------------------------------------------------------------------------------------------


@to_llvm(vector.CreateMaskOp)
def lower_create_mask(op: vector.CreateMaskOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    """Lanes below a bound."""
    (lanes,) = lanes_of(op.mask_vector.type)
    counts = VectorType(i64, [lanes])
    numbers = DenseIntOrFPElementsAttr.from_list(counts, list(range(lanes)))
    return b.icmp("slt", b.op(llvm.ConstantOp, [], counts, {"value": numbers}), b.splat(operands[0], counts))


@to_llvm(vector.MaskedLoadOp)
def lower_masked_load(op: vector.MaskedLoadOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    base, *indices, mask, pass_through = operands
    value_type = convert_type(op.result.type)
    address = element_address(b, base, op.base.type, indices)
    align = b.integer(byte_width(element_type_of(value_type)), i32)
    stored = to_memory(b, pass_through)
    (loaded,) = b.intrinsic("llvm.masked.load", [address, align, mask, stored], memory_type(value_type))
    return from_memory(b, loaded, value_type)


@to_llvm(vector.MaskedStoreOp)
def lower_masked_store(op: vector.MaskedStoreOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> None:
    base, *indices, mask, value = operands
    address = element_address(b, base, op.base.type, indices)
    align = b.integer(byte_width(element_type_of(value.type)), i32)
    b.intrinsic("llvm.masked.store", [to_memory(b, value), address, align, mask])


# Reductions ------------------------------------------------------------------------------------------------------

_KINDS: dict[str, tuple[str, str]] = {
    # kind: (suffix of llvm.vector.reduce, the same of two scalars)
    "and": ("and", "and"),
    "or": ("or", "or"),
    "xor": ("xor", "xor"),
    "minsi": ("smin", "llvm.smin"),
    "maxsi": ("smax", "llvm.smax"),
    "minui": ("umin", "llvm.umin"),
    "maxui": ("umax", "llvm.umax"),
    "minnumf": ("fmin", "llvm.minnum"),
    "maxnumf": ("fmax", "llvm.maxnum"),
    "minimumf": ("fminimum", "llvm.minimum"),
    "maximumf": ("fmaximum", "llvm.maximum"),
}

_BITWISE = {"and": llvm.AndOp, "or": llvm.OrOp, "xor": llvm.XOrOp, "add": llvm.AddOp, "mul": llvm.MulOp}


@to_llvm(vector.ReductionOp)
def lower_reduction(op: vector.ReductionOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    """Sums and products of floats go from lane 0 upwards, unless `reassoc` allows any order."""
    source, *accumulator = operands
    element, kind = element_type_of(source.type), str(op.kind.data)
    if kind in ("add", "mul") and is_float(element):
        start = accumulator[0] if accumulator else b.constant(-0.0 if kind == "add" else 1.0, element)
        name = f"llvm.vector.reduce.f{kind}"
        return b.intrinsic(name, [start, source], element, fast_math=convert_flags(op.fastmath))[0]
    suffix, combine = _KINDS.get(kind, (kind, kind))
    (result,) = b.intrinsic(f"llvm.vector.reduce.{suffix}", [source], element)
    if not accumulator:
        return result
    if combine in _BITWISE:
        return b.same(_BITWISE[combine], result, accumulator[0])
    return b.intrinsic(combine, [result, accumulator[0]], element)[0]
