"""`relay-canonicalize-ops`: one form for what can be written in several, the form that fuses and runs best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from xrelay.dialects.relay import elementwise
from xrelay.dialects.relay.linear import BiasAdd, Dense, Matmul
from xrelay.dialects.relay.shape import ExpandDims
from xrelay.dialects.relay.types import shape_of
from xrelay.lowering.graph.base import FunctionPass, array_of, constant_of
from xrelay.lowering.graph.rewrite import GraphRules

rules = GraphRules()


@dataclass(frozen=True)
class CanonicalizeOps(FunctionPass):
    """Applies the rules of this file until none applies any more."""

    name = "relay-canonicalize-ops"
    opt_level = 3

    def apply_to_function(self, function: FuncOp) -> None:
        rules.rewrite(function.body)


@rules(BiasAdd)
def bias_add(op, b):
    """bias_add → add of the bias with its axis in place: what joins additions need not know of it."""
    rank = len(shape_of(op.data.type))
    behind = rank - 1 - op.attrs.axis % rank
    bias = b.make(ExpandDims, op.bias, axis=1, num_newaxis=behind) if behind else op.bias
    return b.make(elementwise.Add, op.data, bias)


@rules(Dense)
def dense_of_constant(op, b):
    """A constant weight (units, in) is transposed now, so that the kernel reads it with unit stride along the units."""
    weight = constant_of(op.weight)
    if weight is None:
        return None
    transposed = b.constant(np.ascontiguousarray(weight.array.T), f"{weight.value.data.name}_t")
    return b.make(Matmul, op.data, transposed, units=op.attrs.units, out_dtype=op.attrs.out_dtype)


BROADCASTING = (
    elementwise.Add,
    elementwise.Subtract,
    elementwise.Multiply,
    elementwise.Divide,
    elementwise.Power,
    elementwise.Maximum,
    elementwise.Minimum,
    elementwise.Equal,
    elementwise.NotEqual,
    elementwise.Less,
    elementwise.LessEqual,
    elementwise.Greater,
    elementwise.GreaterEqual,
)


@rules(*BROADCASTING)
def scalar_operand(op, b):
    """A constant of one element becomes one of rank 0: as such it moves into the kernel."""
    sizes = shape_of(op.result.type)
    if _is_single(op.rhs) and shape_of(op.lhs.type) == sizes:
        return b.make(type(op), op.lhs, _scalar(op.rhs, b))
    if _is_single(op.lhs) and shape_of(op.rhs.type) == sizes:
        return b.make(type(op), _scalar(op.lhs, b), op.rhs)
    return None


def _is_single(value: SSAValue) -> bool:
    array = array_of(value)
    return array is not None and array.size == 1 and array.ndim > 0


def _scalar(value: SSAValue, b) -> SSAValue:
    constant = constant_of(value)
    assert constant is not None
    return b.constant(constant.array.reshape(()), constant.value.data.name)
