"""Values of operators from elsewhere: one ONNX node in onnxruntime; and the meaning of a relay operator beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
from onnx import helper

from tests.lowering.lowering_utils import run_meaning
from xrelay.dialects.relay.core import RelayOp


def meaning(op_class: type[RelayOp], *arrays: Any, **attrs: Any) -> np.ndarray:
    """The one result of an operator on arrays."""
    (result,) = run_meaning(op_class, [np.asarray(a) for a in arrays], **attrs)
    return result


def onnx_node(op_type: str, arrays: Sequence[np.ndarray], result: Any, **attrs: Any) -> np.ndarray:
    """The one output, of dtype `result`, of an ONNX operator in onnxruntime."""
    names = [f"x{i}" for i in range(len(arrays))]
    element = helper.np_dtype_to_tensor_dtype
    graph = helper.make_graph(
        [helper.make_node(op_type, names, ["y"], **attrs)],
        "node",
        [helper.make_tensor_value_info(n, element(a.dtype), a.shape) for n, a in zip(names, arrays, strict=True)],
        [helper.make_tensor_value_info("y", element(np.dtype(result)), None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip(names, arrays, strict=True)))[0]
