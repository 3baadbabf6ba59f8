"""`relay-fold-explicit-padding` moves pads into convolutions and pools, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.graph.graph_builder import Builder
from tests.lowering.graph.graph_utils import check, names
from xrelay.dialects.relay import pooling
from xrelay.dialects.relay.convolution import Conv1D, Conv2D
from xrelay.dialects.relay.transform import Pad
from xrelay.lowering.graph.fold_explicit_padding import FoldExplicitPadding

SPATIAL = (0, 0, 0, 0, 1, 2, 0, 1)


def left(b: Builder, result) -> list[str]:
    return [name for name in names(check(FoldExplicitPadding(), b.module(result))) if name != "constant"]


def padded(b: Builder, width=SPATIAL, **attrs):
    return b(Pad.make(b.args[0], pad_width=width, **attrs))


@pytest.mark.parametrize(
    "attrs", [{}, {"padding": (1,)}, {"padding": (0, 2), "strides": (2, 1)}, {"padding": (1, 2, 3, 0)}]
)
def test_convolution(attrs):
    b = Builder((1, 3, 6, 7))
    assert left(b, b(Conv2D.make(padded(b), b.constant(4, 3, 3, 3), **attrs))) == ["nn.conv2d"]


def test_convolution_in_other_layouts():
    b = Builder((1, 6, 7, 4))
    y = padded(b, (0, 0, 1, 0, 2, 1, 0, 0))
    y = b(Conv2D.make(y, b.constant(3, 3, 4, 2), data_layout="NHWC", kernel_layout="HWIO"))
    assert left(b, y) == ["nn.conv2d"]
    b = Builder((1, 3, 6))
    assert left(b, b(Conv1D.make(padded(b, (0, 0, 0, 0, 1, 2)), b.constant(4, 3, 3)))) == ["nn.conv1d"]


@pytest.mark.parametrize(
    ("width", "attrs"),
    [
        ((0, 0, 1, 0, 1, 1, 0, 0), {}),
        ((0, 1, 0, 0, 1, 1, 0, 0), {}),
        (SPATIAL, {"pad_value": 1.0}),
        (SPATIAL, {"pad_mode": "edge"}),
    ],
)
def test_other_pads_stay(width, attrs):
    b = Builder((1, 3, 6, 7))
    y = padded(b, width, **attrs)
    assert left(b, b(Conv2D.make(y, b.constant(4, y.type.get_shape()[1], 3, 3)))) == ["nn.pad", "nn.conv2d"]


@pytest.mark.parametrize(("value", "folds"), [(-np.inf, True), (0.0, False), (float(np.finfo(np.float32).min), False)])
def test_max_pool(value, folds):
    b = Builder((1, 3, 6, 7))
    y = b(pooling.MaxPool2D.make(padded(b, pad_value=value), pool_size=(3, 3), padding=(1, 1)))
    assert left(b, y) == ["nn.max_pool2d"] if folds else ["nn.pad", "nn.max_pool2d"]


def test_max_pool_of_integers():
    b = Builder((1, 3, 6, 7), dtype="int8")
    y = b(pooling.MaxPool2D.make(padded(b, pad_value=-128.0), pool_size=(3, 3)))
    assert left(b, y) == ["nn.max_pool2d"]


@pytest.mark.parametrize(
    ("attrs", "folds"),
    [
        ({}, True),
        ({"count_include_pad": True, "padding": (1, 1)}, True),
        ({"padding": (1, 1)}, False),
        ({"count_include_pad": True, "ceil_mode": True, "strides": (2, 2)}, True),
    ],
)
def test_avg_pool(attrs, folds):
    b = Builder((1, 3, 6, 7))
    y = b(pooling.AvgPool2D.make(padded(b), pool_size=(3, 3), **attrs))
    assert left(b, y) == (["nn.avg_pool2d"] if folds else ["nn.pad", "nn.avg_pool2d"])


def test_a_window_that_the_pool_would_not_have_keeps_the_pad():
    """In ceil_mode a last window may begin in data, but not in padding."""
    b = Builder((1, 1, 4))
    y = padded(b, (0, 0, 0, 0, 0, 1))
    y = b(pooling.AvgPool1D.make(y, pool_size=(2,), strides=(4,), ceil_mode=True, count_include_pad=True))
    assert left(b, y) == ["nn.pad", "nn.avg_pool1d"]
