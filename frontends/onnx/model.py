"""Reading a model file, and the checks of its structure that everything behind relies on.

Nothing here trusts the file: names are defined once, there are no cycles, nesting is bounded, functions do not call
themselves, the opset is known. `onnx.checker` is not used: it is slow on large models and has crashed on damaged ones.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, defs

from xrelay.errors import ModelError, UnsupportedError
from xrelay.frontends.onnx.registry import canonical_domain

OLDEST_OPSET = 7
MAX_DEPTH = 16
"""How deep graphs may stand in attributes of nodes, and functions may call each other."""

MAX_NODES = 200_000
"""How many nodes a model may have when its functions and loops are written out."""

FunctionKey = tuple[str, str]


@dataclass
class Model:
    """A model whose structure is sound."""

    proto: ModelProto
    folder: Path | None
    """The folder of the model's file, where its external data lies."""
    opsets: Mapping[str, int]
    functions: Mapping[FunctionKey, FunctionProto] = field(default_factory=dict)

    @property
    def graph(self) -> GraphProto:
        return self.proto.graph

    @cached_property
    def defaults_may_be_overridden(self) -> bool:
        """Before IR version 4 every initializer was also an input; since then only those that may be given anew."""
        return self.proto.ir_version >= 4


def load_model(source: str | Path | bytes | ModelProto) -> Model:
    """Read a model and check its structure.

    Raises ModelError for a file that is none or is damaged, UnsupportedError for an opset that is too old or too new.
    """
    proto, folder = _read(source)
    if not proto.HasField("graph"):
        raise ModelError("this is no ONNX model: it has no graph")
    _check_text(proto)
    opsets = _opsets(proto.opset_import, "the model")
    functions = _functions(proto)
    _check_calls(proto, functions)
    return Model(proto, folder, opsets, functions)


def _read(source: str | Path | bytes | ModelProto) -> tuple[ModelProto, Path | None]:
    if isinstance(source, ModelProto):
        return source, None
    folder, name = None, "the model"
    if isinstance(source, str | Path):
        path = Path(source)
        folder, name = path.absolute().parent, str(path)
        try:
            source = path.read_bytes()
        except (OSError, ValueError) as error:
            raise ModelError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        return ModelProto.FromString(bytes(source)), folder
    except (DecodeError, TypeError) as error:
        raise ModelError(f"{name} is no ONNX model, or is damaged: {error}") from error


def _opsets(imports: Iterable, where: str) -> dict[str, int]:
    """Domain → version. The version of the default domain must be there and known: operators mean what it says."""
    opsets: dict[str, int] = {}
    for entry in imports:
        domain = canonical_domain(entry.domain)
        if opsets.setdefault(domain, entry.version) != entry.version:
            raise ModelError(f"{where} imports two opset versions of the domain {domain!r}")
    newest = defs.onnx_opset_version()
    if "" not in opsets:
        raise ModelError(f"{where} has no opset_import of the default domain, so the meaning of its operators is open")
    if not OLDEST_OPSET <= opsets[""] <= newest:
        raise UnsupportedError(
            f"{where} uses opset {opsets['']}; supported are {OLDEST_OPSET} to {newest} "
            "(onnx.version_converter converts between opsets; a newer onnx package knows newer ones)"
        )
    return opsets


def _check_text(proto: ModelProto) -> None:
    """Names are text: protobuf hands over bytes where they are not UTF-8."""
    for text in _texts(proto):
        if not isinstance(text, str):
            raise ModelError(f"a name in the model is not UTF-8 text: {text!r}")


def _texts(proto: ModelProto) -> Iterator[str]:
    yield from _graph_texts(proto.graph)
    for function in proto.functions:
        yield from (function.name, function.domain, *function.input, *function.output, *function.attribute)
    for nodes in (proto.graph.node, *(function.node for function in proto.functions)):
        for node in walk_nodes(nodes):
            yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
            yield from (text for attribute in node.attribute for text in (attribute.name, attribute.ref_attr_name))
            for graph in subgraphs(node):
                yield from _graph_texts(graph)


def _graph_texts(graph: GraphProto) -> Iterator[str]:
    for value in [*graph.input, *graph.output]:
        yield value.name
        yield from (dim.dim_param for dim in value.type.tensor_type.shape.dim)
    for tensor in [*graph.initializer, *(sparse.values for sparse in graph.sparse_initializer)]:
        yield tensor.name
        yield from (text for entry in tensor.external_data for text in (entry.key, entry.value))


# Functions ---------------------------------------------------------------------------------------------------------


def _functions(proto: ModelProto) -> dict[FunctionKey, FunctionProto]:
    functions: dict[FunctionKey, FunctionProto] = {}
    for function in proto.functions:
        key = (canonical_domain(function.domain), function.name)
        if key in functions:
            raise ModelError(f"function {function.name} of the domain {function.domain!r} is defined twice")
        functions[key] = function
    return functions


def function_opsets(function: FunctionProto, outer: Mapping[str, int]) -> Mapping[str, int]:
    """The opsets by which the body of a function is read: its own, those of the model where it names none."""
    if not function.opset_import:
        return outer
    own = {canonical_domain(entry.domain): entry.version for entry in function.opset_import}
    return _opsets(function.opset_import, f"function {function.name}") if "" in own else {**outer, **own}


