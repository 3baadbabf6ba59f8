"""Small models for the tests, and running them by import and debug executor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from xrelay.frontends.onnx.importer import import_onnx
from xrelay.interpreters.executor import run_module

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL

node = helper.make_node


def info(name: str, dtype: int = F32, shape: Sequence[int | str] | None = ()) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, shape)


def tensor(name: str, value: Any, dtype: Any = None) -> TensorProto:
    return numpy_helper.from_array(np.array(value, dtype), name)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[str | onnx.ValueInfoProto],
    initializers: Sequence[TensorProto] = (),
    opset: int = 17,
    ir: int = 8,
    functions: Sequence[onnx.FunctionProto] = (),
    domains: Mapping[str, int] | None = None,
) -> onnx.ModelProto:
    """A model; an output given by name alone is declared without a type."""
    declared = [onnx.ValueInfoProto(name=o) if isinstance(o, str) else o for o in outputs]
    graph = helper.make_graph(list(nodes), "test", list(inputs), declared, list(initializers))
    opsets = [helper.make_opsetid(domain, version) for domain, version in {"": opset, **(domains or {})}.items()]
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir, functions=list(functions))


def one_node(
    op_type: str,
    feeds: Mapping[str, np.ndarray],
    constants: Mapping[str, np.ndarray] | None = None,
    order: Sequence[str] | None = None,
    outputs: int = 1,
    opset: int = 17,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node; its inputs are the feeds and then the constants, or in the `order` given ("" for none)."""
    constants = constants or {}
    inputs = [info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for k, v in feeds.items()]
    names = [f"out{i}" for i in range(outputs)]
    the_node = node(op_type, order or [*feeds, *constants], names, name="the_node", **attributes)
    return model([the_node], inputs, names, [tensor(k, v) for k, v in constants.items()], opset=opset)


def run(proto: Any, feeds: Mapping[str, np.ndarray], **options: Any) -> list[np.ndarray]:
    """The outputs of the model, by import and the meanings of the operators."""
    module = import_onnx(proto, **options)
    module.verify()
    main = module.body.block.first_op
    names = [name.data for name in main.attributes["relay.input_names"]]
    return run_module(module, [feeds[name] for name in names])


def operators(module: Any) -> list[str]:
    """The names of the operators in the module's main function, without constants."""
    main = module.body.block.first_op
    return [op.name for op in main.body.block.ops if op.name not in ("relay.constant", "func.return")]
