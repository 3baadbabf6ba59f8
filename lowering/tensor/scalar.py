"""Scalars in kernel bodies: arith and math operations behind Python's operators.

A `Scalar` carries its relay element type, so that `x / y` becomes `divf`, `divsi` or `divui` as it must. float16 and
bfloat16 are computed in float32 and rounded after every operation, as NumPy does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith, cf, math
from xdsl.dialects.builtin import BFloat16Type, Float16Type, FloatAttr, IndexType, IntegerAttr, IntegerType, Signedness
from xdsl.ir import Attribute, Operation, SSAValue

from xrelay.dialects import kernel
from xrelay.dialects.relay.types import bit_width, bool_type, f32, f64, i64, is_bool, is_float, is_unsigned

index = IndexType()


def signless(element: Attribute) -> Attribute:
    """The element type as arith knows it: without a sign."""
    return IntegerType(element.width.data) if isinstance(element, IntegerType) else element


def is_half(element: Attribute) -> bool:
    return isinstance(element, (Float16Type, BFloat16Type))


class Scalar:
    """A scalar SSA value with its relay element type (`index` for sizes and positions)."""

    __slots__ = ("builder", "element", "value")
    __hash__ = object.__hash__

    def __init__(self, value: SSAValue, element: Attribute, builder: Any):
        self.value, self.element, self.builder = value, element, builder

    # Construction ------------------------------------------------------------------------------------------------

    def constant(self, number: Any, element: Attribute | None = None) -> Scalar:
        """A number of this scalar's type (or of `element`)."""
        return constant(number, element or self.element, self.builder)

    def _lift(self, other: Any) -> Scalar:
        return other if isinstance(other, Scalar) else self.constant(other)

    def _new(self, op: Operation, element: Attribute | None = None) -> Scalar:
        return Scalar(self.builder.value(op), element or self.element, self.builder)

    def _float_op(self, make: Callable[..., Operation], *others: Scalar) -> Scalar:
        """Apply a float operation, in float32 for the 16-bit types."""
        if not is_half(self.element):
            return self._new(make(self.value, *(o.value for o in others)))
        wide = [s.cast(f32) for s in (self, *others)]
        return wide[0]._new(make(*(w.value for w in wide))).cast(self.element)

    def _binary(self, other: Any, on_float: Any, on_signed: Any, on_unsigned: Any = None) -> Scalar:
        other = self._lift(other)
        if is_float(self.element):
            return self._float_op(on_float, other)
        op = on_unsigned if on_unsigned is not None and is_unsigned(self.element) else on_signed
        return self._new(op(self.value, other.value))

    # Arithmetic --------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Scalar:
        return self._binary(other, arith.AddfOp, arith.AddiOp)

    def __radd__(self, other: Any) -> Scalar:
        return self._lift(other) + self

    def __sub__(self, other: Any) -> Scalar:
        return self._binary(other, arith.SubfOp, arith.SubiOp)

    def __rsub__(self, other: Any) -> Scalar:
        return self._lift(other) - self

    def __mul__(self, other: Any) -> Scalar:
        return self._binary(other, arith.MulfOp, arith.MuliOp)

    def __rmul__(self, other: Any) -> Scalar:
        return self._lift(other) * self

    def __truediv__(self, other: Any) -> Scalar:
        """Division; integers truncate toward zero, and must not be divided by zero, nor the least one by -1."""
        return self._binary(other, arith.DivfOp, arith.DivSIOp, arith.DivUIOp)

    def __rtruediv__(self, other: Any) -> Scalar:
        return self._lift(other) / self

    def rem(self, other: Any) -> Scalar:
        """The remainder of truncated division, with the sign of the dividend; for integers as `/`."""
        return self._binary(other, kernel.RemFOp, arith.RemSIOp, arith.RemUIOp)

    def __neg__(self) -> Scalar:
        if is_float(self.element):
            return self._float_op(arith.NegfOp)
        return self.constant(0) - self

    def __and__(self, other: Any) -> Scalar:
        return self._binary(other, _no_float, arith.AndIOp)

    def __or__(self, other: Any) -> Scalar:
        return self._binary(other, _no_float, arith.OrIOp)

    def __xor__(self, other: Any) -> Scalar:
        return self._binary(other, _no_float, arith.XOrIOp)

    def shift_left(self, other: Any) -> Scalar:
        return self._binary(other, _no_float, arith.ShLIOp)

    def shift_right(self, other: Any) -> Scalar:
        """Arithmetic for signed integers, logical for unsigned ones."""
        return self._binary(other, _no_float, arith.ShRSIOp, arith.ShRUIOp)

    def maximum(self, other: Any) -> Scalar:
        """NaN if either is NaN."""
        return self._binary(other, arith.MaximumfOp, arith.MaxSIOp, arith.MaxUIOp)

    def minimum(self, other: Any) -> Scalar:
        return self._binary(other, arith.MinimumfOp, arith.MinSIOp, arith.MinUIOp)

    def at_least(self, bound: Any) -> Scalar:
        """The bound where this is less; NaN stays NaN. Cheaper than `maximum`, for a bound that is never NaN."""
        if not is_float(self.element):
            return self.maximum(bound)
        bound = self._lift(bound)
        return (self < bound).select(bound, self)

    def at_most(self, bound: Any) -> Scalar:
        """The bound where this is greater; NaN stays NaN."""
        if not is_float(self.element):
            return self.minimum(bound)
        bound = self._lift(bound)
        return (self > bound).select(bound, self)

    def fma(self, factor: Scalar, addend: Scalar) -> Scalar:
        """self · factor + addend, rounded once for floats."""
        if is_float(self.element):
            return self._float_op(math.FmaOp, factor, addend)
        return self * factor + addend

    # Comparison (an i1) ------------------------------------------------------------------------------------------

    def _compare(self, other: Any, on_float: str, on_signed: str, on_unsigned: str) -> Scalar:
        other = self._lift(other)
        if is_float(self.element):
            a, b = (s.cast(f32) if is_half(s.element) else s for s in (self, other))
            return a._new(arith.CmpfOp(a.value, b.value, on_float), bool_type)
        predicate = on_unsigned if is_unsigned(self.element) or is_bool(self.element) else on_signed
        return self._new(arith.CmpiOp(self.value, other.value, predicate), bool_type)

    def eq(self, other: Any) -> Scalar:
        return self._compare(other, "oeq", "eq", "eq")

    def ne(self, other: Any) -> Scalar:
        return self._compare(other, "une", "ne", "ne")

    def __lt__(self, other: Any) -> Scalar:
        return self._compare(other, "olt", "slt", "ult")

    def __le__(self, other: Any) -> Scalar:
        return self._compare(other, "ole", "sle", "ule")

    def __gt__(self, other: Any) -> Scalar:
        return self._compare(other, "ogt", "sgt", "ugt")

    def __ge__(self, other: Any) -> Scalar:
        return self._compare(other, "oge", "sge", "uge")

    def select(self, on_true: Scalar, on_false: Any) -> Scalar:
        """on_true where this i1 holds, else on_false."""
        on_false = on_true._lift(on_false)
        return on_true._new(arith.SelectOp(self.value, on_true.value, on_false.value))

    # Mathematics of floats ---------------------------------------------------------------------------------------

    def math(self, operation: type[Operation], *others: Scalar) -> Scalar:
        """Apply a math-dialect operation: `x.math(math.ExpOp)`."""
        return self._float_op(operation, *others)

    def in_float32(self, compute: Callable[..., Scalar], *others: Scalar) -> Scalar:
        """`compute(self, *others)`, for the 16-bit floats in float32 and rounded once, at the end."""
        if not is_half(self.element):
            return compute(self, *others)
        return compute(*(s.cast(f32) for s in (self, *others))).cast(self.element)

    def is_nan(self) -> Scalar:
        a = self.cast(f32) if is_half(self.element) else self
        return a._new(arith.CmpfOp(a.value, a.value, "uno"), bool_type)

    # Conversion --------------------------------------------------------------------------------------------------

    def cast(self, element: Attribute) -> Scalar:
        """NumPy's astype, but float → integer truncates and saturates (NaN gives 0), and x → bool is x != 0."""
        return cast(self, element)

    def as_unsigned(self) -> Scalar:
        """The same bits, read as an unsigned integer."""
        return Scalar(self.value, IntegerType(bit_width(self.element), Signedness.UNSIGNED), self.builder)

    def bitcast(self, element: Attribute) -> Scalar:
        """The same bits, read as another element type of this width."""
        if signless(element) == signless(self.element):
            return Scalar(self.value, element, self.builder)
        return self._new(arith.BitcastOp(self.value, signless(element)), element)

    def check(self, message: str) -> None:
        """Stop the run with this message where this i1 does not hold."""
        self.builder.insert(cf.AssertOp(self.value, message))


