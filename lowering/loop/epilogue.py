"""Which elementwise operation becomes the epilogue of which contraction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from xrelay.dialects import kernel
from xrelay.dialects.relay.types import shape_of
from xrelay.lowering.loop import body as bodies
from xrelay.lowering.loop import contraction
from xrelay.lowering.loop.access import Access
from xrelay.lowering.loop.nest import Nest
from xrelay.lowering.tensor.fuse_elementwise import is_elementwise
from xrelay.lowering.tensor.generic import iteration_sizes, maps_of


def is_tileable(op: linalg.GenericOp) -> bool:
    """Whether the tile generator takes a contraction, judged by shapes and maps alone."""
    values = (*op.inputs, *op.results)
    accesses = [Access.of(v, shape_of(v.type), m) for v, m in zip(values, maps_of(op), strict=True)]
    kinds = [str(i.data) for i in op.iterator_types]
    loops = Nest(iteration_sizes(op), kinds, op.body.block, [*accesses[:2]], accesses[2:])
    return contraction.is_tileable(loops.coalesced())


@dataclass(frozen=True)
class Consumer:
    """The elementwise operation behind a contraction."""

    op: linalg.GenericOp
    reads: SSAValue
    """The operand that is the contraction's result (seen through `view`, if there is one)."""
    to_output: AffineMap
    """The consumer's positions, as expressions of the contraction's."""
    view: kernel.ViewOp | None


def elementwise_behind(op: linalg.GenericOp) -> Consumer | None:
    """The elementwise operation that alone uses a contraction's result.

    Between the two may stand a view that merges dimensions (the groups of a grouped convolution).
    """
    result, view = op.results[0], None
    to_output = maps_of(op)[-1]
    if not all(isinstance(e, AffineDimExpr) for e in to_output.results):
        return None
    user = _only_user(result)
    if isinstance(user, kernel.ViewOp):
        merged = _merge(to_output, shape_of(result.type), shape_of(user.result.type))
        if merged is None:
            return None
        result, to_output, view = user.result, merged, user
        user = _only_user(result)
    if user is None or not is_elementwise(user):
        return None
    assert isinstance(user, linalg.GenericOp)
    identity = AffineMap.identity(len(shape_of(result.type)))
    reads = [m for v, m in zip(user.inputs, maps_of(user), strict=False) if v is result]
    if result in user.outputs or any(m != identity for m in reads) or not _may_follow(user.body.block):
        return None
    return Consumer(user, result, to_output, view)


def _may_follow(block: Block) -> bool:
    """Whether a body can be done on the vectors of a tile; its positions are not those of the contraction."""
    return bodies.is_vectorizable(block) and not bodies.uses_index(block)


def _only_user(value: SSAValue) -> Operation | None:
    users = {use.operation for use in value.uses}
    return users.pop() if len(users) == 1 else None


def _merge(to_output: AffineMap, shape: Sequence[int], merged: Sequence[int]) -> AffineMap | None:
    """Positions in a view that merges adjacent axes, as expressions of the positions before; None for other views."""
    exprs: list[AffineExpr] = []
    axis = 0
    for size in merged:
        expr: AffineExpr = AffineExpr.constant(0)
        covered = 1
        while axis < len(shape) and covered * shape[axis] <= size and (covered < size or shape[axis] == 1):
            expr = expr * shape[axis] + to_output.results[axis]
            covered *= shape[axis]
            axis += 1
        if covered != size:
            return None
        exprs.append(expr)
    return AffineMap(to_output.num_dims, 0, tuple(exprs)) if axis == len(shape) else None
