"""`relay-forward-fold-scale-axis`: scales in front of a convolution or dense move into its weight.

    conv(x * s, W)             →  conv(x, W * s)               W scaled along its input channels
    conv(relu(x * s + t), W)   →  conv(relu(x + t / s), W * s)

`W`, `s` and `t` are float constants. Through relu and leaky_relu only scales go that are positive, past shifts only
scales without a zero. Convolutions have one group, or one a channel. Weight and shifts are rounded once more, so the
results of the model change in the last bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xrelay.dialects.relay.activation import LeakyRelu, Relu
from xrelay.dialects.relay.convolution import Conv1D, Conv2D
from xrelay.dialects.relay.elementwise import Add, Divide, Multiply, Subtract
from xrelay.dialects.relay.linear import BiasAdd, Dense, Matmul
from xrelay.dialects.relay.types import as_tensor, dtype_of, is_float, is_static, shape_of
from xrelay.lowering.graph.base import FunctionPass, constant_of
from xrelay.lowering.graph.fold_scale_axis import per_channel, scaled_weight
from xrelay.lowering.graph.rewrite import GraphRules

rules = GraphRules()


@dataclass(frozen=True)
class ForwardFoldScaleAxis(FunctionPass):
    """Folds every scale that leads to a contraction with a constant weight of its own."""

    name = "relay-forward-fold-scale-axis"
    opt_level = 3

    def apply_to_function(self, function: FuncOp) -> None:
        rules.rewrite(function.body)


@dataclass(frozen=True)
class Path:
    """From a value that is scaled to the data of a contraction."""

    source: SSAValue
    scale: np.ndarray
    steps: Sequence[tuple[Any, np.ndarray | None]]
    """Operators behind the scale, in order, with what they add per channel."""

    def is_foldable(self) -> bool:
        if any(shift is not None for _, shift in self.steps) and not self.scale.all():
            return False
        return all(shift is not None for _, shift in self.steps) or bool((self.scale > 0).all())


@rules(Conv1D, Conv2D, Dense, Matmul)
def fold_into_weight(op, b):
    where = _channels(op)
    if where is None or not is_static(op.operands[0].type):
        return None
    axis, weight_axis, repeats = where
    weight = constant_of(op.operands[1])
    if weight is None or not weight.result.has_one_use() or not is_float(as_tensor(weight.result.type).element_type):
        return None
    path = _path(op.operands[0], axis)
    if path is None or not path.is_foldable():
        return None
    dtype = dtype_of(op.operands[0].type)
    with np.errstate(all="ignore"):
        scaled = scaled_weight(weight.array, np.repeat(path.scale, repeats), weight_axis)
        shifts = [None if shift is None else (shift / path.scale).astype(dtype) for _, shift in path.steps]
    if not all(np.isfinite(array).all() for array in (scaled, *shifts) if array is not None):
        return None
    behind = len(shape_of(op.operands[0].type)) - 1 - axis
    data = path.source
    for (step, _), shift in zip(path.steps, shifts, strict=True):
        if shift is None:
            data = b.clone(step, {0: data})
        else:
            data = b.make(Add, data, b.constant(shift.reshape(-1, *[1] * behind), "shift"))
    return b.clone(op, {0: data, 1: b.constant(scaled, f"{weight.value.data.name}_scaled")})


def _channels(op: Any) -> tuple[int, int, int] | None:
    """The channel axis of the data, the axis of the weight to be scaled, and how many of its places a channel has."""
    if isinstance(op, Dense | Matmul):
        if isinstance(op, Matmul) and op.attrs.transpose_a:
            return None
        inner = 1 if isinstance(op, Dense) or op.attrs.transpose_b else 0
        return len(shape_of(op.operands[0].type)) - 1, inner, 1
    attrs = op.attrs
    if not (attrs.data_layout.isalpha() and attrs.kernel_layout.isalpha()):
        return None
    axis, inner = attrs.data_layout.index("C"), attrs.kernel_layout.index("I")
    if attrs.groups == 1:
        return axis, inner, 1
    if attrs.groups != shape_of(op.data.type)[axis]:
        return None
    outer = attrs.kernel_layout.index("O")
    return axis, outer, shape_of(op.weight.type)[outer] // attrs.groups


def _path(value: SSAValue, axis: int) -> Path | None:
    """The way back from a value to the scale it depends on; nobody else reads anything on it."""
    steps: list[tuple[Any, np.ndarray | None]] = []
    while value.has_one_use():
        op, shape = value.owner, shape_of(value.type)
        if isinstance(op, Relu | LeakyRelu):
            steps.append((op, None))
            value = op.data
            continue
        found = _constant_operand(op, axis, shape) if isinstance(op, Operation) else None
        if found is None:
            return None
        inner, vector = found
        if isinstance(op, Multiply | Divide):
            with np.errstate(all="ignore"):
                scale = 1 / vector if isinstance(op, Divide) else vector
            return Path(inner, scale, steps[::-1]) if np.isfinite(scale).all() else None
        steps.append((op, -vector if isinstance(op, Subtract) else vector))
        value = inner
    return None


def _constant_operand(op: Operation, axis: int, shape: tuple[int, ...]) -> tuple[SSAValue, np.ndarray] | None:
    """The operand of a step that has its shape, and the other one, as a number per channel."""
    if not isinstance(op, Multiply | Divide | Add | Subtract | BiasAdd):
        return None
    orders = ((0, 1), (1, 0)) if isinstance(op, Multiply | Add) else ((0, 1),)
    for mine, other in orders:
        vector = per_channel(op, op.operands[other], axis, shape)
        if vector is not None and op.operands[mine].type == op.results[0].type:
            return op.operands[mine], vector
    return None
