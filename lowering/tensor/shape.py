"""Shapes → linalg. The operators that only rename a shape (`View`) become views in `relay_to_tensor`."""

from __future__ import annotations

from xrelay.dialects.relay import shape as ops
from xrelay.dialects.relay.types import shape_of
from xrelay.lowering.tensor.builder import lowers


@lowers(ops.ShapeOf)
def lower_shape_of(op, operands, b):
    """The size that belongs to each position, picked among constants."""
    result_type = op.results[0].type

    def size(b):
        here, element = b.index(0), result_type.element_type
        picked = b.constant(0, element)
        for axis, n in enumerate(shape_of(operands[0].type)):
            picked = here.eq(axis).select(b.constant(n, element), picked)
        return picked

    return b.map(result_type, [], [], size)
