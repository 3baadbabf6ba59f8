"""`relay-div-to-mul`: a division by a float constant becomes a multiplication by its reciprocal.

The reciprocal is rounded once, so results may differ in the last bit, unless the constant is a power of two. A constant
with a zero, or with an element whose reciprocal is not a finite normal number, is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.func import FuncOp

from xrelay.dialects.relay.elementwise import Divide, Multiply
from xrelay.dialects.relay.types import as_tensor, dtype_of, is_float
from xrelay.lowering.graph.base import FunctionPass, constant_of
from xrelay.lowering.graph.rewrite import GraphRules

rules = GraphRules()


@dataclass(frozen=True)
class DivToMul(FunctionPass):
    """Replaces the divisions of every function."""

    name = "relay-div-to-mul"

    def apply_to_function(self, function: FuncOp) -> None:
        rules.rewrite(function.body)


@rules(Divide)
def division_by_constant(op, b):
    constant = constant_of(op.rhs)
    if constant is None or not is_float(as_tensor(op.rhs.type).element_type):
        return None
    array = constant.array
    wide = np.result_type(array.dtype, np.float32)
    with np.errstate(all="ignore"):
        reciprocal = np.divide(1, array, dtype=wide).astype(dtype_of(op.rhs.type))
    if not _are_normal(reciprocal):
        return None
    return b.make(Multiply, op.lhs, b.constant(reciprocal, f"{constant.value.data.name}_reciprocal"))


def _are_normal(array: np.ndarray) -> bool:
    from ml_dtypes import finfo

    sizes = np.abs(array.astype(np.float64))
    limits = finfo(array.dtype)
    return bool(((sizes >= float(limits.smallest_normal)) & (sizes <= float(limits.max))).all())
