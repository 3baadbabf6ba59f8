"""Operators that pick elements by position: slices, splits, gathers, scatters, scans, triangles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from types import SimpleNamespace

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import BOOL, DTYPE, INT, INT_OR_INTS, INTS, STR, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, MayFail, RelayOp
from xrelay.dialects.relay.shape import UnaryTransform
from xrelay.dialects.relay.types import (
    DYNAMIC,
    as_tensor,
    format_shape,
    is_bool,
    is_integer,
    normalize_axes,
    normalize_axis,
    num_elements,
    shape_of,
    tensor_type,
    unify_dim,
)

# Slices ------------------------------------------------------------------------------------------------------------


def slice_bounds(shape: Sequence[int], attrs: SimpleNamespace) -> list[tuple[int, int, int]]:
    """(begin, end, stride) of every axis of a strided slice, counted from the front and clamped; the axes are static.

    `end` is where the slice stops: -1 where a negative stride runs to the front.
    Raises VerifyException by the constraints of `relay.strided_slice`.
    """
    axes = range(len(attrs.begin)) if attrs.axes is None else attrs.axes
    bounds = [(0, size, 1) for size in shape]
    strides = tuple(attrs.strides or ()) + (1,) * (len(attrs.begin) - len(attrs.strides or ()))
    axes = normalize_axes(axes, len(shape), "C1: axis")
    for axis, begin, end, stride in zip(axes, attrs.begin, attrs.end, strides, strict=True):
        size = shape[axis]
        begin = begin + size if begin < 0 else begin
        if attrs.slice_mode == "size":
            end, stride = (size if end == -1 else begin + end), 1
        else:
            end = end + size if end < 0 else end
        low, high = (0, size) if stride > 0 else (-1, size - 1)
        bounds[axis] = min(max(begin, low), high), min(max(end, low), high), stride
    return bounds


@irdl_op_definition
class StridedSlice(UnaryTransform):
    """The elements begin, begin + stride, … before end, along each of `axes` (absent: the first len(begin) axes).

    Negative begin and end count from the end of the axis; both are clamped to it. Absent or short `strides` are filled
    up with ones. With `slice_mode = "size"`, `end` holds sizes (-1: up to the end) and strides are not looked at.

    C1: begin, end and axes have one length, strides at most that; the axes are in [-rank, rank), each named once.
    C2: no stride is 0; slice_mode is "end" or "size".
    C3: begin is not behind end, in the direction of the stride, after clamping; a slice may be empty.
    """

    name = "relay.strided_slice"
    begin = attribute(INTS)
    end = attribute(INTS)
    strides = attribute(INTS, None)
    slice_mode = attribute(STR, "end")
    axes = attribute(INTS, None)

    @classmethod
    def infer_shape(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> Sequence[int]:
        cls._check(shape, attrs)
        known = [0 if size == DYNAMIC else size for size in shape]
        sliced = {axis % len(shape) for axis in (range(len(attrs.begin)) if attrs.axes is None else attrs.axes)}
        out = []
        for axis, (begin, end, stride) in enumerate(slice_bounds(known, attrs)):
            if shape[axis] == DYNAMIC:
                out.append(DYNAMIC)
                continue
            if axis in sliced and (end - begin) * stride < 0:
                raise VerifyException(
                    f"C3: the slice of axis {axis} begins at {begin}, behind its end {end} (stride {stride})"
                )
            out.append(len(range(begin, end, stride)))
        return out

    @classmethod
    def _check(cls, shape: tuple[int, ...], attrs: SimpleNamespace) -> None:
        n = len(attrs.begin)
        axes = range(n) if attrs.axes is None else attrs.axes
        if len(attrs.end) != n or len(axes) != n or len(attrs.strides or ()) > n or n > len(shape):
            raise VerifyException(
                f"C1: begin {attrs.begin}, end {attrs.end}, strides {attrs.strides}, axes {attrs.axes} do not fit "
                f"together for the shape {format_shape(shape)}"
            )
        if 0 in (attrs.strides or ()) or attrs.slice_mode not in ("end", "size"):
            raise VerifyException(
                f'C2: strides {attrs.strides} must not be 0, slice_mode "{attrs.slice_mode}" must be "end" or "size"'
            )


def split_points(size: int, indices_or_sections: int | Sequence[int]) -> list[int]:
    """The bounds of the pieces of an axis: piece i is [points[i], points[i + 1])."""
    if isinstance(indices_or_sections, int):
        step = size // indices_or_sections
        return [i * step for i in range(indices_or_sections + 1)]
    return [0, *(min(i, size) for i in indices_or_sections), size]


@irdl_op_definition
class Split(RelayOp):
    """The data cut into pieces along an axis: into equal sections (an integer), or before each index of a list.

    C1: axis is in [-rank, rank).
    C2: the number of sections is positive and divides the axis; indices ascend from 0 on, and the axis is known.
    """

    name = "relay.split"
    data = operand_def(TensorType)
    indices_or_sections = attribute(INT_OR_INTS)
    axis = attribute(INT, 0)
    pieces = var_result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.INJECTIVE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data = as_tensor(operands[0])
        shape = list(shape_of(data))
        axis = normalize_axis(attrs.axis, len(shape), "C1: axis")
        return [
            tensor_type([*shape[:axis], size, *shape[axis + 1 :]], data.element_type)
            for size in cls._sizes(shape[axis], attrs.indices_or_sections)
        ]

    @classmethod
    def _sizes(cls, size: int, where: int | Sequence[int]) -> list[int]:
        if isinstance(where, int):
            if where < 1 or (size != DYNAMIC and size % where):
                raise VerifyException(f"C2: an axis of size {size} cannot be cut into {where} equal sections")
            return [DYNAMIC if size == DYNAMIC else size // where] * where
        if size == DYNAMIC or list(where) != sorted(where) or any(i < 0 for i in where):
            raise VerifyException(f"C2: an axis of size {format_shape((size,))} cannot be cut before {list(where)}")
        points = split_points(size, where)
        return [after - before for before, after in pairwise(points)]


# Gathers -----------------------------------------------------------------------------------------------------------


def _check_indices(indices: Attribute) -> tuple[int, ...]:
    element = as_tensor(indices).element_type
    if not is_integer(element):
        raise VerifyException(f"C1: indices are integers, not {element}")
    return shape_of(indices)


def _check_same(a: Sequence[int], b: Sequence[int], constraint: str) -> None:
    if len(a) != len(b) or any(unify_dim(x, y) is None for x, y in zip(a, b, strict=True)):
        raise VerifyException(f"{constraint}: sizes {format_shape(a)} and {format_shape(b)} must be equal")


@irdl_op_definition
class Take(RelayOp):
    """data[…, indices, …]: the axis is replaced by the axes of `indices`; without an axis, the data is read flat.

    `mode` says what becomes of an index outside the axis: "clip" moves it to the nearest end (a negative one to 0),
    "wrap" takes it modulo the size, "fast" leaves the value undefined, "error" counts negative indices from the end and
    stops the run at an index outside. The first `batch_dims` axes of data and indices are walked together.

    C1: the indices are integers, mode is one of the four.
    C2: axis is in [-rank, rank), and not below batch_dims.
    C3: data and indices agree in their first batch_dims axes.
    C4: an axis that is read has an element, unless there are no indices.
    """

    name = "relay.take"
    data = operand_def(TensorType)
    indices = operand_def(TensorType)
    batch_dims = attribute(INT, 0)
    axis = attribute(INT, None)
    mode = attribute(STR, "clip")
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.INJECTIVE), MayFail())

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, shape = as_tensor(operands[0]), shape_of(operands[0])
        indices = _check_indices(operands[1])
        if attrs.mode not in ("clip", "wrap", "fast", "error"):
            raise VerifyException(f'C1: mode is "clip", "wrap", "fast" or "error", not "{attrs.mode}"')
        axis, batch, shape = take_axis(attrs, shape, len(indices))
        _check_same(shape[:batch], indices[:batch], "C3")
        if shape[axis] == 0 and num_elements(indices) not in (0, DYNAMIC):
            raise VerifyException(f"C4: axis {axis} of {format_shape(shape)} has no element to take")
        return [tensor_type([*shape[:axis], *indices[batch:], *shape[axis + 1 :]], data.element_type)]


def take_axis(attrs: SimpleNamespace, shape: Sequence[int], index_rank: int) -> tuple[int, int, tuple[int, ...]]:
    """(axis, batch_dims, shape) of a take, counted from the front; the shape is flat where there is no axis.

    Raises VerifyException by C2 of `relay.take`.
    """
    if attrs.axis is None:
        if attrs.batch_dims:
            raise VerifyException(f"C2: batch_dims {attrs.batch_dims} needs an axis")
        return 0, 0, (num_elements(shape),)
    axis = normalize_axis(attrs.axis, len(shape), "C2: axis")
    batch = attrs.batch_dims + index_rank if attrs.batch_dims < 0 else attrs.batch_dims
    if not 0 <= batch <= min(axis, index_rank):
        raise VerifyException(f"C2: batch_dims {attrs.batch_dims} does not fit axis {axis} and {index_rank} index axes")
    return axis, batch, tuple(shape)


@irdl_op_definition
class Gather(RelayOp):
    """out[i, j, k] = data[i, indices[i, j, k], k] for axis 1: NumPy's take_along_axis.

    An index outside the axis stops the run.

    C1: the indices are integers.
    C2: axis is in [-rank, rank).
    C3: data and indices have one rank, and on the other axes indices are not larger than data.
    """

    name = "relay.gather"
    data = operand_def(TensorType)
    indices = operand_def(TensorType)
    axis = attribute(INT)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.INJECTIVE), MayFail())

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, shape = as_tensor(operands[0]), shape_of(operands[0])
        indices = _check_indices(operands[1])
        axis = normalize_axis(attrs.axis, len(shape), "C2: axis")
        _check_within(indices, shape, axis)
        return [tensor_type(indices, data.element_type)]


def _check_within(indices: Sequence[int], shape: Sequence[int], axis: int) -> None:
    """C3 of Gather and ScatterElements."""
    fits = len(indices) == len(shape) and all(
        i == axis or DYNAMIC in (a, b) or a <= b for i, (a, b) in enumerate(zip(indices, shape, strict=True))
    )
    if not fits:
        raise VerifyException(
            f"C3: indices {format_shape(indices)} do not fit into data {format_shape(shape)} off axis {axis}"
        )


@irdl_op_definition
class GatherND(RelayOp):
    """out[y…] = data[y[:batch_dims], indices[0, y…], indices[1, y…], …].

    The *first* axis of indices holds the position. The result has the axes of indices but the first, then those of data
    that the position leaves over. An index outside its axis stops the run. `index_rank` is the size of the first axis
    of indices where the type does not tell.

    C1: the indices are integers, of rank at least 1, and their first size is known (or index_rank tells it).
    C2: batch_dims + that size is at most the rank of data, batch_dims is below the rank of indices and not negative.
    C3: data and indices agree in the batch axes.
    """

    name = "relay.gather_nd"
    data = operand_def(TensorType)
    indices = operand_def(TensorType)
    batch_dims = attribute(INT, 0)
    index_rank = attribute(INT, None)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.INJECTIVE), MayFail())

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, shape = as_tensor(operands[0]), shape_of(operands[0])
        indices = _check_indices(operands[1])
        depth = indices[0] if indices else DYNAMIC
        if depth == DYNAMIC and attrs.index_rank is not None:
            depth = attrs.index_rank
        if not indices or depth == DYNAMIC:
            raise VerifyException(f"C1: the first size of indices {format_shape(indices)} must be known")
        batch = attrs.batch_dims
        if not 0 <= batch < len(indices) or batch + depth > len(shape):
            raise VerifyException(f"C2: {depth} indices behind {batch} batch axes do not fit data of rank {len(shape)}")
        _check_same(shape[:batch], indices[1 : 1 + batch], "C3")
        return [tensor_type([*indices[1:], *shape[batch + depth :]], data.element_type)]


@irdl_op_definition
class ScatterElements(RelayOp):
    """The data with updates[i, j, k] put at [i, indices[i, j, k], k] (axis 1); an index outside the axis stops the run.

    `reduction` says how an update meets what is there: "update" replaces it (the last in row-major order stays), "add",
    "mul", "min", "max" combine the two.

    C1: the indices are integers, data and updates have one element type, which is no bool unless reduction is "update".
    C2: axis is in [-rank, rank), reduction is one of the five.
    C3: data and indices have one rank, on the other axes indices are not larger; updates have the shape of indices.
    """

    name = "relay.scatter_elements"
    data = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    axis = attribute(INT, 0)
    reduction = attribute(STR, "update")
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.OPAQUE), MayFail())

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, updates = as_tensor(operands[0]), as_tensor(operands[2])
        indices = _check_indices(operands[1])
        if data.element_type != updates.element_type or (is_bool(data.element_type) and attrs.reduction != "update"):
            raise VerifyException(f'C1: cannot "{attrs.reduction}" {updates.element_type} into {data.element_type}')
        if attrs.reduction not in ("update", "add", "mul", "min", "max"):
            raise VerifyException(f'C2: reduction is "update", "add", "mul", "min" or "max", not "{attrs.reduction}"')
        axis = normalize_axis(attrs.axis, len(shape_of(data)), "C2: axis")
        _check_within(indices, shape_of(data), axis)
        _check_same(indices, shape_of(updates), "C3")
        return [data]


# Scans and triangles -----------------------------------------------------------------------------------------------


@irdl_op_definition
class Cumsum(RelayOp):
    """out[i] = data[0] + … + data[i] along an axis (of the flattened data without one); `exclusive` leaves data[i] out.

    C1: axis is in [-rank, rank).
    C2: `dtype` (absent: that of data) is no bool.
    """

    name = "relay.cumsum"
    data = operand_def(TensorType)
    axis = attribute(INT, None)
    dtype = attribute(DTYPE, None)
    exclusive = attribute(BOOL, False)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.OPAQUE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, shape = as_tensor(operands[0]), shape_of(operands[0])
        if attrs.axis is None:
            shape = (num_elements(shape),)
        else:
            normalize_axis(attrs.axis, len(shape), "C1: axis")
        element = attrs.dtype or data.element_type
        if is_bool(element):
            raise VerifyException("C2: a sum needs numbers, give a dtype")
        return [tensor_type(shape, element)]


@irdl_op_definition
class Trilu(RelayOp):
    """The last two axes with zeros below the k-th diagonal (`upper`) or above it (not `upper`).

    C1: the rank of data is at least 2.
    C2: k is an integer scalar.
    """

    name = "relay.trilu"
    data = operand_def(TensorType)
    k = operand_def(TensorType)
    upper = attribute(BOOL, True)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.INJECTIVE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, k = (as_tensor(t) for t in operands)
        if len(shape_of(data)) < 2:
            raise VerifyException(f"C1: {data} has no matrices")
        if shape_of(k) or not is_integer(k.element_type):
            raise VerifyException(f"C2: k must be an integer scalar, got {k}")
        return [data]
