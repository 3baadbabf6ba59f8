"""The façade through which operators are lowered to linalg: maps, bodies and element types without the boilerplate.

```python
@lowers(ops.Tanh)
def tanh(op, operands, b):
    return b.elementwise(op, operands, lambda x: x.math(math.TanhOp))
```
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from xrelay.dialects import kernel
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.types import as_tensor, is_unsigned, shape_of, tensor_type
from xrelay.lowering.conversion import BlockBuilder, RuleSet
from xrelay.lowering.tensor.scalar import Scalar, constant, signless

lowers = RuleSet("relay to tensor")
"""`@lowers(Operator)` registers the lowering `(op, operands, builder) -> result or results` of a relay operator."""

Body = Callable[..., Any]
PARALLEL, REDUCTION = "parallel", "reduction"
_ITERATORS = {PARALLEL: IteratorTypeAttr.parallel(), REDUCTION: IteratorTypeAttr.reduction()}


def signless_tensor(value_type: Attribute) -> TensorType:
    """A relay tensor type as the levels below know it."""
    assert isinstance(value_type, TensorType)
    return TensorType(signless(value_type.element_type), value_type.get_shape())


class BodyBuilder(BlockBuilder):
    """Builds the body of a linalg.generic."""

    def index(self, dim: int) -> Scalar:
        """The position along an iteration dimension."""
        return Scalar(self.value(linalg.IndexOp(dim)), IndexType(), self)

    def constant(self, number: Any, element: Attribute) -> Scalar:
        return constant(number, element, self)

    def read(self, source: SSAValue, indices: Sequence[Scalar], element: Attribute) -> Scalar:
        """One element of a whole tensor, at positions that the caller has checked or clipped to be inside."""
        op = tensor.ExtractOp(source, [i.value for i in indices], signless(element))
        return Scalar(self.value(op), element, self)


class TensorBuilder(BlockBuilder):
    """Appends linalg and tensor operations to a kernel."""

    def __init__(self, block: Block):
        super().__init__(block)
        self._unsigned: dict[SSAValue, Attribute] = {}
        self.values: dict[SSAValue, SSAValue] = {}
        """The lowered form of every value so far, for operators with regions."""

    # Element types -----------------------------------------------------------------------------------------------

    def element(self, value: SSAValue) -> Attribute:
        """The relay element type of a tensor value (the IR below has lost the sign)."""
        return self._unsigned.get(value, as_tensor(value.type).element_type)

    def note(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Remember that a value's elements are unsigned."""
        if is_unsigned(element):
            self._unsigned[value] = element
        return value

    # Tensors -----------------------------------------------------------------------------------------------------

    def empty(self, shape: Sequence[int], element: Attribute) -> SSAValue:
        value = self.value(tensor.EmptyOp([], tensor_type(shape, signless(element))))
        return self.note(value, element)

    def scalar(self, number: Any, element: Attribute) -> Scalar:
        return constant(number, element, self)

    def full(self, shape: Sequence[int], number: Any, element: Attribute) -> SSAValue:
        """A tensor of one number (or of a `Scalar`)."""
        scalar = number if isinstance(number, Scalar) else self.scalar(number, element)
        fill = linalg.FillOp([scalar.value], [self.empty(shape, element)])
        return self.note(self.value(fill), element)

    def view(self, source: SSAValue, shape: Sequence[int]) -> SSAValue:
        """The same elements in row-major order under another shape."""
        if tuple(shape) == shape_of(source.type):
            return source
        result = kernel.ViewOp(source, tensor_type(shape, as_tensor(source.type).element_type))
        return self.note(self.value(result), self.element(source))

    def insert_slice(self, source: SSAValue, into: SSAValue, offsets: Sequence[int]) -> SSAValue:
        """`into` with `source` written at `offsets`."""
        op = tensor.InsertSliceOp.from_static_parameters(source, into, list(offsets), list(shape_of(source.type)))
        return self.note(self.value(op), self.element(into))

    def pad(self, source: SSAValue, low: Sequence[int], high: Sequence[int], number: Any) -> SSAValue:
        """`source` with `low` and `high` elements of one number before and behind, per axis."""
        if not any(low) and not any(high):
            return source
        shape = [before + size + after for before, size, after in zip(low, shape_of(source.type), high, strict=True)]
        return self.insert_slice(source, self.full(shape, number, self.element(source)), low)

    # Structured operations ---------------------------------------------------------------------------------------

    def generic(
        self,
        inputs: Sequence[SSAValue],
        maps: Sequence[AffineMap],
        output: SSAValue,
        iterators: Sequence[str],
        body: Body,
    ) -> SSAValue:
        """The result of a `linalg.generic`. `maps` are those of the inputs, then of the output, which starts as
        `output`.

        `body(b, *scalars, acc)` gets the body's builder, a Scalar of each input and one of the output, and returns the
        output's new element.
        """
        elements = [self.element(v) for v in (*inputs, output)]
        block = Block(arg_types=[signless(e) for e in elements])
        b = BodyBuilder(block)
        b.location = self.location
        result = body(b, *(Scalar(arg, e, b) for arg, e in zip(block.args, elements, strict=True)))
        block.add_op(linalg.YieldOp(result.value))
        op = linalg.GenericOp(
            inputs,
            [output],
            Region(block),
            [AffineMapAttr(m) for m in maps],
            ArrayAttr([_ITERATORS[i] for i in iterators]),
            [output.type],
        )
        return self.note(self.value(op), self.element(output))

    def map(
        self, result_type: Attribute, inputs: Sequence[SSAValue], maps: Sequence[AffineMap], body: Body
    ) -> SSAValue:
        """A parallel generic over the whole result: `body(b, *inputs)` gives the element at each position."""
        assert isinstance(result_type, TensorType)
        rank = len(result_type.get_shape())
        out = self.empty(result_type.get_shape(), result_type.element_type)
        if 0 in result_type.get_shape():
            return out
        all_maps = [*maps, AffineMap.identity(rank)]
        return self.generic(inputs, all_maps, out, [PARALLEL] * rank, lambda b, *args: body(b, *args[:-1]))

    def elementwise(self, op: RelayOp, operands: Sequence[SSAValue], body: Body) -> SSAValue:
        """The operator's result, element by element: `body(*scalars)`; operands are broadcast to it."""
        result_type = op.results[0].type
        shape = shape_of(result_type)
        maps = [broadcast_map(shape_of(v.type), shape) for v in operands]
        return self.map(result_type, operands, maps, lambda _, *args: body(*args))


def dims(n: int) -> list[AffineExpr]:
    """The first n iteration dimensions, as expressions."""
    return [AffineExpr.dimension(i) for i in range(n)]


def broadcast_map(shape: Sequence[int], to: Sequence[int]) -> AffineMap:
    """How an operand of `shape` is read for each position of `to`, by NumPy's rule."""
    first = len(to) - len(shape)
    exprs = [
        AffineExpr.constant(0) if size == 1 and to[first + axis] != 1 else AffineExpr.dimension(first + axis)
        for axis, size in enumerate(shape)
    ]
    return AffineMap(len(to), 0, tuple(exprs))
