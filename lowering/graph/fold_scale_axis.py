"""`relay-fold-scale-axis`: scales and shifts behind a convolution or dense move into its weight and one bias.

    conv(x, W) * s + t              →  conv(x, W * s) + t
    (conv(x, W) + b) * s + t        →  conv(x, W * s) + (b * s + t)

`W`, `s`, `b` and `t` are float constants. This is Relay's backward folding, for whole chains of multiplications,
additions, subtractions, divisions and bias additions. The new weight and bias are rounded once; the results of the
model change in the last bits, which is why opt level 3 does it and lower ones do not. Folding forward into the next
convolution is `relay-forward-fold-scale-axis`, which no pipeline runs: once fused the multiplication is free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.convolution import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose
from xrelay.dialects.relay.elementwise import Add, Divide, Multiply, Subtract
from xrelay.dialects.relay.linear import BiasAdd, Dense, Matmul
from xrelay.dialects.relay.types import as_tensor, dtype_of, is_float, is_static, shape_of
from xrelay.lowering.graph.base import FunctionPass, array_of, constant_of
from xrelay.lowering.graph.rewrite import GraphRules

rules = GraphRules()

STEPS = (Multiply, Divide, Add, Subtract, BiasAdd)


@dataclass(frozen=True)
class FoldScaleAxis(FunctionPass):
    """Folds what can be folded, once per chain."""

    name = "relay-fold-scale-axis"
    opt_level = 3

    def apply_to_function(self, function: FuncOp) -> None:
        rules.rewrite(function.body)


@dataclass(frozen=True)
class Chain:
    """`contraction * scale + shift`, per channel."""

    contraction: Any
    weight: Constant
    axis: int
    """The channel axis of the result."""
    weight_axis: int
    """The channel axis of the weight."""
    scale: np.ndarray
    shift: np.ndarray
    scales: int = 0
    shifts: int = 0
    """How many operators scale and shift."""

    def is_worthwhile(self) -> bool:
        return self.scales > 0 or self.shifts > 1


@rules(*STEPS)
def fold_chain(op, b):
    """A maximal chain becomes the contraction with another weight, plus a bias where there is one."""
    chain = chain_of(op.result)
    if chain is None or not chain.is_worthwhile() or _goes_on(op):
        return None
    with np.errstate(all="ignore"):
        weight = scaled_weight(chain.weight.array, chain.scale, chain.weight_axis)
        shift = chain.shift.astype(dtype_of(op.result.type))
    if not np.isfinite(weight).all() or not np.isfinite(shift).all():
        return None
    name = chain.weight.value.data.name
    result = b.clone(chain.contraction, {1: b.constant(weight, f"{name}_scaled")})
    if not chain.shifts:
        return result
    behind = len(shape_of(op.result.type)) - 1 - chain.axis
    return b.make(Add, result, b.constant(shift.reshape(-1, *[1] * behind), f"{name}_shift"))


def chain_of(value: SSAValue) -> Chain | None:
    """The chain that ends in a value, None if it is none. Everything before the value is used by the chain only."""
    op = value.owner
    if not isinstance(op, STEPS):
        return _contraction(op) if isinstance(op, Operation) else None
    for operand, other in ((0, 1), (1, 0)):
        inner = op.operands[operand]
        if (
            (operand and isinstance(op, Divide | Subtract | BiasAdd))
            or inner.type != value.type
            or not inner.has_one_use()
        ):
            continue
        chain = chain_of(inner)
        factor = None if chain is None else per_channel(op, op.operands[other], chain.axis, shape_of(inner.type))
        if chain is not None and factor is not None:
            return _extended(chain, op, factor)
    return None


def _extended(chain: Chain, op: Operation, factor: np.ndarray) -> Chain:
    with np.errstate(all="ignore"):
        match op:
            case Multiply():
                scale, shift = chain.scale * factor, chain.shift * factor
            case Divide():
                scale, shift = chain.scale / factor, chain.shift / factor
            case Subtract():
                scale, shift = chain.scale, chain.shift - factor
            case _:
                scale, shift = chain.scale, chain.shift + factor
    scales = isinstance(op, Multiply | Divide)
    return replace(chain, scale=scale, shift=shift, scales=chain.scales + scales, shifts=chain.shifts + (not scales))


def _contraction(op: Operation) -> Chain | None:
    """The empty chain of a contraction with a constant weight of its own."""
    axes = _channel_axes(op)
    if axes is None or not is_static(op.results[0].type):
        return None
    axis, weight_axis = axes
    weight = constant_of(op.operands[1])
    if weight is None or not weight.result.has_one_use() or not is_float(weight.result.type.element_type):
        return None
    result_type = as_tensor(op.results[0].type)
    channels = shape_of(result_type)[axis]
    if weight.array.shape[weight_axis] != channels or not is_float(result_type.element_type):
        return None
    return Chain(op, weight, axis, weight_axis, np.ones(channels), np.zeros(channels))


def _channel_axes(op: Operation) -> tuple[int, int] | None:
    """The axes of the output channels in the result and in the weight."""
    match op:
        case Conv1D() | Conv2D() | Conv1DTranspose() | Conv2DTranspose():
            attrs = op.attrs
            layout, kernel_layout = attrs.out_layout or attrs.data_layout, attrs.kernel_layout
            if not (layout.isalpha() and kernel_layout.isalpha()):
                return None
            return layout.index("C"), kernel_layout.index("O")
        case Dense():
            return len(shape_of(op.result.type)) - 1, 0
        case Matmul():
            return len(shape_of(op.result.type)) - 1, 0 if op.attrs.transpose_b else 1
    return None


def per_channel(op: Operation, value: SSAValue, axis: int, shape: tuple[int, ...]) -> np.ndarray | None:
    """A constant operand of a step as one double per channel, None if it varies along another axis.

    `shape` is that of the other operand, `axis` its channel axis.
    """
    array = array_of(value)
    if array is None:
        return None
    rank = len(shape)
    if isinstance(op, BiasAdd):
        return array.astype(np.float64) if op.attrs.axis % rank == axis else None
    sizes = (1,) * (rank - array.ndim) + array.shape
    if any(size != 1 for i, size in enumerate(sizes) if i != axis):
        return None
    return np.broadcast_to(array.astype(np.float64).reshape(-1), (shape[axis],))


def _goes_on(op: Operation) -> bool:
    """Whether the next operator continues the chain; then it is folded there."""
    (result,) = op.results
    user = result.get_user_of_unique_use()
    return isinstance(user, STEPS) and chain_of(user.results[0]) is not None


def scaled_weight(weight: np.ndarray, scale: np.ndarray, axis: int) -> np.ndarray:
    """The weight times the scale along an axis, computed in single precision at least."""
    dtype = np.result_type(weight.dtype, np.float32)
    shape = [-1 if i == axis else 1 for i in range(weight.ndim)]
    return np.multiply(weight, scale.reshape(shape).astype(dtype), dtype=dtype).astype(weight.dtype)
