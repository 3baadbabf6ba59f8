"""How operators that do not care for a layout are computed on data in another one: the second half of
`relay-convert-layout`.

```python
@carries(Softmax)
def along_axis(op, form, forms):
    return [(again(op, [form.value], forms, axis=form.storage.position(op.attrs.axis)), form.storage)]
```

A rule gets an operator and the form of the operand that leads. It gives the results with their storages, or None where
the operator needs its data as the program has it; it must know that before it makes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_uppercase
from typing import Any

from xdsl.ir import Operation, SSAValue

from xrelay.dialects.relay import activation, creation, elementwise, indexing, normalization, reduce, shape, transform
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.image import Resize2D
from xrelay.dialects.relay.linear import BiasAdd
from xrelay.dialects.relay.pooling import Pooling
from xrelay.dialects.relay.types import is_static, normalize_axes, shape_of
from xrelay.dialects.relay.unary import UnaryOp
from xrelay.lowering.graph.layout_storage import Form, Forms, Storage

Results = Sequence[tuple[SSAValue, Storage | None]]
"""The new results with their storages; None for what is as the program has it."""
Rule = Callable[[Any, Form, Forms], Results | None]

_RULES: dict[type[Operation], Rule] = {}


def carries(*operators: type[RelayOp]) -> Callable[[Rule], Rule]:
    """Decorator: register a rule for operators and the classes derived from them."""

    def register(rule: Rule) -> Rule:
        _RULES.update(dict.fromkeys(operators, rule))
        return rule

    return register


def carry(op: Operation, forms: Forms) -> Results | None:
    """The results of an operator, computed in the form of an operand that leads; None if it is to stay as it is."""
    rule = next((_RULES[base] for base in type(op).__mro__ if base in _RULES), None)
    if rule is None:
        return None
    rank = max((len(shape_of(value.type)) for value in op.operands), default=0)
    for value in op.operands:
        form = forms.leading(value)
        if form is not None and len(shape_of(value.type)) == rank:
            return rule(op, form, forms)
    return None


def again(op: RelayOp, operands: Sequence[SSAValue], forms: Forms, **attrs: Any) -> SSAValue:
    """The result of the operator on other operands and with other attributes."""
    (result,) = again_all(op, operands, forms, **attrs)
    return result


def again_all(op: RelayOp, operands: Sequence[SSAValue], forms: Forms, **attrs: Any) -> Sequence[SSAValue]:
    """The same for an operator of several results."""
    made = type(op).make(*operands, **{**vars(op.attrs), **attrs})
    made.attributes.update(op.attributes)
    forms.insert(made)
    return made.results


def _axis(op: RelayOp, storage: Storage) -> int | None:
    """The whole axis of the value that an operator works along, None if it is split."""
    axis = op.attrs.axis % len(storage.names)
    return None if storage.is_split(axis) else axis


# Elements ------------------------------------------------------------------------------------------------------------


@carries(UnaryOp, creation.FullLike, normalization.Dropout)
def elementwise_of_one(op, form, forms):
    return [(result, form.storage) for result in again_all(op, [form.value, *op.operands[1:]], forms)]


@carries(elementwise.BinaryOp, elementwise.Where)
def broadcast(op, form, forms):
    """All operands are brought to the storage of the one that leads; scalars are used as they are."""
    if len(form.storage.names) != len(shape_of(op.result.type)) or not form.storage.fits(op.result):
        return None
    operands = [forms.get_broadcast(value, form.storage) for value in op.operands]
    if None in operands:
        return None
    return [(again(op, operands, forms), form.storage)]


@carries(BiasAdd)
def bias_add(op, form, forms):
    """Along a split axis the bias becomes an addend that is split too."""
    storage, axis = form.storage, op.attrs.axis % len(form.storage.names)
    if not storage.is_split(axis):
        return [(again(op, [form.value, op.bias], forms, axis=storage.position(axis)), storage)]
    behind = len(storage.names) - 1 - axis
    bias = forms.insert(shape.ExpandDims.make(op.bias, axis=1, num_newaxis=behind)) if behind else op.bias
    addend = forms.get_broadcast(bias, storage)
    assert addend is not None, "a split that fits the data fits its bias"
    return [(forms.insert(elementwise.Add.make(form.value, addend)), storage)]


# One axis ------------------------------------------------------------------------------------------------------------


@carries(
    activation.PRelu,
    normalization.BatchNorm,
    normalization.LayerNorm,
    normalization.SoftmaxOp,
    normalization.LRN,
    transform.Reverse,
)
def along_axis(op, form, forms):
    """The data is carried, vectors along the axis stay, and so do results that are vectors."""
    axis = _axis(op, form.storage)
    if axis is None or forms.leading(op.operands[0]) is not form:
        return None
    results = again_all(op, [form.value, *op.operands[1:]], forms, axis=form.storage.position(axis))
    return [(results[0], form.storage), *((vector, None) for vector in results[1:])]


@carries(transform.Repeat, indexing.Cumsum)
def along_optional_axis(op, form, forms):
    """Without an axis they read the data in row-major order."""
    return None if op.attrs.axis is None else along_axis(op, form, forms)


@carries(normalization.InstanceNorm, normalization.GroupNorm)
def per_sample(op, form, forms):
    """The batch must stay in front; the other axes may stand anywhere."""
    storage = form.storage
    return along_axis(op, form, forms) if storage.is_whole and storage.position(0) == 0 else None


@carries(normalization.L2Normalize)
def along_axes(op, form, forms):
    axes = normalize_axes(op.attrs.axis, len(form.storage.names))
    positions = [position for axis in axes for position in form.storage.positions(axis)]
    return [(again(op, [form.value], forms, axis=positions), form.storage)]


# Joining and cutting -------------------------------------------------------------------------------------------------


@carries(transform.Concatenate)
def concatenate(op, form, forms):
    """Pieces of a split axis are joined along its outer part, so the split must divide each of them."""
    if not all(form.storage.fits(value) for value in op.operands):
        return None
    pieces = [forms.get(value, form.storage) for value in op.operands]
    axis = op.attrs.axis % len(form.storage.names)
    return [(again(op, pieces, forms, axis=form.storage.position(axis)), form.storage)]


@carries(transform.Stack)
def stack(op, form, forms):
    if not all(form.storage.fits(value) for value in op.operands):
        return None
    pieces = [forms.get(value, form.storage) for value in op.operands]
    rank = len(form.storage.names) + 1
    return [(again(op, pieces, forms, axis=0), form.storage.extended(op.attrs.axis % rank, 1))]


@carries(indexing.Split)
def split(op, form, forms):
    """A split axis is cut along its outer part, where every cut is at a multiple of the factor."""
    axis = op.attrs.axis % len(form.storage.names)
    where, factor = op.attrs.indices_or_sections, form.storage.factor(axis)
    if not all(form.storage.fits(piece) for piece in op.results):
        return None
    if not isinstance(where, int):
        if any(index % factor for index in where):
            return None
        where = [index // factor for index in where]
    pieces = again_all(op, [form.value], forms, axis=form.storage.position(axis), indices_or_sections=where)
    return [(piece, form.storage) for piece in pieces]


@carries(indexing.StridedSlice)
def strided_slice(op, form, forms):
    """A split axis can be sliced without a stride, at multiples of the factor."""
    attrs, storage = op.attrs, form.storage
    axes = normalize_axes(range(len(attrs.begin)) if attrs.axes is None else attrs.axes, len(storage.names))
    strides = tuple(attrs.strides or ()) + (1,) * (len(axes) - len(attrs.strides or ()))
    begins, ends = list(attrs.begin), list(attrs.end)
    for i, axis in enumerate(axes):
        if not storage.is_split(axis):
            continue
        factor = storage.factor(axis)
        begin, end, stride = indexing.slice_bounds(shape_of(op.data.type), attrs)[axis]
        if attrs.slice_mode != "end" or stride != 1 or begin % factor or end % factor:
            return None
        begins[i], ends[i] = begin // factor, end // factor
    positions = [storage.position(axis) for axis in axes]
    return [(again(op, [form.value], forms, begin=begins, end=ends, strides=strides, axes=positions), storage)]


@carries(transform.Pad, transform.MirrorPad)
def pad(op, form, forms):
    storage = form.storage
    pairs = transform.pad_pairs(op.attrs.pad_width, len(storage.names))
    if any(storage.is_split(axis) and any(pair) for axis, pair in enumerate(pairs)):
        return None
    width = [n for position in range(storage.layout.rank) for n in pairs[storage.source(position)]]
    return [(again(op, [form.value], forms, pad_width=width), storage)]


@carries(transform.Tile)
def tile(op, form, forms):
    """A split axis is repeated along its outer part: the split divides its size."""
    storage = form.storage
    if len(op.attrs.reps) > len(storage.names):
        return None
    reps = (1,) * (len(storage.names) - len(op.attrs.reps)) + tuple(op.attrs.reps)
    stored = [reps[storage.source(i)] if storage.layout.axes[i].is_main else 1 for i in range(storage.layout.rank)]
    return [(again(op, [form.value], forms, reps=stored), storage)]


@carries(transform.BroadcastTo)
def broadcast_to(op, form, forms):
    storage, sizes = form.storage, op.attrs.shape
    if not storage.is_whole or len(sizes) != len(storage.names):
        return None
    stored = [sizes[storage.source(position)] for position in range(len(sizes))]
    return [(again(op, [form.value], forms, shape=stored), storage)]


# Reductions ----------------------------------------------------------------------------------------------------------


@carries(reduce.ReduceOp)
def reduction(op, form, forms):
    """All parts of a folded axis are folded; kept ones of size 1 are whole again."""
    axes = reduce.reduced_axes(op.attrs, len(form.storage.names))
    return _reduced(op, [form.value], axes, form.storage, forms)


@carries(reduce.ArgReduceOp)
def position_of_extreme(op, form, forms):
    """The position counts along the folded axes in the order of the program, none of them may be split."""
    storage, axes = form.storage, reduce.reduced_axes(op.attrs, len(form.storage.names))
    order = [storage.position(axis) for axis in axes]
    if order != sorted(order) or any(storage.is_split(axis) for axis in axes):
        return None
    return _reduced(op, [form.value], axes, storage, forms)


@carries(reduce.Variance)
def variance(op, form, forms):
    storage, axes = form.storage, reduce.reduced_axes(op.attrs, len(form.storage.names))
    if any(storage.is_split(axis) for axis in axes):
        return None
    if not (storage.fits(op.data) and storage.fits(op.mean)):
        return None
    operands = [forms.get(value, storage) for value in op.operands]
    return _reduced(op, operands, axes, storage, forms)


def _reduced(
    op: Any, operands: Sequence[SSAValue], axes: tuple[int, ...], storage: Storage, forms: Forms
) -> Results | None:
    if not axes:
        return None
    positions = sorted(position for axis in axes for position in storage.positions(axis))
    result = again(op, operands, forms, axis=positions, exclude=False)
    if not op.attrs.keepdims:
        return [(result, storage.without(axes) if len(axes) < len(storage.names) else None)]
    inner = [position for position in positions if not storage.layout.axes[position].is_main]
    if inner:
        result = forms.insert(shape.Squeeze.make(result, axis=inner))
    return [(result, storage.joined(axes))]


# Axes that come and go -----------------------------------------------------------------------------------------------


@carries(shape.Squeeze)
def squeeze(op, form, forms):
    storage, sizes = form.storage, shape_of(op.data.type)
    ones = [axis for axis, size in enumerate(sizes) if size == 1] if op.attrs.axis is None else op.attrs.axis
    axes = normalize_axes(ones, len(sizes))
    if not axes or len(axes) == len(sizes):
        return _same_order(op, form, forms)
    return [(again(op, [form.value], forms, axis=[storage.position(a) for a in axes]), storage.without(axes))]


@carries(shape.ExpandDims)
def expand_dims(op, form, forms):
    count, rank = op.attrs.num_newaxis, len(form.storage.names)
    if rank + count > len(ascii_uppercase):
        return None
    axis = op.attrs.axis if op.attrs.axis >= 0 else op.attrs.axis + rank + 1
    return [(again(op, [form.value], forms, axis=0), form.storage.extended(axis, count))]


@carries(shape.Reshape, shape.BatchFlatten)
def _same_order(op, form, forms):
    """A view needs no transform where only axes of size 1 have moved."""
    sizes = shape_of(op.data.type)
    moved = [axis for position in range(form.storage.layout.rank) if sizes[axis := form.storage.source(position)] != 1]
    if not form.storage.is_whole or moved != sorted(moved) or not is_static(op.result.type):
        return None
    target = shape_of(op.result.type)
    return [(forms.insert(shape.Reshape.make(form.value, newshape=target, allowzero=0 in target)), None)]


# Operators with a layout of their own that nobody asked for ----------------------------------------------------------


@carries(Pooling)
def pool(op, form, forms):
    """A pool takes any layout."""
    if op.attrs.out_layout not in ("", op.attrs.layout) or not op.attrs.layout.isalpha():
        return None
    storage = form.storage.renamed(op.attrs.layout)
    if any(storage.is_split(storage.names.index(letter)) for letter in op.SPATIAL):
        return None
    return [(again(op, [form.value], forms, layout=storage.layout.text, out_layout=""), storage)]


@carries(Resize2D, transform.BlockOp)
def image(op, form, forms):
    storage = form.storage.renamed(op.attrs.layout)
    if storage.layout.text not in ("NCHW", "NHWC"):
        return None
    return [(again(op, [form.value], forms, layout=storage.layout.text), storage)]
