"""Names and references: what a program says beside what it computes.

The order of the reads and writes of references is the order of their operations; passes keep it.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from types import SimpleNamespace
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, TupleType
from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import STR, attribute
from xrelay.dialects.relay.core import LanguageOp
from xrelay.dialects.relay.language import print_attributes
from xrelay.dialects.relay.language_types import RefType
from xrelay.dialects.relay.types import compatible

UNIT = TupleType(ArrayAttr(()))



@irdl_op_definition
class Let(LanguageOp):
    """The value itself, under a name: `relay.let "x" = %0 : T` is what `let %x = …` of the program was.

    A name may know fewer sizes than the value: `relay.let "x" = %0 : T -> T'`.
    """

    name = "relay.let"
    value = operand_def()
    variable = attribute(STR, "")
    result = result_def()

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        return list(operands)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.attrs.variable)
        printer.print_string(" = ")
        printer.print_ssa_value(self.value)
        print_attributes(self, printer)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        if self.result.type != self.value.type:
            printer.print_string(" -> ")
            printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variable = parser.parse_str_literal()
        parser.parse_punctuation("=")
        value = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        value_type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(value, value_type)],
            result_types=[parser.parse_type() if parser.parse_optional_punctuation("->") else value_type],
            properties={"variable": STR.encode(variable)},
            attributes=attributes.data if attributes else {},
        )


class AllocatesResult(MemoryEffect):
    """The result is a new cell: two operations never give the same one, and one that nobody uses need not be made."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.ALLOC, op.results[0])}


@irdl_op_definition
class RefCreate(LanguageOp):
    """A new cell that holds the value."""

    name = "relay.ref_create"
    value = operand_def()
    result = result_def(RefType)
    traits = traits_def(AllocatesResult())

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        return [RefType(operands[0])]


@irdl_op_definition
class RefRead(LanguageOp):
    """What the cell holds now."""

    name = "relay.ref_read"
    ref = operand_def(RefType)
    result = result_def()
    traits = traits_def(MemoryReadEffect())

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        return [_held(operands[0])]


@irdl_op_definition
class RefWrite(LanguageOp):
    """Put a value into the cell; gives unit.

    C1: the value is of the type that the cell holds (up to unknown sizes).
    """

    name = "relay.ref_write"
    ref = operand_def(RefType)
    value = operand_def()
    result = result_def(TupleType)
    traits = traits_def(MemoryWriteEffect())

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        held = _held(operands[0])
        if not compatible(held, operands[1]):
            raise VerifyException(f"C1: the cell holds {held}, the value is {operands[1]}")
        return [UNIT]


def _held(value_type: Attribute) -> Attribute:
    if not isinstance(value_type, RefType):
        raise VerifyException(f"operand must be a reference, got {value_type}")
    return value_type.value
