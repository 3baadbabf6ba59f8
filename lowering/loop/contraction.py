"""The one place where convolutions and matrix products become loops.

`out[p] += x[…] · w[…]` over reduction dimensions, whatever the layouts: the linalg operation's maps say which operand
is consecutive along the output's innermost dimension (it is read by vectors) and which is constant along it (it is
broadcast). A register tile of accumulators is carried through the reduction loops, and the epilogue (bias, activation,
residual) is applied to it before it is stored. Where a tile does not divide a dimension, the last tile starts earlier
and computes some outputs twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, VectorType, i64
from xdsl.ir import Block, Operation, SSAValue

from xrelay.dialects.llvm_ext import element_type_of
from xrelay.dialects.relay.types import is_float
from xrelay.lowering.loop import body as bodies
from xrelay.lowering.loop.access import Access, coalescing
from xrelay.lowering.loop.builder import Index, LoopBuilder, buffer_type
from xrelay.lowering.loop.nest import Nest, byte_width, outer_loops
from xrelay.lowering.loop.schedule import choose_tile, steps
from xrelay.lowering.target import Target
from xrelay.lowering.tensor.contraction import cast_chain

PARALLEL = "parallel"

MAX_EPILOGUE = 320
"""Operations that an epilogue may add to a tile's code (weighed by `body.weight`); a longer one becomes a loop."""


@dataclass
class Epilogue:
    """An elementwise operation on the contraction's result, in the contraction's output dimensions."""

    block: Block
    inputs: list[Access | SSAValue | None]
    """Accesses over the output dimensions; None stands for the contraction's result."""
    outputs: list[Access]
    buffers: dict[SSAValue, SSAValue] = field(default_factory=dict)


@dataclass
class Contraction:
    """A multiply-accumulate nest: inputs x and w, one output, optionally an epilogue."""

    nest: Nest
    multiply: Operation
    epilogue: Epilogue | None = None

    def coalesced(self) -> Contraction:
        """The same contraction over merged dimensions (a 1×1 convolution's image becomes one dimension)."""
        nest, epilogue = self.nest, self.epilogue
        more = [a for a in (*epilogue.inputs, *epilogue.outputs) if isinstance(a, Access)] if epilogue else []
        merge = coalescing(nest.sizes, nest.kinds, [*nest.accesses, *more])
        if epilogue is not None:
            epilogue = Epilogue(
                epilogue.block,
                [merge(a) if isinstance(a, Access) else a for a in epilogue.inputs],
                [merge(a) for a in epilogue.outputs],
                epilogue.buffers,
            )
        return Contraction(nest.coalesced(merge), self.multiply, epilogue)


def is_tileable(nest: Nest) -> bool:
    """Whether one input is consecutive or constant, and the other constant, along the output's innermost dimension."""
    parallel = [d for d, k in enumerate(nest.kinds) if k == PARALLEL]
    if not parallel or 0 in nest.sizes:
        return False
    x, w = nest.inputs
    if not (isinstance(x, Access) and isinstance(w, Access)):
        return False
    inner = parallel[-1]
    strides = {x.stride(inner), w.stride(inner)}
    return nest.outputs[0].stride(inner) == 1 and strides in ({0, 1}, {1}, {0}) and strides != {0}


def emit(b: LoopBuilder, contraction: Contraction, target: Target) -> None:
    """Emit the loops of a tileable contraction."""
    _Emitter(b, contraction, target).emit()


