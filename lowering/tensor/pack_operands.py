"""`tensor-pack-operands`: copies a contraction's operand into the order in which the register tile wants to read it.

The tile reads one operand by vectors along the output's innermost dimension d. An operand that moves along d by another
step than one is copied first: a matrix with d as its last axis (a transpose), or, where d is multiplied by a
convolution's stride, with the axis split by remainder, `xp[…, phase, q] = x[…, q·stride + phase]`, so that consecutive
outputs read consecutive elements. The copy is worth it where every element is used several times.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, ModuleOp, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass

from xrelay.dialects.relay.types import as_tensor, shape_of
from xrelay.lowering.tensor.affine import linear_terms
from xrelay.lowering.tensor.contraction import is_contraction
from xrelay.lowering.tensor.generic import iteration_sizes, maps_of

MIN_REUSE = 8
"""An operand is packed if each of its elements takes part in at least this many multiplications."""


@dataclass(frozen=True)
class TensorPackOperands(ModulePass):
    """Give every contraction operands that it can read by whole vectors."""

    name = "tensor-pack-operands"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                for inner in list(function.body.block.ops):
                    if is_contraction(inner):
                        assert isinstance(inner, linalg.GenericOp)
                        pack(inner)


def pack(op: linalg.GenericOp) -> None:
    """Pack the operands of one contraction that need it, in place."""
    sizes = iteration_sizes(op)
    inner = inner_dimension(op, sizes)
    if inner is None:
        return
    maps = maps_of(op)
    for number, operand in enumerate(op.inputs):
        axis = _axis_to_pack(operand, maps[number], inner)
        if axis is None or prod(sizes) < MIN_REUSE * prod(shape_of(operand.type)):
            continue
        packed, index_map = _pack_axis(op, operand, maps[number], axis, inner)
        op.operands[number] = packed
        maps[number] = index_map
    op.properties["indexing_maps"] = ArrayAttr([AffineMapAttr(m) for m in maps])


def inner_dimension(op: linalg.GenericOp, sizes: list[int]) -> int | None:
    """The innermost dimension of the output that has more than one position."""
    for expr in reversed(maps_of(op)[-1].results):
        if isinstance(expr, AffineDimExpr) and sizes[expr.position] > 1:
            return expr.position
    return None


def _axis_to_pack(operand: SSAValue, index_map: AffineMap, inner: int) -> int | None:
    """The operand's axis along which it moves with `inner`, if its elements there are not already consecutive."""
    moving = [axis for axis, expr in enumerate(index_map.results) if inner in expr.used_dims()]
    if len(moving) != 1:
        return None
    (axis,) = moving
    terms = linear_terms(index_map.results[axis])
    if terms is None:
        return None
    behind = prod(shape_of(operand.type)[axis + 1 :])
    return axis if terms[inner] * behind != 1 else None


def _pack_axis(
    op: linalg.GenericOp, operand: SSAValue, index_map: AffineMap, axis: int, inner: int
) -> tuple[SSAValue, AffineMap]:
    """A copy of the operand with `axis` last (and split by phases), and the map that reads it."""
    shape = shape_of(operand.type)
    expr = index_map.results[axis]
    terms = linear_terms(expr)
    assert terms is not None
    step = terms[inner]
    others = [a for a in range(len(shape)) if a != axis]
    other_exprs = [index_map.results[a] for a in others]
    if step == 1:
        packed = _copy(op, operand, others, axis)
        return packed, AffineMap(index_map.num_dims, 0, (*other_exprs, expr))
    rest = _without(expr, inner, step)
    longest = -(-shape[axis] // step)
    element = as_tensor(operand.type).element_type
    empty = tensor.EmptyOp([], TensorType(element, [*(shape[a] for a in others), step, longest]))
    _insert_before(op, empty)
    packed = empty.tensor
    for phase in range(min(step, shape[axis])):
        part = _copy(op, operand, others, axis, step, phase)
        insert = tensor.InsertSliceOp.from_static_parameters(
            part, packed, [0] * len(others) + [phase, 0], list(shape_of(part.type))
        )
        _insert_before(op, insert)
        packed = insert.result
    exprs = (*other_exprs, rest % step, AffineExpr.dimension(inner) + rest // step)
    return packed, AffineMap(index_map.num_dims, 0, exprs)


def _without(expr: AffineExpr, dim: int, step: int) -> AffineExpr:
    """A linear expression without its term in one dimension."""
    terms = linear_terms(expr)
    assert terms is not None
    assert terms[dim] == step
    rest = AffineExpr.constant(terms.constant)
    for d, factor in terms.items():
        if d != dim:
            rest = rest + AffineExpr.dimension(d) * factor
    return rest


def _copy(
    op: Operation, operand: SSAValue, others: list[int], axis: int, step: int | None = None, phase: int = 0
) -> SSAValue:
    """`copy[others…, q] = operand[…, q, …]`; with a step, `copy[others…, 0, q] = operand[…, q·step + phase, …]`."""
    shape = shape_of(operand.type)
    count = -(-(shape[axis] - phase) // (step or 1))
    sizes = [*(shape[a] for a in others), *([1] if step else []), count]
    element = as_tensor(operand.type).element_type
    rank = len(sizes)
    exprs: list[AffineExpr] = [AffineExpr.constant(0)] * len(shape)
    for position, other in enumerate(others):
        exprs[other] = AffineExpr.dimension(position)
    exprs[axis] = AffineExpr.dimension(rank - 1) * (step or 1) + phase
    empty = tensor.EmptyOp([], TensorType(element, sizes))
    block = Block(arg_types=[element, element])
    block.add_op(linalg.YieldOp(block.args[0]))
    copy = linalg.GenericOp(
        [operand],
        [empty.tensor],
        Region(block),
        [AffineMapAttr(AffineMap(rank, 0, tuple(exprs))), AffineMapAttr(AffineMap.identity(rank))],
        ArrayAttr([IteratorTypeAttr.parallel()] * rank),
        [empty.tensor.type],
    )
    _insert_before(op, empty)
    _insert_before(op, copy)
    return copy.results[0]


def _insert_before(op: Operation, new: Operation) -> None:
    new.location = op.location
    assert op.parent is not None
    op.parent.insert_op_before(new, op)
