"""Loop nests for everything that is not a contraction: elementwise maps, copies, fills, reductions.

Adjacent dimensions that all operands walk alike are merged. The innermost one is vectorized where every operand is
either consecutive or constant along it; a scalar loop does the rest of the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, SSAValue

from xrelay.dialects.relay.types import bit_width
from xrelay.lowering.loop import body as bodies
from xrelay.lowering.loop.access import Access, Merge, coalescing
from xrelay.lowering.loop.builder import Index, LoopBuilder
from xrelay.lowering.target import Target

PARALLEL, REDUCTION = "parallel", "reduction"

PARALLEL_COST = 64 * 1024
"""Scalar operations below which a nest runs on one thread: waking another costs about as much."""

ROW_BLOCK = 4096
"""A one-dimensional nest is cut into blocks of this many elements, the unit that threads share."""

MIN_LANES = 4


@dataclass
class Nest:
    """A linalg operation ready to become loops: sizes and kinds of its dimensions, its body, and where its operands
    are.

    An input is an `Access`, or a scalar SSA value that every position shares.
    """

    sizes: list[int]
    kinds: list[str]
    block: Block
    inputs: list[Access | SSAValue]
    outputs: list[Access]
    initial: list[SSAValue | None] = field(default_factory=list)
    """For reductions: the scalar that an output starts from; None where it continues from what the buffer holds."""
    buffers: dict[SSAValue, SSAValue] = field(default_factory=dict)
    """The memory of the tensors that the body reads whole."""

    @property
    def accesses(self) -> list[Access]:
        return [a for a in (*self.inputs, *self.outputs) if isinstance(a, Access)]

    def coalesced(self, merge: Merge | None = None) -> Nest:
        """The same nest over merged dimensions."""
        if bodies.uses_index(self.block):
            return self
        merge = merge or coalescing(self.sizes, self.kinds, self.accesses)
        return Nest(
            merge.sizes,
            merge.kinds,
            self.block,
            [merge(a) if isinstance(a, Access) else a for a in self.inputs],
            [merge(a) for a in self.outputs],
            self.initial,
            self.buffers,
        )


def emit(b: LoopBuilder, nest: Nest, target: Target) -> None:
    """Emit a nest; its parallel dimensions become `scf.parallel` where there is enough work."""
    if 0 in nest.sizes and PARALLEL in [k for k, s in zip(nest.kinds, nest.sizes, strict=True) if s == 0]:
        return
    nest = nest.coalesced()
    if REDUCTION in nest.kinds:
        _Reduction(b, nest, target).emit()
    else:
        _Map(b, nest, target).emit()


def byte_width(element: Attribute) -> int:
    """Bytes of an element in memory (bool takes one)."""
    return 8 if isinstance(element, IndexType) else max(8, bit_width(element)) // 8


def lanes_for(block: Block, size: int, target: Target) -> int:
    """How many elements a vector of this body holds: limited by its widest type and the size; 0 for scalars.

    Positions do not count: they are soon cast to what the body needs, and LLVM then narrows them.
    """
    elements = [arg.type for arg in block.args]
    elements += [r.type for op in block.ops if not isinstance(op, linalg.IndexOp) for r in op.results]
    widest = max(byte_width(e) for e in elements)
    lanes = target.vector_bytes // widest
    while lanes > size:
        lanes //= 2
    return lanes if lanes >= MIN_LANES else 0


def outer_loops(b: LoopBuilder, sizes: Sequence[int], cost: int, body) -> None:
    """Loops over the outer parallel dimensions; as few as give the threads enough slices are marked parallel."""
    if cost < PARALLEL_COST or prod(sizes) < 2:
        b.serial(sizes, body)
        return
    first = 1
    while first < len(sizes) and prod(sizes[:first]) < 32:
        first += 1

    def inner(outer: Sequence[Index]) -> None:
        b.serial(sizes[first:], lambda rest: body([*outer, *rest]))

    b.parallel(sizes[:first], inner)


@dataclass
class _Emitter:
    b: LoopBuilder
    nest: Nest
    target: Target

    @property
    def cost(self) -> int:
        return prod(self.nest.sizes) * (len(list(self.nest.block.ops)) + len(self.nest.accesses))

    def consecutive(self, dim: int) -> bool:
        """Whether the body can be done on vectors: every operand is consecutive or constant along the dimension."""
        strides = [a.stride(dim) for a in self.nest.accesses]
        return bodies.is_vectorizable(self.nest.block) and all(s in (0, 1) for s in strides)

    def load(self, access: Access | SSAValue, positions: Sequence[Index], dim: int | None, lanes: int) -> SSAValue:
        """An input at these positions; a vector where it moves along the vector dimension."""
        if not isinstance(access, Access):
            return access
        position = access.position(self.b, positions)
        if lanes and dim is not None and access.stride(dim) == 1:
            return self.b.load_vector(access.flat, position, lanes)
        return self.b.load(access.flat, position)

    def initial(self, positions: Sequence[Index], dim: int | None, lanes: int) -> list[SSAValue]:
        """What a reduction starts from at these positions, one value an output."""
        values = []
        for scalar, access in zip(self.nest.initial, self.nest.outputs, strict=True):
            value = self.load(access, positions, dim, lanes) if scalar is None else scalar
            values.append(self.b.splat(value, lanes) if lanes and not bodies.lanes_of(value) else value)
        return values

    def store(self, value: SSAValue, access: Access, positions: Sequence[Index], lanes: int) -> None:
        position = access.position(self.b, positions)
        if lanes:
            value = value if bodies.lanes_of(value) else self.b.splat(value, lanes)
            self.b.store_vector(value, access.flat, position)
        else:
            self.b.store(value, access.flat, position)

    def body(
        self, args: Sequence[SSAValue], positions: Sequence[Index], dim: int | None, lanes: int
    ) -> list[SSAValue]:
        """The body's results; with `lanes`, of that many positions along the vector dimension."""
        positions = list(positions)
        if lanes and dim is not None and bodies.uses_index(self.nest.block):
            positions[dim] = self.b.lane_positions(positions[dim], lanes)
        return bodies.emit_body(self.b, self.nest.block, args, positions, self.nest.buffers)


