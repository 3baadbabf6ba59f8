"""Builds loops over buffers: index arithmetic that folds, loads and stores, scf loops as Python functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, IntegerAttr, MemRefType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from xrelay.dialects import kernel
from xrelay.dialects.relay.types import num_elements
from xrelay.lowering.conversion import BlockBuilder

Index = SSAValue | int
"""A position: known at compile time, or a value of type index."""

_INDEX = IndexType()


def buffer_type(buffer: SSAValue) -> MemRefType:
    """The type of a buffer."""
    assert isinstance(buffer.type, MemRefType)
    return buffer.type


class LoopBuilder(BlockBuilder):
    """Appends loop-level operations; `at(block)` moves it into a loop body and back."""

    def __init__(self, block: Block):
        super().__init__(block)
        self._flat: dict[SSAValue, SSAValue] = {}
        self._indices: dict[tuple[Block, int], SSAValue] = {}
        self._sums: dict[tuple[Block, type[Operation], Index, Index], SSAValue] = {}

    # Index arithmetic --------------------------------------------------------------------------------------------

    def index(self, value: Index) -> SSAValue:
        """The value as SSA; a constant is made once a block."""
        if not isinstance(value, int):
            return value
        key = (self.block, value)
        if key not in self._indices:
            self._indices[key] = self.value(arith.ConstantOp(IntegerAttr(value, _INDEX)))
        return self._indices[key]

    def add(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0:
            return b
        if b == 0:
            return a
        return self._once(arith.AddiOp, a, b)

    def mul(self, a: Index, factor: int) -> Index:
        if isinstance(a, int):
            return a * factor
        if factor in (0, 1):
            return 0 if factor == 0 else a
        return self._once(arith.MuliOp, a, factor)

    def _once(self, operation: type[arith.AddiOp | arith.MuliOp], a: Index, b: Index) -> SSAValue:
        """A sum or product, made once a block: neighbouring addresses share most of theirs."""
        key = (self.block, operation, a, b)
        if key not in self._sums:
            self._sums[key] = self.value(operation(self.index(a), self.index(b)))
        return self._sums[key]

    def sub(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        return a if b == 0 else self.value(arith.SubiOp(self.index(a), self.index(b)))

    def minimum(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return self.value(arith.MinSIOp(self.index(a), self.index(b)))

    def evaluate(self, expr: AffineExpr, positions: Sequence[Index]) -> Index:
        """The value of an affine expression; divisors and moduli are positive constants."""
        if isinstance(expr, AffineConstantExpr):
            return expr.value
        if isinstance(expr, AffineDimExpr):
            return positions[expr.position]
        assert isinstance(expr, AffineBinaryOpExpr), expr
        lhs, rhs = self.evaluate(expr.lhs, positions), self.evaluate(expr.rhs, positions)
        if expr.kind is AffineBinaryOpKind.Add:
            return self.add(lhs, rhs)
        if expr.kind is AffineBinaryOpKind.Mul:
            factor, other = (lhs, rhs) if isinstance(lhs, int) else (rhs, lhs)
            assert isinstance(factor, int), expr
            return self.mul(other, factor)
        assert isinstance(rhs, int)
        floor = expr.kind is AffineBinaryOpKind.FloorDiv
        assert floor or expr.kind is AffineBinaryOpKind.Mod, expr
        if isinstance(lhs, int):
            return lhs // rhs if floor else lhs % rhs
        # Positions are never negative, so the unsigned operations agree with the mathematical ones.
        return self.value((arith.DivUIOp if floor else arith.RemUIOp)(lhs, self.index(rhs)))

    # Buffers -----------------------------------------------------------------------------------------------------

    def flat(self, buffer: SSAValue) -> SSAValue:
        """The buffer as one dimension. Made once, where the buffer is visible to all loops."""
        if buffer not in self._flat:
            stored = buffer_type(buffer)
            shape = [num_elements(stored.get_shape())]
            self._flat[buffer] = (
                buffer
                if list(stored.get_shape()) == shape
                else self.value(kernel.ViewOp(buffer, MemRefType(stored.element_type, shape)))
            )
        return self._flat[buffer]

    def load(self, flat: SSAValue, position: Index) -> SSAValue:
        return self.value(memref.LoadOp.get(flat, [self.index(position)]))

    def store(self, value: SSAValue, flat: SSAValue, position: Index) -> None:
        self.insert(memref.StoreOp.get(value, flat, [self.index(position)]))

    def load_vector(self, flat: SSAValue, position: Index, lanes: int, mask: SSAValue | None = None) -> SSAValue:
        element = buffer_type(flat).element_type
        vector_type = VectorType(element, [lanes])
        if mask is None:
            return self.value(
                vector.LoadOp.build(operands=[flat, [self.index(position)]], result_types=[vector_type])
            )
        zero = self.splat(self.zero(element), lanes)
        return self.value(
            vector.MaskedLoadOp.build(operands=[flat, [self.index(position)], mask, zero], result_types=[vector_type])
        )

    def store_vector(self, value: SSAValue, flat: SSAValue, position: Index, mask: SSAValue | None = None) -> None:
        if mask is None:
            self.insert(vector.StoreOp.build(operands=[value, flat, [self.index(position)]]))
        else:
            self.insert(vector.MaskedStoreOp.build(operands=[flat, [self.index(position)], mask, value]))

    def splat(self, scalar: SSAValue, lanes: int) -> SSAValue:
        return self.value(vector.BroadcastOp(scalar, VectorType(scalar.type, [lanes])))

    def lane_positions(self, first: Index, lanes: int) -> SSAValue:
        """The positions first, first + 1, … as a vector."""
        index_vector = VectorType(_INDEX, [lanes])
        steps = self.value(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(index_vector, list(range(lanes)))))
        return self.value(arith.AddiOp(self.splat(self.index(first), lanes), steps))

    def zero(self, element: Attribute) -> SSAValue:
        return self.number(0, element)

    def number(self, number: float, element: Attribute) -> SSAValue:
        """A scalar constant of a signless element type."""
        from xrelay.lowering.tensor.scalar import constant

        return constant(number, element, self).value

    # Loops -------------------------------------------------------------------------------------------------------

    def for_(
        self,
        lower: Index,
        upper: Index,
        step: int,
        body: Callable[..., Sequence[SSAValue] | None],
        carried: Sequence[SSAValue] = (),
    ) -> list[SSAValue]:
        """`scf.for`. `body(position, *carried)` returns the next carried values. One iteration needs no loop."""
        if isinstance(lower, int) and isinstance(upper, int):
            if upper <= lower:
                return list(carried)
            if upper - lower <= step:
                return list(body(lower, *carried) or ())
        first, stop, stride = (self.index(v) for v in (lower, upper, step))
        block = Block(arg_types=[_INDEX, *(v.type for v in carried)])
        outer, self.block = self.block, block
        results = body(*block.args) or ()
        self.insert(scf.YieldOp(*results))
        self.block = outer
        return list(self.insert(scf.ForOp(first, stop, stride, list(carried), block)).results)

    def parallel(self, sizes: Sequence[int], body: Callable[[Sequence[Index]], None]) -> None:
        """`scf.parallel` over [0, size) of each dimension."""
        lower, upper, step = ([self.index(v) for v in vs] for vs in ([0] * len(sizes), sizes, [1] * len(sizes)))
        block = Block(arg_types=[_INDEX] * len(sizes))
        outer, self.block = self.block, block
        body(block.args)
        self.insert(scf.ReduceOp())
        self.block = outer
        self.insert(scf.ParallelOp(lower, upper, step, [block]))

    def serial(self, sizes: Sequence[int], body: Callable[[Sequence[Index]], None]) -> None:
        """Nested `scf.for` loops over [0, size) of each dimension."""

        def nest(fixed: list[Index]) -> None:
            if len(fixed) == len(sizes):
                body(fixed)
            else:
                self.for_(0, sizes[len(fixed)], 1, lambda i: nest([*fixed, i]))

        nest([])
