"""`relay-simplify-inference`: what a network needs for training only goes away.

`relay.nn.batch_norm` becomes one multiplication and one addition by vectors that `relay-fold-constant` computes (and
that `relay-fold-scale-axis` moves into the convolution before it); `relay.nn.dropout` becomes its operand.

Relay also spells out layer_norm, instance_norm, group_norm and l2_normalize here. They stay whole: as operators they
have kernels of their own that pass over the data once or twice, spelled out they are six or more operators with
reductions between them, which fusion cannot join again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from xrelay.dialects.relay.creation import OnesLike
from xrelay.dialects.relay.elementwise import Add, Divide, Multiply, Subtract
from xrelay.dialects.relay.normalization import BatchNorm, Dropout
from xrelay.dialects.relay.shape import ExpandDims
from xrelay.dialects.relay.types import dtype_of, f32, f64, shape_of
from xrelay.dialects.relay.unary import Cast, Sqrt
from xrelay.lowering.graph.base import FunctionPass
from xrelay.lowering.graph.rewrite import GraphRules

rules = GraphRules()


@dataclass(frozen=True)
class SimplifyInference(FunctionPass):
    """Replaces batch_norm by arithmetic and dropout by its operand."""

    name = "relay-simplify-inference"

    def apply_to_function(self, function: FuncOp) -> None:
        rules.rewrite(function.body)


@rules(BatchNorm)
def batch_norm(op, b):
    """data * scale + shift, with scale = gamma / sqrt(var + epsilon), shift = beta - mean * scale; statistics stay."""
    attrs = op.attrs
    element = op.data.type.element_type
    wide = element if element in (f32, f64) else f32

    def widened(vector: SSAValue) -> SSAValue:
        return vector if element == wide else b.make(Cast, vector, dtype=wide)

    def number(value: float, name: str) -> SSAValue:
        return b.constant(np.array(value, dtype_of(wide)), name)

    def ready(vector: SSAValue) -> SSAValue:
        """In the type of the data, and shaped so that it broadcasts along the axis."""
        vector = vector if element == wide else b.make(Cast, vector, dtype=element)
        return b.make(ExpandDims, vector, axis=1, num_newaxis=behind) if behind else vector

    rank = len(shape_of(op.data.type))
    behind = rank - 1 - attrs.axis % rank
    deviation = b.make(Sqrt, b.make(Add, widened(op.moving_var), number(attrs.epsilon, "epsilon")))
    scale = b.make(Divide, widened(op.gamma) if attrs.scale else number(1, "one"), deviation)
    centre = b.make(Multiply, widened(op.moving_mean), scale)
    shift = b.make(Subtract, widened(op.beta) if attrs.center else number(0, "zero"), centre)
    result = b.make(Add, b.make(Multiply, op.data, ready(scale)), ready(shift))
    return [result, op.moving_mean, op.moving_var]


@rules(Dropout)
def dropout(op, b):
    """The data itself; the mask keeps everything."""
    return [op.data, b.make(OnesLike, op.data)]