class _Map(_Emitter):
    """A nest of parallel dimensions only."""

    def emit(self) -> None:
        sizes = self.nest.sizes
        if not sizes:
            self.point([], 0)
            return
        last = len(sizes) - 1
        lanes = lanes_for(self.nest.block, sizes[-1], self.target) if self.writes_rows(last) else 0
        if last == 0:
            self.one_dimension(sizes[0], lanes)
        else:
            outer_loops(self.b, sizes[:-1], self.cost, lambda outer: self.row(outer, 0, sizes[-1], lanes))

    def writes_rows(self, last: int) -> bool:
        return self.consecutive(last) and all(a.stride(last) == 1 for a in self.nest.outputs)

    def one_dimension(self, size: int, lanes: int) -> None:
        blocks = -(-size // ROW_BLOCK)
        if blocks < 2 or self.cost < PARALLEL_COST:
            self.row([], 0, size, lanes)
            return

        def block(outer: Sequence[Index]) -> None:
            start = self.b.mul(outer[0], ROW_BLOCK)
            self.row([], start, self.b.minimum(self.b.add(start, ROW_BLOCK), size), lanes)

        self.b.parallel([blocks], block)

    def row(self, outer: Sequence[Index], start: Index, stop: Index, lanes: int) -> None:
        """The innermost dimension from start to stop: whole vectors, then single elements."""
        b = self.b
        middle = start
        if lanes:
            length = b.sub(stop, start)
            whole = length // lanes * lanes if isinstance(length, int) else self.whole(length, lanes)
            middle = b.add(start, whole)
            b.for_(start, middle, lanes, lambda i: self.point([*outer, i], lanes))
            if isinstance(length, int) and whole == length:
                return
        b.for_(middle, stop, 1, lambda i: self.point([*outer, i], 0))

    def whole(self, length: SSAValue, lanes: int) -> Index:
        rest = self.b.value(arith.RemUIOp(length, self.b.index(lanes)))
        return self.b.sub(length, rest)

    def point(self, positions: Sequence[Index], lanes: int) -> None:
        nest, dim = self.nest, len(positions) - 1 if positions else None
        args = [self.load(a, positions, dim, lanes) for a in nest.inputs]
        if nest.initial:
            # A reduction over dimensions of size 1, of which none is left.
            args += self.initial(positions, dim, lanes)
        else:
            # A map does not read what its outputs held before; the body's arguments for them are unused.
            unused = nest.block.args[len(args) :]
            args += [self.b.zero(a.type) if a.first_use else a for a in unused]
        for value, access in zip(self.body(args, positions, dim, lanes), nest.outputs, strict=True):
            self.store(value, access, positions, lanes)


class _Reduction(_Emitter):
    """A nest with reduction dimensions: accumulators are carried through the reduction loops in registers."""

    def emit(self) -> None:
        nest = self.nest
        self.parallel = [d for d, k in enumerate(nest.kinds) if k == PARALLEL]
        self.reduced = [d for d, k in enumerate(nest.kinds) if k == REDUCTION]
        sizes = [nest.sizes[d] for d in self.parallel]
        last = self.parallel[-1] if self.parallel else None
        join = bodies.combiner(nest.block, nest.block.args[-1]) if len(nest.outputs) == 1 else None
        if last is not None and self.consecutive(last) and all(a.stride(last) == 1 for a in nest.outputs):
            lanes = lanes_for(nest.block, nest.sizes[last], self.target)
            if lanes:
                outer_loops(self.b, sizes[:-1], self.cost, lambda outer: self.row(outer, lanes))
                return
        inner = self.reduced[-1]
        lanes = 0
        if join is not None and self.consecutive(inner) and nest.sizes[inner] > 1:
            lanes = lanes_for(nest.block, nest.sizes[inner], self.target)
        if lanes:
            outer_loops(self.b, sizes, self.cost, lambda outer: self.across(outer, join, lanes))
        else:
            outer_loops(self.b, sizes, self.cost, lambda outer: self.point(outer, 0))

    def row(self, outer: Sequence[Index], lanes: int) -> None:
        """Vectors along the innermost parallel dimension."""
        size = self.nest.sizes[self.parallel[-1]]
        whole = size // lanes * lanes
        self.b.for_(0, whole, lanes, lambda i: self.point([*outer, i], lanes))
        self.b.for_(whole, size, 1, lambda i: self.point([*outer, i], 0))

    def at(self, outer: Sequence[Index], reduced: Sequence[Index]) -> list[Index]:
        """Positions of all dimensions, in the nest's order."""
        positions: list[Index] = [0] * len(self.nest.sizes)
        for d, i in zip((*self.parallel, *self.reduced), (*outer, *reduced), strict=True):
            positions[d] = i
        return positions

    def start(self, outer: Sequence[Index], lanes: int) -> list[SSAValue]:
        dim = self.parallel[-1] if self.parallel else None
        return self.initial(self.at(outer, [0] * len(self.reduced)), dim, lanes)

    def finish(self, values: Sequence[SSAValue], outer: Sequence[Index], lanes: int) -> None:
        positions = self.at(outer, [0] * len(self.reduced))
        for value, access in zip(values, self.nest.outputs, strict=True):
            self.store(value, access, positions, lanes)

    def point(self, outer: Sequence[Index], lanes: int) -> None:
        """One output position (or one vector of them): carry the accumulators through all reduction loops."""
        dim = self.parallel[-1] if self.parallel else None

        def step(reduced: Sequence[Index], carried: Sequence[SSAValue]) -> list[SSAValue]:
            positions = self.at(outer, reduced)
            args = [self.load(a, positions, dim, lanes) for a in self.nest.inputs]
            results = self.body([*args, *carried], positions, dim, lanes)
            return [self.b.splat(v, lanes) if lanes and not bodies.lanes_of(v) else v for v in results]

        self.finish(self.carry([], self.start(outer, lanes), step), outer, lanes)

    def carry(self, fixed: list[Index], carried: Sequence[SSAValue], step) -> list[SSAValue]:
        """Nested reduction loops around `step(positions, carried)`."""
        if len(fixed) == len(self.reduced):
            return step(fixed, carried)
        size = self.nest.sizes[self.reduced[len(fixed)]]
        return self.b.for_(0, size, 1, lambda i, *c: self.carry([*fixed, i], c, step), carried)

    def across(self, outer: Sequence[Index], join, lanes: int) -> None:
        """One output position, vectors along the innermost reduction dimension, joined across lanes at the end."""
        b, nest = self.b, self.nest
        dim = self.reduced[-1]
        size, whole = nest.sizes[dim], nest.sizes[dim] // lanes * lanes
        neutral = b.number(bodies.identity_of(join), join.results[0].type)

        def row(fixed: list[Index], carried: Sequence[SSAValue]) -> list[SSAValue]:
            if len(fixed) < len(self.reduced) - 1:
                length = nest.sizes[self.reduced[len(fixed)]]
                return b.for_(0, length, 1, lambda i, *c: row([*fixed, i], c), carried)
            vector, scalar = carried
            (vector,) = b.for_(0, whole, lanes, lambda i, c: self.accumulate(outer, [*fixed, i], c, lanes), [vector])
            (scalar,) = b.for_(whole, size, 1, lambda i, c: self.accumulate(outer, [*fixed, i], c, 0), [scalar])
            return [vector, scalar]

        (start,) = self.start(outer, 0)
        vector, scalar = row([], [b.splat(neutral, lanes), start])
        self.finish([bodies.combine(b, join, scalar, bodies.reduce_lanes(b, join, vector))], outer, 0)

    def accumulate(self, outer, reduced, carried: SSAValue, lanes: int) -> list[SSAValue]:
        positions = self.at(outer, reduced)
        args = [self.load(a, positions, self.reduced[-1], lanes) for a in self.nest.inputs]
        return self.body([*args, carried], positions, self.reduced[-1], lanes)

