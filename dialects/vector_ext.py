"""The `vector_ext` dialect: arith operations on vectors that xDSL's `arith` has for scalars only.

In MLIR `arith.select`, `arith.cmpf`, `arith.extsi` and the like take vectors too; xDSL's definitions do not verify on
them. Each operation here means, lane by lane, what the arith operation of the same name means.
`VECTOR_FORM[arith.SelectOp]` is its class, and its constructor takes the same arguments.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloatConstr, IndexType, IntegerAttr, IntegerType, VectorType, i1, i64
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    base,
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

from xrelay.dialects.llvm_ext import lanes_of, like

_INTEGERS = VectorType.constr(base(IntegerType) | base(IndexType))
_FLOATS = VectorType.constr(AnyFloatConstr)


@irdl_op_definition
class SelectOp(IRDLOperation):
    """Lane by lane `lhs` where `cond` holds, else `rhs`."""

    name = "vector_ext.select"

    T: ClassVar = VarConstraint("T", AnyAttr())
    cond = operand_def(VectorType.constr(i1))
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($result)"

    def __init__(self, cond: SSAValue, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[cond, lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        _verify_lanes(self.cond.type, self.result.type)


class _Comparison(IRDLOperation):
    """Compares lane by lane; `predicate` counts as in arith."""

    PREDICATES: ClassVar[list[str]]
    predicate = prop_def(IntegerAttr.constr(i64))

    def __init__(self, lhs: SSAValue, rhs: SSAValue, predicate: int | str):
        if isinstance(predicate, str):
            predicate = self.PREDICATES.index(predicate)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[like(lhs.type, i1)],
            properties={"predicate": IntegerAttr(predicate, i64)},
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.PREDICATES[self.predicate.value.data]}, ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        predicate = parser.parse_identifier()
        if predicate not in cls.PREDICATES:
            parser.raise_error(f"unknown predicate {predicate}, expected one of {', '.join(cls.PREDICATES)}")
        parser.parse_punctuation(",")
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
        _verify_lanes(self.operands[0].type, self.results[0].type)


@irdl_op_definition
class CmpiOp(_Comparison):
    """Integer comparison."""

    name = "vector_ext.cmpi"
    PREDICATES: ClassVar = arith.CMPI_COMPARISON_OPERATIONS

    T: ClassVar = VarConstraint("T", _INTEGERS)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(VectorType.constr(i1))
    traits = traits_def(Pure())


@irdl_op_definition
class CmpfOp(_Comparison):
    """Float comparison."""

    name = "vector_ext.cmpf"
    PREDICATES: ClassVar = arith.CMPF_COMPARISON_OPERATIONS

    T: ClassVar = VarConstraint("T", _FLOATS)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(VectorType.constr(i1))
    traits = traits_def(Pure())


class _Cast(IRDLOperation):
    """Converts lane by lane."""

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        _verify_lanes(self.operands[0].type, self.results[0].type)


_CAST_FORMAT = "$input attr-dict `:` type($input) `to` type($result)"


class _IntegerCast(_Cast):
    """Between integers of different widths."""

    input = operand_def(_INTEGERS)
    result = result_def(_INTEGERS)
    traits = traits_def(Pure())
    assembly_format = _CAST_FORMAT


@irdl_op_definition
class ExtSIOp(_IntegerCast):
    name = "vector_ext.extsi"


@irdl_op_definition
class ExtUIOp(_IntegerCast):
    name = "vector_ext.extui"


@irdl_op_definition
class TruncIOp(_IntegerCast):
    name = "vector_ext.trunci"


@irdl_op_definition
class IndexCastOp(_IntegerCast):
    name = "vector_ext.index_cast"


class _IntegerToFloat(_Cast):
    input = operand_def(_INTEGERS)
    result = result_def(_FLOATS)
    traits = traits_def(Pure())
    assembly_format = _CAST_FORMAT


@irdl_op_definition
class SIToFPOp(_IntegerToFloat):
    name = "vector_ext.sitofp"


@irdl_op_definition
class UIToFPOp(_IntegerToFloat):
    name = "vector_ext.uitofp"


class _FloatToInteger(_Cast):
    """Truncates toward zero and saturates; NaN gives 0."""

    input = operand_def(_FLOATS)
    result = result_def(_INTEGERS)
    traits = traits_def(Pure())
    assembly_format = _CAST_FORMAT


@irdl_op_definition
class FPToSIOp(_FloatToInteger):
    name = "vector_ext.fptosi"


@irdl_op_definition
class FPToUIOp(_FloatToInteger):
    name = "vector_ext.fptoui"


def _verify_lanes(first: Attribute, second: Attribute) -> None:
    if lanes_of(first) != lanes_of(second):
        raise VerifyException(f"{first} and {second} have different lanes")


_OPERATIONS = [
    SelectOp,
    CmpiOp,
    CmpfOp,
    ExtSIOp,
    ExtUIOp,
    TruncIOp,
    IndexCastOp,
    SIToFPOp,
    UIToFPOp,
    FPToSIOp,
    FPToUIOp,
]

VECTOR_FORM: dict[type[Operation], type[Operation]] = {getattr(arith, op.__name__): op for op in _OPERATIONS}
"""The operation on vectors for each arith operation that does not take them."""


def form(operation: type[Operation], operand_type: Attribute) -> type[Operation]:
    """An arith operation's class for operands of this type: its own, or its form on vectors."""
    return VECTOR_FORM.get(operation, operation) if isinstance(operand_type, VectorType) else operation


VectorExt = Dialect("vector_ext", _OPERATIONS, [])