def _check_calls(proto: ModelProto, functions: Mapping[FunctionKey, FunctionProto]) -> None:
    """Functions do not call themselves, and written out the model is not absurdly long."""
    sizes: dict[FunctionKey, int] = {}
    for key in functions:
        _expanded_size(key, functions, sizes, [])
    total = _count(proto.graph.node, functions, sizes)
    if total > MAX_NODES:
        raise ModelError(f"written out, the model has {total} nodes; supported are {MAX_NODES}")


def _expanded_size(
    key: FunctionKey,
    functions: Mapping[FunctionKey, FunctionProto],
    sizes: dict[FunctionKey, int],
    path: list[FunctionKey],
) -> int:
    """The number of nodes of a function, those of the functions it calls included; `path` are its callers."""
    if key in sizes:
        return sizes[key]
    if key in path:
        raise ModelError(f"function {key[1]} calls itself: {' → '.join(name for _, name in [*path, key])}")
    if len(path) >= MAX_DEPTH:
        callers = " → ".join(name for _, name in path)
        raise ModelError(f"functions call each other more than {MAX_DEPTH} deep: {callers}")
    for node in walk_nodes(functions[key].node):
        callee = (canonical_domain(node.domain), node.op_type)
        if callee in functions:
            _expanded_size(callee, functions, sizes, [*path, key])
    sizes[key] = _count(functions[key].node, functions, sizes)
    return sizes[key]


def _count(
    nodes: Iterable[NodeProto], functions: Mapping[FunctionKey, FunctionProto], sizes: Mapping[FunctionKey, int]
) -> int:
    keys = ((canonical_domain(node.domain), node.op_type) for node in walk_nodes(nodes))
    return sum(sizes[key] if key in functions else 1 for key in keys)


def subgraphs(node: NodeProto) -> list[GraphProto]:
    """The graphs in the attributes of a node."""
    graphs = [a.g for a in node.attribute if a.type == AttributeProto.GRAPH]
    return graphs + [g for a in node.attribute if a.type == AttributeProto.GRAPHS for g in a.graphs]


def walk_nodes(nodes: Iterable[NodeProto], depth: int = 0) -> Iterator[NodeProto]:
    """The nodes and those of the graphs inside them. Raises ModelError below MAX_DEPTH."""
    if depth > MAX_DEPTH:
        raise ModelError(f"graphs are nested more than {MAX_DEPTH} deep")
    for node in nodes:
        yield node
        for graph in subgraphs(node):
            yield from walk_nodes(graph.node, depth + 1)


# Order -------------------------------------------------------------------------------------------------------------


def describe(node: NodeProto) -> str:
    """`node 'conv1' (Conv)`; by its first output where it has no name."""
    if node.name:
        return f"node {node.name!r} ({node.op_type})"
    output = next(filter(None, node.output), "")
    return f"node of output {output!r} ({node.op_type})"


def captured_names(node: NodeProto) -> set[str]:
    """The names that the graphs inside a node use but do not define."""
    captured: set[str] = set()
    for graph in subgraphs(node):
        defined = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
        defined |= {name for inner in graph.node for name in inner.output}
        used = {name for inner in graph.node for name in [*inner.input, *captured_names(inner)]}
        used |= {value.name for value in graph.output}
        captured |= used - defined
    return captured - {""}


def ordered_nodes(nodes: Sequence[NodeProto], known: Iterable[str]) -> list[NodeProto]:
    """The nodes so that every one stands behind those it uses, otherwise in the order of the file.

    `known` are the names defined outside. Raises ModelError for a name defined twice or not at all, and for a cycle.
    """
    producers: dict[str, int] = {}
    outside = set(known)
    for i, node in enumerate(nodes):
        for name in filter(None, node.output):
            if name in producers or name in outside:
                raise ModelError(f"{describe(node)}: its output {name!r} is already defined elsewhere")
            producers[name] = i
    needs = [_producers_of(node, producers, outside) for node in nodes]
    waiting = [len(need) for need in needs]
    users: list[list[int]] = [[] for _ in nodes]
    for i, need in enumerate(needs):
        for producer in need:
            users[producer].append(i)
    return [nodes[i] for i in _stable_order(nodes, needs, waiting, users)]


def _producers_of(node: NodeProto, producers: Mapping[str, int], outside: set[str]) -> set[int]:
    need = set()
    for i, name in enumerate([*node.input, *sorted(captured_names(node))]):
        if not name or name in outside:
            continue
        if name not in producers:
            what = f"its input {i}" if i < len(node.input) else "a graph inside it uses"
            raise ModelError(f"{describe(node)}: {what} {name!r}, which is not defined")
        need.add(producers[name])
    return need


def _stable_order(
    nodes: Sequence[NodeProto], needs: Sequence[set[int]], waiting: list[int], users: Sequence[Sequence[int]]
) -> list[int]:
    ready = [i for i, count in enumerate(waiting) if count == 0]
    order: list[int] = []
    while ready:
        i = heapq.heappop(ready)
        order.append(i)
        for user in users[i]:
            waiting[user] -= 1
            if waiting[user] == 0:
                heapq.heappush(ready, user)
    if len(order) < len(nodes):
        raise ModelError(f"the graph has a cycle: {_cycle(nodes, needs, set(range(len(nodes))) - set(order))}")
    return order


def _cycle(nodes: Sequence[NodeProto], needs: Sequence[set[int]], left: set[int]) -> str:
    """One cycle among the nodes left, in words. Each of them waits for another one of them."""
    path, i = [], min(left)
    while i not in path:
        path.append(i)
        i = min(needs[i] & left)
    cycle = [*path[path.index(i) :], i]
    return " → ".join(describe(nodes[i]) for i in reversed(cycle))
