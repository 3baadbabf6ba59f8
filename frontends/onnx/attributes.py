"""Reading the attributes of a node, by the types that its operator's schema gives them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from onnx import AttributeProto, defs

from xrelay.errors import ModelError

_FIELDS = {
    AttributeProto.FLOAT: "f",
    AttributeProto.INT: "i",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.GRAPH: "g",
    AttributeProto.SPARSE_TENSOR: "sparse_tensor",
    AttributeProto.FLOATS: "floats",
    AttributeProto.INTS: "ints",
    AttributeProto.STRINGS: "strings",
    AttributeProto.TENSORS: "tensors",
    AttributeProto.GRAPHS: "graphs",
}
"""The field that holds the value of an attribute of this type."""


def type_name(attribute_type: int) -> str:
    return AttributeProto.AttributeType.Name(attribute_type)


def decode(attribute: AttributeProto, where: str) -> Any:
    """The value: numbers, strings and lists as Python ones, tensors and graphs as protos.

    Raises ModelError for a type that there is not, and for text that is none.
    """
    if attribute.ref_attr_name:
        raise ModelError(f"{where}: attribute {attribute.name} refers to one of a function, but stands in none")
    field = _FIELDS.get(attribute.type)
    if field is None:
        raise ModelError(f"{where}: attribute {attribute.name} has no known type")
    value = getattr(attribute, field)
    try:
        if attribute.type == AttributeProto.STRING:
            return value.decode()
        if attribute.type == AttributeProto.STRINGS:
            return [text.decode() for text in value]
    except UnicodeDecodeError:
        raise ModelError(f"{where}: attribute {attribute.name} is not UTF-8 text") from None
    return list(value) if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS) else value


def read_attributes(attributes: Iterable[AttributeProto], schema: defs.OpSchema | None, where: str) -> dict[str, Any]:
    """Name → value, checked against the schema if there is one; defaults of the schema are filled in.

    Raises ModelError for an attribute that the operator does not have, of another type, given twice, or missing.
    """
    values: dict[str, Any] = {}
    for attribute in attributes:
        if attribute.name in values:
            raise ModelError(f"{where}: attribute {attribute.name} is given twice")
        if schema is not None:
            _check(attribute, schema, where)
        values[attribute.name] = decode(attribute, where)
    if schema is not None:
        for name, spec in schema.attributes.items():
            if name in values:
                continue
            if spec.required:
                raise ModelError(f"{where}: attribute {name} is missing")
            if spec.default_value.name:
                values[name] = decode(spec.default_value, where)
    return values


def _check(attribute: AttributeProto, schema: defs.OpSchema, where: str) -> None:
    spec = schema.attributes.get(attribute.name)
    if spec is None:
        known = ", ".join(sorted(schema.attributes)) or "none"
        raise ModelError(f"{where}: {schema.name} has no attribute {attribute.name} (it has: {known})")
    expected = int(spec.type.value)  # pyright: ignore[reportAttributeAccessIssue] (onnx's stub has no enumeration)
    if attribute.type != expected:
        raise ModelError(
            f"{where}: attribute {attribute.name} has the type {type_name(attribute.type)}, "
            f"{schema.name} takes {type_name(expected)}"
        )
