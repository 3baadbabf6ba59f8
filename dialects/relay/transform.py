"""Operators that rearrange the elements of tensors: axes, joining, repeating, padding, blocks."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, result_def, traits_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import FLOAT, INT, INTS, STR, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.layout import Layout, convert_shape
from xrelay.dialects.relay.shape import UnaryTransform
from xrelay.dialects.relay.types import (
    DYNAMIC,
    as_tensor,
    broadcast_shapes,
    format_shape,
    normalize_axes,
    normalize_axis,
    num_elements,
    shape_of,
    tensor_type,
    unify_dim,
)


def scaled(size: int, factor: int) -> int:
    """size · factor, where the size may be unknown."""
    return num_elements((size, factor))


# Axes --------------------------------------------------------------------------------------------------------------


def permutation(axes: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """For every axis of a transposed tensor, the axis of the data it is; absent axes reverse all."""
    if axes is None:
        return tuple(reversed(range(rank)))
    axes = normalize_axes(axes, rank, "C1: axis")
    if len(axes) != rank:
        raise VerifyException(f"C1: axes {axes} do not name all axes of a tensor of rank {rank}")
    return axes


@irdl_op_definition
class Transpose(UnaryTransform):
    """Axis i of the result is axis `axes[i]` of the data; without `axes`, all are reversed.

    C1: axes names every axis once.
    """

    name = "relay.transpose"
    axes = attribute(INTS, None)

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        return [shape[axis] for axis in permutation(attrs.axes, len(shape))]


@irdl_op_definition
class Reverse(UnaryTransform):
    """The data with one axis back to front.

    C1: axis is in [-rank, rank).
    """

    name = "relay.reverse"
    axis = attribute(INT)

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        normalize_axis(attrs.axis, len(shape), "C1: axis")
        return shape


@irdl_op_definition
class LayoutTransform(UnaryTransform):
    """The data of `src_layout` arranged as `dst_layout`.

    NCHW → NCHW16c has ceil(C / 16) blocks of channels, zeros fill up the last.

    C1: src_layout fits the shape, and both layouts have the same primal axes.
    """

    name = "relay.layout_transform"
    src_layout = attribute(STR)
    dst_layout = attribute(STR)

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        try:
            return convert_shape(shape, Layout.parse(attrs.src_layout), Layout.parse(attrs.dst_layout), DYNAMIC)
        except ValueError as error:
            raise VerifyException(f"C1: {error}") from None


# Joining -----------------------------------------------------------------------------------------------------------


def _common_element(operands: Sequence[Attribute]) -> Attribute:
    if not operands:
        raise VerifyException("C1: at least one tensor is needed")
    elements = {as_tensor(t).element_type for t in operands}
    if len(elements) > 1:
        raise VerifyException(f"C1: element types differ: {', '.join(sorted(map(str, elements)))}")
    return elements.pop()


def _unified(shapes: Sequence[Sequence[int]], skip: int | None = None) -> list[int]:
    """The one shape that all are, up to unknown sizes and the axis to skip."""
    if len({len(shape) for shape in shapes}) > 1:
        raise VerifyException(f"C2: ranks differ: {', '.join(map(format_shape, shapes))}")

    def unify(axis: int, a: int, b: int) -> int:
        merged = a if axis == skip else unify_dim(a, b)
        if merged is None:
            raise VerifyException(f"C2: sizes differ on axis {axis}: {', '.join(map(format_shape, shapes))}")
        return merged

    merged = list(shapes[0])
    for shape in shapes[1:]:
        merged = [unify(axis, a, b) for axis, (a, b) in enumerate(zip(merged, shape, strict=True))]
    return merged


@irdl_op_definition
class Concatenate(RelayOp):
    """Tensors joined along an existing axis.

    C1: there is at least one tensor, all have one element type.
    C2: the shapes are equal but on `axis`.
    C3: axis is in [-rank, rank).
    """

    name = "relay.concatenate"
    data = var_operand_def(TensorType)
    axis = attribute(INT, 0)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.INJECTIVE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        element = _common_element(operands)
        shapes = [shape_of(t) for t in operands]
        axis = normalize_axis(attrs.axis, len(shapes[0]), "C3: axis")
        shape = _unified(shapes, skip=axis)
        sizes = [s[axis] for s in shapes]
        shape[axis] = DYNAMIC if DYNAMIC in sizes else sum(sizes)
        return [tensor_type(shape, element)]


@irdl_op_definition
class Stack(RelayOp):
    """Tensors joined along a new axis.

    C1: there is at least one tensor, all have one element type.
    C2: the shapes are equal.
    C3: axis is in [-rank - 1, rank].
    """

    name = "relay.stack"
    data = var_operand_def(TensorType)
    axis = attribute(INT, 0)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.INJECTIVE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        element = _common_element(operands)
        shape = _unified([shape_of(t) for t in operands])
        axis = normalize_axis(attrs.axis, len(shape) + 1, "C3: axis")
        return [tensor_type([*shape[:axis], len(operands), *shape[axis:]], element)]


# Repeating ---------------------------------------------------------------------------------------------------------


@irdl_op_definition
class BroadcastTo(UnaryTransform):
    """The data broadcast to `shape` by NumPy's rule.

    C1: the shape of the data broadcasts to `shape`.
    """

    name = "relay.broadcast_to"
    shape = attribute(INTS)
    traits = traits_def(Fusion(FusionKind.BROADCAST))

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        try:
            fits = broadcast_shapes(shape, attrs.shape) == attrs.shape
        except VerifyException:
            fits = False
        if not fits:
            raise VerifyException(f"C1: {format_shape(shape)} does not broadcast to {format_shape(attrs.shape)}")
        return attrs.shape


@irdl_op_definition
class Tile(UnaryTransform):
    """The whole data `reps[i]` times along axis i; the shorter of shape and reps is filled up with ones at the front.

    C1: no number is negative.
    """

    name = "relay.tile"
    reps = attribute(INTS)
    traits = traits_def(Fusion(FusionKind.BROADCAST))

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        if any(n < 0 for n in attrs.reps):
            raise VerifyException(f"C1: cannot repeat {attrs.reps} times")
        rank = max(len(shape), len(attrs.reps))
        sizes, reps = ((1,) * (rank - len(items)) + tuple(items) for items in (shape, attrs.reps))
        return [scaled(size, n) for size, n in zip(sizes, reps, strict=True)]


@irdl_op_definition
class Repeat(UnaryTransform):
    """Every element `repeats` times along `axis`; without an axis, of the flattened data.

    C1: repeats is not negative.
    C2: axis is in [-rank, rank).
    """

    name = "relay.repeat"
    repeats = attribute(INT)
    axis = attribute(INT, None)
    traits = traits_def(Fusion(FusionKind.BROADCAST))

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        if attrs.repeats < 0:
            raise VerifyException(f"C1: cannot repeat {attrs.repeats} times")
        if attrs.axis is None:
            return [scaled(num_elements(shape), attrs.repeats)]
        axis = normalize_axis(attrs.axis, len(shape), "C2: axis")
        return [scaled(size, attrs.repeats) if i == axis else size for i, size in enumerate(shape)]


# Padding -----------------------------------------------------------------------------------------------------------


def pad_pairs(pad_width: Sequence[int], rank: int) -> list[tuple[int, int]]:
    """The flat list (before, after, before, after, …) as one pair an axis."""
    if len(pad_width) != 2 * rank:
        raise VerifyException(f"C1: pad_width has {len(pad_width)} numbers, rank {rank} needs {2 * rank}")
    if any(n < 0 for n in pad_width):
        raise VerifyException(f"C1: pad_width {tuple(pad_width)} is negative somewhere")
    return list(zip(pad_width[::2], pad_width[1::2], strict=True))


def _padded(shape: Sequence[int], pad_width: Sequence[int], least: int) -> list[int]:
    """The padded shape; padding that is read from the data goes `size - least` elements deep (least < 0: not read)."""
    out = []
    for axis, (size, (low, high)) in enumerate(zip(shape, pad_pairs(pad_width, len(shape)), strict=True)):
        if least >= 0 and size != DYNAMIC and max(low, high) > size - least:
            raise VerifyException(f"C3: axis {axis} of {format_shape(shape)} is too short for padding {low} and {high}")
        out.append(DYNAMIC if size == DYNAMIC else low + size + high)
    return out


@irdl_op_definition
class Pad(UnaryTransform):
    """The data with elements added before and behind, per axis.

    `pad_width` is flat: before and after of axis 0, of axis 1, …. `pad_mode` says what is added: "constant"
    `pad_value`, "edge" the nearest element, "reflect" the mirror image about the border element (which is not
    repeated).

    C1: pad_width has two numbers an axis, none negative.
    C2: pad_mode is "constant", "edge" or "reflect".
    C3: an axis padded by "edge" has an element; one padded by "reflect" has more elements than it gets on a side.
    """

    name = "relay.nn.pad"
    pad_width = attribute(INTS)
    pad_value = attribute(FLOAT, 0.0)
    pad_mode = attribute(STR, "constant")

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        if attrs.pad_mode not in ("constant", "edge", "reflect"):
            raise VerifyException(f'C2: pad_mode is "constant", "edge" or "reflect", not "{attrs.pad_mode}"')
        if attrs.pad_mode == "reflect":
            return _padded(shape, attrs.pad_width, least=1)
        out = _padded(shape, attrs.pad_width, least=-1)
        for axis, (size, padded) in enumerate(zip(shape, out, strict=True)):
            if attrs.pad_mode == "edge" and size == 0 and padded:
                raise VerifyException(f"C3: axis {axis} of {format_shape(shape)} has no edge to be padded with")
        return out


@irdl_op_definition
class MirrorPad(UnaryTransform):
    """The data padded with its mirror image: SYMMETRIC repeats the border element, REFLECT does not.

    C1: pad_width has two numbers an axis, none negative.
    C2: mode is "SYMMETRIC" or "REFLECT".
    C3: no axis is padded by more elements than it has (REFLECT: than it has but one).
    """

    name = "relay.nn.mirror_pad"
    mode = attribute(STR, "SYMMETRIC")
    pad_width = attribute(INTS)

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        if attrs.mode not in ("SYMMETRIC", "REFLECT"):
            raise VerifyException(f'C2: mode is "SYMMETRIC" or "REFLECT", not "{attrs.mode}"')
        return _padded(shape, attrs.pad_width, least=1 if attrs.mode == "REFLECT" else 0)


# Blocks ------------------------------------------------------------------------------------------------------------


class BlockOp(UnaryTransform):
    """Base of the operators that move blocks of pixels into channels or back.

    C1: the rank is 4, layout is "NCHW" or "NHWC", mode is "DCR" or "CRD".
    C2: block_size is positive and divides the sizes that shrink.
    """

    block_size = attribute(INT, 1)
    layout = attribute(STR, "NCHW")
    mode = attribute(STR, "DCR")

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        if len(shape) != 4 or attrs.layout not in ("NCHW", "NHWC") or attrs.mode not in ("DCR", "CRD"):
            raise VerifyException(
                f"C1: needs rank 4, layout NCHW or NHWC and mode DCR or CRD, "
                f"not {format_shape(shape)}, {attrs.layout} and {attrs.mode}"
            )
        if attrs.block_size < 1:
            raise VerifyException(f"C2: block_size {attrs.block_size} is not positive")
        n, c, h, w = (shape[attrs.layout.index(letter)] for letter in "NCHW")
        moved = cls.move(n, c, h, w, attrs.block_size)
        return [moved["NCHW".index(letter)] for letter in attrs.layout]

    @classmethod
    def move(cls, n: int, c: int, h: int, w: int, block: int) -> tuple[int, int, int, int]:
        """The sizes of the result, in the order NCHW."""
        raise NotImplementedError


def _divided(size: int, factor: int, what: str) -> int:
    if size == DYNAMIC:
        return DYNAMIC
    if size % factor:
        raise VerifyException(f"C2: {factor} does not divide the {what} {size}")
    return size // factor


@irdl_op_definition
class DepthToSpace(BlockOp):
    """(n, c · b², h, w) → (n, c, h · b, w · b).

    The channel is (block row, block column, c) in mode DCR, TensorFlow's, and (c, block row, block column) in CRD,
    PyTorch's.
    """

    name = "relay.nn.depth_to_space"

    @classmethod
    def move(cls, n: int, c: int, h: int, w: int, block: int) -> tuple[int, int, int, int]:
        return n, _divided(c, block * block, "channels"), scaled(h, block), scaled(w, block)


@irdl_op_definition
class SpaceToDepth(BlockOp):
    """(n, c, h · b, w · b) → (n, c · b², h, w), the inverse of `relay.nn.depth_to_space` of the same mode."""

    name = "relay.nn.space_to_depth"

    @classmethod
    def move(cls, n: int, c: int, h: int, w: int, block: int) -> tuple[int, int, int, int]:
        return n, scaled(c, block * block), _divided(h, block, "height"), _divided(w, block, "width")
