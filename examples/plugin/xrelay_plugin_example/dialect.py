"""The dialect `example`."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.types import as_tensor, broadcast_shapes, format_shape, is_float, shape_of


@irdl_op_definition
class Snake(RelayOp):
    """data + sin²(alpha · data) / alpha, and data where alpha is 0 (the limit).

    Alpha is broadcast to data; the result has data's type.

    C1: data and alpha have the same element type.
    C2: it is a floating-point type.
    C3: alpha broadcasts to the shape of data.

    Source: Ziyin et al., "Neural Networks Fail to Learn Periodic Functions and How to Fix It", 2020.
    """

    name = "example.snake"
    data = operand_def(TensorType)
    alpha = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.BROADCAST))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, alpha = (as_tensor(t) for t in operands)
        if data.element_type != alpha.element_type:
            raise VerifyException(f"C1: operands have element types {data.element_type} and {alpha.element_type}")
        if not is_float(data.element_type):
            raise VerifyException(f"C2: snake takes floating-point numbers, not {data.element_type}")
        if broadcast_shapes(shape_of(data), shape_of(alpha)) != shape_of(data):
            shapes = format_shape(shape_of(alpha)), format_shape(shape_of(data))
            raise VerifyException("C3: alpha of shape {} does not broadcast to {}".format(*shapes))
        return [data]


Example = Dialect("example", [Snake], [])
