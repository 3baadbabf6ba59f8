"""Numbers of an expansion behind Python's operators: scalars or vectors, float32 or float64, and their bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xrelay.dialects.llvm_ext import element_type_of, like
from xrelay.dialects.relay.types import is_float
from xrelay.dialects.vector_ext import form
from xrelay.lowering.conversion import BlockBuilder

Number = float | int
Expansion = Callable[..., "Value"]

EXPANSIONS: dict[type[Operation], Expansion] = {}


def expands(operation: type[Operation]) -> Callable[[Expansion], Expansion]:
    """Decorator: register the expansion of a math operation on float32."""

    def register(expansion: Expansion) -> Expansion:
        EXPANSIONS[operation] = expansion
        return expansion

    return register


class Value:
    """An SSA value of type f32, f64, i32, i64 or i1, or a vector of them."""

    __slots__ = ("builder", "ssa")
    __hash__ = object.__hash__

    def __init__(self, ssa: SSAValue, builder: BlockBuilder):
        self.ssa, self.builder = ssa, builder

    @property
    def element(self) -> Attribute:
        return element_type_of(self.ssa.type)

    def constant(self, number: Number) -> Value:
        """A number of this value's type."""
        if isinstance(self.ssa.type, VectorType) and not _reads_back(number):
            scalar = self._value(arith.ConstantOp(_constant(number, self.element)))
            return self._value(vector.BroadcastOp(scalar.ssa, self.ssa.type))
        return self._value(arith.ConstantOp(_constant(number, self.ssa.type)))

    def _value(self, op: Operation) -> Value:
        return Value(self.builder.value(op), self.builder)

    def _lift(self, other: Value | Number) -> SSAValue:
        return other.ssa if isinstance(other, Value) else self.constant(other).ssa

    def _apply(self, operation: type[Operation], *others: Value | Number) -> Value:
        operands = [self.ssa, *map(self._lift, others)]
        # Without the constructors' checks: a model has many of these.
        op = operation.create(
            operands=operands, result_types=[self.ssa.type], properties=_PROPERTIES.get(operation, {})
        )
        return self._value(op)

    def _binary(self, other: Value | Number, on_float: type[Operation], on_integer: type[Operation]) -> Value:
        return self._apply(on_integer if isinstance(self.element, IntegerType) else on_float, other)

    # Arithmetic --------------------------------------------------------------------------------------------------

    def __add__(self, other: Value | Number) -> Value:
        return self._binary(other, arith.AddfOp, arith.AddiOp)

    def __sub__(self, other: Value | Number) -> Value:
        return self._binary(other, arith.SubfOp, arith.SubiOp)

    def __rsub__(self, other: Number) -> Value:
        return self.constant(other) - self

    def __mul__(self, other: Value | Number) -> Value:
        return self._binary(other, arith.MulfOp, arith.MuliOp)

    def __truediv__(self, other: Value | Number) -> Value:
        return self._apply(arith.DivfOp, other)

    def __neg__(self) -> Value:
        return self._apply(arith.NegfOp)

    def fma(self, factor: Value | Number, addend: Value | Number) -> Value:
        """self · factor + addend, rounded once."""
        return self._apply(math.FmaOp, factor, addend)

    def polynomial(self, coefficients: Sequence[float]) -> Value:
        """c0 + c1·self + c2·self² + … by Horner's rule."""
        result = self.constant(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            result = result.fma(self, coefficient)
        return result

    def absolute(self) -> Value:
        return self._apply(math.AbsFOp)

    def sqrt(self) -> Value:
        return self._apply(math.SqrtOp)

    def round_even(self) -> Value:
        return self._apply(math.RoundEvenOp)

    def copysign(self, sign: Value) -> Value:
        return self._apply(math.CopySignOp, sign)

    # Bits --------------------------------------------------------------------------------------------------------

    def __and__(self, other: Value | Number) -> Value:
        return self._apply(arith.AndIOp, other)

    def __or__(self, other: Value | Number) -> Value:
        return self._apply(arith.OrIOp, other)

    def __xor__(self, other: Value | Number) -> Value:
        return self._apply(arith.XOrIOp, other)

    def __lshift__(self, count: int) -> Value:
        return self._apply(arith.ShLIOp, count)

    def __rshift__(self, count: int) -> Value:
        """Keeps the sign."""
        return self._apply(arith.ShRSIOp, count)

    def bits(self) -> Value:
        """A float's bits as an integer of its width."""
        return self._cast(arith.BitcastOp, i32 if self.element == f32 else i64)

    def as_float(self) -> Value:
        """An integer as the float of its width with these bits."""
        return self._cast(arith.BitcastOp, f32 if self.element == i32 else f64)

    # Comparison --------------------------------------------------------------------------------------------------

    def _compare(self, other: Value | Number, on_float: str, on_integer: str) -> Value:
        integer = isinstance(self.element, IntegerType)
        operation: Any = form(arith.CmpiOp if integer else arith.CmpfOp, self.ssa.type)
        return self._value(operation(self.ssa, self._lift(other), on_integer if integer else on_float))

    def __lt__(self, other: Value | Number) -> Value:
        return self._compare(other, "olt", "slt")

    def __gt__(self, other: Value | Number) -> Value:
        return self._compare(other, "ogt", "sgt")

    def equals(self, other: Value | Number) -> Value:
        return self._compare(other, "oeq", "eq")

    def differs(self, other: Value | Number) -> Value:
        """True for NaN too."""
        return self._compare(other, "une", "ne")

    def is_nan(self) -> Value:
        return self._compare(self, "uno", "ne")

    def select(self, on_true: Value | Number, on_false: Value | Number) -> Value:
        """`on_true` where this condition holds; at least one of the two is a Value."""
        typed = on_true if isinstance(on_true, Value) else on_false
        assert isinstance(typed, Value)
        operation: Any = form(arith.SelectOp, self.ssa.type)
        return self._value(operation(self.ssa, typed._lift(on_true), typed._lift(on_false)))

    # Conversion --------------------------------------------------------------------------------------------------

    def _cast(self, operation: type[Operation], element: Attribute) -> Value:
        target = like(self.ssa.type, element)
        return self._value(form(operation, self.ssa.type).create(operands=[self.ssa], result_types=[target]))

    def to_f64(self) -> Value:
        return self._cast(arith.ExtFOp, f64)

    def to_f32(self) -> Value:
        return self._cast(arith.TruncFOp, f32)

    def to_float(self) -> Value:
        """A signed integer as the float of its width, rounded."""
        return self._cast(arith.SIToFPOp, f32 if self.element == i32 else f64)


_NO_FAST_MATH: dict[str, Attribute] = {"fastmath": arith.FastMathFlagsAttr("none")}
_PROPERTIES: dict[type[Operation], dict[str, Attribute]] = {
    operation: _NO_FAST_MATH
    for operation in (
        arith.AddfOp,
        arith.SubfOp,
        arith.MulfOp,
        arith.DivfOp,
        arith.NegfOp,
        math.FmaOp,
        math.AbsFOp,
        math.SqrtOp,
        math.RoundEvenOp,
        math.CopySignOp,
    )
}


def _reads_back(number: Number) -> bool:
    """Whether xDSL reads this number of a `dense<…>` as it was; the others are written as bits, read as integers."""
    return isinstance(number, int) or "." in f"{number:.9g}" or float(f"{number:.5e}") == number


def _constant(number: Number, value_type: Attribute) -> IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr:
    element = element_type_of(value_type)
    if isinstance(value_type, VectorType):
        return DenseIntOrFPElementsAttr.from_list(value_type, [number])
    if isinstance(element, IntegerType):
        return IntegerAttr(int(number), element)
    assert is_float(element)
    return FloatAttr(number, element)
