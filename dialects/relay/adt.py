"""Algebraic data types: their definitions and their values.

```mlir
relay.type @List<A> {
  @Cons(!relay.type_var<"A">, !relay.adt<"List", !relay.type_var<"A">>)
  @Nil
}

%list = relay.construct @Cons(%x, %nil) : (…) -> !relay.adt<"List", tensor<f32>>
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import ArrayAttr, FunctionType, LocationAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.core import LanguageOp, UnknownEffects
from xrelay.dialects.relay.language import parse_function_type, print_attributes
from xrelay.dialects.relay.language_types import AdtType, ForallType, TypeVarType, bind, substitute
from xrelay.dialects.relay.types import compatible


@irdl_attr_definition
class ConstructorAttr(ParametrizedAttribute):
    """A constructor in the definition of its type: `<@Cons(A, B)>`."""

    name = "relay.constructor"
    constructor: StringAttr
    fields: ArrayAttr[Attribute]

    @classmethod
    def of(cls, constructor: str, fields: Sequence[Attribute] = ()) -> ConstructorAttr:
        return cls(StringAttr(constructor), ArrayAttr(fields))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return cls.parse_fields(parser).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_fields(printer)

    @classmethod
    def parse_fields(cls, parser: AttrParser) -> ConstructorAttr:
        constructor = parser.parse_symbol_name()
        fields = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        return cls(constructor, ArrayAttr(fields or ()))

    def print_fields(self, printer: Printer) -> None:
        printer.print_symbol_name(self.constructor)
        if self.fields:
            with printer.in_parens():
                printer.print_list(self.fields, printer.print_attribute)


@irdl_op_definition
class TypeDefinition(LanguageOp):
    """A data type of the module: its type parameters and its constructors. Without constructors it is extern.

    C1: it stands in a module, and no other definition of the module has its name.
    C2: type parameters and constructors have different names each.
    C3: the fields of the constructors use the type parameters only.
    """

    name = "relay.type"
    sym_name = prop_def(StringAttr)
    type_params = prop_def(ArrayAttr[StringAttr])
    constructors = prop_def(ArrayAttr[ConstructorAttr])
    traits = traits_def(UnknownEffects())

    @classmethod
    def of(cls, name: str, type_params: Sequence[str], constructors: Sequence[ConstructorAttr]) -> Self:
        return cls.create(
            properties={
                "sym_name": StringAttr(name),
                "type_params": ArrayAttr(map(StringAttr, type_params)),
                "constructors": ArrayAttr(constructors),
            }
        )

    @property
    def type(self) -> AdtType:
        """The type that the constructors make, on the definition's own type parameters."""
        return AdtType(self.sym_name, ArrayAttr(map(TypeVarType, self.type_params)))

    def tag(self, constructor: str) -> int:
        """The number of a constructor. Raises VerifyException for a name that the type does not have."""
        names = [c.constructor.data for c in self.constructors]
        if constructor not in names:
            known = ", ".join(names) or "none"
            raise VerifyException(f"{self.sym_name.data} has no constructor {constructor}; it has {known}")
        return names.index(constructor)

    def fields(self, constructor: str, arguments: Sequence[Attribute]) -> tuple[Attribute, ...]:
        """The types of a constructor's fields, with types put for the type parameters.

        Raises VerifyException for a name that the type does not have, and for a wrong number of arguments.
        """
        found = self.constructors.data[self.tag(constructor)]
        types = bind(self.type_params, arguments)
        return tuple(substitute(field, types) for field in found.fields)

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and not isinstance(parent, ModuleOp):
            raise VerifyException(f"C1: a type definition stands in the module, not in {parent.name}")
        if parent is not None and find_definition(self, self.sym_name.data) is not self:
            raise VerifyException(f"C1: {self.sym_name.data} is defined twice")
        for what, names in (
            ("type parameter", [p.data for p in self.type_params]),
            ("constructor", [c.constructor.data for c in self.constructors]),
        ):
            if twice := {name for name in names if names.count(name) > 1}:
                raise VerifyException(f"C2: {what} {', '.join(sorted(twice))} is named twice")
        known = {p.data for p in self.type_params}
        for constructor in self.constructors:
            used = {t.variable.data for t in _walk(constructor.fields) if isinstance(t, TypeVarType)}
            if used - known:
                unknown = ", ".join(sorted(used - known))
                raise VerifyException(f"C3: {constructor.constructor.data} uses {unknown}, which is no type parameter")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name)
        if self.type_params:
            with printer.in_angle_brackets():
                printer.print_list([p.data for p in self.type_params], printer.print_string)
        if self.constructors:
            printer.print_string(" ")
            with printer.in_braces():
                with printer.indented():
                    for constructor in self.constructors:
                        printer.print_string("\n")
                        constructor.print_fields(printer)
                printer.print_string("\n")
        print_attributes(self, printer)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name().data
        names = parser.parse_optional_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_identifier) or []
        constructors: list[ConstructorAttr] = []
        if parser.parse_optional_punctuation("{"):
            while not parser.parse_optional_punctuation("}"):
                constructors.append(ConstructorAttr.parse_fields(parser))
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls.of(name, names, constructors)
        op.attributes |= attributes.data if attributes else {}
        return op


