"""Regions: operators of one backend that become one function. What the passes for backends share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation
from xdsl.traits import is_side_effect_free

from xrelay.lowering.graph.annotate_target import target_of

REGION = "relay.region"
"""The number of the region that an operator belongs to, unique in its function."""


def region_of(op: Operation) -> int | None:
    noted = op.attributes.get(REGION)
    return noted.value.data if isinstance(noted, IntegerAttr) else None


class Regions:
    """A partition of the operators of a block, such that no two parts depend on each other."""

    def __init__(self, block: Block):
        self.ops = list(block.ops)
        self._place = {op: i for i, op in enumerate(self.ops)}
        self._region: list[list[int]] = [[i] for i in range(len(self.ops))]
        """For every operator, the places of all in its region; shared by them."""
        self._inputs = [self._read_by(op) for op in self.ops]
        self._segment = self._segments()

    def _read_by(self, op: Operation) -> list[int]:
        """The places of what an operator, and all inside of it, reads in this block."""
        owners = (operand.owner for inner in op.walk() for operand in inner.operands)
        return list(dict.fromkeys(self._place[o] for o in owners if isinstance(o, Operation) and o in self._place))

    def _segments(self) -> list[int]:
        """Operators with effects keep their place among all others: no region reaches over one."""
        segments, current = [], 0
        for op in self.ops:
            pure = target_of(op) is not None or is_side_effect_free(op)
            current += not pure
            segments.append(current)
            current += not pure
        return segments

    def producers(self, op: Operation) -> list[Operation]:
        """What an operator reads in this block."""
        return [self.ops[i] for i in self._inputs[self._place[op]]]

    def of(self, op: Operation) -> list[Operation]:
        """All that belongs to the region of an operator, in order."""
        return [self.ops[i] for i in sorted(self._region[self._place[op]])]

    def merge(self, a: Operation, b: Operation) -> bool:
        """Make one region of two, if nothing outside depends on it that it depends on; whether it is one now."""
        first, second = self._region[self._place[a]], self._region[self._place[b]]
        if first is second:
            return True
        if self._segment[first[0]] != self._segment[second[0]] or self._makes_cycle(first, second):
            return False
        first.extend(second)
        for place in second:
            self._region[place] = first
        return True

    def _makes_cycle(self, *parts: Sequence[int]) -> bool:
        """Whether something that the parts together read depends on them, through other regions."""
        merged = {place for part in parts for place in part}
        earliest = min(merged)
        seen: set[int] = set()
        pending = [i for place in merged for i in self._inputs[place] if i not in merged]
        while pending:
            place = pending.pop()
            if place in seen:
                continue
            region = self._region[place]
            seen.update(region)
            if max(region) < earliest:
                continue  # all that it reads stands before the parts, too
            for i in {i for member in region for i in self._inputs[member]}:
                if i in merged:
                    return True
                if i not in seen:
                    pending.append(i)
        return False

    def arranged(self) -> list[list[Operation]]:
        """The regions in an order in which each comes behind what it depends on."""
        done: set[int] = set()
        order: list[list[int]] = []
        for start in range(len(self.ops)):
            pending = [start]
            while pending:
                region = self._region[pending[-1]]
                if region[0] in done:
                    pending.pop()
                    continue
                missing = [i for place in region for i in self._inputs[place] if i not in done and i not in region]
                if missing:
                    pending += missing
                    continue
                done.update(region)
                order.append(sorted(region))
                pending.pop()
        return [[self.ops[i] for i in region] for region in order]


def noted_regions(block: Block) -> Regions:
    """The regions of a block as they are noted; an operator of a backend without a number is one by itself."""
    regions = Regions(block)
    first: dict[tuple[str | None, int], Operation] = {}
    for op in _numbered(regions.ops):
        number = region_of(op)
        assert number is not None
        regions.merge(first.setdefault((target_of(op), number), op), op)
    return regions


def _numbered(ops: Iterable[Operation]) -> list[Operation]:
    return [op for op in ops if target_of(op) is not None and region_of(op) is not None]
