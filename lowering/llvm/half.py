"""float16 and bfloat16 ↔ float32 by integer arithmetic, for scalars and vectors.

LLVM turns conversions that the target lacks into calls of compiler-rt (`__truncsfbf2`), which is absent where a model
runs in place. All results are rounded to nearest even, NaN stays NaN, subnormal numbers are kept.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float64Type, f32, i16, i32
from xdsl.ir import Attribute, SSAValue

from xrelay.dialects.llvm_ext import element_type_of, like
from xrelay.lowering.llvm.builder import NO_FAST_MATH, FunctionBuilder


def is_half(value_type: Attribute) -> bool:
    """The elements are 16-bit floats."""
    return isinstance(element_type_of(value_type), (Float16Type, BFloat16Type))


def widen(b: FunctionBuilder, value: SSAValue) -> SSAValue:
    """A 16-bit float as float32, exactly."""
    wide = like(value.type, f32)
    if b.module.native_half and isinstance(element_type_of(value.type), Float16Type):
        return b.op(llvm.FPExtOp, [value], wide)
    bits = b.op(llvm.BitcastOp, [value], like(value.type, i16))
    bits = b.op(llvm.ZExtOp, [bits], like(value.type, i32))
    if isinstance(element_type_of(value.type), BFloat16Type):
        return b.op(llvm.BitcastOp, [_Integers(b, bits).shift_left(16).value], wide)
    return _widen_float16(b, bits, wide)


def narrow(b: FunctionBuilder, value: SSAValue, half: Attribute) -> SSAValue:
    """A float32 or float64 as a 16-bit float of type `half`, rounded once."""
    if isinstance(element_type_of(value.type), Float64Type):
        value = _round_to_odd(b, value)
    if isinstance(element_type_of(half), BFloat16Type):
        bits = _narrow_bfloat16(b, value)
    elif b.module.native_half:
        return b.op(llvm.FPTruncOp, [value], half)
    else:
        bits = _narrow_float16(b, value)
    return b.op(llvm.BitcastOp, [b.op(llvm.TruncOp, [bits.value], like(half, i16))], half)


class _Integers:
    """32-bit integers (or vectors of them) behind Python's operators; plain numbers become constants."""

    def __init__(self, b: FunctionBuilder, value: SSAValue):
        self.b, self.value = b, value

    @classmethod
    def of_bits(cls, b: FunctionBuilder, value: SSAValue) -> _Integers:
        return cls(b, b.op(llvm.BitcastOp, [value], like(value.type, i32)))

    def _lift(self, other: _Integers | int) -> SSAValue:
        return other.value if isinstance(other, _Integers) else self.b.constant(other, self.value.type)

    def _op(self, operation: type, other: _Integers | int) -> _Integers:
        return _Integers(self.b, self.b.same(operation, self.value, self._lift(other)))

    def __add__(self, other: _Integers | int) -> _Integers:
        return self._op(llvm.AddOp, other)

    def __sub__(self, other: _Integers | int) -> _Integers:
        return self._op(llvm.SubOp, other)

    def __and__(self, other: _Integers | int) -> _Integers:
        return self._op(llvm.AndOp, other)

    def __or__(self, other: _Integers | int) -> _Integers:
        return self._op(llvm.OrOp, other)

    def shift_left(self, count: int) -> _Integers:
        return self._op(llvm.ShlOp, count)

    def shift_right(self, count: int) -> _Integers:
        return self._op(llvm.LShrOp, count)

    def select_at_least(self, bound: int, on_true: _Integers | int, on_false: _Integers | int) -> _Integers:
        """`on_true` where this unsigned number is at least `bound`."""
        at_least = self.b.icmp("uge", self.value, self._lift(bound))
        return _Integers(self.b, self.b.select(at_least, self._lift(on_true), self._lift(on_false)))

    def as_floats(self) -> SSAValue:
        return self.b.op(llvm.BitcastOp, [self.value], like(self.value.type, f32))


def _widen_float16(b: FunctionBuilder, bits: SSAValue, wide: Attribute) -> SSAValue:
    half = _Integers(b, bits)
    magnitude = (half & 0x7FFF).shift_left(13)
    # The exponent's bias differs by 112; multiplying corrects it for normal and subnormal numbers alike.
    scaled = b.op(llvm.FMulOp, [magnitude.as_floats(), b.constant(2.0**112, wide)], wide, NO_FAST_MATH)
    finite = _Integers.of_bits(b, scaled)
    result = magnitude.select_at_least(0x7C00 << 13, magnitude | 0x7F800000, finite)
    return (result | (half & 0x8000).shift_left(16)).as_floats()


def _narrow_bfloat16(b: FunctionBuilder, value: SSAValue) -> _Integers:
    bits = _Integers.of_bits(b, value)
    rounded = bits + 0x7FFF + (bits.shift_right(16) & 1)
    quiet = bits | 0x00400000
    return (bits & 0x7FFFFFFF).select_at_least(0x7F800001, quiet, rounded).shift_right(16)


def _narrow_float16(b: FunctionBuilder, value: SSAValue) -> _Integers:
    bits = _Integers.of_bits(b, value)
    magnitude = bits & 0x7FFFFFFF
    normal = (magnitude - (112 << 23) + 0xFFF + (magnitude.shift_right(13) & 1)).shift_right(13)
    # Adding 0.5, whose last place is the smallest float16, rounds subnormal results in hardware.
    shifted = b.op(llvm.FAddOp, [magnitude.as_floats(), b.constant(0.5, value.type)], value.type, NO_FAST_MATH)
    subnormal = _Integers.of_bits(b, shifted) - 0x3F000000
    nan = (magnitude.shift_right(13) & 0x3FF) | 0x7E00
    result = magnitude.select_at_least(0x38800000, normal, subnormal)
    result = magnitude.select_at_least(0x47800000, 0x7C00, result)
    result = magnitude.select_at_least(0x7F800001, nan, result)
    return result | (bits.shift_right(16) & 0x8000)


def _round_to_odd(b: FunctionBuilder, value: SSAValue) -> SSAValue:
    """A float64 as float32 with its last bit set where that was inexact: a second rounding then sees no false tie."""
    rounded = b.op(llvm.FPTruncOp, [value], like(value.type, f32))
    back = b.op(llvm.FPExtOp, [rounded], value.type)
    inexact = b.fcmp("one", back, value)
    magnitudes = [b.op(llvm.FAbsOp, [v], v.type, NO_FAST_MATH) for v in (back, value)]
    too_large = b.fcmp("ogt", *magnitudes)
    bits = _Integers.of_bits(b, rounded)
    integers = bits.value.type
    toward_zero = bits - _Integers(b, b.op(llvm.ZExtOp, [too_large], integers))
    return (toward_zero | _Integers(b, b.op(llvm.ZExtOp, [inexact], integers))).as_floats()
