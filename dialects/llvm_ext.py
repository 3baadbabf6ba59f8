"""The `llvm_ext` dialect: LLVM instructions that xDSL's `llvm` dialect lacks, or has for scalars only.

Intrinsics need nothing here: `llvm.call_intrinsic` takes any of them.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    ArrayAttr,
    IntAttr,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import FCmpPredicateFlag
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    RangeOf,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


def lanes_of(value_type: Attribute) -> tuple[int, ...]:
    """The shape of a vector type, () of a scalar."""
    return value_type.get_shape() if isinstance(value_type, VectorType) else ()


def element_type_of(value_type: Attribute) -> Attribute:
    """The element type of a vector type, a scalar type itself."""
    return value_type.element_type if isinstance(value_type, VectorType) else value_type


def like(value_type: Attribute, element: Attribute) -> Attribute:
    """`element`, or a vector of it with the lanes of `value_type`."""
    return VectorType(element, value_type.shape) if isinstance(value_type, VectorType) else element


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """One lane of a vector; poison where the index is outside."""

    name = "llvm_ext.extractelement"

    ELEMENT: ClassVar = VarConstraint("ELEMENT", AnyAttr())
    vector = operand_def(VectorType.constr(ELEMENT, shape=ArrayAttr.constr(RangeOf(IntAttr).of_length(1))))
    index = operand_def(SignlessIntegerConstraint)
    res = result_def(ELEMENT)
    traits = traits_def(Pure())
    assembly_format = "$vector `[` $index `:` type($index) `]` attr-dict `:` type($vector)"

    def __init__(self, vector: SSAValue, index: SSAValue):
        super().__init__(operands=[vector, index], result_types=[element_type_of(vector.type)])


@irdl_op_definition
class SelectOp(IRDLOperation):
    """Lane by lane `lhs` where `cond` holds, else `rhs` (xDSL's `llvm.select` takes one i1 only)."""

    name = "llvm_ext.select"

    T: ClassVar = VarConstraint("T", AnyAttr())
    cond = operand_def(VectorType.constr(i1))
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"

    def __init__(self, cond: SSAValue, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[cond, lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        if lanes_of(self.cond.type) != lanes_of(self.res.type):
            raise VerifyException(f"cannot choose lanes of {self.res.type} by {self.cond.type}")


@irdl_op_definition
class FCmpOp(IRDLOperation):
    """Lane by lane comparison of floats (xDSL's `llvm.fcmp` takes scalars only); the predicate counts as in
    `llvm.fcmp`.
    """

    name = "llvm_ext.fcmp"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyFloatConstr))
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(VectorType.constr(i1))
    predicate = prop_def(IntegerAttr.constr(i64))
    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, predicate: str):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[like(lhs.type, i1)],
            properties={"predicate": IntegerAttr(FCmpPredicateFlag(predicate).to_int(), i64)},
        )

    def print(self, printer: Printer) -> None:
        flag = FCmpPredicateFlag.from_int(self.predicate.value.data)
        printer.print_string(f' "{flag}" ')
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)

    @classmethod
    def parse(cls, parser: Parser) -> FCmpOp:
        predicate = parser.parse_str_literal()
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        value_type = parser.parse_type()
        a, b = parser.resolve_operands([lhs, rhs], [value_type, value_type], parser.pos)
        op = cls(a, b, predicate)
        op.attributes |= attributes
        return op

    def verify_(self) -> None:
        if lanes_of(self.lhs.type) != lanes_of(self.res.type):
            raise VerifyException(f"comparing {self.lhs.type} does not give {self.res.type}")


@irdl_op_definition
class UIToFPOp(IRDLOperation):
    """An unsigned integer (or a vector of them) as a float, rounded to nearest even."""

    name = "llvm_ext.uitofp"

    arg = operand_def(SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint))
    res = result_def(AnyFloatConstr | VectorType.constr(AnyFloatConstr))
    traits = traits_def(Pure())
    assembly_format = "$arg attr-dict `:` type($arg) `to` type($res)"

    def __init__(self, arg: SSAValue, result_type: Attribute):
        super().__init__(operands=[arg], result_types=[result_type])

    def verify_(self) -> None:
        if lanes_of(self.arg.type) != lanes_of(self.res.type):
            raise VerifyException(f"cannot convert {self.arg.type} to {self.res.type}: the lanes differ")


LLVMExt = Dialect("llvm_ext", [ExtractElementOp, SelectOp, FCmpOp, UIToFPOp], [])
