"""Functions: those that a model defines, and operators that the ONNX standard defines by others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError
from onnx import AttributeProto, FunctionProto, NodeProto, TypeProto, helper

from xrelay.dialects.relay.types import DYNAMIC, dtype_of
from xrelay.frontends.onnx.model import subgraphs

if TYPE_CHECKING:
    from xrelay.frontends.onnx.node import Node


def bind_attributes(function: FunctionProto, call: NodeProto, absent: set[str]) -> list[NodeProto]:
    """The body of a function for one call: its attributes are put in, inputs not given are left out."""
    given = {attribute.name: attribute for attribute in function.attribute_proto}
    given.update((attribute.name, attribute) for attribute in call.attribute)
    body = []
    for node in function.node:
        bound = NodeProto()
        bound.CopyFrom(node)
        _bind([bound], given, absent)
        body.append(bound)
    return body


def _bind(nodes: Iterable[NodeProto], given: Mapping[str, AttributeProto], absent: set[str]) -> None:
    for node in nodes:
        for i, name in enumerate(node.input):
            if name in absent:
                node.input[i] = ""
        for attribute in list(node.attribute):
            if not attribute.ref_attr_name:
                continue
            value = given.get(attribute.ref_attr_name)
            if value is None:
                node.attribute.remove(attribute)
                continue
            name = attribute.name
            attribute.CopyFrom(value)
            attribute.name = name
        for graph in subgraphs(node):
            _bind(graph.node, given, absent)


def schema_function(node: Node, version: int) -> FunctionProto:
    """The function by which the standard defines this node's operator; it may depend on the types of the inputs.

    Raises UnsupportedError where it has none for this node.
    """
    schema: Any = node.schema  # onnx's stub lacks what is asked of it here
    try:
        if schema.has_context_dependent_function:
            since = _latest(schema.context_dependent_function_opset_versions, version)
            types = [_type_proto(node, i).SerializeToString() for i in range(len(node.inputs))]
            call = node.proto.SerializeToString()
            text = schema.get_context_dependent_function_with_opset_version(since, call, types)
        else:
            text = schema.get_function_with_opset_version(_latest(schema.function_opset_versions, version))
        return FunctionProto.FromString(text)
    except (RuntimeError, ValueError, DecodeError) as error:
        node.unsupported(f"{schema.name} is defined by no function for these inputs ({str(error).splitlines()[0]})")


def _latest(versions: Iterable[int], version: int) -> int:
    return max((v for v in versions if v <= version), default=version)


def _type_proto(node: Node, i: int) -> TypeProto:
    if not node.has(i):
        return TypeProto()
    sizes = [None if size == DYNAMIC else size for size in node.shape(i)]
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(dtype_of(node.type(i))), sizes)
