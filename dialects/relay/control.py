"""Tuples and choices between computations."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, LocationAttr, TensorType, TupleType
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, OpTrait, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import INT, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.types import as_tensor, bool_type, compatible, is_bool, shape_of


@irdl_op_definition
class Tuple(RelayOp):
    """Several values as one."""

    name = "relay.tuple"
    fields = var_operand_def()
    result = result_def(TupleType)
    traits = traits_def(Fusion(FusionKind.TUPLE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        return [TupleType(ArrayAttr(operands))]  # pyright: ignore[reportArgumentType]


@irdl_op_definition
class TupleGetItem(RelayOp):
    """One field of a tuple, counted from 0.

    C1: index is in [0, number of fields).
    """

    name = "relay.tuple_get_item"
    tuple = operand_def(TupleType)
    index = attribute(INT)
    result = result_def()
    traits = traits_def(Fusion(FusionKind.TUPLE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        (tuple_type,) = operands
        if not isinstance(tuple_type, TupleType):
            raise VerifyException(f"operand must be a tuple, got {tuple_type}")
        if not 0 <= attrs.index < len(tuple_type.types):
            raise VerifyException(f"C1: index {attrs.index} is outside a tuple of {len(tuple_type.types)} fields")
        return [tuple_type.types.data[attrs.index]]


@irdl_op_definition
class If(RelayOp):
    """The values that one of two regions yields: the first where the condition holds, else the second.

    Only the chosen region is computed. Both may use the values around them.

    ```mlir
    %r = relay.if %c -> (tensor<4xf32>) {
      relay.yield %x : tensor<4xf32>
    } else {
      relay.yield %y : tensor<4xf32>
    }
    ```

    C1: the condition is a tensor<i1>.
    C2: both regions end in a `relay.yield` of the result types (up to unknown sizes).
    """

    name = "relay.if"
    condition = operand_def(TensorType)
    then_region = region_def("single_block")
    else_region = region_def("single_block")
    outputs = var_result_def()
    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def of(
        cls,
        condition: SSAValue,
        then_region: Region,
        else_region: Region,
        result_types: Sequence[Attribute] | None = None,
        location: LocationAttr | None = None,
    ) -> Self:
        """Build from two regions of one block each; the result types are those the first yields, if not given."""
        types = yielded_types(then_region) if result_types is None else result_types
        op = cls.create(operands=[condition], result_types=types, regions=[then_region, else_region])
        if location is not None:
            op.location = location
        return op

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        raise NotImplementedError("the result types of an if are those that its regions yield")

    def verify_(self) -> None:
        condition = as_tensor(self.condition.type, "C1: condition")
        if shape_of(condition) or not is_bool(condition.element_type):
            raise VerifyException(f"C1: condition must be tensor<i1>, got {condition}")
        for region in self.regions:
            end = region.block.last_op
            if not isinstance(end, Yield):
                raise VerifyException("C2: both regions end in relay.yield")
            if len(end.operands) != len(self.results) or not all(map(compatible, end.operand_types, self.result_types)):
                yielded, expected = (", ".join(map(str, types)) for types in (end.operand_types, self.result_types))
                raise VerifyException(f"C2: a region yields ({yielded}), the results are ({expected})")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        printer.print_string(" -> (")
        printer.print_list(self.result_types, printer.print_attribute)
        printer.print_string(") ")
        printer.print_region(self.then_region)
        printer.print_string(" else ")
        printer.print_region(self.else_region)
        if self.attributes:
            printer.print_string(" attributes")
            printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        condition = parser.parse_unresolved_operand()
        parser.parse_punctuation("->")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        then_region = parser.parse_region()
        parser.parse_keyword("else")
        else_region = parser.parse_region()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.create(
            operands=[parser.resolve_operand(condition, TensorType(bool_type, []))],
            result_types=types,
            regions=[then_region, else_region],
            attributes=attributes.data if attributes else {},
        )


def yielded_types(region: Region) -> Sequence[Attribute]:
    """The types of what a region yields."""
    end = region.block.last_op
    assert isinstance(end, Yield)
    return end.operand_types


def _yield_traits() -> tuple[OpTrait, ...]:
    from xrelay.dialects.relay.language import Fn
    from xrelay.dialects.relay.match import Match

    return IsTerminator(), HasParent(If, Fn, Match)


@irdl_op_definition
class Yield(RelayOp):
    """Ends a region of `relay.if`, `relay.fn` or `relay.match` with its values."""

    name = "relay.yield"
    values = var_operand_def()
    traits = lazy_traits_def(_yield_traits)

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        return []

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list(self.operand_types, printer.print_attribute)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        if not operands:
            return cls.create()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.create(operands=parser.resolve_operands(operands, types, position))
