"""Run one operator through its lowering, in the interpreter of the tensor level."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region

import xrelay.lowering.tensor
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.types import dtype_of, element_of, tensor_type
from xrelay.interpreters.relay.registry import evaluate
from xrelay.interpreters.tensor import run_function
from xrelay.lowering.tensor.relay_to_tensor import convert_function

for _family in pkgutil.iter_modules(xrelay.lowering.tensor.__path__):
    importlib.import_module(f"xrelay.lowering.tensor.{_family.name}")


def single_operator(op_class: type[RelayOp], arrays: Sequence[np.ndarray], **attrs: Any) -> tuple[ModuleOp, RelayOp]:
    """A module whose @main applies one operator to its arguments, and that operator."""
    types = [tensor_type(a.shape, element_of(a.dtype)) for a in arrays]
    block = Block(arg_types=types)
    op = op_class.make(*block.args, **attrs)
    block.add_ops([op, func.ReturnOp(*op.results)])
    main = func.FuncOp("main", (types, op.result_types), Region(block))
    return ModuleOp([main]), op


def run_lowered(op_class: type[RelayOp], arrays: Sequence[np.ndarray], **attrs: Any) -> list[np.ndarray]:
    """The results of an operator, computed by its lowering; in the dtypes of its result types."""
    arrays = [np.asarray(a) for a in arrays]
    module, op = single_operator(op_class, arrays, **attrs)
    module.verify()
    dtypes = [dtype_of(t) for t in op.result_types]
    (main,) = module.ops
    assert isinstance(main, func.FuncOp)
    convert_function(main)
    module.verify()
    # Unsigned results come as signed arrays of the same bits.
    return [result.view(dtype) for result, dtype in zip(run_function(module, "main", arrays), dtypes, strict=True)]


def run_meaning(op_class: type[RelayOp], arrays: Sequence[np.ndarray], **attrs: Any) -> list[np.ndarray]:
    """The results of an operator by its meaning in NumPy."""
    arrays = [np.asarray(a) for a in arrays]
    _, op = single_operator(op_class, arrays, **attrs)
    return list(evaluate(op, tuple(arrays)))


def assert_lowering_matches(
    op_class: type[RelayOp], arrays: Sequence[np.ndarray], rtol: float = 0.0, **attrs: Any
) -> None:
    """The lowering gives what the meaning gives: the same dtypes and, up to `rtol`, values."""
    expected, actual = (run(op_class, arrays, **attrs) for run in (run_meaning, run_lowered))
    for want, got in zip(expected, actual, strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=rtol, atol=rtol)
