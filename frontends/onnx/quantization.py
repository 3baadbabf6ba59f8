"""Quantized numbers: a real number is (q - zero point) · scale."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto
from xdsl.ir import Attribute, SSAValue

from xrelay.dialects.relay.types import dtype_of, f32, i32, is_float, shape_of, u8
from xrelay.frontends.onnx.convolution import convolve
from xrelay.frontends.onnx.linear import matmul
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.onnx.types import element_type
from xrelay.frontends.operators import ops


@importer("DequantizeLinear")
def dequantize_linear(node: Node) -> SSAValue:
    """(x - zero point) · scale, subtracted in int32."""
    scale = _along_axis(node, node.input(1))
    to = node.attr("output_dtype", TensorProto.UNDEFINED)
    element = element_type(to, node.where) if to else node.element(1)
    x = node.input(0)
    if node.has(2) and not _is_zero(node, 2):
        x = node.build(ops.Subtract, node.cast(x, i32), node.cast(_along_axis(node, node.input(2)), i32))
    product = node.build(ops.Multiply, node.cast(x, f32), node.cast(scale, f32))
    return node.cast(product, element)


@importer("QuantizeLinear")
def quantize_linear(node: Node) -> SSAValue:
    """round(x / scale) + zero point, halves to even, brought into the range of the result."""
    to = node.attr("output_dtype", TensorProto.UNDEFINED)
    element = node.element(2) if node.has(2) else element_type(to, node.where) if to else u8
    zero = _along_axis(node, node.input(2)) if node.has(2) else None
    quotient = node.build(
        ops.Divide, node.cast(node.input(0), f32), node.cast(_along_axis(node, node.input(1)), f32)
    )
    return _saturated(node, quotient, zero, element)


def _saturated(node: Node, real: SSAValue, zero: SSAValue | None, element: Attribute) -> SSAValue:
    """The nearest quantized number to a real one, in units of the scale."""
    rounded = node.build(ops.RoundEven, real)
    if zero is not None:
        rounded = node.build(ops.Add, rounded, node.cast(zero, f32))
    if is_float(element):
        return node.cast(rounded, element)
    limits = np.iinfo(dtype_of(element))
    return node.cast(node.build(ops.Clip, rounded, a_min=float(limits.min), a_max=float(limits.max)), element)


def _along_axis(node: Node, value: SSAValue) -> SSAValue:
    """A scale or zero point in a shape that broadcasts to input 0: a scalar, one number an index, or one a block."""
    shape, data = shape_of(value.type), node.shape()
    if node.attr("block_size", 0):
        axis, block = node.axis(node.attr("axis"), len(data)), node.attr("block_size")
        repeated = node.build(ops.Repeat, value, repeats=block, axis=axis)
        return node.build(ops.StridedSlice, repeated, begin=(0,), end=(data[axis],), axes=(axis,))
    if shape in ((), (1,)):
        return node.reshape(value, ())
    if len(shape) != 1:
        node.fail(f"a scale or zero point of type {value.type} for {node.type()}")
    axis = node.axis(node.attr("axis", 1), len(data))
    return node.reshape(value, (*shape, *(1,) * (len(data) - axis - 1)))


def _is_zero(node: Node, i: int) -> bool:
    known = node.value(i).array
    return known is not None and not known.any()


# Products ----------------------------------------------------------------------------------------------------------


def _centered(node: Node, i: int, zero: int, trailing: int) -> SSAValue:
    """Input i without its zero point, input `zero`, which `trailing` axes stand behind; as it is where that is 0."""
    value = node.input(i)
    if not node.has(zero) or _is_zero(node, zero):
        return value
    point = node.cast(node.input(zero), i32)
    shape = shape_of(point.type)
    point = node.reshape(point, () if shape in ((), (1,)) else (*shape, *(1,) * trailing))
    return node.build(ops.Subtract, node.cast(value, i32), point)


def _same_width(node: Node, a: SSAValue, b: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Both as they are where both are bytes, which relay multiplies into int32, else both in int32."""
    widths = {dtype_of(value.type).itemsize for value in (a, b)}
    return (a, b) if widths == {1} else (node.cast(a, i32), node.cast(b, i32))


def _integer_matmul(node: Node, a: int, a_zero: int, b: int, b_zero: int) -> SSAValue:
    """The product in int32. Zero points are scalars, one a row of the left, or one a column of the right operand."""
    left, right = _centered(node, a, a_zero, trailing=1), _centered(node, b, b_zero, trailing=0)
    return matmul(node, node.cast(left, i32), node.cast(right, i32))


@importer("MatMulInteger")
def matmul_integer(node: Node) -> SSAValue:
    return _integer_matmul(node, 0, 2, 1, 3)


@importer("QLinearMatMul")
def qlinear_matmul(node: Node) -> SSAValue:
    product = _integer_matmul(node, 0, 2, 3, 5)
    left, right = (node.cast(node.input(i), f32) for i in (1, 4))
    if len(shape_of(left.type)) == 1 and shape_of(left.type) != (1,):
        left = node.build(ops.ExpandDims, left, axis=1)
    return _rescaled(node, product, left, right, 6)


def _rescaled(node: Node, product: SSAValue, left: SSAValue, right: SSAValue, y_scale: int) -> SSAValue:
    """A sum of products in units of both scales, quantized by the scale and zero point from input `y_scale` on."""
    scale = node.build(ops.Divide, node.build(ops.Multiply, left, right), node.cast(node.input(y_scale), f32))
    real = node.build(ops.Multiply, node.cast(product, f32), scale)
    return _saturated(node, real, node.input(y_scale + 1), node.element(y_scale + 1))


@importer("ConvInteger")
def conv_integer(node: Node) -> SSAValue:
    data = _centered(node, 0, 2, trailing=0)
    weight = _centered(node, 1, 3, trailing=node.rank() - 1)
    return convolve(node, *_same_width(node, data, weight), out_dtype=i32)


@importer("QLinearConv")
def qlinear_conv(node: Node) -> SSAValue:
    """Zero padding stands for the zero point of x, since that is taken off before."""
    spatial = node.rank() - 2
    data, weight = _centered(node, 0, 2, trailing=0), _centered(node, 3, 5, trailing=spatial + 1)
    product = convolve(node, *_same_width(node, data, weight), out_dtype=i32)
    if node.has(8):
        product = node.build(ops.BiasAdd, product, node.input(8), axis=1)
    scale = node.input(4)
    if shape_of(scale.type) not in ((), (1,)):
        scale = node.reshape(scale, (*shape_of(scale.type), *(1,) * spatial))
    return _rescaled(node, product, node.input(1), scale, 6)
