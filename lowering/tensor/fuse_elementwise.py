"""`tensor-fuse-elementwise`: an elementwise operation moves into the body of its one consumer, so that its result has
no memory.

A producer is a parallel `linalg.generic` of one result. It is merged where that costs no extra work: the consumer reads
each of its elements about once, or computing one is no dearer than loading it. Contractions keep their plain
multiply-add body.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeGuard

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.passes import ModulePass

from xrelay.dialects.relay.types import shape_of
from xrelay.lowering.graph.base import kernel_level
from xrelay.lowering.tensor.contraction import is_contraction
from xrelay.lowering.tensor.generic import iteration_sizes, maps_of

_HEAVY = (arith.DivfOp, arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp, tensor.ExtractOp)
_MAX_BODY = 96
"""A merged body stays below this many operations, so that a kernel's code stays small."""


def is_elementwise(op: Operation) -> TypeGuard[linalg.GenericOp]:
    """A generic of one result whose iterations are all parallel and whose result map is the identity."""
    return (
        isinstance(op, linalg.GenericOp)
        and len(op.outputs) == 1
        and all(i.data == "parallel" for i in op.iterator_types)
        and maps_of(op)[-1] == AffineMap.identity(len(op.iterator_types))
    )


def _is_heavy(block: Block) -> bool:
    return any(isinstance(op, _HEAVY) or op.name.startswith("math.") for op in block.ops)


def can_fuse(producer: linalg.GenericOp, consumer: linalg.GenericOp) -> bool:
    """Whether the producer's body may be computed at each of the consumer's reads."""
    if is_contraction(consumer) or any(isinstance(op, cf.AssertOp) for op in producer.body.block.ops):
        return False
    if len(list(producer.body.block.ops)) + len(list(consumer.body.block.ops)) > _MAX_BODY:
        return False
    uses_index = any(isinstance(op, linalg.IndexOp) for op in producer.body.block.ops)
    if uses_index and not _reads_identically(producer, consumer):
        return False
    if not _stays_bounded(producer, consumer):
        return False
    reads = prod(iteration_sizes(consumer))
    elements = prod(shape_of(producer.results[0].type))
    return reads <= elements or not (_is_heavy(producer.body.block) or len(producer.inputs) > 1)


def _stays_bounded(producer: linalg.GenericOp, consumer: linalg.GenericOp) -> bool:
    """Whether, without the producer's result, every iteration dimension still indexes an operand by itself."""
    maps = maps_of(consumer)
    bounds = set()
    for operand, index_map in zip((*consumer.inputs, *consumer.outputs), maps, strict=True):
        fused = operand is producer.results[0]
        for m in [m.compose(index_map) for m in maps_of(producer)[:-1]] if fused else [index_map]:
            bounds |= {e.position for e in m.results if isinstance(e, AffineDimExpr)}
    return len(bounds) == len(consumer.iterator_types)


def _reads_identically(producer: linalg.GenericOp, consumer: linalg.GenericOp) -> bool:
    """Every read of the producer is by plain, distinct dimensions, so that its positions are the consumer's."""
    maps = maps_of(consumer)
    return all(
        all(isinstance(e, AffineDimExpr) for e in maps[i].results)
        for i, operand in enumerate(consumer.inputs)
        if operand is producer.results[0]
    )


def fuse(producer: linalg.GenericOp, consumer: linalg.GenericOp) -> linalg.GenericOp:
    """The consumer with the producer's body in it, in the consumer's place."""
    result = producer.results[0]
    consumer_maps, producer_maps = maps_of(consumer), maps_of(producer)[:-1]
    inputs: list[SSAValue] = []
    maps: list[AffineMap] = []
    block = Block()

    def argument(operand: SSAValue, index_map: AffineMap, arg: SSAValue) -> SSAValue:
        for i, (known, known_map) in enumerate(zip(inputs, maps, strict=True)):
            if known is operand and known_map == index_map:
                return block.args[i]
        inputs.append(operand)
        maps.append(index_map)
        return block.insert_arg(arg.type, len(block.args))

    values: dict[SSAValue, SSAValue] = {}
    merged: dict[AffineMap, SSAValue] = {}
    pending: list[tuple[SSAValue, AffineMap]] = []
    for arg, operand, index_map in zip(consumer.body.block.args, consumer.inputs, consumer_maps, strict=False):
        if operand is not result:
            values[arg] = argument(operand, index_map, arg)
        else:
            pending.append((arg, index_map))
    for arg, index_map in pending:
        if index_map not in merged:
            inner: dict[SSAValue, SSAValue] = {}
            for p_arg, operand, p_map in zip(producer.body.block.args, producer.inputs, producer_maps, strict=False):
                inner[p_arg] = argument(operand, p_map.compose(index_map), p_arg)
            merged[index_map] = _inline(producer.body.block, inner, block, index_map)
        values[arg] = merged[index_map]
    for arg in consumer.body.block.args[len(consumer.inputs) :]:
        values[arg] = block.insert_arg(arg.type, len(block.args))
    yielded = _inline_all(consumer.body.block, values, block)
    block.add_op(linalg.YieldOp(*yielded))
    outputs_maps = consumer_maps[len(consumer.inputs) :]
    new = linalg.GenericOp(
        inputs,
        list(consumer.outputs),
        Region(block),
        ArrayAttr([AffineMapAttr(m) for m in (*maps, *outputs_maps)]),
        consumer.iterator_types,
        list(consumer.result_types),
    )
    new.location = consumer.location
    parent = consumer.parent
    assert parent is not None
    parent.insert_op_before(new, consumer)
    for old, value in zip(consumer.results, new.results, strict=True):
        value.name_hint = old.name_hint
        old.replace_all_uses_with(value)
    consumer.detach()
    consumer.erase()
    producer.detach()
    producer.erase()
    return new


def _inline(source: Block, values: dict[SSAValue, SSAValue], into: Block, index_map: AffineMap) -> SSAValue:
    """Clone a producer's body; its positions are the consumer's through `index_map`."""
    for op in source.ops:
        if isinstance(op, linalg.YieldOp):
            return values[op.operands[0]]
        if isinstance(op, linalg.IndexOp):
            expr = index_map.results[op.dim.value.data]
            assert isinstance(expr, AffineDimExpr)
            new: Operation = linalg.IndexOp(expr.position)
            into.add_op(new)
            values[op.result] = new.results[0]
        else:
            into.add_op(op.clone(values))
    raise AssertionError("a body without a yield")


def _inline_all(source: Block, values: dict[SSAValue, SSAValue], into: Block) -> list[SSAValue]:
    for op in source.ops:
        if isinstance(op, linalg.YieldOp):
            return [values[v] for v in op.operands]
        into.add_op(op.clone(values))
    raise AssertionError("a body without a yield")


def fuse_function(function: func.FuncOp) -> None:
    """Merge producers into consumers, last ones first, until none fits."""
    for op in reversed(list(function.body.block.ops)):
        if not (is_elementwise(op) and op.parent is not None):
            continue
        consumers = {use.operation for use in op.results[0].uses}
        if len(consumers) != 1:
            continue
        (consumer,) = consumers
        if not isinstance(consumer, linalg.GenericOp) or op.results[0] in consumer.outputs:
            continue
        if can_fuse(op, consumer):
            fuse(op, consumer)


@dataclass(frozen=True)
class TensorFuseElementwise(ModulePass):
    """Merge elementwise operations into their consumers."""

    name = "tensor-fuse-elementwise"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in kernel_level(op):
            fuse_function(function)


