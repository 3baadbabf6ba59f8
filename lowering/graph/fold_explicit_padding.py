"""`relay-fold-explicit-padding`: a pad in front of a convolution or pool becomes its own padding.

    conv(pad(x), w)  →  conv(x, w, padding = …)

Only constant padding of spatial axes, with the number that the operator's own padding stands for: 0 for convolutions
and means, the least value of the type (-inf for floats) for maxima. Results are the same bit by bit. The lowest finite
float is not taken for -inf: they differ where the data holds -inf.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay import pooling
from xrelay.dialects.relay.convolution import Conv1D, Conv2D
from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.transform import Pad, pad_pairs
from xrelay.dialects.relay.types import as_tensor, dtype_of, is_float, shape_of
from xrelay.dialects.relay.window import expand_padding
from xrelay.lowering.graph.base import FunctionPass
from xrelay.lowering.graph.rewrite import GraphRules

rules = GraphRules()


@dataclass(frozen=True)
class FoldExplicitPadding(FunctionPass):
    """Applies the rules of this file until none applies any more."""

    name = "relay-fold-explicit-padding"

    def apply_to_function(self, function: FuncOp) -> None:
        rules.rewrite(function.body)


@rules(Conv1D, Conv2D)
def pad_of_convolution(op, b):
    padding = _joint_padding(op, op.attrs.data_layout, 0)
    if padding is None:
        return None
    return b.make(type(op), op.data.owner.data, op.weight, **{**vars(op.attrs), "padding": padding})


@rules(pooling.MaxPool1D, pooling.MaxPool2D, pooling.MaxPool3D)
def pad_of_max_pool(op, b):
    padding = _joint_padding(op, op.attrs.layout, _least(as_tensor(op.data.type).element_type))
    return _pool(op, b, padding)


@rules(pooling.AvgPool1D, pooling.AvgPool2D, pooling.AvgPool3D)
def pad_of_avg_pool(op, b):
    """What was data counts in the means; so the pool's own padding must count, or there must be none."""
    if not op.attrs.count_include_pad and any(op.attrs.padding):
        return None
    return _pool(op, b, _joint_padding(op, op.attrs.layout, 0), count_include_pad=True)


def _pool(op: Any, b: Any, padding: tuple[int, ...] | None, **more: Any) -> Any:
    """The pool of the data in front of the pad, if it has as many windows (in ceil_mode it may have fewer)."""
    if padding is None:
        return None
    attrs = {**vars(op.attrs), "padding": padding, **more}
    data = op.data.owner.data
    try:
        (result,) = op.infer([data.type], type(op.attrs)(**attrs))
    except VerifyException:
        return None
    return b.make(type(op), data, **attrs) if result == op.result.type else None


def _joint_padding(op: Any, layout: str, number: float) -> tuple[int, ...] | None:
    """The padding of the operator and of the pad in front of it; None where that pad is of another kind."""
    pad = op.data.owner
    if not isinstance(pad, Pad) or pad.attrs.pad_mode != "constant" or pad.attrs.pad_value != number:
        return None
    pairs = pad_pairs(pad.attrs.pad_width, len(shape_of(pad.data.type)))
    parsed = Layout.parse(layout)
    spatial = [parsed.index(letter) for letter in op.SPATIAL]
    if any(any(pair) for axis, pair in enumerate(pairs) if axis not in spatial):
        return None
    before, after = expand_padding(op.attrs.padding, len(spatial))
    return (
        *(own + pairs[axis][0] for own, axis in zip(before, spatial, strict=True)),
        *(own + pairs[axis][1] for own, axis in zip(after, spatial, strict=True)),
    )


def _least(element: Attribute) -> float:
    return -np.inf if is_float(element) else float(np.iinfo(dtype_of(element)).min)
