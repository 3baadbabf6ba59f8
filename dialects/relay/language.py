"""Functions as values: closures, global functions, and calls of both.

```mlir
%add1 = relay.fn (%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.add %x, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
  relay.yield %0 : tensor<f32>
}
%y = relay.invoke %add1(%a) : (tensor<f32>) -> tensor<f32>
```

Global functions are `func.func`; those with type parameters list them in the attribute `relay.type_params`. `func.call`
calls one whose types are exactly those of the call; anything else goes through `relay.global` and `relay.invoke`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    LocationAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.control import Yield, yielded_types
from xrelay.dialects.relay.core import LanguageOp, UnknownEffects
from xrelay.dialects.relay.language_types import ForallType, function_type, is_function
from xrelay.dialects.relay.types import compatible

TYPE_PARAMS = "relay.type_params"
"""The attribute of a generic `func.func`: an array of names."""
FUNCTION_ATTRS = "relay.attrs"
"""The attribute of a function or module for what Relay keeps with it (`Compiler`, `Composite`, …): a dictionary."""


@irdl_op_definition
class Fn(LanguageOp):
    """A function as a value. It captures the values around it that its body uses.

    ```mlir
    %id = relay.fn<A> (%x: !relay.type_var<"A">) -> !relay.type_var<"A"> { … }
    %loop = relay.fn rec %self (%i: tensor<i32>) -> tensor<i32> { … relay.invoke %self(…) … }
    ```

    With `rec` the first argument of the block is the function itself.

    C1: the result is a function type of one result, or a generic one.
    C2: the arguments of the block are the function itself, if it is recursive, and the parameters.
    C3: the block ends in a `relay.yield` of one value, of the function's result type (up to unknown sizes).
    """

    name = "relay.fn"
    recursive = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    result = result_def()

    @classmethod
    def of(
        cls,
        body: Region,
        output: Attribute | None = None,
        type_params: Sequence[str] = (),
        recursive: bool = False,
        location: LocationAttr | None = None,
    ) -> Self:
        """Build from a region; the result type of the function is what the region yields, if not given.

        The first argument of a recursive one gets the function's type here.
        """
        block = body.block
        if output is None:
            (output,) = yielded_types(body)
        self_type = function_type([arg.type for arg in block.args[recursive:]], output, type_params)
        op = cls.create(
            result_types=[self_type], regions=[body], properties={"recursive": UnitAttr()} if recursive else {}
        )
        if location is not None:
            op.location = location
        return op

    @property
    def params(self) -> tuple[BlockArgument, ...]:
        return self.body.block.args[1 if self.recursive else 0 :]

    @property
    def itself(self) -> BlockArgument | None:
        """The argument that stands for the function in its own body."""
        return self.body.block.args[0] if self.recursive else None

    @property
    def signature(self) -> FunctionType:
        """The parameters and the result, with the type variables of a generic function."""
        value_type = self.result.type
        return value_type.body if isinstance(value_type, ForallType) else value_type  # type: ignore[return-value]

    @property
    def type_params(self) -> tuple[str, ...]:
        value_type = self.result.type
        return tuple(p.data for p in value_type.variables) if isinstance(value_type, ForallType) else ()

    @property
    def end(self) -> Operation | None:
        return self.body.block.last_op

    def verify_(self) -> None:
        if not is_function(self.result.type):
            raise VerifyException(f"C1: the result must be a function of one result, got {self.result.type}")
        signature = self.signature
        expected = ((self.result.type,) if self.recursive else ()) + signature.inputs.data
        if tuple(self.body.block.arg_types) != expected:
            raise VerifyException(
                f"C2: the block takes ({_types(self.body.block.arg_types)}), the function ({_types(expected)})"
            )
        (output,) = signature.outputs
        check_yield(self.body, output, "C3: the function")

    def print(self, printer: Printer) -> None:
        if self.type_params:
            with printer.in_angle_brackets():
                printer.print_list(self.type_params, printer.print_string)
        if self.itself is not None:
            printer.print_string(" rec ")
            printer.print_ssa_value(self.itself)
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.params, printer.print_block_argument)
        printer.print_string(" -> ")
        printer.print_attribute(self.signature.outputs.data[0])
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        print_attributes(self, printer)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names = parser.parse_optional_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_identifier) or []
        itself = parser.parse_argument(expect_type=False) if parser.parse_optional_keyword("rec") else None
        params = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        parser.parse_punctuation("->")
        output = parser.parse_type()
        self_type = function_type([param.type for param in params], output, names)
        body = parser.parse_region(params if itself is None else [itself.resolve(self_type), *params])
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.create(
            result_types=[self_type],
            regions=[body],
            properties={} if itself is None else {"recursive": UnitAttr()},
            attributes=attributes.data if attributes else {},
        )


@irdl_op_definition
class Instantiate(LanguageOp):
    """A generic function at some types: `relay.instantiate %f<tensor<f32>> : !relay.forall<…> -> (T) -> R`.

    C1: the operand is a generic function of as many type parameters.
    C2: its type with the types put in is the result type.
    """

    name = "relay.instantiate"
    function = operand_def(ForallType)
    type_args = prop_def(ArrayAttr)
    result = result_def(FunctionType)

    @classmethod
    def of(cls, function: SSAValue, type_args: Sequence[Attribute], location: LocationAttr | None = None) -> Self:
        """Raises VerifyException for another number of types, and for a function that is not generic."""
        op = cls.create(
            operands=[function],
            result_types=[_instantiated(function.type, type_args, "C1")],
            properties={"type_args": ArrayAttr(type_args)},
        )
        if location is not None:
            op.location = location
        return op

    def verify_(self) -> None:
        expected = _instantiated(self.function.type, self.type_args, "C1")
        if expected != self.result.type:
            raise VerifyException(f"C2: the function is {expected} at these types, not {self.result.type}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.function)
        print_type_args(printer, self.type_args)
        print_attributes(self, printer)
        printer.print_string(" : ")
        printer.print_attribute(self.function.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        function = parser.parse_unresolved_operand()
        type_args = parse_type_args(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(function, parser.parse_type())
        parser.parse_punctuation("->")
        return cls.create(
            operands=[operand],
            result_types=[parser.parse_type()],
            properties={"type_args": type_args or ArrayAttr([])},
            attributes=attributes.data if attributes else {},
        )


def _instantiated(
    value_type: Attribute, type_args: Sequence[Attribute] | ArrayAttr[Attribute], constraint: str
) -> FunctionType:
    if not isinstance(value_type, ForallType):
        raise VerifyException(f"{constraint}: {value_type} is not generic, it takes no type arguments")
    try:
        return value_type.instantiate(tuple(type_args))
    except VerifyException as error:
        raise VerifyException(f"{constraint}: {error}") from None


@irdl_op_definition
class Invoke(LanguageOp):
    """The result of a function value for these arguments: `relay.invoke %f(%x, %y) : (T, U) -> R`.

    Where the type of `%f` knows other sizes than the call, it stands behind: `: (T) -> R of (T') -> R'`.

    C1: `%f` is a function of one result, and not generic.
    C2: the arguments are of the parameters' types (up to unknown sizes).
    C3: so is the result.
    """

    name = "relay.invoke"
    function = operand_def()
    arguments = var_operand_def()
    result = result_def()
    traits = traits_def(UnknownEffects())

    @classmethod
    def of(cls, function: SSAValue, arguments: Sequence[SSAValue], location: LocationAttr | None = None) -> Self:
        """Build a call; the function says the result type. Raises VerifyException for what cannot be called."""
        output = _called(function.type).outputs.data[0]
        op = cls.create(operands=[function, *arguments], result_types=[output])
        if location is not None:
            op.location = location
        return op

    def verify_(self) -> None:
        callee = _called(self.function.type)
        types = [argument.type for argument in self.arguments]
        if len(types) != len(callee.inputs) or not all(map(compatible, callee.inputs, types)):
            expected = _types(callee.inputs)
            raise VerifyException(f"C2: the function takes ({expected}), the arguments are ({_types(types)})")
        if not compatible(callee.outputs.data[0], self.result.type):
            raise VerifyException(f"C3: the function gives {callee.outputs.data[0]}, the result is {self.result.type}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.function)
        with printer.in_parens():
            printer.print_list(self.arguments, printer.print_ssa_value)
        print_attributes(self, printer)
        printer.print_string(" : ")
        called = FunctionType.from_lists([argument.type for argument in self.arguments], self.result_types)
        printer.print_attribute(called)
        if self.function.type != called:
            printer.print_string(" of ")
            printer.print_attribute(self.function.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        function = parser.parse_unresolved_operand()
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        called = parse_function_type(parser)
        value_type = parser.parse_type() if parser.parse_optional_keyword("of") else called
        return cls.create(
            operands=[
                parser.resolve_operand(function, value_type),
                *parser.resolve_operands(arguments, called.inputs.data, position),
            ],
            result_types=called.outputs.data,
            attributes=attributes.data if attributes else {},
        )


def _called(value_type: Attribute) -> FunctionType:
    """The type of what is called. Raises VerifyException (C1)."""
    if not isinstance(value_type, FunctionType) or len(value_type.outputs) != 1:
        raise VerifyException(f"C1: {value_type} is no function of one result that can be called")
    return value_type


class _GlobalUse(SymbolUserOpInterface):
    def verify(self, op: Operation) -> None:
        assert isinstance(op, Global)
        if op.parent_op() is None:
            return
        function = SymbolTable.lookup_symbol(op, op.function)
        if not isinstance(function, FuncOp):
            raise VerifyException(f"C1: the module has no function {op.function}")
        expected: Attribute = global_type(function)
        if op.type_args:
            expected = _instantiated(expected, op.type_args, "C2")
        if expected != op.result.type:
            raise VerifyException(f"C2: {op.function} is {expected}, not {op.result.type}")


@irdl_op_definition
class Global(LanguageOp):
    """A function of the module as a value: `relay.global @f : (T) -> R`, or `relay.global @map<T, U> : …` of a generic.

    C1: the module has the function.
    C2: its type, with the type arguments put in if they are given, is that of the result.
    """

    name = "relay.global"
    function = prop_def(FlatSymbolRefAttrConstr)
    type_args = opt_prop_def(ArrayAttr)
    result = result_def()
    traits = traits_def(_GlobalUse())

    @classmethod
    def of(
        cls,
        function: str,
        value_type: Attribute,
        type_args: Sequence[Attribute] = (),
        location: LocationAttr | None = None,
    ) -> Self:
        properties: dict[str, Attribute] = {"function": SymbolRefAttr(function)}
        if type_args:
            properties["type_args"] = ArrayAttr(type_args)
        op = cls.create(result_types=[value_type], properties=properties)
        if location is not None:
            op.location = location
        return op

    def verify_(self) -> None:
        if not is_function(self.result.type):
            raise VerifyException(f"C2: {self.result.type} is no function of one result")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.function.string_value())
        print_type_args(printer, self.type_args)
        print_attributes(self, printer)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        properties: dict[str, Attribute] = {"function": SymbolRefAttr(parser.parse_symbol_name())}
        if type_args := parse_type_args(parser):
            properties["type_args"] = type_args
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        return cls.create(
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes.data if attributes else {},
        )


def type_params(function: FuncOp) -> tuple[str, ...]:
    """The type parameters of a global function."""
    names = function.attributes.get(TYPE_PARAMS)
    return tuple(name.data for name in names if isinstance(name, StringAttr)) if isinstance(names, ArrayAttr) else ()


def global_type(function: FuncOp) -> Attribute:
    """The type of a global function as a value."""
    names = type_params(function)
    return ForallType.of(names, function.function_type) if names else function.function_type


# Text and checks that functions and matches share --------------------------------------------------------------------


def check_yield(region: Region, expected: Attribute, what: str) -> None:
    """Raises VerifyException unless the region ends in a yield of one value of this type (up to unknown sizes)."""
    end = region.block.last_op
    if not isinstance(end, Yield) or len(end.operands) != 1:
        raise VerifyException(f"{what} ends in relay.yield of one value")
    if not compatible(end.operands[0].type, expected):
        raise VerifyException(f"{what} yields {end.operands[0].type}, its result is {expected}")


def parse_function_type(parser: Parser) -> FunctionType:
    position = parser.pos
    found = parser.parse_type()
    if not isinstance(found, FunctionType):
        parser.raise_error("expected a function type", position, parser.pos)
    return found


def print_type_args(printer: Printer, types: ArrayAttr | None) -> None:
    if types:
        with printer.in_angle_brackets():
            printer.print_list(types, printer.print_attribute)


def parse_type_args(parser: Parser) -> ArrayAttr | None:
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_type)
    return ArrayAttr(types) if types else None


def print_attributes(op: Operation, printer: Printer) -> None:
    if op.attributes:
        printer.print_string(" attributes")
        printer.print_op_attributes(op.attributes)


def _types(types: Sequence[Attribute] | ArrayAttr) -> str:
    return ", ".join(map(str, types))
