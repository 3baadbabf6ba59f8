"""One kernel from tensors to loops: which tensor lives in which buffer, and which operations share a loop nest.

Buffers are given to tensors backwards from the results (destination passing): a tensor that is returned, viewed or
inserted somewhere is computed in place there. The others get a buffer of the kernel's own. A fill has no buffer where
it only starts a reduction or is read: its number takes its place. An elementwise operation on a contraction's result
becomes the contraction's epilogue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref, tensor
from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from xrelay.dialects import kernel
from xrelay.dialects.relay.types import as_tensor, shape_of
from xrelay.errors import CompilationError
from xrelay.lowering.loop import contraction, nest
from xrelay.lowering.loop.access import Access
from xrelay.lowering.loop.builder import LoopBuilder, buffer_type
from xrelay.lowering.loop.contraction import Contraction, Epilogue
from xrelay.lowering.loop.epilogue import Consumer, elementwise_behind, is_tileable
from xrelay.lowering.loop.nest import Nest
from xrelay.lowering.target import Target
from xrelay.lowering.tensor.contraction import is_contraction, multiply_add
from xrelay.lowering.tensor.generic import iteration_sizes, maps_of


def memref_of(value_type: Attribute) -> MemRefType:
    """The type of a buffer that holds a tensor of this type."""
    tensor_type = as_tensor(value_type)
    return MemRefType(tensor_type.element_type, tensor_type.get_shape())


@dataclass(frozen=True)
class Place:
    """Where a tensor lives: a buffer of `shape`, the tensor beginning at `offsets` in it."""

    buffer: SSAValue
    shape: tuple[int, ...]
    offsets: tuple[int, ...]

    @property
    def whole(self) -> bool:
        return not any(self.offsets)


class KernelLowering:
    """Converts the body of a tensor-level function into `block`, whose arguments are the inputs, then the results."""

    def __init__(self, function: func.FuncOp, block: Block, target: Target):
        self.source = function.body.block
        self.target = target
        self.b = LoopBuilder(block)
        self.places: dict[SSAValue, Place] = {}
        self.fills: dict[SSAValue, SSAValue] = {}
        self.scalars: dict[SSAValue, SSAValue] = {}
        self.written: set[SSAValue] = set()
        self.nests: list[Nest] = []
        self.tileable: set[Operation] = set()
        self.deferred: set[Operation] = set()
        self.epilogues: dict[Operation, tuple[linalg.GenericOp, Consumer]] = {}

    def lower(self) -> None:
        arguments = list(self.b.block.args)
        for old, new in zip(self.source.args, arguments, strict=False):
            self.places[old] = self._whole(new)
            self.written.add(old)
            self.b.flat(new)
        for out in arguments[len(self.source.args) :]:
            self.b.flat(out)
        for op in self.source.ops:
            if isinstance(op, linalg.GenericOp):
                _sink_constants(op.body.block)
        self._find_epilogues()
        terminator = self.source.last_op
        assert isinstance(terminator, func.ReturnOp)
        results = arguments[len(self.source.args) :]
        for value, out in zip(terminator.operands, results, strict=True):
            if value not in self.places:
                self.places[value] = self._whole(out)
        for op in reversed(list(self.source.ops)):
            self._pass_destination_on(op)
        for op in self.source.ops:
            if op in self.deferred:
                continue  # emitted together with its consumer
            self.b.location = op.location
            self._RULES.get(type(op), KernelLowering._unknown)(self, op)
        for value, out in zip(terminator.operands, results, strict=True):
            self._materialize(value)
            if self.places[value].buffer is not out:
                self._copy(self._read(value), self._whole(out), shape_of(value.type))
        self.b.insert(func.ReturnOp())

    # Places ------------------------------------------------------------------------------------------------------

    @staticmethod
    def _whole(buffer: SSAValue) -> Place:
        shape = tuple(buffer_type(buffer).get_shape())
        return Place(buffer, shape, (0,) * len(shape))

    def _pass_destination_on(self, op: Operation) -> None:
        """Let what an operation is made of be computed where its result is wanted."""
        if not op.results or op.results[0] not in self.places:
            return
        place = self.places[op.results[0]]
        if isinstance(op, kernel.ViewOp) and place.whole and self._may_place(op.source):
            view = kernel.ViewOp(place.buffer, memref_of(op.source.type))
            if shape_of(op.result.type) == place.shape:
                self.places[op.source] = self._whole(self.b.value(view))
                self.b.flat(self.places[op.source].buffer)
        elif isinstance(op, tensor.InsertSliceOp):
            if self._may_place(op.dest):
                self.places[op.dest] = place
            base = _base_of_inserts(op)
            same_rank = _rank(op.source) == _rank(op.dest)
            if self._may_place(op.source) and isinstance(base.owner, tensor.EmptyOp) and same_rank:
                offsets = tuple(a + o for a, o in zip(place.offsets, op.static_offsets.get_values(), strict=True))
                self.places[op.source] = Place(place.buffer, place.shape, offsets)
        elif isinstance(op, linalg.GenericOp):
            for out, result in zip(op.outputs, op.results, strict=True):
                if result in self.places and self._may_place(out) and isinstance(out.owner, linalg.GenericOp):
                    self.places[out] = self.places[result]

    def _may_place(self, value: SSAValue) -> bool:
        """Whether the kernel computes the value itself, for one user only."""
        return value not in self.places and isinstance(value.owner, Operation) and value.uses.get_length() == 1

    def _place(self, value: SSAValue) -> Place:
        """The tensor's place; a new buffer if it has none yet."""
        if value not in self.places:
            assert isinstance(value.type, TensorType)
            alloc = memref.AllocOp([], [], memref_of(value.type))
            self.places[value] = self._whole(self.b.value(alloc))
            self.b.flat(self.places[value].buffer)
        return self.places[value]

    def _access(self, value: SSAValue, index_map: AffineMap) -> Access:
        place = self._place(value)
        return Access.of(self.b.flat(place.buffer), place.shape, index_map, place.offsets)

    def _read(self, value: SSAValue, index_map: AffineMap | None = None) -> Access | SSAValue:
        """An operand of a nest: its access, or the number that fills it."""
        if value in self.fills:
            return self.fills[value]
        if isinstance(value.owner, tensor.EmptyOp) and value not in self.written:
            # It only says how large a window is; nothing is read from it.
            return self.b.zero(as_tensor(value.type).element_type)
        self._materialize(value)
        return self._access(value, index_map or AffineMap.identity(_rank(value)))

    def _materialize(self, value: SSAValue) -> None:
        """Make sure that the tensor's buffer holds it: write out a fill that has only been noted so far."""
        if value in self.written or value not in self.fills:
            return
        self.written.add(value)
        self._copy(self.fills[value], self._place(value), shape_of(value.type))

    def _emit(self, loops: Nest) -> None:
        self.nests.append(loops)
        nest.emit(self.b, loops, self.target)

    def in_place(self) -> list[int]:
        """The numbers of the arguments over which the result may be written: each element of theirs is read where, and
        only where, the result's is written, in the kernel's one nest."""
        if len(self.nests) != 1:
            return []
        (loops,) = self.nests
        if "reduction" in loops.kinds or len(loops.outputs) != 1 or loops.buffers:
            return []
        (out,) = loops.outputs
        written = out.coefficients, out.offset, out.nonlinear
        found = []
        for number, arg in enumerate(self.b.block.args[: len(self.source.args)]):
            reads = [a for a in loops.inputs if isinstance(a, Access) and a.flat is self.b.flat(arg)]
            same = all((a.coefficients, a.offset, a.nonlinear) == written for a in reads)
            if reads and same and self.b.flat(arg).type == out.flat.type:
                found.append(number)
        return found

    def _copy(self, source: Access | SSAValue, to: Place, shape: Sequence[int]) -> None:
        """Write an operand over a region of `shape` at a place."""
        element = buffer_type(to.buffer).element_type
        block = Block(arg_types=[element, element])
        block.add_op(linalg.YieldOp(block.args[0]))
        drop = len(to.shape) - len(shape)
        exprs = [AffineExpr.constant(0)] * drop + [AffineExpr.dimension(d) for d in range(len(shape))]
        out = Access.of(self.b.flat(to.buffer), to.shape, AffineMap(len(shape), 0, tuple(exprs)), to.offsets)
        self._emit(Nest(list(shape), ["parallel"] * len(shape), block, [source], [out]))

    # Operations --------------------------------------------------------------------------------------------------

    def _unknown(self, op: Operation) -> None:
        raise CompilationError(f"tensor-to-loop: no rule for {op.name} in a kernel, at {op.location}")

    def _scalar(self, op: Operation) -> None:
        new = op.clone(self.scalars)
        self.b.insert(new)
        self.scalars.update(zip(op.results, new.results, strict=True))

    def _nothing(self, op: Operation) -> None:
        """An empty tensor or the return: there is nothing to compute."""

    def _fill(self, op: linalg.FillOp) -> None:
        self.fills[op.results[0]] = self.scalars[op.inputs[0]]

    def _view(self, op: kernel.ViewOp) -> None:
        if op.source in self.fills:
            self.fills[op.result] = self.fills[op.source]
            return
        if op.result in self.places and op.source in self.places and self._views_same(op):
            self.written.add(op.result)
            return
        source = self._place(op.source)
        buffer = source.buffer
        if not source.whole or source.shape != shape_of(op.source.type):
            raise AssertionError("a view of a part of a buffer")
        result_type = op.result.type
        assert isinstance(result_type, TensorType)
        view = self.b.value(kernel.ViewOp(buffer, memref_of(result_type)))
        self.b.flat(view)
        if op.result in self.places:
            self._copy(Access.of(self.b.flat(view), shape_of(result_type), AffineMap.identity(_rank(op.result))),
                       self.places[op.result], shape_of(result_type))
        else:
            self.places[op.result] = self._whole(view)
        self.written.add(op.result)

    def _views_same(self, op: kernel.ViewOp) -> bool:
        """Whether the source was placed as a view of the result's own buffer."""
        owner = self.places[op.source].buffer.owner
        return isinstance(owner, kernel.ViewOp) and owner.source is self.places[op.result].buffer

    def _insert_slice(self, op: tensor.InsertSliceOp) -> None:
        place = self._place(op.result)
        if op.dest in self.fills:
            if op.dest not in self.written or self.places.get(op.dest) is not place:
                self._copy(self.fills[op.dest], place, shape_of(op.dest.type))
        elif not isinstance(op.dest.owner, tensor.EmptyOp) and self.places.get(op.dest) is not place:
            self._copy(self._read(op.dest), place, shape_of(op.dest.type))
        offsets = tuple(a + o for a, o in zip(place.offsets, op.static_offsets.get_values(), strict=True))
        inside = Place(place.buffer, place.shape, offsets)
        if self.places.get(op.source) != inside or op.source not in self.written:
            self._insert_copy(op, inside)
        self.written.add(op.result)

    def _insert_copy(self, op: tensor.InsertSliceOp, inside: Place) -> None:
        """Copy the source in; dimensions of the slice that the source lacks have size 1."""
        sizes = list(op.static_sizes.get_values())
        shape = shape_of(op.source.type)
        # A dimension of size 1 has one position, so only the others need to be matched.
        moving = [dim for dim, size in enumerate(shape) if size != 1]
        kept = [axis for axis, size in enumerate(sizes) if size != 1]
        element = as_tensor(op.source.type).element_type
        block = Block(arg_types=[element, element])
        block.add_op(linalg.YieldOp(block.args[0]))
        exprs: list[AffineExpr] = [AffineExpr.constant(0)] * len(sizes)
        for dim, axis in zip(moving, kept, strict=True):
            exprs[axis] = AffineExpr.dimension(dim)
        to_slice = AffineMap(len(shape), 0, tuple(exprs))
        out = Access.of(self.b.flat(inside.buffer), inside.shape, to_slice, inside.offsets)
        source = self._read(op.source)
        self._emit(Nest(list(shape), ["parallel"] * len(shape), block, [source], [out]))

    def _generic(self, op: linalg.GenericOp) -> None:
        if op in self.epilogues:
            self._contraction(*self.epilogues[op])
        elif op in self.tileable:
            self._contraction(op)
        else:
            self._emit(self._nest(op))
            self.written.update(op.results)

    def _nest(self, op: linalg.GenericOp) -> Nest:
        maps = maps_of(op)
        kinds = [str(i.data) for i in op.iterator_types]
        inputs = [self._read(v, m) for v, m in zip(op.inputs, maps, strict=False)]
        initial: list[SSAValue | None] = []
        for out, result in zip(op.outputs, op.results, strict=True):
            if "reduction" in kinds:
                initial.append(self.fills.get(out))
                if out not in self.fills and self._place(out) != self._place(result):
                    self._copy(self._read(out), self._place(result), shape_of(out.type))
        outputs = [self._access(v, m) for v, m in zip(op.results, maps[len(op.inputs) :], strict=True)]
        return Nest(iteration_sizes(op), kinds, op.body.block, inputs, outputs, initial, self._buffers(op.body.block))

    def _buffers(self, block: Block) -> dict[SSAValue, SSAValue]:
        """The memory of the tensors that a body reads whole."""
        buffers: dict[SSAValue, SSAValue] = {}
        for inner in block.ops:
            if isinstance(inner, tensor.ExtractOp):
                self._materialize(inner.tensor)
                place = self._place(inner.tensor)
                assert place.whole
                buffers[inner.tensor] = place.buffer
                self.b.flat(place.buffer)
        return buffers

    # Contractions ------------------------------------------------------------------------------------------------

    def _contraction(self, op: linalg.GenericOp, consumer: Consumer | None = None) -> None:
        """Emit a contraction by the tile generator, its consumer as the epilogue."""
        found = multiply_add(op.body.block)
        assert found is not None
        if consumer is None:
            self._emit_contraction(Contraction(self._nest(op), found[0]))
            self.written.update(op.results)
            return
        behind, to_output = consumer.op, consumer.to_output
        inputs: list[Access | SSAValue | None] = [
            None if operand is consumer.reads else self._read(operand, index_map.compose(to_output))
            for operand, index_map in zip(behind.inputs, maps_of(behind), strict=False)
        ]
        outputs = [self._access(v, to_output) for v in behind.results]
        epilogue = Epilogue(behind.body.block, inputs, outputs, self._buffers(behind.body.block))
        kinds = [str(i.data) for i in op.iterator_types]
        sources = [self._read(v, m) for v, m in zip(op.inputs, maps_of(op), strict=False)]
        initial: list[SSAValue | None] = [self.fills[op.outputs[0]]]
        loops = Nest(iteration_sizes(op), kinds, op.body.block, sources, outputs, initial)
        self._emit_contraction(Contraction(loops, found[0], epilogue))
        self.written.update(behind.results)

    def _emit_contraction(self, tiled: Contraction) -> None:
        self.nests.append(tiled.nest)
        contraction.emit(self.b, tiled.coalesced(), self.target)

    def _find_epilogues(self) -> None:
        """Pair tileable contractions with the elementwise operation that alone uses their result."""
        for op in self.source.ops:
            if not is_contraction(op):
                continue
            assert isinstance(op, linalg.GenericOp)
            if not is_tileable(op):
                continue
            self.tileable.add(op)
            consumer = elementwise_behind(op)
            starts_filled = isinstance(op.outputs[0].owner, linalg.FillOp)
            if consumer is not None and starts_filled and consumer.op not in self.epilogues:
                self.epilogues[consumer.op] = (op, consumer)
                self.deferred.add(op)
                if consumer.view is not None:
                    self.deferred.add(consumer.view)

    _RULES: dict[type[Operation], Callable[..., None]] = {
        arith.ConstantOp: _scalar,
        tensor.EmptyOp: _nothing,
        func.ReturnOp: _nothing,
        linalg.FillOp: _fill,
        kernel.ViewOp: _view,
        tensor.InsertSliceOp: _insert_slice,
        linalg.GenericOp: _generic,
    }


def _rank(value: SSAValue) -> int:
    return len(shape_of(value.type))


def _base_of_inserts(op: tensor.InsertSliceOp) -> SSAValue:
    """What a chain of insert_slice starts from."""
    base = op.dest
    while isinstance(base.owner, tensor.InsertSliceOp):
        base = base.owner.dest
    return base


def _sink_constants(block: Block) -> None:
    """Copy constants that a body takes from around it into the body."""
    inside: set[SSAValue] = set(block.args)
    for op in list(block.ops):
        for number, operand in enumerate(op.operands):
            if operand not in inside and isinstance(operand.owner, arith.ConstantOp):
                constant = operand.owner.clone()
                block.insert_op_before(constant, op)
                op.operands[number] = constant.result
                inside.add(constant.result)
        inside.update(op.results)
