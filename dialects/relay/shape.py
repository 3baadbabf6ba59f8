"""Operators that give the same elements another shape, and the base of all operators of one tensor in, one out."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from types import SimpleNamespace

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import BOOL, DTYPE, INT, INTS, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp, View
from xrelay.dialects.relay.types import (
    DYNAMIC,
    as_tensor,
    format_shape,
    i32,
    is_integer,
    normalize_axes,
    num_elements,
    shape_of,
    tensor_type,
    unify_dim,
)


class UnaryTransform(RelayOp, ABC):
    """One tensor in, one out, of the same element type; `infer_shape` is the rule."""

    data = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.INJECTIVE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data = as_tensor(operands[0])
        return [tensor_type(cls.infer_shape(shape_of(data), attrs), data.element_type)]

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        raise NotImplementedError


class _ReshapeCodes:
    """Reads the codes of a new shape from left to right against the shape of the data."""

    def __init__(self, shape: Sequence[int], codes: Sequence[int], allowzero: bool):
        self.shape, self.codes, self.allowzero = shape, iter(codes), allowzero
        self.source = 0
        """The next axis of the data; every code moves it."""
        self.out: list[int] = []
        self.accounted: set[int] = set()
        """Axes of the data whose elements stand in `explained` axes of the result, whatever their size."""
        self.explained: set[int] = set()
        self.inferred: int | None = None

    def result(self) -> tuple[int, ...]:
        for code in self.codes:
            self._read(code)
        if self.inferred is not None:
            self._infer()
        before, after = num_elements(self.shape), num_elements(self.out)
        if DYNAMIC not in (before, after) and before != after:
            raise VerifyException(f"C1: {format_shape(self.shape)} cannot have the shape {format_shape(self.out)}")
        return tuple(self.out)

    def _take(self) -> int:
        """The size of the data's next axis."""
        if self.source >= len(self.shape):
            raise VerifyException(f"C2: a code copies axis {self.source} of the shape {format_shape(self.shape)}")
        self.accounted.add(self.source)
        self.source += 1
        return self.shape[self.source - 1]

    def _put(self, *sizes: int) -> None:
        self.explained.update(range(len(self.out), len(self.out) + len(sizes)))
        self.out += sizes

    def _read(self, code: int) -> None:
        if code > 0 or (code == 0 and self.allowzero):
            self.source += 1
            self.out.append(code)
        elif code == 0:
            self._put(self._take())
        elif code == -1:
            if self.inferred is not None:
                raise VerifyException("C3: -1 stands more than once")
            self.inferred = len(self.out)
            self.source += 1
            self.out.append(DYNAMIC)
        elif code == -2:
            while self.source < len(self.shape):
                self._put(self._take())
        elif code == -3:
            self._put(num_elements((self._take(), self._take())))
        elif code == -4:
            self._put(*self._split(self._take()))
        else:
            raise VerifyException(f"C2: {code} is no code of a new shape; codes are 0, -1, -2, -3, -4")

    def _split(self, size: int) -> tuple[int, int]:
        try:
            parts = [next(self.codes), next(self.codes)]
        except StopIteration:
            raise VerifyException("C2: -4 needs the two sizes it splits an axis into") from None
        twice = parts == [-1, -1]
        if -1 in parts and size != DYNAMIC:
            known = parts[1 - parts.index(-1)]
            parts[parts.index(-1)] = size // known if known > 0 else 0
        a, b = (DYNAMIC if part == -1 else part for part in parts)
        if twice or min(parts) < -1 or (DYNAMIC not in (size, a, b) and a * b != size):
            raise VerifyException(f"C4: -4 cannot split {format_shape((size,))} into {parts[0]} and {parts[1]}")
        return a, b

    def _infer(self) -> None:
        """The size of the axis written -1: what the axes that were copied, merged or split leave over."""
        assert self.inferred is not None
        rest = num_elements([n for axis, n in enumerate(self.shape) if axis not in self.accounted])
        given = num_elements([n for i, n in enumerate(self.out) if i not in self.explained and i != self.inferred])
        if rest == DYNAMIC:
            return
        if given <= 0 or rest % given:
            shapes = f"{format_shape(self.shape)} the shape {format_shape(self.out)}"
            raise VerifyException(f"C1: no size for -1 gives {shapes}")
        self.out[self.inferred] = rest // given


