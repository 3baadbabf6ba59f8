"""Elementwise operators of several operands: arithmetic, logic, comparisons, a choice.

Nothing is promoted: operands of different element types are cast by hand. Shapes follow NumPy's
broadcasting, `?` included.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from types import SimpleNamespace
from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.core import Fusion, FusionKind, MayFail, RelayOp
from xrelay.dialects.relay.rules import ANY, BITS, BOOLS, INTEGERS, NUMBERS, ElementRule, broadcast, check_elements
from xrelay.dialects.relay.types import as_tensor, bool_type, tensor_type

ZERO_DIVISION = "division of an integer by zero"
"""What a run that stops for it says."""


class BinaryOp(RelayOp, ABC):
    """Two operands, broadcast together.

    C1: both operands have the same element type (nothing is promoted).
    C2: the shapes broadcast.
    C3: the operator takes this element type.
    """

    ELEMENTS: ClassVar[ElementRule] = NUMBERS

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.BROADCAST))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        lhs, rhs = (as_tensor(t) for t in operands)
        if lhs.element_type != rhs.element_type:
            raise VerifyException(f"C1: operands have element types {lhs.element_type} and {rhs.element_type}")
        check_elements(cls.name, cls.ELEMENTS, lhs.element_type, "C3")
        return [tensor_type(broadcast("C2", lhs, rhs), cls.result_element(lhs.element_type))]

    @classmethod
    def result_element(cls, element: Attribute) -> Attribute:
        return element


class BitwiseOp(BinaryOp, ABC):
    ELEMENTS: ClassVar[ElementRule] = BITS


class ShiftOp(BinaryOp, ABC):
    """The amount is read as unsigned: one that is negative or not below the width shifts every bit out, as in NumPy."""

    ELEMENTS: ClassVar[ElementRule] = INTEGERS


class LogicalOp(BinaryOp, ABC):
    ELEMENTS: ClassVar[ElementRule] = BOOLS


class ComparisonOp(BinaryOp, ABC):
    """The result is i1. With NaN every comparison is false, but `not_equal`."""

    ELEMENTS: ClassVar[ElementRule] = ANY

    @classmethod
    def result_element(cls, element: Attribute) -> Attribute:
        return bool_type


@irdl_op_definition
class Add(BinaryOp):
    """lhs + rhs. Integers wrap around."""

    name = "relay.add"


@irdl_op_definition
class Subtract(BinaryOp):
    """lhs - rhs. Integers wrap around."""

    name = "relay.subtract"


@irdl_op_definition
class Multiply(BinaryOp):
    """lhs · rhs. Integers wrap around."""

    name = "relay.multiply"


@irdl_op_definition
class Divide(BinaryOp):
    """lhs / rhs. Integers truncate toward zero, as in C; dividing one by zero stops the run."""

    name = "relay.divide"
    traits = traits_def(MayFail())


@irdl_op_definition
class Mod(BinaryOp):
    """The remainder that goes with truncation: the sign is that of lhs (C's % and fmod)."""

    name = "relay.mod"
    traits = traits_def(MayFail())


@irdl_op_definition
class FloorDivide(BinaryOp):
    """Python's //: the quotient rounded down. Dividing an integer by zero stops the run."""

    name = "relay.floor_divide"
    traits = traits_def(MayFail())


@irdl_op_definition
class FloorMod(BinaryOp):
    """Python's %: the sign is that of rhs."""

    name = "relay.floor_mod"
    traits = traits_def(MayFail())


@irdl_op_definition
class Power(BinaryOp):
    """lhs to the power of rhs. Integers wrap around; a negative exponent truncates the fraction (2 ** -1 is 0)."""

    name = "relay.power"


@irdl_op_definition
class Maximum(BinaryOp):
    """The larger of both; NaN if one is NaN."""

    name = "relay.maximum"


@irdl_op_definition
class Minimum(BinaryOp):
    """The smaller of both; NaN if one is NaN."""

    name = "relay.minimum"


@irdl_op_definition
class LeftShift(ShiftOp):
    """lhs · 2^rhs, wrapped around."""

    name = "relay.left_shift"


@irdl_op_definition
class RightShift(ShiftOp):
    """lhs / 2^rhs, rounded down: the sign is kept."""

    name = "relay.right_shift"


@irdl_op_definition
class BitwiseAnd(BitwiseOp):
    """Bit by bit: lhs & rhs."""

    name = "relay.bitwise_and"


@irdl_op_definition
class BitwiseOr(BitwiseOp):
    """Bit by bit: lhs | rhs."""

    name = "relay.bitwise_or"


@irdl_op_definition
class BitwiseXor(BitwiseOp):
    """Bit by bit: lhs ^ rhs."""

    name = "relay.bitwise_xor"


@irdl_op_definition
class LogicalAnd(LogicalOp):
    """Whether both hold."""

    name = "relay.logical_and"


@irdl_op_definition
class LogicalOr(LogicalOp):
    """Whether one holds."""

    name = "relay.logical_or"


@irdl_op_definition
class LogicalXor(LogicalOp):
    """Whether exactly one holds."""

    name = "relay.logical_xor"


@irdl_op_definition
class Equal(ComparisonOp):
    """lhs == rhs."""

    name = "relay.equal"


@irdl_op_definition
class NotEqual(ComparisonOp):
    """lhs != rhs."""

    name = "relay.not_equal"


@irdl_op_definition
class Less(ComparisonOp):
    """lhs < rhs; false < true."""

    name = "relay.less"


@irdl_op_definition
class LessEqual(ComparisonOp):
    """lhs <= rhs."""

    name = "relay.less_equal"


@irdl_op_definition
class Greater(ComparisonOp):
    """lhs > rhs."""

    name = "relay.greater"


@irdl_op_definition
class GreaterEqual(ComparisonOp):
    """lhs >= rhs."""

    name = "relay.greater_equal"


@irdl_op_definition
class Where(RelayOp):
    """x where the condition holds, else y; all three are broadcast together.

    A condition of numbers holds where it is not zero.

    C1: x and y have the same element type.
    C2: the shapes broadcast.
    """

    name = "relay.where"
    condition = operand_def(TensorType)
    x = operand_def(TensorType)
    y = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.BROADCAST))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        condition, x, y = (as_tensor(t) for t in operands)
        if x.element_type != y.element_type:
            raise VerifyException(f"C1: x and y have element types {x.element_type} and {y.element_type}")
        return [tensor_type(broadcast("C2", condition, x, y), x.element_type)]
