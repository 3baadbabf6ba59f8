"""What every relay operator shares: attributes, one type rule, the builder, the textual form.

An operator is written once:

```python
@irdl_op_definition
class BiasAdd(RelayOp):
    \"\"\"out = data + bias, the bias along one axis. …\"\"\"

    name = "relay.nn.bias_add"
    data = operand_def(TensorType)
    bias = operand_def(TensorType)
    axis = attribute(INT, 1)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.BROADCAST))

    @classmethod
    def infer(cls, operands, attrs):
        ...
        return [result_type]
```

`infer` is the operator's type rule. The builder (`BiasAdd.make(x, b, axis=1)`), the verifier, shape inference and the
lowering all use it, so it must understand unknown sizes.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum
from types import SimpleNamespace
from typing import Any, ClassVar, Self

from xdsl.dialects.builtin import FunctionType, LocationAttr, UnknownLoc
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, opt_prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import EffectInstance, MemoryEffect, OpTrait, Pure
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import AttrSpec
from xrelay.dialects.relay.types import compatible


class FusionKind(IntEnum):
    """How an operator may be fused; the larger kind wins when a group's kinds are combined.

    Source: Relay's operator patterns (kElemWise … kOpaque).
    """

    ELEMENTWISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    REDUCTION = 3
    ANCHOR = 4
    """Heavy operators (conv, matmul, pool, softmax) that take elementwise operators behind them into their kernel."""
    TUPLE = 7
    OPAQUE = 8
    """Never fused; also the kind of an operator that declares none."""


@dataclass(frozen=True)
class Fusion(OpTrait):
    """The fusion kind of an operator, as a trait."""

    kind: FusionKind


class View(OpTrait):
    """The result holds the operand's elements in the same order (reshape, squeeze …): no kernel is needed for it."""