def _walk(attribute: Attribute) -> Sequence[Attribute]:
    """The attribute and all inside it."""
    inner = attribute.data if isinstance(attribute, ArrayAttr) else getattr(attribute, "parameters", ())
    return [attribute, *(found for item in inner for found in _walk(item))]


def module_of(op: Operation) -> ModuleOp | None:
    """The module around an operation."""
    around: Operation | None = op
    while around is not None and not isinstance(around, ModuleOp):
        around = around.parent_op()
    return around


def find_definition(op: Operation, name: str) -> TypeDefinition | None:
    """The definition of a data type in the module around an operation, None where there is none (or no module)."""
    module = module_of(op)
    found = (
        inner
        for inner in (module.body.ops if module is not None else ())
        if isinstance(inner, TypeDefinition) and inner.sym_name.data == name
    )
    return next(found, None)


def fields_of(op: Operation, constructor: str, value_type: Attribute) -> tuple[Attribute, ...]:
    """The types of a constructor's fields in a value of this type, by the definition in the module around an operation.

    Raises VerifyException for a type that is not defined or lacks the constructor.
    """
    if not isinstance(value_type, AdtType):
        raise VerifyException(f"{value_type} has no constructors, it is no data type")
    definition = find_definition(op, value_type.definition.data)
    if definition is None:
        raise VerifyException(f"the module does not define the data type {value_type.definition.data}")
    return definition.fields(constructor, tuple(value_type.arguments))


def _check_fields(op: Operation, constructor: str, value_type: Attribute, given: Sequence[Attribute]) -> None:
    """C1 and C2 of an operation on a constructor; one that stands in no module passes."""
    if module_of(op) is None:
        return
    try:
        expected = fields_of(op, constructor, value_type)
    except VerifyException as error:
        raise VerifyException(f"C1: {error}") from None
    if len(expected) != len(given) or not all(map(compatible, expected, given)):
        shown = (", ".join(map(str, types)) for types in (expected, given))
        raise VerifyException("C2: {} takes ({}), not ({})".format(constructor, *shown))


@irdl_op_definition
class Construct(LanguageOp):
    """A value of a data type: a constructor with its fields, `relay.construct @Cons(%h, %t) : (T, U) -> !relay.adt<…>`.

    C1: the data type is defined and has the constructor.
    C2: the fields are of the constructor's types, for the type arguments of the result (up to unknown sizes).
    """

    name = "relay.construct"
    constructor = prop_def(StringAttr)
    fields = var_operand_def()
    result = result_def(AdtType)

    @classmethod
    def of(
        cls, constructor: str, fields: Sequence[SSAValue], value_type: AdtType, location: LocationAttr | None = None
    ) -> Self:
        op = cls.create(
            operands=fields, result_types=[value_type], properties={"constructor": StringAttr(constructor)}
        )
        if location is not None:
            op.location = location
        return op

    def verify_(self) -> None:
        _check_fields(self, self.constructor.data, self.result.type, [field.type for field in self.fields])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.constructor)
        with printer.in_parens():
            printer.print_list(self.fields, printer.print_ssa_value)
        print_attributes(self, printer)
        printer.print_string(" : ")
        printer.print_attribute(FunctionType.from_lists(self.operand_types, self.result_types))

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        constructor = parser.parse_symbol_name()
        fields = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        signature = parse_function_type(parser)
        return cls.create(
            operands=parser.resolve_operands(fields, signature.inputs.data, position),
            result_types=signature.outputs.data,
            properties={"constructor": constructor},
            attributes=attributes.data if attributes else {},
        )


@irdl_op_definition
class ConstructorOp(LanguageOp):
    """A constructor as a function value, generic or not: `relay.constructor @Some : (T) -> !relay.adt<"Option", T>`.

    C1: the result is a function to a defined data type that has the constructor.
    C2: its parameters are the constructor's fields, for the type arguments of the data type.
    """

    name = "relay.constructor"
    constructor = prop_def(StringAttr)
    result = result_def()

    @classmethod
    def of(cls, constructor: str, value_type: Attribute, location: LocationAttr | None = None) -> Self:
        op = cls.create(result_types=[value_type], properties={"constructor": StringAttr(constructor)})
        if location is not None:
            op.location = location
        return op

    @property
    def data_type(self) -> AdtType:
        """The type of the values that it makes. Raises VerifyException for a result that is no such function (C1)."""
        signature = self._signature
        if signature is None or not isinstance(signature.outputs.data[0], AdtType):
            raise VerifyException(f"C1: a constructor is a function to a data type, not {self.result.type}")
        return signature.outputs.data[0]

    @property
    def _signature(self) -> FunctionType | None:
        value_type = self.result.type
        body = value_type.body if isinstance(value_type, ForallType) else value_type
        return body if isinstance(body, FunctionType) and len(body.outputs) == 1 else None

    def verify_(self) -> None:
        data_type = self.data_type
        assert self._signature is not None
        _check_fields(self, self.constructor.data, data_type, self._signature.inputs.data)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.constructor)
        print_attributes(self, printer)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        constructor = parser.parse_symbol_name()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        op = cls.of(constructor.data, parser.parse_type())
        op.attributes |= attributes.data if attributes else {}
        return op
