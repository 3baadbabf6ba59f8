"""Loops whose number of turns is known: their bodies are written out, one behind the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from onnx import GraphProto
from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import shape_of
from xrelay.frontends.onnx.graph import FAILED
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.onnx.types import numpy_dtype
from xrelay.frontends.onnx.value import Value
from xrelay.frontends.operators import ops

MAX_TURNS = 4096
"""How many turns of loops are written out in one model, all loops together."""


@importer("Loop")
def loop(node: Node) -> Sequence[Any]:
    """Supported where both the trip count and the condition of every turn are known during import."""
    body: GraphProto = node.attr("body")
    count = int(node.known_scalar(0)) if node.has(0) else None
    condition: Value | None = node.value(1) if node.has(1) else None
    carried = [node.value(i) for i in range(2, len(node.inputs))]
    if len(body.output) < 1 + len(carried):
        node.fail(f"its body has {len(body.output)} outputs, of which {len(carried)} values are carried on")
    collected: list[list[Value]] = [[] for _ in range(len(body.output) - 1 - len(carried))]
    for turn in _turns(node, count):
        if condition is not None and not _known_condition(node, condition):
            break
        start = [Value("turn", array=np.array(turn)), condition or Value("true", array=np.array(True))]
        outputs = node.graph.subgraph(body, node.scope, node.where, [*start, *carried])
        if FAILED in outputs:
            return [FAILED] * len(node.proto.output)
        # Without a condition at the start, that of the body still ends the loop.
        condition, carried = outputs[0], outputs[1 : 1 + len(carried)]
        for values, value in zip(collected, outputs[1 + len(carried) :], strict=True):
            values.append(value)
    empty = body.output[1 + len(carried) :]
    return [*carried, *(_stacked(node, values, info) for values, info in zip(collected, empty, strict=True))]


def _turns(node: Node, count: int | None) -> Iterator[int]:
    """The numbers of the turns, `count` of them. Raises UnsupportedError at the first beyond MAX_TURNS."""
    turn = 0
    while count is None or turn < count:
        node.graph.turns += 1
        if node.graph.turns > MAX_TURNS:
            node.unsupported(f"the loops of the model run more than {MAX_TURNS} turns in all")
        yield turn
        turn += 1


def _known_condition(node: Node, condition: Value) -> bool:
    if condition.array is None:
        node.unsupported("its condition is computed at run time")
    return bool(condition.array.reshape(-1)[0])


def _stacked(node: Node, values: Sequence[Value], info: Any, axis: int = 0) -> SSAValue | np.ndarray:
    """The values of all turns along a new axis; of no turns, the empty tensor that the body declares."""
    if values:
        return node.build(ops.Stack, *(value.operand(node.graph.constant) for value in values), axis=axis)
    tensor = info.type.tensor_type
    if not tensor.HasField("shape") or not all(dim.HasField("dim_value") for dim in tensor.shape.dim):
        node.unsupported(f"it never runs, and its body does not say the shape of {info.name!r}")
    sizes = [dim.dim_value for dim in tensor.shape.dim]
    return np.zeros((0, *sizes), numpy_dtype(tensor.elem_type, node.where))


# Scan --------------------------------------------------------------------------------------------------------------


@importer("Scan", since=9)
def scan(node: Node) -> Sequence[Any]:
    """State values, and slices of the scanned inputs, go into each turn."""
    body: GraphProto = node.attr("body")
    scanned = node.attr("num_scan_inputs")
    states = len(node.inputs) - scanned
    results = len(body.output) - states
    if scanned < 1 or states < 0 or results < 0:
        node.fail(f"num_scan_inputs {scanned} does not fit {len(node.inputs)} inputs")
    axes = [node.axis(a, node.rank(states + i)) for i, a in enumerate(_list(node, "scan_input_axes", scanned))]
    backwards = _list(node, "scan_input_directions", scanned)
    lengths = {node.static_shape(states + i)[axis] for i, axis in enumerate(axes)}
    if len(lengths) != 1:
        node.fail(f"the scanned inputs have different lengths: {sorted(lengths)}")
    (length,) = lengths
    carried = [node.value(i) for i in range(states)]
    collected: list[list[Value]] = [[] for _ in range(results)]
    for turn in _turns(node, length):
        slices = [
            _slice(node, states + i, axis, length - 1 - turn if back else turn)
            for i, (axis, back) in enumerate(zip(axes, backwards, strict=True))
        ]
        outputs = node.graph.subgraph(body, node.scope, node.where, [*carried, *slices])
        if FAILED in outputs:
            return [FAILED] * len(node.proto.output)
        carried = outputs[:states]
        for values, value in zip(collected, outputs[states:], strict=True):
            values.append(value)
    for i, back in enumerate(_list(node, "scan_output_directions", results)):
        collected[i] = collected[i][::-1] if back else collected[i]
    out_axes = _list(node, "scan_output_axes", results)
    infos = body.output[states:]
    return [*carried, *(_stacked(node, *item) for item in zip(collected, infos, out_axes, strict=True))]


def _list(node: Node, name: str, n: int) -> list[int]:
    values = list(node.attr(name) or [0] * n)
    if len(values) != n:
        node.fail(f"attribute {name} has {len(values)} numbers, {n} are needed")
    return values


def _slice(node: Node, i: int, axis: int, position: int) -> Value:
    """One slice of input i, without the axis."""
    data = node.input(i)
    assert axis < len(shape_of(data.type))
    cut = node.build(ops.StridedSlice, data, begin=(position,), end=(position + 1,), axes=(axis,))
    return Value("slice", ssa=node.build(ops.Squeeze, cut, axis=(axis,)))