class UnknownEffects(MemoryEffect):
    """The operator runs code that is not known here: it may do anything, and stays where it is."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance] | None:
        return None


class MayFail(OpTrait):
    """A run stops at integer operands that the operator does not allow: an index outside, a divisor of zero."""


def fusion_kind(op: Operation | type[Operation]) -> FusionKind:
    trait = op.get_trait(Fusion)
    return trait.kind if trait is not None else FusionKind.OPAQUE


class RelayOp(IRDLOperation, ABC):
    """Base of all relay operators."""

    SCHEMA: ClassVar[Mapping[str, AttrSpec]] = {}
    """The declared attributes, in order."""

    traits = traits_def(Pure())

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declared = {key: value for key, value in vars(cls).items() if isinstance(value, AttrSpec)}
        for key in declared:
            setattr(cls, key, opt_prop_def(Attribute))
        cls.__annotations__ = {**vars(cls).get("__annotations__", {}), "SCHEMA": ClassVar[Mapping[str, AttrSpec]]}
        cls.SCHEMA = {**cls.SCHEMA, **declared}

    # The type rule -----------------------------------------------------------------------------------------------

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        """Result types from operand types and attributes. Raises VerifyException if the operands do not fit."""
        raise NotImplementedError(f"{cls.name} has no type rule")

    # Building ----------------------------------------------------------------------------------------------------

    @classmethod
    def make(cls, *operands: SSAValue | Operation, location: LocationAttr | None = None, **attrs: Any) -> Self:
        """Build the operator; attributes are Python values, result types come from the type rule.

        Raises VerifyException for operands that do not fit, TypeError for an attribute that does not exist.
        """
        unknown = attrs.keys() - cls.SCHEMA.keys()
        if unknown:
            raise TypeError(f"{cls.name} has no attribute {', '.join(sorted(unknown))}; it has {', '.join(cls.SCHEMA)}")
        properties: dict[str, Attribute] = {}
        for key, spec in cls.SCHEMA.items():
            value = attrs.get(key, spec.default)
            if value is None:
                continue
            if spec.required and key not in attrs:
                raise TypeError(f"{cls.name} needs the attribute {key}")
            properties[key] = spec.kind.encode(value)
        values = [SSAValue.get(operand) for operand in operands]
        types = cls.infer([v.type for v in values], decode_attrs(cls.SCHEMA, properties))
        op = cls.create(operands=values, result_types=types, properties=properties)
        if location is not None:
            op.location = location
        return op

    @property
    def attrs(self) -> SimpleNamespace:
        """The attributes as Python values, defaults filled in."""
        return decode_attrs(self.SCHEMA, self.properties)

    # Checking ----------------------------------------------------------------------------------------------------

    def verify_(self) -> None:
        for key, spec in self.SCHEMA.items():
            if spec.required and key not in self.properties:
                raise VerifyException(f"{self.name} needs the attribute {key}")
        inferred = self.infer(self.operand_types, self.attrs)
        actual = self.result_types
        if len(inferred) != len(actual) or not all(map(compatible, inferred, actual)):
            raise VerifyException(
                f"{self.name} gives {_types_text(inferred)} for these operands, not {_types_text(actual)}"
            )

    # Text: relay.nn.bias_add %x, %b {axis = 1} : (tensor<…>, tensor<…>) -> tensor<…> ------------------------------

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        attrs = self.attrs
        shown = [
            key
            for key, spec in self.SCHEMA.items()
            if getattr(attrs, key) is not None and (spec.required or getattr(attrs, key) != spec.default)
        ]
        if shown:
            printer.print_string(" {")
            printer.print_list(shown, lambda key: self._print_attr(printer, key, getattr(attrs, key)))
            printer.print_string("}")
        if self.attributes:
            printer.print_string(" attributes")
            printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(FunctionType.from_lists(self.operand_types, self.result_types))

    def _print_attr(self, printer: Printer, key: str, value: Any) -> None:
        printer.print_string(f"{key} = ")
        self.SCHEMA[key].kind.print(printer, value)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        properties: dict[str, Attribute] = {}
        for key, value in parser.parse_optional_comma_separated_list(
            parser.Delimiter.BRACES, lambda: cls._parse_attr(parser)
        ) or ():
            properties[key] = value
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        position = parser.pos
        signature = parser.parse_type()
        if not isinstance(signature, FunctionType):
            parser.raise_error("expected a function type", position, parser.pos)
        for key, spec in cls.SCHEMA.items():
            if key not in properties and spec.default is not None and not spec.required:
                properties[key] = spec.kind.encode(spec.default)
        return cls.create(
            operands=parser.resolve_operands(operands or [], signature.inputs.data, position),
            result_types=signature.outputs.data,
            properties=properties,
            attributes=attributes.data if attributes else {},
        )

    @classmethod
    def _parse_attr(cls, parser: Parser) -> tuple[str, Attribute]:
        position = parser.pos
        key = parser.parse_identifier()
        if key not in cls.SCHEMA:
            known = ", ".join(cls.SCHEMA) or "none"
            parser.raise_error(f"{cls.name} has no attribute {key} (it has: {known})", position, parser.pos)
        parser.parse_punctuation("=")
        kind = cls.SCHEMA[key].kind
        return key, kind.encode(kind.parse(parser))


class LanguageOp(RelayOp, ABC):
    """Base of the operators that a programming language has: they call, choose, name and store values of any type.

    They compute no tensor, so they never belong to a kernel, and what their results are is declared, not inferred.
    """


def decode_attrs(schema: Mapping[str, AttrSpec], properties: Mapping[str, Attribute]) -> SimpleNamespace:
    """Python values of the stored attributes, defaults for absent ones."""
    return SimpleNamespace(
        **{
            key: spec.kind.decode(properties[key])
            if key in properties
            else (None if spec.required else spec.default)
            for key, spec in schema.items()
        }
    )


def has_location(op: Operation) -> bool:
    return not isinstance(op.location, UnknownLoc)


def _types_text(types: Sequence[Attribute]) -> str:
    return ", ".join(str(t) for t in types) or "nothing"
