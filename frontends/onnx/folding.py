"""Shape arithmetic: operators on small known tensors are computed during import, in NumPy.

Models compute the targets of Reshape, Expand, Slice or Resize from Shape; with static sizes all of that is known. Only
small tensors are folded here. Weights are left to the compiler, which folds them with the operators' own meanings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from xrelay.frontends.onnx.types import numpy_dtype

if TYPE_CHECKING:
    from xrelay.frontends.onnx.node import Node

MAX_ELEMENTS = 4096
"""Operands and results of a folded operator have at most this many elements."""

Folder = Callable[..., Any]

_FOLDERS: dict[str, Folder] = {}


def folder(*op_types: str) -> Callable[[Folder], Folder]:
    """Register a function that computes operators of the default domain: `(node, *arrays) -> array | list | None`.

    It returns a list for several outputs, and None where it does not know the case; the importer is then asked.
    """

    def register(function: Folder) -> Folder:
        for op_type in op_types:
            _FOLDERS[op_type] = function
        return function

    return register


def fold(node: Node) -> list[np.ndarray] | None:
    """The outputs of a node whose inputs are all small and known; None for any other."""
    function = _FOLDERS.get(node.proto.op_type)
    if function is None or node.proto.domain not in ("", "ai.onnx"):
        return None
    arrays = [None if value is None else value.array for value in node.inputs]
    for value, array in zip(node.inputs, arrays, strict=True):
        if value is not None and (array is None or array.size > MAX_ELEMENTS):
            return None
    try:
        with np.errstate(all="ignore"):
            results = function(node, *arrays)
    except (ValueError, IndexError, TypeError, OverflowError, ZeroDivisionError):
        return None  # the importer finds the fault and names it
    if results is None:
        return None
    arrays = [np.asarray(result) for result in (results if isinstance(results, list) else [results])]
    return None if any(array.size > MAX_ELEMENTS for array in arrays) else arrays


def _elementwise(function: Callable[..., Any]) -> Folder:
    return lambda node, *arrays: function(*arrays)


for _op_type, _function in {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Abs": np.abs,
    "Floor": np.floor,
    "Ceil": np.ceil,
    "Sqrt": np.sqrt,
    "Round": np.rint,
    "Equal": np.equal,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "And": np.logical_and,
    "Or": np.logical_or,
    "Not": np.logical_not,
    "Where": np.where,
    "Identity": np.asarray,
}.items():
    folder(_op_type)(_elementwise(_function))


@folder("Max", "Min")
def _extreme(node: Node, *arrays: np.ndarray) -> np.ndarray:
    function = np.maximum if node.proto.op_type == "Max" else np.minimum
    result = arrays[0]
    for array in arrays[1:]:
        result = function(result, array)
    return result


@folder("Div")
def _div(node: Node, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    if a.dtype.kind not in "iu":
        return np.divide(a, b)
    if not b.all():
        return None
    # Toward zero, exactly: the floor, one more where it lies below a quotient that is not whole.
    quotient = np.floor_divide(a, b)
    return quotient + ((a % b != 0) & ((a < 0) != (b < 0))).astype(quotient.dtype)


@folder("Mod")
def _mod(node: Node, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    if a.dtype.kind in "iu" and not b.all():
        return None
    return np.fmod(a, b) if node.attr("fmod") else np.mod(a, b)


@folder("Cast")
def _cast(node: Node, x: np.ndarray) -> np.ndarray | None:
    dtype = numpy_dtype(node.attr("to"), node.where)
    if x.dtype.kind == "f" and dtype.kind in "iu":
        whole = np.trunc(x)
        if not np.isfinite(x).all() or (whole < np.iinfo(dtype).min).any() or (whole > np.iinfo(dtype).max).any():
            return None
    return x.astype(dtype)


# Sizes -------------------------------------------------------------------------------------------------------------


@folder("ConstantOfShape")
def _constant_of_shape(node: Node, shape: np.ndarray) -> np.ndarray | None:
    from xrelay.frontends.onnx.creation import fill_value

    if shape.min(initial=0) < 0 or math.prod(shape.tolist()) > MAX_ELEMENTS:
        return None
    return np.full(shape, fill_value(node))


@folder("Range")
def _range(node: Node, start: np.ndarray, limit: np.ndarray, delta: np.ndarray) -> np.ndarray | None:
    a, b, step = start.item(), limit.item(), delta.item()
    if start.dtype.kind not in "iu" or step == 0 or len(range(a, b, step)) > MAX_ELEMENTS:
        return None
    return np.arange(a, b, step, dtype=start.dtype)


@folder("Reshape")
def _reshape(node: Node, data: np.ndarray, shape: np.ndarray) -> np.ndarray:
    sizes = shape.tolist()
    if not node.attr("allowzero"):
        sizes = [data.shape[i] if size == 0 else size for i, size in enumerate(sizes)]
    return data.reshape(sizes)


@folder("Unsqueeze")
def _unsqueeze(node: Node, data: np.ndarray, *_: np.ndarray) -> np.ndarray:
    return np.expand_dims(data, node.axes(1) or ())


@folder("Squeeze")
def _squeeze(node: Node, data: np.ndarray, *_: np.ndarray) -> np.ndarray:
    return np.squeeze(data, node.axes(1))


@folder("Expand")
def _expand(node: Node, data: np.ndarray, shape: np.ndarray) -> np.ndarray | None:
    target = np.broadcast_shapes(data.shape, tuple(shape.tolist()))
    return np.broadcast_to(data, target) if math.prod(target) <= MAX_ELEMENTS else None


@folder("Tile")
def _tile(node: Node, data: np.ndarray, reps: np.ndarray) -> np.ndarray | None:
    if len(reps) != data.ndim or reps.min(initial=0) < 0 or data.size * math.prod(reps.tolist()) > MAX_ELEMENTS:
        return None
    return np.tile(data, reps.tolist())


# Picking and joining -----------------------------------------------------------------------------------------------


@folder("Concat")
def _concat(node: Node, *arrays: np.ndarray) -> np.ndarray:
    return np.concatenate(arrays, node.attr("axis"))


@folder("Transpose")
def _transpose(node: Node, data: np.ndarray) -> np.ndarray:
    return np.transpose(data, node.attr("perm"))


@folder("Gather")
def _gather(node: Node, data: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return np.take(data, indices, node.attr("axis", 0))


@folder("Slice")
def _slice(node: Node, data: np.ndarray, *_: np.ndarray) -> np.ndarray | None:
    from xrelay.frontends.onnx.indexing import slice_arguments

    cut = [slice(None)] * data.ndim
    for begin, end, axis, step in slice_arguments(node):
        if step == 0:
            return None
        # NumPy reads a stop before the front as one counted from the end; None is the front.
        stop = None if step < 0 and end < -data.shape[axis] else end
        cut[axis] = slice(begin, stop, step)
    return data[tuple(cut)]


@folder("Split")
def _split(node: Node, data: np.ndarray, *_: np.ndarray) -> list[np.ndarray] | None:
    from xrelay.frontends.onnx.indexing import split_sizes

    axis = node.axis(node.attr("axis", 0), data.ndim)
    return np.split(data, np.cumsum(split_sizes(node, axis))[:-1], axis)


@folder("NonZero")
def _nonzero(node: Node, data: np.ndarray) -> np.ndarray:
    return np.array(np.nonzero(np.atleast_1d(data)), np.int64)


# Reductions --------------------------------------------------------------------------------------------------------


@folder("ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin")
def _reduce(node: Node, data: np.ndarray, *_: np.ndarray) -> np.ndarray | None:
    if data.dtype.kind not in "iu":
        return None
    axes = node.axes(1)
    if not axes:
        if node.attr("noop_with_empty_axes"):
            return data
        axes = None
    function = getattr(np, node.proto.op_type.removeprefix("Reduce").lower())
    return function(data, axes, keepdims=bool(node.attr("keepdims", 1))).astype(data.dtype)
