"""Operators that make tensors."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import dtype_of, element_of, f32, i64
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.onnx.tensors import sparse_to_array, to_array
from xrelay.frontends.onnx.types import check_size, element_type
from xrelay.frontends.operators import ops


@importer("Constant")
def constant(node: Node) -> np.ndarray:
    given = [name for name in ("value", "sparse_value", *_PLAIN) if node.attr(name) is not None]
    if len(given) != 1:
        node.fail(f"exactly one of its attributes holds the value, not {', '.join(given) or 'none'}")
    name, where = given[0], f"{node.where}: attribute {given[0]}"
    value, folder = node.attr(name), node.graph.model.folder
    if name == "value":
        return to_array(value, folder, where)
    if name == "sparse_value":
        return sparse_to_array(value, folder, where)
    dtype = _PLAIN[name]
    if dtype is None:
        node.unsupported("tensors of strings are not supported")
    return np.array(value, dtype)


_PLAIN = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
    "value_string": None,
    "value_strings": None,
}
"""Attributes that hold a plain value → its dtype."""


def fill_value(node: Node) -> np.ndarray:
    """The value of a ConstantOfShape: one number, 0.0 in float32 if it is not given."""
    tensor = node.attr("value")
    if tensor is None:
        return np.zeros((), np.float32)
    value = to_array(tensor, node.graph.model.folder, f"{node.where}: attribute value")
    if value.size != 1:
        node.fail(f"attribute value has {value.size} elements, not one")
    return value.reshape(())


@importer("ConstantOfShape")
def constant_of_shape(node: Node) -> SSAValue:
    value = fill_value(node)
    return node.build(ops.Full, node.constant(value, element_of(value.dtype)), shape=node.known_ints(0))


@importer("Range")
def range_(node: Node) -> SSAValue:
    start, limit, delta = (node.known_scalar(i) for i in range(3))
    return node.build(ops.Arange, start=start, stop=limit, step=delta, dtype=node.element())


@importer("EyeLike")
def eye_like(node: Node) -> SSAValue:
    """1 on the k-th diagonal: where the row plus k is the column."""
    if node.rank() != 2:
        node.fail(f"{node.input_name(0)} must be a matrix, not {node.type()}")
    rows, columns = node.static_shape()
    to = node.attr("dtype")
    element = node.element() if to is None else element_type(to, f"{node.where}: attribute dtype")
    check_size((rows, columns), np.dtype(np.int64), node.where)
    row = node.build(ops.Arange, start=node.attr("k"), stop=node.attr("k") + rows, step=1, dtype=i64)
    column = node.build(ops.Arange, start=0, stop=columns, step=1, dtype=i64)
    return node.cast(node.build(ops.Equal, node.build(ops.ExpandDims, row, axis=1), column), element)


@importer("HannWindow", "HammingWindow", "BlackmanWindow", since=17)
def window(node: Node) -> np.ndarray:
    """A window function of known size: a sum of cosines."""
    size = int(node.known_scalar(0))
    to = node.attr("output_datatype")
    element = f32 if to is None else element_type(to, f"{node.where}: attribute output_datatype")
    check_size((size,), np.dtype(np.float64), node.where)
    if size > 1 << 20:
        node.unsupported(f"a window of {size} elements")
    steps = max(size if node.attr("periodic") else size - 1, 1)
    angle = 2 * np.pi * np.arange(size) / steps
    weights = {"HannWindow": (0.5, 0.5), "HammingWindow": (25 / 46, 21 / 46), "BlackmanWindow": (0.42, 0.5, 0.08)}
    values = sum((-1) ** i * weight * np.cos(i * angle) for i, weight in enumerate(weights[node.proto.op_type]))
    return np.asarray(values).astype(dtype_of(element))
