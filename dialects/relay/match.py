"""Choices by the form of a value: patterns, and `relay.match`.

```mlir
%head = relay.match %list : !relay.adt<"List", tensor<f32>> -> tensor<f32> {
  case @Cons(%h: tensor<f32>, _) {
    relay.yield %h : tensor<f32>
  }
  case @Nil {
    relay.yield %zero : tensor<f32>
  }
}
```

A pattern is an attribute. In the text of a match its variables stand with the names and types of the block's arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, LocationAttr, StringAttr, TupleType
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.adt import fields_of, module_of
from xrelay.dialects.relay.attributes import BOOL, attribute
from xrelay.dialects.relay.core import LanguageOp
from xrelay.dialects.relay.language import check_yield, print_attributes
from xrelay.dialects.relay.types import compatible

# Patterns ------------------------------------------------------------------------------------------------------------


@irdl_attr_definition
class WildcardPattern(ParametrizedAttribute):
    """`_`: any value."""

    name = "relay.wildcard"


@irdl_attr_definition
class VariablePattern(ParametrizedAttribute):
    """`%x`: any value, which becomes the next argument of the block."""

    name = "relay.variable"


@irdl_attr_definition
class ConstructorPattern(ParametrizedAttribute):
    """`@Cons(p, q)`: a value that the constructor made, whose fields fit."""

    name = "relay.constructed"
    constructor: StringAttr
    fields: ArrayAttr[Attribute]

    @classmethod
    def of(cls, constructor: str, fields: Sequence[Attribute] = ()) -> ConstructorPattern:
        return cls(StringAttr(constructor), ArrayAttr(fields))


@irdl_attr_definition
class TuplePattern(ParametrizedAttribute):
    """`(p, q)`: a tuple whose fields fit."""

    name = "relay.fields"
    fields: ArrayAttr[Attribute]

    @classmethod
    def of(cls, fields: Sequence[Attribute]) -> TuplePattern:
        return cls(ArrayAttr(fields))


def bound_types(op: Operation, pattern: Attribute, value_type: Attribute) -> Iterator[Attribute]:
    """The types of what a pattern binds in a value of this type, in order, by the definitions in the module of `op`.

    Raises VerifyException where the pattern does not fit the type.
    """
    match pattern:
        case WildcardPattern():
            return
        case VariablePattern():
            yield value_type
            return
        case ConstructorPattern():
            what = pattern.constructor.data
            types = fields_of(op, what, value_type)
        case TuplePattern():
            what = "the tuple"
            if not isinstance(value_type, TupleType):
                raise VerifyException(f"{value_type} is no tuple")
            types = value_type.types.data
        case _:
            raise VerifyException(f"{pattern} is no pattern")
    if len(types) != len(pattern.fields):
        raise VerifyException(f"{what} has {len(types)} fields, the pattern {len(pattern.fields)}")
    for field, field_type in zip(pattern.fields, types, strict=True):
        yield from bound_types(op, field, field_type)


def print_pattern(printer: Printer, pattern: Attribute, variables: Iterator[SSAValue]) -> None:
    """A pattern with the variables that it binds."""
    match pattern:
        case WildcardPattern():
            printer.print_string("_")
        case VariablePattern():
            printer.print_block_argument(next(variables))  # type: ignore[arg-type]
        case ConstructorPattern():
            printer.print_symbol_name(pattern.constructor)
            if pattern.fields:
                with printer.in_parens():
                    printer.print_list(pattern.fields, lambda field: print_pattern(printer, field, variables))
        case TuplePattern():
            with printer.in_parens():
                printer.print_list(pattern.fields, lambda field: print_pattern(printer, field, variables))


def parse_pattern(parser: Parser, variables: list[Parser.Argument]) -> Attribute:
    """The inverse: the pattern; the variables that it binds are added to the list."""

    def fields() -> ArrayAttr[Attribute] | None:
        found = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_pattern(parser, variables)
        )
        return None if found is None else ArrayAttr(found)

    variable = parser.parse_optional_argument()
    if variable is not None:
        variables.append(variable)
        return VariablePattern()
    constructor = parser.parse_optional_symbol_name()
    if constructor is not None:
        return ConstructorPattern(constructor, fields() or ArrayAttr([]))
    if (inner := fields()) is not None:
        return TuplePattern(inner)
    parser.parse_keyword("_")
    return WildcardPattern()


# The choice ----------------------------------------------------------------------------------------------------------


@irdl_op_definition
class Match(LanguageOp):
    """What the first clause whose pattern fits the value yields. Variables of the pattern are arguments of its block.

    Only that clause is computed; a value that no clause fits stops the program. `relay.match partial` says that there
    may be such values.

    C1: there are as many patterns as regions.
    C2: each pattern fits the type of the value, and the block takes what it binds (up to unknown sizes), in order.
    C3: each region ends in a `relay.yield` of one value of the result type (up to unknown sizes).
    """

    name = "relay.match"
    value = operand_def()
    patterns = prop_def(ArrayAttr)
    clauses = var_region_def("single_block")
    complete = attribute(BOOL, True)
    result = result_def()
    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def of(
        cls,
        value: SSAValue,
        patterns: Sequence[Attribute],
        clauses: Sequence[Region],
        value_type: Attribute,
        complete: bool = True,
        location: LocationAttr | None = None,
    ) -> Self:
        op = cls.create(
            operands=[value],
            result_types=[value_type],
            properties={"patterns": ArrayAttr(patterns), "complete": BOOL.encode(complete)},
            regions=clauses,
        )
        if location is not None:
            op.location = location
        return op

    def verify_(self) -> None:
        if len(self.patterns) != len(self.clauses):
            raise VerifyException(f"C1: {len(self.patterns)} patterns for {len(self.clauses)} regions")
        for pattern, region in zip(self.patterns, self.clauses, strict=True):
            if module_of(self) is not None:
                self._check_variables(pattern, region)
            check_yield(region, self.result.type, "C3: a clause")

    def _check_variables(self, pattern: Attribute, region: Region) -> None:
        try:
            bound = list(bound_types(self, pattern, self.value.type))
        except VerifyException as error:
            raise VerifyException(f"C2: {error}") from None
        taken = region.block.arg_types
        if len(bound) != len(taken) or not all(map(compatible, bound, taken)):
            shown = (", ".join(map(str, types)) for types in (bound, taken))
            raise VerifyException("C2: the pattern binds ({}), the block takes ({})".format(*shown))

    def print(self, printer: Printer) -> None:
        printer.print_string(" " if self.attrs.complete else " partial ")
        printer.print_ssa_value(self.value)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)
        printer.print_string(" ")
        with printer.in_braces():
            with printer.indented():
                for pattern, region in zip(self.patterns, self.clauses, strict=True):
                    printer.print_string("\n")
                    printer.print_string("case ")
                    print_pattern(printer, pattern, iter(region.block.args))
                    printer.print_string(" ")
                    printer.print_region(region, print_entry_block_args=False)
            printer.print_string("\n")
        print_attributes(self, printer)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        complete = parser.parse_optional_keyword("partial") is None
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        value_type = parser.parse_type()
        parser.parse_punctuation("->")
        result_type = parser.parse_type()
        patterns: list[Attribute] = []
        clauses: list[Region] = []
        with parser.in_braces():
            while parser.parse_optional_keyword("case"):
                variables: list[Parser.Argument] = []
                patterns.append(parse_pattern(parser, variables))
                clauses.append(parser.parse_region(variables))
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls.of(parser.resolve_operand(value, value_type), patterns, clauses, result_type, complete)
        op.attributes |= attributes.data if attributes else {}
        return op
