"""`relay-simplify-expr`: operators without effect go away, chains of views, transposes and casts become one.

Every rule gives the same numbers bit by bit, but for one: `x + 0.0` becomes `x` even where x is -0.0. Nothing here
changes the order of float operations: Relay's merging of `(x * c1) * c2` or `a / sqrt(b)` drifts from what the
model's author computed.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from xrelay.dialects.relay import activation, creation, elementwise, shape, transform, unary
from xrelay.dialects.relay.indexing import Split, StridedSlice, slice_bounds
from xrelay.dialects.relay.linear import BiasAdd
from xrelay.dialects.relay.types import (
    as_tensor,
    bf16,
    dtype_of,
    f16,
    f32,
    f64,
    is_bool,
    is_float,
    is_static,
    is_unsigned,
    shape_of,
)
from xrelay.lowering.graph.base import FunctionPass, is_splat
from xrelay.lowering.graph.rewrite import GraphRules

rules = GraphRules()


@dataclass(frozen=True)
class SimplifyExpr(FunctionPass):
    """Applies the rules of this file until none applies any more."""

    name = "relay-simplify-expr"

    def apply_to_function(self, function: FuncOp) -> None:
        rules.rewrite(function.body)


# Neutral elements --------------------------------------------------------------------------------------------------

NEUTRAL = {
    # operator: (number, whether it may stand on either side)
    elementwise.Add: (0, True),
    elementwise.Subtract: (0, False),
    elementwise.Multiply: (1, True),
    elementwise.Divide: (1, False),
    elementwise.Power: (1, False),
    elementwise.LeftShift: (0, False),
    elementwise.RightShift: (0, False),
    elementwise.BitwiseOr: (0, True),
    elementwise.BitwiseXor: (0, True),
    elementwise.LogicalAnd: (1, True),
    elementwise.LogicalOr: (0, True),
    elementwise.LogicalXor: (0, True),
}


@rules(*NEUTRAL)
def neutral_element(op, b):
    """x + 0, x - 0, x * 1, x / 1 → x, where x has the shape of the result."""
    number, either_side = NEUTRAL[type(op)]
    if is_splat(op.rhs, number) and op.lhs.type == op.result.type:
        return op.lhs
    if either_side and is_splat(op.lhs, number):
        return op.rhs
    return None


@rules(BiasAdd)
def zero_bias(op, b):
    return op.data if is_splat(op.bias, 0) else None


@rules(activation.Relu, unary.Abs, unary.Ceil, unary.Floor, unary.Trunc, unary.Round, unary.RoundEven, unary.Sign)
def idempotent(op, b):
    """f(f(x)) → f(x)."""
    return op.data if isinstance(op.data.owner, type(op)) else None


# Views -------------------------------------------------------------------------------------------------------------

VIEWS = (shape.Reshape, shape.BatchFlatten, shape.ExpandDims, shape.Squeeze, unary.Copy)


def reshaped(b, data: SSAValue, sizes: tuple[int, ...]) -> SSAValue:
    """`data` under another shape, in the simplest way."""
    if shape_of(data.type) == sizes:
        return data
    return b.make(shape.Reshape, data, newshape=sizes, allowzero=0 in sizes)


@rules(*VIEWS)
def view_of_view(op, b):
    """A view that changes nothing → its data; two views in a row → one reshape."""
    data = op.data
    if isinstance(op, unary.Copy) or (data.type == op.result.type and is_static(data.type)):
        return data
    if isinstance(data.owner, VIEWS) and is_static(op.result.type):
        return reshaped(b, data.owner.data, shape_of(op.result.type))
    return None


# Axes --------------------------------------------------------------------------------------------------------------


@rules(transform.Transpose)
def transpose_chain(op, b):
    """An identity → its data, two transposes → one, a transpose that moves axes of size 1 only → a reshape."""
    sizes = shape_of(op.data.type)
    axes = transform.permutation(op.attrs.axes, len(sizes))
    if axes == tuple(range(len(axes))):
        return op.data
    inner = op.data.owner
    if isinstance(inner, transform.Transpose):
        inner_axes = transform.permutation(inner.attrs.axes, len(sizes))
        return b.make(transform.Transpose, inner.data, axes=[inner_axes[axis] for axis in axes])
    moved = [axis for axis in axes if sizes[axis] != 1]
    if moved == sorted(moved) and is_static(op.data.type):
        return reshaped(b, op.data, shape_of(op.result.type))
    return None


# Nothing to do -----------------------------------------------------------------------------------------------------


@rules(transform.Concatenate)
def concatenation_of_one(op, b):
    return op.data[0] if len(op.data) == 1 else None


@rules(transform.Stack)
def stack_of_one(op, b):
    if len(op.data) != 1:
        return None
    return b.make(shape.ExpandDims, op.data[0], axis=op.attrs.axis)


@rules(Split)
def split_into_one(op, b):
    return op.data if len(op.results) == 1 else None


@rules(transform.Pad, transform.MirrorPad)
def pad_by_nothing(op, b):
    return None if any(op.attrs.pad_width) else op.data


@rules(transform.BroadcastTo)
def broadcast_to_same(op, b):
    return op.data if op.data.type == op.result.type and is_static(op.data.type) else None


@rules(transform.Tile)
def tile_once(op, b):
    return op.data if all(n == 1 for n in op.attrs.reps) else None


@rules(transform.Repeat)
def repeat_once(op, b):
    return op.data if op.attrs.repeats == 1 else None


@rules(StridedSlice)
def slice_of_everything(op, b):
    if not is_static(op.data.type):
        return None
    sizes = shape_of(op.data.type)
    whole = all(bounds == (0, size, 1) for bounds, size in zip(slice_bounds(sizes, op.attrs), sizes, strict=True))
    return op.data if whole else None


# Fills like another tensor -----------------------------------------------------------------------------------------


@rules(creation.ZerosLike, creation.OnesLike)
def fill_like(op, b):
    if not is_static(op.result.type):
        return None
    operator = creation.Zeros if isinstance(op, creation.ZerosLike) else creation.Ones
    return b.make(operator, shape=shape_of(op.result.type), dtype=op.result.type.element_type)


@rules(creation.FullLike)
def full_like(op, b):
    if not is_static(op.result.type):
        return None
    return b.make(creation.Full, op.fill_value, shape=shape_of(op.result.type), dtype=op.result.type.element_type)


# Casts -------------------------------------------------------------------------------------------------------------


@rules(unary.Cast)
def cast_chain(op, b):
    """A cast to the same type → its data; two casts → one, where the first loses nothing."""
    if op.data.type == op.result.type:
        return op.data
    inner = op.data.owner
    if isinstance(inner, unary.Cast):
        source, middle, target = (as_tensor(v.type).element_type for v in (inner.data, op.data, op.result))
        if _keeps_values(source, middle) and not _clips_unlike(source, middle, target):
            return b.make(unary.Cast, inner.data, dtype=target)
    return None


def _keeps_values(source: Attribute, target: Attribute) -> bool:
    """Whether every value of `source` is a value of `target`."""
    if is_bool(source) or source == target:
        return True
    if is_float(source):
        return target in _WIDER_FLOATS.get(source, ())
    bits = 8 * dtype_of(source).itemsize
    if is_float(target):
        return bits <= _SIGNIFICAND_BITS[target]
    target_bits = 0 if is_bool(target) else 8 * dtype_of(target).itemsize
    if is_unsigned(source) == is_unsigned(target):
        return bits <= target_bits
    return is_unsigned(source) and bits < target_bits


_WIDER_FLOATS = {f16: (f32, f64), bf16: (f32, f64), f32: (f64,)}
_SIGNIFICAND_BITS = {f16: 11, bf16: 8, f32: 24, f64: 53}


def _clips_unlike(source: Attribute, middle: Attribute, target: Attribute) -> bool:
    """Whether the way over a float differs from the direct one: floats saturate where integers wrap around."""
    return not is_float(source) and not is_bool(source) and is_float(middle) and not is_float(target)