class _Emitter:
    def __init__(self, b: LoopBuilder, contraction: Contraction, target: Target):
        self.b, self.contraction, self.target = b, contraction, target
        nest = contraction.nest
        self.sizes = nest.sizes
        self.parallel = [d for d, k in enumerate(nest.kinds) if k == PARALLEL]
        self.reduced = [d for d, k in enumerate(nest.kinds) if k != PARALLEL]
        self.inner = self.parallel[-1]
        x, w = nest.inputs
        assert isinstance(x, Access)
        assert isinstance(w, Access)
        self.inputs: tuple[Access, Access] = (x, w)
        # The operand read by vectors comes first; both may be (depthwise convolution with a weight a pixel).
        self.moving = [i for i in (0, 1) if self.inputs[i].stride(self.inner) == 1]
        self.rows_dim = self._tile_dim(moves=False)
        self.lines_dim = self._tile_dim(moves=True)
        accumulated = nest.block.args[2].type
        self.tile = choose_tile(
            self.sizes[self.rows_dim] if self.rows_dim is not None else 1,
            self.sizes[self.lines_dim] if self.lines_dim is not None else 1,
            self.sizes[self.inner],
            byte_width(accumulated),
            target,
        )

    def _tile_dim(self, moves: bool) -> int | None:
        """The innermost other parallel dimension along which, of the two operands, only the vector one moves (or only
        the broadcast one)."""
        vector_operand = self.inputs[self.moving[0]]
        broadcast_operand = self.inputs[1 - self.moving[0]]
        stays, goes = (broadcast_operand, vector_operand) if moves else (vector_operand, broadcast_operand)
        for d in reversed(self.parallel[:-1]):
            if self.sizes[d] > 1 and stays.stride(d) == 0 and goes.stride(d) not in (0, None):
                return d
        return None

    # Loops -------------------------------------------------------------------------------------------------------

    def emit(self) -> None:
        tiled = {self.rows_dim: self.tile.rows, self.lines_dim: self.tile.lines, self.inner: self.tile.width}
        outer = list(self.parallel)
        if self.rows_dim is not None:
            # The rows' weights stay in the cache while the image goes by.
            outer.remove(self.rows_dim)
            outer.insert(self._first_row_position(outer), self.rows_dim)
        counts = [steps(self.sizes[d], tiled.get(d, 1)) for d in outer]
        cost = 2 * prod(self.sizes) // self.tile.lanes * 2

        def at(tiles: Sequence[Index]) -> None:
            positions: list[Index] = [0] * len(self.sizes)
            for d, index in zip(outer, tiles, strict=True):
                positions[d] = self._start(index, self.sizes[d], tiled.get(d, 1))
            self.tile_at(positions)

        outer_loops(self.b, counts, cost, at)

    def _first_row_position(self, outer: list[int]) -> int:
        """Behind the dimensions along which both operands move (batch, groups): there the weights change anyway."""
        position = 0
        for d in outer:
            if all(a.stride(d) != 0 for a in self.inputs):
                position += 1
            else:
                break
        return position

    def _start(self, index: Index, size: int, tile: int) -> Index:
        start = self.b.mul(index, tile)
        if size <= tile:
            return 0
        return start if size % tile == 0 else self.b.minimum(start, size - tile)

    def tile_at(self, positions: list[Index]) -> None:
        """Compute and store one register tile whose first element is at `positions`."""
        b, tile = self.b, self.tile
        nest = self.contraction.nest
        self.mask = self._mask() if tile.masked else None
        initial = nest.initial[0]
        if initial is not None:
            splat = b.splat(initial, tile.lanes)
            accumulators = [splat] * (tile.rows * tile.lines * tile.vectors)
        else:
            (out,) = nest.outputs
            base = out.position(b, positions)
            accumulators = [
                b.load_vector(out.flat, b.add(base, self._shift(out, *at)), tile.lanes, self.mask)
                for at in self._points()
            ]

        def loops(fixed: list[Index], carried: Sequence[SSAValue]) -> list[SSAValue]:
            if len(fixed) == len(self.reduced):
                return self.step(positions, fixed, carried)
            size = self.sizes[self.reduced[len(fixed)]]
            return b.for_(0, size, 1, lambda i, *c: loops([*fixed, i], c), carried)

        self.finish(positions, loops([], accumulators))

    def _mask(self) -> SSAValue:
        mask_type = VectorType(IntegerType(1), [self.tile.lanes])
        size = self.b.index(self.sizes[self.inner])
        return self.b.value(vector.CreateMaskOp.build(operands=[[size]], result_types=[mask_type]))

    def _points(self) -> list[tuple[int, int, int]]:
        """Row, line and position in the line of every vector of the tile."""
        tile = self.tile
        return [
            (row, line, vec * tile.lanes)
            for row in range(tile.rows)
            for line in range(tile.lines)
            for vec in range(tile.vectors)
        ]

    def _shift(self, access: Access, row: int, line: int, offset: int) -> int:
        """By how much the operand's position differs at a point of the tile from that at its first one."""
        shift = offset * access.coefficients[self.inner]
        if self.rows_dim is not None:
            shift += row * access.coefficients[self.rows_dim]
        if self.lines_dim is not None:
            shift += line * access.coefficients[self.lines_dim]
        return shift

    def step(self, positions: list[Index], reduced: list[Index], carried: Sequence[SSAValue]) -> list[SSAValue]:
        """One multiply-add of the whole tile."""
        b, nest = self.b, self.contraction.nest
        here = list(positions)
        for d, i in zip(self.reduced, reduced, strict=True):
            here[d] = i
        bases = [access.position(b, here) for access in self.inputs]
        loaded: dict[tuple[int, int], SSAValue] = {}

        def operand(which: int, at: tuple[int, int, int]) -> SSAValue:
            access = self.inputs[which]
            shift = self._shift(access, *at)
            if (which, shift) not in loaded:
                position = b.add(bases[which], shift)
                if which in self.moving:
                    raw = b.load_vector(access.flat, position, self.tile.lanes, self.mask)
                else:
                    raw = b.load(access.flat, position)
                value = self._prepared(which, raw)
                loaded[which, shift] = value if bodies.lanes_of(value) else b.splat(value, self.tile.lanes)
            return loaded[which, shift]

        results = []
        for acc, at in zip(carried, self._points(), strict=True):
            x, w = operand(0, at), operand(1, at)
            if is_float(nest.block.args[2].type):
                results.append(b.value(vector.FMAOp(x, w, acc)))
            else:
                product = b.value(arith.MuliOp(x, w))
                results.append(b.value(arith.AddiOp(product, acc)))
        return results

    def _prepared(self, which: int, raw: SSAValue) -> SSAValue:
        """The factor that the body makes of an input: casts, for inputs narrower than the accumulator."""
        block = self.contraction.nest.block
        chains = dict(c for v in self.contraction.multiply.operands if (c := cast_chain(v, block)))
        for op in chains[which]:
            raw = bodies.apply(self.b, op, [raw]).results[0]
        return raw

    # The epilogue ------------------------------------------------------------------------------------------------

    def finish(self, positions: list[Index], accumulators: Sequence[SSAValue]) -> None:
        """Apply the epilogue to every vector of the tile and store it."""
        epilogue = self.contraction.epilogue
        if epilogue is not None and bodies.weight(epilogue.block) * len(accumulators) > MAX_EPILOGUE:
            self._finish_in_loop(epilogue, positions, accumulators)
            return
        for acc, at in zip(accumulators, self._points(), strict=True):
            here = self._at(positions, *at)
            self._store([acc] if epilogue is None else self._apply(epilogue, here, acc), here)

    def _finish_in_loop(self, epilogue: Epilogue, positions: list[Index], accumulators: Sequence[SSAValue]) -> None:
        """The same by way of a small buffer: a long epilogue stands in the code once, not once a vector."""
        b, tile = self.b, self.tile
        element = element_type_of(accumulators[0].type)
        size = len(accumulators) * tile.lanes
        buffer = b.value(memref.AllocaOp.get(element, shape=[size]))
        for number, acc in enumerate(accumulators):
            b.store_vector(acc, buffer, number * tile.lanes)

        def vectors(row: Index, line: Index) -> None:
            first = b.mul(b.add(b.mul(row, tile.lines), line), tile.vectors * tile.lanes)

            def one(offset: Index) -> None:
                here = self._at(positions, row, line, offset)
                acc = b.load_vector(buffer, b.add(first, offset), tile.lanes)
                self._store(self._apply(epilogue, here, acc), here)

            b.for_(0, tile.vectors * tile.lanes, tile.lanes, one)

        b.for_(0, tile.rows, 1, lambda row: b.for_(0, tile.lines, 1, lambda line: vectors(row, line)))

    def _at(self, positions: list[Index], row: Index, line: Index, offset: Index) -> list[Index]:
        """The position of a point of the tile."""
        here = list(positions)
        for d, step in ((self.rows_dim, row), (self.lines_dim, line), (self.inner, offset)):
            if d is not None:
                here[d] = self.b.add(here[d], step)
        return here

    def _store(self, values: Sequence[SSAValue], here: list[Index]) -> None:
        epilogue = self.contraction.epilogue
        outputs = epilogue.outputs if epilogue else self.contraction.nest.outputs
        for value, access in zip(values, outputs, strict=True):
            value = value if bodies.lanes_of(value) else self.b.splat(value, self.tile.lanes)
            self.b.store_vector(value, access.flat, access.position(self.b, here), self.mask)

    def _apply(self, epilogue: Epilogue, here: list[Index], acc: SSAValue) -> list[SSAValue]:
        args = [acc if access is None else self._side_input(access, here) for access in epilogue.inputs]
        unused = epilogue.block.args[len(args) :]
        args += [self.b.zero(a.type) if a.first_use else a for a in unused]
        return bodies.emit_body(self.b, epilogue.block, args, here, epilogue.buffers)

    def _side_input(self, access: Access | SSAValue, positions: list[Index]) -> SSAValue:
        """An epilogue's other operand (bias, residual) for one vector of the tile."""
        b, lanes = self.b, self.tile.lanes
        if not isinstance(access, Access):
            return access
        stride = access.stride(self.inner)
        if stride == 0:
            return b.load(access.flat, access.position(b, positions))
        if stride == 1:
            return b.load_vector(access.flat, access.position(b, positions), lanes, self.mask)
        return self._gathered(access, positions)

    def _gathered(self, access: Access, positions: list[Index]) -> SSAValue:
        b, lanes = self.b, self.tile.lanes
        valid = min(lanes, self.sizes[self.inner])
        value = b.splat(b.zero(buffer_type(access.flat).element_type), lanes)
        for lane in range(valid):
            here = list(positions)
            here[self.inner] = b.add(here[self.inner], lane)
            scalar = b.load(access.flat, access.position(b, here))
            value = b.value(
                vector.InsertOp.create(
                    operands=[scalar, value],
                    result_types=[value.type],
                    properties={"static_position": DenseArrayBase.from_list(i64, [lane])},
                )
            )
        return value

