"""Parallel branches as one: what the three passes `relay-combine-parallel-…` share.

    y1 = f(x, w1) · y2 = f(x, w2) · y3 = f(x, w3)   →   y = f(x, concatenate(w1, w2, w3)) · y1, y2, y3 = split(y)

Elementwise operators that stand behind all of the branches alike are combined too, so that they run once on the joint
tensor and fuse. Every number is computed from the same operands as before.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.elementwise import BinaryOp
from xrelay.dialects.relay.indexing import Split
from xrelay.dialects.relay.linear import BiasAdd
from xrelay.dialects.relay.transform import Concatenate
from xrelay.dialects.relay.types import is_static, shape_of
from xrelay.dialects.relay.unary import UnaryOp
from xrelay.errors import XRelayError
from xrelay.lowering.graph.base import FunctionPass, blocks

Branches = Sequence[Any]
"""Operators of one class that read the same data."""


@dataclass(frozen=True)
class CombineParallel(FunctionPass):
    """Combines operators of one class that read the same data, where there are enough of them."""

    opt_level: ClassVar[int] = 4
    OPERATOR: ClassVar[type[RelayOp]]

    min_num_branches: int = 3

    def apply_to_function(self, function: FuncOp) -> None:
        if self.min_num_branches < 2:
            raise XRelayError(f"{self.name}: min_num_branches must be at least 2, not {self.min_num_branches}")
        for block in list(blocks(function.body)):
            for branches in self._groups(block):
                if len(branches) >= self.min_num_branches:
                    self.combine(branches)

    def _groups(self, block: Block) -> list[list[Any]]:
        """The operators of a block that fit together. Their weights are there before the first of them."""
        groups: dict[Hashable, list[Any]] = {}
        for op in block.ops:
            if type(op) is not self.OPERATOR or not all(map(is_static, (*op.operand_types, *op.result_types))):
                continue
            key = self.key(op)
            if key is None:
                continue
            group = groups.setdefault((op.operands[0], key, frozenset(op.attributes.items())), [])
            if not group or is_available(op.operands[1], group[0]):
                group.append(op)
        return list(groups.values())

    @abstractmethod
    def key(self, op: Any) -> Hashable:
        """What must be equal for operators to be combined, None for one that cannot be."""

    @abstractmethod
    def combine(self, branches: Branches) -> None: ...


def is_available(value: SSAValue, op: Operation) -> bool:
    """Whether a value can be read in front of an operator of its block: it stands before, or is a constant."""
    if isinstance(value.owner, Constant) or isinstance(value, BlockArgument):
        return True
    owner = value.owner
    assert isinstance(owner, Operation)
    if owner.parent is not op.parent:
        return True  # from a block around, or it would not be read in this one
    return owner.is_before_in_block(op)


def without(attrs: Any, *names: str) -> Hashable:
    """All attributes but some, to be compared."""
    return tuple((name, value) for name, value in vars(attrs).items() if name not in names)


class Joiner:
    """Puts new operators in front of the first branch."""

    def __init__(self, at: Operation):
        self._at = at

    def insert(self, op: RelayOp) -> RelayOp:
        assert self._at.parent is not None
        op.location = self._at.location
        self._at.parent.insert_op_before(op, self._at)
        return op

    def make(self, operator: type[RelayOp], *operands: SSAValue, **attrs: Any) -> SSAValue:
        return self.insert(operator.make(*operands, **attrs)).results[0]

    def concatenate(self, values: Sequence[SSAValue], axis: int) -> SSAValue:
        return self.make(Concatenate, *map(self.moved, values), axis=axis)

    def moved(self, value: SSAValue) -> SSAValue:
        """The value; a copy of a constant that stands further down."""
        op = value.owner
        if not isinstance(op, Constant) or op.parent is not self._at.parent or is_before(op, self._at):
            return value
        return self.insert(op.clone()).results[0]


def is_before(a: Operation, b: Operation) -> bool:
    return a is not b and a.is_before_in_block(b)


def join(branches: Branches, combined: SSAValue, axis: int, joiner: Joiner) -> None:
    """Let the readers of the branches read their pieces of the combined result, cut along an axis."""
    results = [op.results[0] for op in branches]
    old = list(branches)
    while (step := _common_step(results, axis, branches[0])) is not None:
        combined = _combined_step(step, results, combined, axis, joiner)
        results = [op.results[0] for op in step]
        old += step
    sizes = [shape_of(result.type)[axis] for result in results]
    cuts = list(accumulate(sizes))[:-1]
    pieces = joiner.insert(Split.make(combined, indices_or_sections=cuts, axis=axis)).results
    for result, piece in zip(results, pieces, strict=True):
        result.replace_all_uses_with(piece)
    for op in reversed(old):
        op.detach()
        op.erase()


# Operators behind the branches ----------------------------------------------------------------------------------------


def _common_step(results: Sequence[SSAValue], axis: int, first: Operation) -> list[Any] | None:
    """The readers of all branches, where they do the same; None at the end of what is common."""
    readers = [reader for result in results if (reader := result.get_user_of_unique_use()) is not None]
    if len(set(readers)) != len(results) or not isinstance(readers[0], UnaryOp | BinaryOp | BiasAdd):
        return None
    model = readers[0]
    for reader, result in zip(readers, results, strict=True):
        same = (
            type(reader) is type(model)
            and reader.properties == model.properties
            and reader.attributes == model.attributes
            and reader.parent is first.parent
            and _position(reader, result) == _position(model, results[0])
            and shape_of(reader.results[0].type) == shape_of(result.type)
        )
        if not same or not all(is_available(v, first) for v in reader.operands if v is not result):
            return None
    others = [_other(reader, result) for reader, result in zip(readers, results, strict=True)]
    return readers if others[0] is None or _joint(model, results, others, axis) is not None else None


def _position(reader: Operation, value: SSAValue) -> int:
    return list(reader.operands).index(value)


def _other(reader: Operation, value: SSAValue) -> SSAValue | None:
    return next((operand for operand in reader.operands if operand is not value), None)


def _joint(model: Operation, results: Sequence[SSAValue], others: Sequence[Any], axis: int) -> int | None:
    """Along which axis the second operands are to be concatenated: -1 where all are one value of size 1 there."""
    rank, shapes = len(shape_of(results[0].type)), [shape_of(other.type) for other in others]
    if isinstance(model, BiasAdd):
        if model.attrs.axis % rank == axis:
            return 0
        return -1 if len(set(others)) == 1 else None
    at = axis - (rank - len(shapes[0]))
    if len(set(others)) == 1 and (at < 0 or shapes[0][at] == 1):
        return -1
    if at < 0 or any(len(shape) != len(shapes[0]) for shape in shapes):
        return None
    whole = all(shape[at] == shape_of(result.type)[axis] for shape, result in zip(shapes, results, strict=True))
    alike = len({(*shape[:at], *shape[at + 1 :]) for shape in shapes}) == 1
    return at if whole and alike else None


def _combined_step(
    step: Sequence[Any], results: Sequence[SSAValue], combined: SSAValue, axis: int, joiner: Joiner
) -> SSAValue:
    model = step[0]
    others = [_other(reader, result) for reader, result in zip(step, results, strict=True)]
    operands = [combined]
    if others[0] is not None:
        at = _joint(model, results, others, axis)
        assert at is not None
        operands.append(joiner.moved(others[0]) if at < 0 else joiner.concatenate(others, at))  # type: ignore[arg-type]
    if _position(model, results[0]):
        operands.reverse()
    return joiner.make(type(model), *operands, **vars(model.attrs))
