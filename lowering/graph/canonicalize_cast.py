"""`relay-canonicalize-cast`: a widening cast that several operators read is computed in each of them.

    y = cast(x : i8 → i32);  f(y);  g(y)    →    f(cast(x));  g(cast(x))

So the cast joins the kernel of each reader, and memory holds the narrow tensor only. Readers are elementwise and
broadcasting operators; others keep sharing one cast. (`relay-eliminate-common-subexpr` undoes this: run it before.)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xrelay.dialects.relay.core import FusionKind, RelayOp, fusion_kind
from xrelay.dialects.relay.types import as_tensor, bit_width
from xrelay.dialects.relay.unary import Cast
from xrelay.lowering.graph.base import FunctionPass


@dataclass(frozen=True)
class CanonicalizeCast(FunctionPass):
    """Gives every reader of a shared widening cast its own one."""

    name = "relay-canonicalize-cast"
    opt_level = 3

    def apply_to_function(self, function: FuncOp) -> None:
        places: dict[Operation, float] = {op: i for i, op in enumerate(function.walk())}
        for op in reversed(list(places)):  # a cast of a cast first: its copies read the other one
            if isinstance(op, Cast) and _widens(op):
                _duplicate(op, places)


def _widens(op: Cast) -> bool:
    source, target = (as_tensor(value.type).element_type for value in (op.data, op.result))
    return bit_width(source) < bit_width(target)


def _duplicate(op: Cast, places: dict[Operation, float]) -> None:
    """Give all readers that fuse a copy; the first keeps the cast itself, if nobody else does."""
    readers = sorted({use.operation for use in op.result.uses}, key=places.__getitem__)
    fusing = [reader for reader in readers if _fuses(reader)]
    if len(readers) == len(fusing):
        fusing = fusing[1:]
    for reader in fusing:
        assert reader.parent is not None
        copy = op.clone()
        places[copy] = places[reader] - 0.5
        reader.parent.insert_op_before(copy, reader)
        for i, operand in enumerate(reader.operands):
            if operand is op.result:
                reader.operands[i] = copy.result


def _fuses(op: Operation) -> bool:
    return isinstance(op, RelayOp) and fusion_kind(op) <= FusionKind.BROADCAST
