"""Evaluates the body of a linalg.generic inside a loop: on scalars, or on vectors of consecutive positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, cf, tensor, vector
from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from xrelay.dialects.llvm_ext import element_type_of
from xrelay.dialects.relay.types import shape_of
from xrelay.dialects.vector_ext import VECTOR_FORM
from xrelay.lowering.loop.access import strides_of
from xrelay.lowering.loop.builder import Index, LoopBuilder

Read = Callable[[SSAValue, Sequence[SSAValue]], SSAValue]


def uses_index(block: Block) -> bool:
    """Whether the body asks for its position."""
    return any(isinstance(op, linalg.IndexOp) for op in block.ops)


def is_vectorizable(block: Block) -> bool:
    """Whether every operation means the same on vectors, element by element."""
    return not any(isinstance(op, (tensor.ExtractOp, cf.AssertOp)) for op in block.ops)


def weight(block: Block) -> int:
    """About how many machine operations a body is: a function of the math dialect is some tens, a power more."""
    return sum(150 if op.name == "math.powf" else 30 if op.name.startswith("math.") else 1 for op in block.ops)


def lanes_of(value: SSAValue) -> int:
    """The number of vector lanes, 0 for a scalar."""
    return value.type.get_shape()[0] if isinstance(value.type, VectorType) else 0


def emit_body(
    b: LoopBuilder,
    block: Block,
    args: Sequence[SSAValue],
    positions: Sequence[Index] = (),
    buffers: Mapping[SSAValue, SSAValue] | None = None,
    skip: Sequence[Operation] = (),
    known: Mapping[SSAValue, SSAValue] | None = None,
) -> list[SSAValue]:
    """Emit the body on these arguments and return what it yields.

    An operation is done on vectors as soon as one operand is a vector; scalars among the others are broadcast.
    `positions` are those of the generic's iteration dimensions, `buffers` the memory of the tensors that the body reads
    whole. Operations in `skip` are left out, their results being `known`.
    """
    values: dict[SSAValue, SSAValue] = dict(zip(block.args, args, strict=True))
    values.update(known or {})
    splats: dict[SSAValue, SSAValue] = {}

    def as_vector(value: SSAValue, lanes: int) -> SSAValue:
        if lanes_of(value):
            return value
        if value not in splats:
            splats[value] = b.splat(value, lanes)
        return splats[value]

    for op in block.ops:
        if op in skip:
            continue
        if isinstance(op, linalg.YieldOp):
            return [values[v] for v in op.operands]
        if isinstance(op, linalg.IndexOp):
            values[op.result] = b.index(positions[op.dim.value.data])
        elif isinstance(op, tensor.ExtractOp):
            assert buffers is not None
            values[op.result] = _read(b, buffers[op.tensor], op, [values[i] for i in op.indices])
        else:
            operands = [values[v] for v in op.operands]
            lanes = max(map(lanes_of, operands), default=0)
            if lanes:
                operands = [as_vector(v, lanes) for v in operands]
            new = apply(b, op, operands)
            values.update(zip(op.results, new.results, strict=True))
    raise AssertionError("a body without a yield")


def apply(b: LoopBuilder, op: Operation, operands: Sequence[SSAValue]) -> Operation:
    """Insert the same operation on other operands, lane by lane if they are vectors."""
    lanes = max(map(lanes_of, operands), default=0)
    form = VECTOR_FORM.get(type(op), type(op)) if lanes else type(op)
    types = [VectorType(r.type, [lanes]) if lanes else r.type for r in op.results]
    properties = op.properties
    if form is not type(op):
        assert issubclass(form, IRDLOperation)
        known = form.get_irdl_definition().properties
        properties = {name: value for name, value in properties.items() if name in known}
    new = form.create(operands=operands, result_types=types, properties=properties, attributes=op.attributes)
    new.location = op.location
    return b.insert(new)


def _read(b: LoopBuilder, buffer: SSAValue, op: tensor.ExtractOp, indices: Sequence[SSAValue]) -> SSAValue:
    position: Index = 0
    for stride, index in zip(strides_of(shape_of(op.tensor.type)), indices, strict=True):
        position = b.add(position, b.mul(index, stride))
    return b.load(b.flat(buffer), position)


_COMBINERS: dict[type[Operation], tuple[str, Callable[[Attribute], float | int]]] = {}


def _combiner(operation: type[Operation], kind: str, identity: Callable[[Attribute], float | int]) -> None:
    _COMBINERS[operation] = (kind, identity)


def _width(element: Attribute) -> int:
    assert isinstance(element, IntegerType)
    return element.width.data


_combiner(arith.AddfOp, "add", lambda _: -0.0)
_combiner(arith.AddiOp, "add", lambda _: 0)
_combiner(arith.MulfOp, "mul", lambda _: 1.0)
_combiner(arith.MuliOp, "mul", lambda _: 1)
_combiner(arith.MaximumfOp, "maximumf", lambda _: float("-inf"))
_combiner(arith.MinimumfOp, "minimumf", lambda _: float("inf"))
_combiner(arith.MaxSIOp, "maxsi", lambda e: -(1 << (_width(e) - 1)))
_combiner(arith.MinSIOp, "minsi", lambda e: (1 << (_width(e) - 1)) - 1)
_combiner(arith.MaxUIOp, "maxui", lambda _: 0)
_combiner(arith.MinUIOp, "minui", lambda e: (1 << _width(e)) - 1)
_combiner(arith.AndIOp, "and", lambda _: -1)
_combiner(arith.OrIOp, "or", lambda _: 0)
_combiner(arith.XOrIOp, "xor", lambda _: 0)


def combiner(block: Block, accumulator: SSAValue) -> Operation | None:
    """The one associative operation that joins the accumulator with the rest of the body; None if there is none."""
    terminator = block.last_op
    assert isinstance(terminator, linalg.YieldOp)
    if len(terminator.operands) != 1 or accumulator.uses.get_length() != 1:
        return None
    op = terminator.operands[0].owner
    if not isinstance(op, Operation) or type(op) not in _COMBINERS or accumulator not in op.operands:
        return None
    return op


def identity_of(op: Operation) -> float | int:
    """The neutral element of a combiner, for its element type."""
    return _COMBINERS[type(op)][1](op.results[0].type)


def reduce_lanes(b: LoopBuilder, op: Operation, value: SSAValue) -> SSAValue:
    """All lanes of a vector joined by a combiner."""
    kind = vector.CombiningKindAttr(vector.CombiningKindFlag(_COMBINERS[type(op)][0]))
    return b.value(
        vector.ReductionOp.create(
            operands=[value],
            result_types=[element_type_of(value.type)],
            properties={"kind": kind, "fastmath": arith.FastMathFlagsAttr("none")},
        )
    )


def combine(b: LoopBuilder, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Apply a combiner to two scalars or two vectors."""
    return b.value(type(op).create(operands=[lhs, rhs], result_types=[lhs.type], properties=op.properties))


