"""Walks over the nodes of a graph and lets each be imported, folded, or written out as the function it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from onnx import FunctionProto, GraphProto, NodeProto, defs
from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr
from xdsl.ir import Block, SSAValue

from xrelay.dialects.relay import Constant
from xrelay.errors import ModelError, UnsupportedError
from xrelay.frontends.onnx.folding import fold
from xrelay.frontends.onnx.functions import bind_attributes, schema_function
from xrelay.frontends.onnx.model import MAX_DEPTH, MAX_NODES, Model, describe, function_opsets, ordered_nodes
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import canonical_domain, find_importer
from xrelay.frontends.onnx.signatures import check_signature
from xrelay.frontends.onnx.tensors import sparse_to_array, to_array
from xrelay.frontends.onnx.value import Value

FAILED = Value("failed")
"""Stands for the outputs of a node that is not supported, so that the import goes on and finds all such nodes."""


class Scope:
    """The names of one graph, with those of the graphs around it."""

    def __init__(self, parent: Scope | None = None):
        self.parent = parent
        self.values: dict[str, Value] = {}

    def find(self, name: str) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        return None

    def names(self) -> set[str]:
        """All names that can be used here."""
        return set(self.values) | (self.parent.names() if self.parent else set())


class GraphImporter:
    """Imports the graphs of a model, one inside the other, into blocks of relay operators."""

    def __init__(self, model: Model):
        self.model = model
        self.block = Block()
        """Where operators are appended at present."""
        self.constants: list[Constant] = []
        self.unsupported: dict[str, None] = {}
        """What is not supported, in the order found; a dict, to keep each message once."""
        self.turns = 0
        """How many turns of loops have been written out."""
        self._opsets = model.opsets
        self._depth = 0
        self._imported = 0
        self._initializers: dict[int, tuple[GraphProto, dict[str, Value]]] = {}
        """Those of the graphs in nodes, by identity: the body of a loop is imported many times."""

    def constant(self, array: np.ndarray, name: str) -> SSAValue:
        constant = Constant.of(array, name, NameLoc(StringAttr(name), NoneAttr()))
        self.constants.append(constant)
        return constant.result

    # Graphs ------------------------------------------------------------------------------------------------------

    def initializers(self, graph: GraphProto) -> dict[str, Value]:
        """The initializers of a graph, as known values."""
        values: dict[str, Value] = {}
        for tensor in graph.initializer:
            self._add(values, tensor.name, to_array(tensor, self.model.folder, f"initializer {tensor.name!r}"))
        for sparse in graph.sparse_initializer:
            name = sparse.values.name
            self._add(values, name, sparse_to_array(sparse, self.model.folder, f"initializer {name!r}"))
        return values

    @staticmethod
    def _add(values: dict[str, Value], name: str, array: np.ndarray) -> None:
        if not name:
            raise ModelError("an initializer has no name")
        if name in values:
            raise ModelError(f"initializer {name!r} is defined twice")
        values[name] = Value(name, array=array)

    def run(self, nodes: Sequence[NodeProto], scope: Scope, prefix: str = "") -> None:
        """Import nodes in an order that they can be computed in. Names of the nodes get the prefix."""
        for node in ordered_nodes(nodes, scope.names()):
            self._import(node, scope, prefix)

    def outputs(self, names: Iterable[str], scope: Scope, where: str) -> list[Value]:
        return [self._output(name, scope, where) for name in names]

    @staticmethod
    def _output(name: str, scope: Scope, where: str) -> Value:
        value = scope.find(name)
        if value is None:
            raise ModelError(f"{where}: its output {name!r} is not defined")
        return value

    def subgraph(self, graph: GraphProto, scope: Scope, where: str, inputs: Sequence[Value] = ()) -> list[Value]:
        """Import a graph that stands in a node into the present block, with values for its inputs; its outputs."""
        if len(graph.input) != len(inputs):
            raise ModelError(f"{where}: its graph {graph.name!r} has {len(graph.input)} inputs, not {len(inputs)}")
        inner = Scope(scope)
        if id(graph) not in self._initializers:
            self._initializers[id(graph)] = graph, self.initializers(graph)
        inner.values.update(self._initializers[id(graph)][1])
        inner.values.update((info.name, value) for info, value in zip(graph.input, inputs, strict=True))
        self.run(graph.node, inner)
        return self.outputs([output.name for output in graph.output], inner, where)

    # Nodes -------------------------------------------------------------------------------------------------------

    def _import(self, proto: NodeProto, scope: Scope, prefix: str) -> None:
        if prefix:
            renamed = NodeProto()
            renamed.CopyFrom(proto)
            renamed.name = f"{prefix}/{proto.name or proto.op_type}"
            proto = renamed
        self._imported += 1
        if self._imported > MAX_NODES:
            raise UnsupportedError(f"{describe(proto)}: written out, the model has more than {MAX_NODES} nodes")
        inputs = [scope.find(name) if name else None for name in proto.input]
        try:
            results = self._results(proto, scope, inputs)
        except UnsupportedError as error:
            self.unsupported[str(error)] = None
            results = [FAILED] * len(proto.output)
        for i, name in enumerate(proto.output):
            if name:
                scope.values[name] = self._named(results, i, name, proto)

    @staticmethod
    def _named(results: Sequence[Any], i: int, name: str, proto: NodeProto) -> Value:
        if i >= len(results):
            raise UnsupportedError(f"{describe(proto)}: its output {i} is not supported")
        result = results[i]
        if isinstance(result, Value):
            return result
        return Value(name, ssa=result) if isinstance(result, SSAValue) else Value(name, array=result)

    def _results(self, proto: NodeProto, scope: Scope, inputs: Sequence[Value | None]) -> Sequence[Any]:
        """The outputs of a node. Raises UnsupportedError for an operator without importer."""
        domain = canonical_domain(proto.domain)
        function = self.model.functions.get((domain, proto.op_type))
        if function is not None:
            return [FAILED] * len(proto.output) if FAILED in inputs else self._call(function, proto, inputs)
        if domain not in self._opsets:
            raise ModelError(f"{describe(proto)}: the model imports no opset of its domain {proto.domain!r}")
        version = self._opsets[domain]
        schema = _schema(proto.op_type, version, domain)
        node_importer = find_importer(domain, proto.op_type, version)
        where = f"{describe(proto)[:-1]}, opset {version})"
        if node_importer is None and (schema is None or not _is_function(schema)):
            known = "is not supported" if schema or domain else "does not exist in this opset"
            raise UnsupportedError(f"{where}: the operator {_qualified(domain, proto.op_type)} {known}")
        if FAILED in inputs:
            return [FAILED] * len(proto.output)
        node = Node(self, scope, proto, inputs, version, schema, where)
        if schema is not None:
            check_signature(node, schema)
        folded = fold(node)
        if folded is not None:
            return folded
        if node_importer is None:
            return self._call(schema_function(node, version), proto, inputs)
        results = node_importer(node)
        return results if isinstance(results, list | tuple) else [results]

    def _call(
        self,
        function: FunctionProto,
        proto: NodeProto,
        inputs: Sequence[Value | None],
    ) -> list[Value]:
        """Import the body of a function in place of the node that calls it."""
        if self._depth >= MAX_DEPTH:
            raise ModelError(f"{describe(proto)}: functions call each other more than {MAX_DEPTH} deep")
        if len(inputs) > len(function.input):
            raise ModelError(f"{describe(proto)}: {len(inputs)} inputs, the function takes {len(function.input)}")
        scope = Scope()
        given = {name: value for name, value in zip(function.input, inputs, strict=False) if value is not None}
        scope.values.update(given)
        absent = set(function.input) - set(given)
        nodes = bind_attributes(function, proto, absent)
        saved = self._opsets, self._depth
        self._opsets, self._depth = function_opsets(function, self._opsets), self._depth + 1
        try:
            self.run(nodes, scope, proto.name or proto.op_type)
        finally:
            self._opsets, self._depth = saved
        if len(proto.output) > len(function.output):
            raise ModelError(f"{describe(proto)}: {len(proto.output)} outputs, the function has {len(function.output)}")
        wanted = zip(function.output, proto.output, strict=False)
        return [self._output(inner, scope, describe(proto)) if outer else FAILED for inner, outer in wanted]


def _schema(op_type: str, version: int, domain: str) -> defs.OpSchema | None:
    """The definition of an operator in this version. None where onnx knows none, or a newer version dropped it."""
    try:
        schema = defs.get_schema(op_type, version, domain)
    except defs.SchemaError:
        return None
    return None if schema.deprecated else schema


def _is_function(schema: Any) -> bool:
    """Whether the standard defines an operator by a function (of which onnx's stub does not know)."""
    return schema.has_function or schema.has_context_dependent_function


def _qualified(domain: str, op_type: str) -> str:
    return f"{domain}.{op_type}" if domain else op_type