def _no_float(*_: Any) -> Operation:
    raise AssertionError("a bitwise or remainder operation on floats")


def constant(number: Any, element: Attribute, builder: Any) -> Scalar:
    """An `arith.constant` of a relay element type or of index."""
    bare = signless(element)
    if is_float(element):
        attr = FloatAttr(float(number), element)
    elif isinstance(bare, IndexType):
        attr = IntegerAttr(int(number), bare)
    else:
        assert isinstance(bare, IntegerType)
        attr = IntegerAttr(int(number), bare, truncate_bits=True)
    return Scalar(builder.value(arith.ConstantOp(attr)), element, builder)


def cast(x: Scalar, to: Attribute) -> Scalar:
    source = x.element
    if source == to:
        return x
    bare = signless(to)
    if isinstance(source, IndexType) or isinstance(to, IndexType):
        if isinstance(source, IndexType) and is_float(to):
            return cast(cast(x, i64), to)
        if isinstance(to, IndexType) and is_unsigned(source) and bit_width(source) < 64:
            return cast(x._new(arith.ExtUIOp(x.value, i64), i64), to)
        return x._new(arith.IndexCastOp(x.value, bare), to)
    if is_bool(to):
        return x.ne(0)
    if is_float(source) and is_float(to):
        if bit_width(source) == bit_width(to):  # float16 ↔ bfloat16
            return cast(cast(x, f32), to)
        op = arith.ExtFOp if bit_width(to) > bit_width(source) else arith.TruncFOp
        return x._new(op(x.value, to), to)
    unsigned = is_unsigned(source) or is_bool(source)
    if is_float(to):
        target = f64 if to == f64 else f32
        op = arith.UIToFPOp if unsigned else arith.SIToFPOp
        return cast(x._new(op(x.value, target), target), to)
    assert isinstance(bare, IntegerType)
    if is_float(source):
        if is_half(source):
            x = cast(x, f32)
        op = arith.FPToUIOp if is_unsigned(to) else arith.FPToSIOp
        return x._new(op(x.value, bare), to)
    if bit_width(to) == bit_width(source):
        return Scalar(x.value, to, x.builder)
    if bit_width(to) < bit_width(source):
        return x._new(arith.TruncIOp(x.value, bare), to)
    return x._new((arith.ExtUIOp if unsigned else arith.ExtSIOp)(x.value, bare), to)
