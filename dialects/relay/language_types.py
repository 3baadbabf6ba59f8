"""The types of values that are no tensors: functions, data types, references, and the variables of generic definitions.

A function type is builtin's `(A, B) -> C`, always with one result. The other types print as

    !relay.adt<"List", tensor<f32>>     !relay.ref<tensor<i32>>     !relay.type_var<"A">
    !relay.forall<["A"], (!relay.type_var<"A">) -> !relay.type_var<"A">>
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, FunctionType, StringAttr, TupleType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class RefType(ParametrizedAttribute, TypeAttribute):
    """A cell that holds a value of the type."""

    name = "relay.ref"
    value: Attribute


@irdl_attr_definition
class TypeVarType(ParametrizedAttribute, TypeAttribute):
    """A type parameter of the generic function or data type around it."""

    name = "relay.type_var"
    variable: StringAttr

    @classmethod
    def of(cls, variable: str) -> TypeVarType:
        return cls(StringAttr(variable))


@irdl_attr_definition
class AdtType(ParametrizedAttribute, TypeAttribute):
    """A data type by the name of its definition (`relay.type`), with the arguments for its type parameters."""

    name = "relay.adt"
    definition: StringAttr
    arguments: ArrayAttr[Attribute]

    @classmethod
    def of(cls, definition: str, *arguments: Attribute) -> AdtType:
        return cls(StringAttr(definition), ArrayAttr(arguments))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            definition = StringAttr(parser.parse_str_literal())
            arguments: list[Attribute] = []
            while parser.parse_optional_punctuation(","):
                arguments.append(parser.parse_type())
        return definition, ArrayAttr(arguments)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list([self.definition, *self.arguments], printer.print_attribute)


@irdl_attr_definition
class ForallType(ParametrizedAttribute, TypeAttribute):
    """The type of a generic function: its body, with type variables, for all types that are put for them."""

    name = "relay.forall"
    variables: ArrayAttr[StringAttr]
    body: FunctionType

    @classmethod
    def of(cls, variables: Sequence[str], body: FunctionType) -> ForallType:
        return cls(ArrayAttr(map(StringAttr, variables)), body)

    def verify(self) -> None:
        if not self.variables or len(set(self.variables)) != len(self.variables):
            names = ", ".join(v.data for v in self.variables)
            raise VerifyException(f"a generic function has type parameters, each once, not ({names})")

    def instantiate(self, arguments: Sequence[Attribute]) -> FunctionType:
        """The function type with these types put for the parameters. Raises VerifyException for another number."""
        return substitute(self.body, bind(self.variables, arguments))  # type: ignore[return-value]


def function_type(inputs: Sequence[Attribute], output: Attribute, parameters: Sequence[str] = ()) -> Attribute:
    """The type of a function, generic where it has type parameters."""
    body = FunctionType.from_lists(inputs, [output])
    return ForallType.of(parameters, body) if parameters else body


def is_function(value_type: Attribute) -> bool:
    """Whether values of the type can be called: function types of one result, and generic ones."""
    body = value_type.body if isinstance(value_type, ForallType) else value_type
    return isinstance(body, FunctionType) and len(body.outputs) == 1


def bind(parameters: ArrayAttr[StringAttr], arguments: Sequence[Attribute]) -> dict[str, Attribute]:
    """Type parameter → argument. Raises VerifyException where their numbers differ."""
    if len(parameters) != len(arguments):
        names = ", ".join(p.data for p in parameters) or "none"
        raise VerifyException(f"{len(arguments)} type arguments for the type parameters {names}")
    return {parameter.data: argument for parameter, argument in zip(parameters, arguments, strict=True)}


def substitute(value_type: Attribute, types: Mapping[str, Attribute]) -> Attribute:
    """The type with types put for its variables; parameters of a generic type inside hide those of the same name."""
    if not types:
        return value_type
    match value_type:
        case TypeVarType():
            return types.get(value_type.variable.data, value_type)
        case TupleType():
            return TupleType(ArrayAttr(substitute(field, types) for field in value_type.types))  # type: ignore[misc]
        case FunctionType():
            return FunctionType.from_lists(
                *([substitute(t, types) for t in side] for side in (value_type.inputs, value_type.outputs))
            )
        case RefType():
            return RefType(substitute(value_type.value, types))
        case AdtType():
            return AdtType(value_type.definition, ArrayAttr(substitute(t, types) for t in value_type.arguments))
        case ForallType():
            hidden = {parameter.data for parameter in value_type.variables}
            inner = {name: t for name, t in types.items() if name not in hidden}
            return ForallType(value_type.variables, substitute(value_type.body, inner))  # type: ignore[arg-type]
    return value_type