@irdl_op_definition
class Reshape(UnaryTransform):
    """The same elements in row-major order under another shape.

    Codes in `newshape`, read from the left: a size; 0 copies the size of this axis of the data (with `allowzero`: is a
    size); -1 is inferred; -2 copies all sizes left; -3 is the product of the next two; -4 splits the next one into the
    two numbers behind.

    C1: both shapes have the same number of elements.
    C2: every code is known and finds the axes that it reads.
    C3: -1 stands at most once.
    C4: -4 splits a size into two factors of it (one of them may be -1).
    """

    name = "relay.reshape"
    newshape = attribute(INTS)
    allowzero = attribute(BOOL, False)
    traits = traits_def(Fusion(FusionKind.INJECTIVE), View())

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        return _ReshapeCodes(shape, attrs.newshape, attrs.allowzero).result()


@irdl_op_definition
class BatchFlatten(UnaryTransform):
    """(n, d1, d2, …) → (n, d1 · d2 · …).

    C1: the rank is at least 1.
    """

    name = "relay.nn.batch_flatten"
    traits = traits_def(Fusion(FusionKind.INJECTIVE), View())

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        if not shape:
            raise VerifyException("C1: a scalar has no batch axis")
        return shape[0], num_elements(shape[1:])


@irdl_op_definition
class ExpandDims(UnaryTransform):
    """`num_newaxis` axes of size 1 inserted before `axis`, which counts in the result where it is negative.

    C1: axis is in [-rank - 1, rank], num_newaxis is not negative.
    """

    name = "relay.expand_dims"
    axis = attribute(INT)
    num_newaxis = attribute(INT, 1)
    traits = traits_def(Fusion(FusionKind.BROADCAST), View())

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        if attrs.num_newaxis < 0 or not -len(shape) - 1 <= attrs.axis <= len(shape):
            raise VerifyException(
                f"C1: cannot insert {attrs.num_newaxis} axes at {attrs.axis} into a tensor of rank {len(shape)}"
            )
        axis = attrs.axis if attrs.axis >= 0 else attrs.axis + len(shape) + 1
        return *shape[:axis], *(1,) * attrs.num_newaxis, *shape[axis:]


@irdl_op_definition
class Squeeze(UnaryTransform):
    """The data without the axes listed, which have size 1; without a list, without all axes of size 1.

    C1: every axis is in [-rank, rank), named once, and has size 1.
    C2: where a size is unknown, the axes are listed.
    """

    name = "relay.squeeze"
    axis = attribute(INTS, None)
    traits = traits_def(Fusion(FusionKind.INJECTIVE), View())

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        if attrs.axis is None:
            if DYNAMIC in shape:
                raise VerifyException(f"C2: the axes of {format_shape(shape)} to drop must be listed")
            return [size for size in shape if size != 1]
        axes = normalize_axes(attrs.axis, len(shape), "C1: axis")
        for axis in axes:
            if unify_dim(shape[axis], 1) is None:
                raise VerifyException(f"C1: axis {axis} of {format_shape(shape)} has size {shape[axis]}, not 1")
        return [size for axis, size in enumerate(shape) if axis not in axes]


@irdl_op_definition
class ShapeOf(RelayOp):
    """The sizes of the data, as a 1-D tensor of `dtype`.

    C1: dtype is an integer type.
    """

    name = "relay.shape_of"
    data = operand_def(TensorType)
    dtype = attribute(DTYPE, i32)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.OPAQUE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        if not is_integer(attrs.dtype):
            raise VerifyException(f"C1: sizes are integers, not {attrs.dtype}")
        return [tensor_type([len(shape_of(operands[0]))], attrs.dtype)]
