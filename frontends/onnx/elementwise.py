"""Elementwise arithmetic, comparison, logic and mathematics. Relay promotes nothing, so mixed types are cast here."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import (
    as_tensor,
    bool_type,
    dtype_of,
    f32,
    f64,
    is_bool,
    is_float,
    is_integer,
    shape_of,
)
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import Importer, importer
from xrelay.frontends.onnx.types import element_type
from xrelay.frontends.onnx.value import Value
from xrelay.frontends.operators import ops

UNARY = {
    "Abs": "Abs",
    "Acos": "Acos",
    "Acosh": "Acosh",
    "Asin": "Asin",
    "Asinh": "Asinh",
    "Atan": "Atan",
    "Atanh": "Atanh",
    "BitwiseNot": "BitwiseNot",
    "Ceil": "Ceil",
    "Cos": "Cos",
    "Cosh": "Cosh",
    "Erf": "Erf",
    "Exp": "Exp",
    "Floor": "Floor",
    "IsNaN": "IsNaN",
    "Log": "Log",
    "Neg": "Negative",
    "Not": "LogicalNot",
    "Round": "RoundEven",
    "Sigmoid": "Sigmoid",
    "Sign": "Sign",
    "Sin": "Sin",
    "Sinh": "Sinh",
    "Sqrt": "Sqrt",
    "Tan": "Tan",
    "Tanh": "Tanh",
}
"""ONNX operators of one operand → the class of relay that means the same."""

BINARY = {
    "Add": "Add",
    "Sub": "Subtract",
    "Mul": "Multiply",
    "Div": "Divide",
    "And": "LogicalAnd",
    "Or": "LogicalOr",
    "Xor": "LogicalXor",
    "BitwiseAnd": "BitwiseAnd",
    "BitwiseOr": "BitwiseOr",
    "BitwiseXor": "BitwiseXor",
    "Equal": "Equal",
    "Less": "Less",
    "LessOrEqual": "LessEqual",
    "Greater": "Greater",
    "GreaterOrEqual": "GreaterEqual",
}
"""The same for two operands."""


def _unary(name: str) -> Importer:
    return lambda node: node.build(getattr(ops, name), node.input(0))


def _binary(name: str) -> Importer:
    return lambda node: node.build(getattr(ops, name), node.input(0), node.input(1))


for _op_type, _name in UNARY.items():
    importer(_op_type)(_unary(_name))
for _op_type, _name in BINARY.items():
    if _op_type != "Equal":
        importer(_op_type)(_binary(_name))


@importer("Equal")
def equal(node: Node) -> SSAValue:
    a, b = node.input(0), node.input(1)
    if is_bool(node.element(0)):
        return node.build(ops.LogicalNot, node.build(ops.LogicalXor, a, b))
    return node.build(ops.Equal, a, b)


@importer("Reciprocal")
def reciprocal(node: Node) -> SSAValue:
    x = node.input(0)
    return node.build(ops.Divide, node.constant(1, x), x)


@importer("IsInf")
def is_inf(node: Node) -> SSAValue:
    x = node.input(0)
    found = node.build(ops.IsInf, x)
    for attribute, compare in (("detect_positive", ops.Less), ("detect_negative", ops.Greater)):
        if not node.attr(attribute, 1):
            found = node.build(ops.LogicalAnd, found, node.build(compare, x, node.constant(0, x)))
    return found


# Several operands --------------------------------------------------------------------------------------------------


@importer("Max", "Min", "Sum")
def variadic(node: Node) -> SSAValue:
    operator = {"Max": ops.Maximum, "Min": ops.Minimum, "Sum": ops.Add}[node.proto.op_type]
    return reduce(lambda a, b: node.build(operator, a, b), node.operands())


@importer("Mean")
def mean(node: Node) -> SSAValue:
    total = reduce(lambda a, b: node.build(ops.Add, a, b), node.operands())
    return node.build(ops.Divide, total, node.constant(len(node.inputs), total))


@importer("Where")
def where(node: Node) -> SSAValue:
    return node.build(ops.Where, node.input(0), node.input(1), node.input(2))


@importer("Mod")
def mod(node: Node) -> SSAValue:
    """fmod = 1 takes the sign of the dividend, fmod = 0 that of the divisor (of floats only since opset 28)."""
    fmod = node.attr("fmod", 0)
    if not fmod and is_float(node.element(0)) and node.opset < 28:
        node.fail("fmod must be 1 for floats in this opset")
    return node.build(ops.Mod if fmod else ops.FloorMod, node.input(0), node.input(1))


@importer("Pow")
def power(node: Node) -> SSAValue:
    """The result has the type of the base. Integer bases are raised as float64, which is exact up to 2^53."""
    base, exponent = node.input(0), node.input(1)
    element = node.element(0)
    if is_integer(element):
        known = node.value(1).array
        if known is not None and known.size == 1 and known.item() == 2:
            return node.build(ops.Multiply, _broadcast_like(node, base, exponent), base)
        powered = node.build(ops.Power, node.cast(base, f64), node.cast(exponent, f64))
        return node.cast(powered, element)
    if node.element(1) == f64 and element != f64:
        return node.cast(node.build(ops.Power, node.cast(base, f64), exponent), element)
    return node.build(ops.Power, base, node.cast(exponent, element))


def _broadcast_like(node: Node, value: SSAValue, other: SSAValue) -> SSAValue:
    """The value with leading axes of size 1 until it has the rank of the other, which has one element."""
    missing = len(shape_of(other.type)) - len(shape_of(value.type))
    return node.build(ops.ExpandDims, value, axis=0, num_newaxis=missing) if missing > 0 else value


@importer("BitShift")
def bit_shift(node: Node) -> SSAValue:
    direction = node.attr("direction")
    if direction not in ("LEFT", "RIGHT"):
        node.fail(f"direction is LEFT or RIGHT, not {direction!r}")
    return node.build(ops.LeftShift if direction == "LEFT" else ops.RightShift, node.input(0), node.input(1))


# Types and ranges --------------------------------------------------------------------------------------------------


@importer("Cast")
def cast(node: Node) -> SSAValue:
    return node.cast(node.input(0), element_type(node.attr("to"), f"{node.where}: attribute to"))


@importer("CastLike")
def cast_like(node: Node) -> SSAValue:
    return node.cast(node.input(0), node.element(1))


@importer("BitCast")
def bit_cast(node: Node) -> SSAValue:
    element = element_type(node.attr("to"), f"{node.where}: attribute to")
    return node.build(ops.Reinterpret, node.input(0), dtype=element)


@importer("Clip", until=10)
def clip_6(node: Node) -> SSAValue:
    return node.build(ops.Clip, node.input(0), a_min=node.attr("min", -math.inf), a_max=node.attr("max", math.inf))


@importer("Clip", since=11)
def clip(node: Node) -> SSAValue:
    """min(max(x, low), high) where both are given, so that high wins where low is above it."""
    x, given = node.input(0), [i for i in (1, 2) if node.has(i)]
    for i in given:
        if node.shape(i) not in ((), (1,)):
            node.fail(f"{node.input_name(i)} must be a scalar, not {node.type(i)}")
    if all(node.value(i).array is not None for i in given):
        low, high = (node.known_scalar(i) if node.has(i) else default for i, default in ((1, -math.inf), (2, math.inf)))
        # The bounds of relay.clip are doubles: an integer beyond 2^53 would be rounded.
        if float(low) == low and float(high) == high:
            return node.build(ops.Clip, x, a_min=low, a_max=high)
    for i in given:
        x = node.build(ops.Maximum if i == 1 else ops.Minimum, x, node.reshape(node.input(i), ()))
    return x


@importer("Identity")
def identity(node: Node) -> Value:
    return node.value(0)


@importer("Dropout", until=11)
def dropout_7(node: Node) -> list[Any]:
    return [node.value(0), _all_true(node)]


@importer("Dropout", since=12)
def dropout(node: Node) -> list[Any]:
    """At inference nothing is dropped, and the mask is all true."""
    if node.has(2) and node.known_scalar(2) and not (node.has(1) and node.known_scalar(1) == 0):
        node.unsupported("training_mode is on; xrelay compiles for inference")
    return [node.value(0), _all_true(node)]


def _all_true(node: Node) -> SSAValue | np.ndarray:
    """The mask output, made only where the node has one."""
    if len(node.proto.output) < 2 or not node.proto.output[1]:
        return np.array(True)
    element = bool_type if node.opset >= 10 else node.element(0)
    return node.build(ops.OnesLike, node.cast(node.input(0), element))


def promote_16_bit(node: Node, value: SSAValue) -> SSAValue:
    """The value in float32 where it is a 16-bit float, for a computation that needs the digits."""
    narrow = is_float(as_tensor(value.type).element_type) and dtype_of(value.type).itemsize < 4
    return node.cast(value, f32) if narrow else value
