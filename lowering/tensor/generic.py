"""Questions about a linalg.generic: its maps and the sizes of its iteration dimensions."""

from __future__ import annotations

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir.affine import AffineDimExpr, AffineMap

from xrelay.dialects.relay.types import shape_of


def maps_of(op: linalg.GenericOp) -> list[AffineMap]:
    """The index maps of the inputs, then of the outputs."""
    return [m.data for m in op.indexing_maps]


def iteration_sizes(op: linalg.GenericOp) -> list[int]:
    """The size of every iteration dimension, from an operand that is indexed by it alone."""
    sizes: list[int | None] = [None] * len(op.iterator_types)
    for operand, index_map in zip((*op.outputs, *op.inputs), _outputs_first(op), strict=True):
        for size, expr in zip(shape_of(operand.type), index_map.results, strict=True):
            if isinstance(expr, AffineDimExpr) and sizes[expr.position] is None:
                sizes[expr.position] = size
    bounded = [size for size in sizes if size is not None]
    assert len(bounded) == len(sizes), f"an iteration dimension of {op} is bounded by no operand"
    return bounded


def _outputs_first(op: linalg.GenericOp) -> list[AffineMap]:
    maps = maps_of(op)
    return [*maps[len(op.inputs) :], *maps[: len(op.inputs)]]
