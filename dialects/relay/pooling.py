"""Pools: one value of each window, or of each of a fixed number of regions, per channel.

Pools slide over the spatial axes of `layout`; every other axis, also a split-off one, is kept.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from types import SimpleNamespace
from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import BOOL, INTS, STR, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.rules import NUMBERS, check_elements
from xrelay.dialects.relay.types import DYNAMIC, as_tensor, format_shape, shape_of, tensor_type
from xrelay.dialects.relay.window import Windows, output_layout, parse_layout, per_axis, stored_shape, whole_sizes


class Pooling(RelayOp, ABC):
    """What all pools share.

    C1: layout and out_layout have the axes N, C and the spatial ones, which are not split; data fits its layout and
        holds numbers; the splits of out_layout divide their axes.
    """

    SPATIAL: ClassVar[str] = "HW"

    data = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ANCHOR))

    @classmethod
    def layouts(cls, attrs: SimpleNamespace) -> tuple[Layout, Layout]:
        """The layouts of data and result."""
        data = parse_layout(attrs.layout, "NC" + cls.SPATIAL, cls.SPATIAL, "C1: layout")
        return data, output_layout(attrs.out_layout, data, cls.SPATIAL, "C1: out_layout")

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data = as_tensor(operands[0])
        check_elements(cls.name, NUMBERS, data.element_type, "C1")
        layout, out = cls.layouts(attrs)
        sizes = whole_sizes(layout, shape_of(data), "C1: data")
        counts = cls.output_lengths(attrs, [sizes[s] for s in cls.SPATIAL])
        sizes.update(zip(cls.SPATIAL, counts, strict=True))
        return [tensor_type(stored_shape(out, sizes, "C1: out_layout"), data.element_type)]

    @classmethod
    def output_lengths(cls, attrs: SimpleNamespace, lengths: Sequence[int]) -> Sequence[int]:
        """The spatial sizes of the result."""
        raise NotImplementedError


# Sliding windows ------------------------------------------------------------------------------------------------------


class WindowPooling(Pooling, ABC):
    """One value a window of `pool_size`.

    `padding` has one item for every side, one an axis, or all befores followed by all afters. With `ceil_mode` a last
    window that reaches over the padding counts too, unless it starts behind the data and the padding before it.

    C2: pool_size, strides and dilation are positive, padding is not negative, and all have an item for each spatial
        axis.
    C3: at least one window fits.
    """

    pool_size = attribute(INTS)
    strides = attribute(INTS, (1, 1))
    dilation = attribute(INTS, (1, 1))
    padding = attribute(INTS, (0, 0))
    layout = attribute(STR, "NCHW")
    out_layout = attribute(STR, "")
    ceil_mode = attribute(BOOL, False)

    @classmethod
    def windows(cls, attrs: SimpleNamespace) -> Windows:
        """Raises VerifyException for attributes that do not fit (C2)."""
        size = per_axis(attrs.pool_size, len(cls.SPATIAL), "C2: pool_size", least=1)
        return Windows.of(size, attrs.strides, attrs.dilation, attrs.padding, "C2")

    @classmethod
    def output_lengths(cls, attrs: SimpleNamespace, lengths: Sequence[int]) -> Sequence[int]:
        windows = cls.windows(attrs)
        counts = windows.count(lengths, attrs.ceil_mode)
        if any(n != DYNAMIC and n < 1 for n in counts):
            raise VerifyException(f"C3: no window of {format_shape(windows.size)} fits into {format_shape(lengths)}")
        return counts


class MaxPooling(WindowPooling, ABC):
    """The largest element under each window, NaN if one is NaN; padding is never the largest.

    A window that sees padding only gives -inf, or the least integer.
    """


class AvgPooling(WindowPooling, ABC):
    """The mean of each window.

    It is the sum of the elements under the window divided by their number (at least 1); with `count_include_pad` places
    in the padding count as zeros, but never places behind it, which a window has in ceil_mode. Sums are accumulated in
    float32 for 16-bit floats and in 64 bits for integers, whose means are truncated toward zero.
    """

    count_include_pad = attribute(BOOL, False)


@irdl_op_definition
class MaxPool1D(MaxPooling):
    """Largest elements along one spatial axis."""

    name = "relay.nn.max_pool1d"
    SPATIAL: ClassVar[str] = "W"
    strides = attribute(INTS, (1,))
    dilation = attribute(INTS, (1,))
    padding = attribute(INTS, (0,))
    layout = attribute(STR, "NCW")


@irdl_op_definition
class MaxPool2D(MaxPooling):
    """Largest elements over height and width."""

    name = "relay.nn.max_pool2d"


@irdl_op_definition
class MaxPool3D(MaxPooling):
    """Largest elements over depth, height and width."""

    name = "relay.nn.max_pool3d"
    SPATIAL: ClassVar[str] = "DHW"
    strides = attribute(INTS, (1, 1, 1))
    dilation = attribute(INTS, (1, 1, 1))
    padding = attribute(INTS, (0, 0, 0))
    layout = attribute(STR, "NCDHW")


@irdl_op_definition
class AvgPool1D(AvgPooling):
    """Means along one spatial axis."""

    name = "relay.nn.avg_pool1d"
    SPATIAL: ClassVar[str] = "W"
    strides = attribute(INTS, (1,))
    dilation = attribute(INTS, (1,))
    padding = attribute(INTS, (0,))
    layout = attribute(STR, "NCW")


@irdl_op_definition
class AvgPool2D(AvgPooling):
    """Means over height and width."""

    name = "relay.nn.avg_pool2d"


@irdl_op_definition
class AvgPool3D(AvgPooling):
    """Means over depth, height and width."""

    name = "relay.nn.avg_pool3d"
    SPATIAL: ClassVar[str] = "DHW"
    strides = attribute(INTS, (1, 1, 1))
    dilation = attribute(INTS, (1, 1, 1))
    padding = attribute(INTS, (0, 0, 0))
    layout = attribute(STR, "NCDHW")


# Regions --------------------------------------------------------------------------------------------------------------


class AdaptivePooling(Pooling, ABC):
    """One value a region: region i of o along an axis of length n is [⌊i · n / o⌋, ⌈(i + 1) · n / o⌉).

    `output_size` has one item an axis, or one for all; without items the result has the size of the data. Means are
    computed as in `relay.nn.avg_pool2d`.

    C2: output_size has the right number of items, all positive.
    C3: the data is not empty along the spatial axes.
    """

    output_size = attribute(INTS, ())
    layout = attribute(STR, "NCHW")
    out_layout = attribute(STR, "")

    @classmethod
    def output_lengths(cls, attrs: SimpleNamespace, lengths: Sequence[int]) -> Sequence[int]:
        _check_not_empty("C3", lengths)
        n = len(cls.SPATIAL)
        return per_axis(attrs.output_size, n, "C2: output_size", least=1) if attrs.output_size else lengths


@irdl_op_definition
class AdaptiveMaxPool1D(AdaptivePooling):
    """The largest element of each region along one spatial axis."""

    name = "relay.nn.adaptive_max_pool1d"
    SPATIAL: ClassVar[str] = "W"
    layout = attribute(STR, "NCW")


@irdl_op_definition
class AdaptiveMaxPool2D(AdaptivePooling):
    """The largest element of each region over height and width."""

    name = "relay.nn.adaptive_max_pool2d"


@irdl_op_definition
class AdaptiveAvgPool1D(AdaptivePooling):
    """The mean of each region along one spatial axis."""

    name = "relay.nn.adaptive_avg_pool1d"
    SPATIAL: ClassVar[str] = "W"
    layout = attribute(STR, "NCW")


@irdl_op_definition
class AdaptiveAvgPool2D(AdaptivePooling):
    """The mean of each region over height and width."""

    name = "relay.nn.adaptive_avg_pool2d"


class GlobalPooling(Pooling, ABC):
    """One value a channel; height and width stay with size 1.

    C2: the data is not empty along the spatial axes.
    """

    layout = attribute(STR, "NCHW")
    out_layout = attribute(STR, "")

    @classmethod
    def output_lengths(cls, attrs: SimpleNamespace, lengths: Sequence[int]) -> Sequence[int]:
        _check_not_empty("C2", lengths)
        return [1] * len(lengths)


@irdl_op_definition
class GlobalMaxPool2D(GlobalPooling):
    """The largest element of each channel."""

    name = "relay.nn.global_max_pool2d"


@irdl_op_definition
class GlobalAvgPool2D(GlobalPooling):
    """The mean of each channel, computed as in `relay.nn.avg_pool2d`."""

    name = "relay.nn.global_avg_pool2d"


def _check_not_empty(constraint: str, lengths: Sequence[int]) -> None:
    if 0 in lengths:
        raise VerifyException(f"{constraint}: the data is empty, its spatial sizes are {format_shape(lengths)}")
