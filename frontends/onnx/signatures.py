"""Checks a node against the operator's schema: how many inputs and outputs, and of which element types."""

from __future__ import annotations

from onnx import defs

from xrelay.errors import TypeInferenceError
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.types import onnx_type_string

_VARIADIC = defs.OpSchema.FormalParameterOption.Variadic
_SINGLE = defs.OpSchema.FormalParameterOption.Single


def check_signature(node: Node, schema: defs.OpSchema) -> None:
    """Raises ModelError for a wrong number of inputs or outputs, TypeInferenceError for wrong element types."""
    inputs, outputs = len(node.inputs), len(node.proto.output)
    if not schema.min_input <= inputs <= schema.max_input:
        node.fail(f"it has {inputs} inputs, {schema.name} takes {_range(schema.min_input, schema.max_input)}")
    if outputs > schema.max_output:
        node.fail(f"it has {outputs} outputs, {schema.name} gives {_range(schema.min_output, schema.max_output)}")
    constraints = {c.type_param_str: set(c.allowed_type_strs) for c in schema.type_constraints}
    bound: dict[str, tuple[str, int]] = {}
    for i in range(inputs):
        formal = schema.inputs[min(i, len(schema.inputs) - 1)]
        if not node.has(i):
            if formal.option in (_SINGLE, _VARIADIC):
                node.fail(f"{node.input_name(i)} is missing")
            continue
        actual = onnx_type_string(node.element(i))
        allowed = constraints.get(formal.type_str, {formal.type_str})
        if actual not in allowed:
            listed = ", ".join(sorted(allowed))
            node.fail(f"{node.input_name(i)} is a {actual}, {schema.name} takes {listed}", TypeInferenceError)
        if formal.type_str not in constraints or (formal.option == _VARIADIC and not formal.is_homogeneous):
            continue
        expected, first = bound.setdefault(formal.type_str, (actual, i))
        if actual != expected:
            node.fail(
                f"{node.input_name(i)} is a {actual}, but {node.input_name(first)} is a {expected}; they must agree",
                TypeInferenceError,
            )


def _range(low: int, high: int) -> str:
    if low == high:
        return str(low)
    return f"{low} or more" if high >= 2**31 - 1 else f"{low} to {high}"
