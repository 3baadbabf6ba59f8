"""Activation functions of neural networks."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import FLOAT, INT, STR, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.rules import FLOATS, NUMBERS, ElementRule, check_elements
from xrelay.dialects.relay.types import as_tensor, normalize_axis, shape_of, tensor_type, unify_dim
from xrelay.dialects.relay.unary import UnaryOp


@irdl_op_definition
class Relu(UnaryOp):
    """max(data, 0); NaN stays NaN."""

    name = "relay.nn.relu"
    ELEMENTS: ClassVar[ElementRule] = NUMBERS


@irdl_op_definition
class LeakyRelu(UnaryOp):
    """data where it is positive, else alpha · data."""

    name = "relay.nn.leaky_relu"
    alpha = attribute(FLOAT, 0.25)


@irdl_op_definition
class PRelu(RelayOp):
    """data where it is positive, else alpha · data, with one alpha for each position along `axis`.

    C1: both operands have the same element type, a float.
    C2: axis is in [-rank, rank).
    C3: alpha has the shape (size of data along axis,).
    """

    name = "relay.nn.prelu"
    data = operand_def(TensorType)
    alpha = operand_def(TensorType)
    axis = attribute(INT, 1)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.BROADCAST))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, alpha = (as_tensor(t) for t in operands)
        if data.element_type != alpha.element_type:
            raise VerifyException(f"C1: operands have element types {data.element_type} and {alpha.element_type}")
        check_elements(cls.name, FLOATS, data.element_type, "C1")
        shape = list(shape_of(data))
        axis = normalize_axis(attrs.axis, len(shape), "C2: axis")
        size = unify_dim(shape[axis], shape_of(alpha)[0]) if len(shape_of(alpha)) == 1 else None
        if size is None:
            raise VerifyException(f"C3: alpha {alpha} is not 1-D with the size of {data} along axis {attrs.axis}")
        shape[axis] = size
        return [tensor_type(shape, data.element_type)]


@irdl_op_definition
class Gelu(UnaryOp):
    """data · Φ(data), with Φ the distribution function of the normal distribution.

    `approximate` "none" takes Φ from erf, "tanh" from 0.5 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))).

    C2: approximate is "none" or "tanh".
    """

    name = "relay.nn.gelu"
    approximate = attribute(STR, "none")

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        if attrs.approximate not in ("none", "tanh"):
            raise VerifyException(f'C2: approximate is "none" or "tanh", not "{attrs.approximate}"')
        return super().infer(operands, attrs)
