"""Convolutions and transposed convolutions, in every layout.

All of them are cross-correlations: the kernel is not flipped. In every kernel layout O counts output channels and I
input channels, so grouping shrinks I for a convolution (`OIHW` is (O, I / groups, H, W)) and O for a transposed one
(`IOHW` is (I, O / groups, H, W)). A depthwise convolution has groups = I, whatever the kernel layout: `HWOI` is then
(H, W, O, 1).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import DTYPE, INT, INTS, STR, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.linear import product_element
from xrelay.dialects.relay.types import DYNAMIC, as_tensor, format_shape, shape_of, tensor_type, unify_dim
from xrelay.dialects.relay.window import (
    Windows,
    output_layout,
    parse_layout,
    per_axis,
    stored_shape,
    unify_sizes,
    whole_sizes,
)


@dataclass(frozen=True)
class Geometry:
    """The layouts and windows of a convolution, attributes expanded to one value an axis."""

    spatial: str
    """The letters of the axes the windows slide over."""
    data: Layout
    kernel: Layout
    out: Layout
    windows: Windows
    groups: int
    output_padding: tuple[int, ...]
    """Added behind the result of a transposed convolution; zeros for others."""


class Convolution(RelayOp, ABC):
    """Sums of products of the data under a sliding window with a kernel.

    Products are summed in the wider of the element type and `out_dtype`, but at least in float32 or int32; the sum is
    cast to `out_dtype` (default: the element type of the data) at the end. Padding is 0. Items of `padding`: one for
    every side, one an axis, or all befores followed by all afters.

    C1: data_layout and out_layout have the axes N, C and the spatial ones, kernel_layout O, I and the spatial ones;
        spatial axes are not split; data and weight fit their layouts.
    C2: data and weight hold numbers of one type, or integers of one width if out_dtype is given; out_dtype is of their
        kind, float or integer.
    C3: groups is positive and divides the input and the output channels; the kernel's channels fit those of the data.
    C4: channels and kernel_size, if given, are those of the weight.
    C5: strides and dilation are positive, padding is not negative, and all have an item for each spatial axis.
    C6: at least one window fits into the padded data.
    C7: the splits of out_layout divide their axes.
    """

    SPATIAL: ClassVar[str] = "HW"

    data = operand_def(TensorType)
    weight = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.ANCHOR))

    @classmethod
    def geometry(cls, attrs: SimpleNamespace, kernel_size: Sequence[int]) -> Geometry:
        """Layouts and windows for a kernel of this size. Raises VerifyException for attributes that do not fit (C1,
        C5)."""
        n = len(cls.SPATIAL)
        data = parse_layout(attrs.data_layout, "NC" + cls.SPATIAL, cls.SPATIAL, "C1: data_layout")
        return Geometry(
            cls.SPATIAL,
            data,
            parse_layout(attrs.kernel_layout, "OI" + cls.SPATIAL, cls.SPATIAL, "C1: kernel_layout"),
            output_layout(attrs.out_layout, data, cls.SPATIAL, "C1: out_layout"),
            Windows.of(kernel_size, attrs.strides, attrs.dilation, attrs.padding, "C5"),
            attrs.groups,
            per_axis(getattr(attrs, "output_padding", (0,)), n, "C5: output_padding"),
        )

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, weight = (as_tensor(t) for t in operands)
        element = product_element(data, weight, attrs.out_dtype, "C2")
        layouts = cls.geometry(attrs, [1] * len(cls.SPATIAL))
        sizes = whole_sizes(layouts.data, shape_of(data), "C1: data")
        kernel = whole_sizes(layouts.kernel, shape_of(weight), "C1: weight")
        kernel_size = unify_sizes(attrs.kernel_size or [DYNAMIC] * len(cls.SPATIAL), [kernel[s] for s in cls.SPATIAL])
        if kernel_size is None or 0 in kernel_size:
            raise VerifyException(f"C4: kernel_size {attrs.kernel_size} is not that of the weight {weight}")
        channels = cls._checked_channels(sizes["C"], kernel, attrs)
        geometry = cls.geometry(attrs, kernel_size)
        counts = cls.output_lengths(geometry, [sizes[s] for s in cls.SPATIAL])
        if any(n != DYNAMIC and n < 1 for n in counts):
            raise VerifyException(f"C6: no window of size {format_shape(kernel_size)} fits into {data}")
        result = {"N": sizes["N"], "C": channels, **dict(zip(cls.SPATIAL, counts, strict=True))}
        return [tensor_type(stored_shape(geometry.out, result, "C7: out_layout"), element)]

    @classmethod
    def _checked_channels(cls, given: int, kernel: dict[str, int], attrs: SimpleNamespace) -> int:
        """The output channels."""
        groups = attrs.groups
        if groups < 1 or (given != DYNAMIC and given % groups):
            raise VerifyException(f"C3: groups {groups} does not divide the {given} input channels")
        channels = cls.output_channels(given, kernel, groups)
        if channels is None:
            raise VerifyException(
                f"C3: a kernel with O = {kernel['O']} and I = {kernel['I']} does not fit {given} input channels "
                f"in {groups} groups"
            )
        merged = channels if attrs.channels is None else unify_dim(channels, attrs.channels)
        if merged is None:
            raise VerifyException(f"C4: channels {attrs.channels} is not that of the weight, {channels}")
        if merged != DYNAMIC and merged % groups:
            raise VerifyException(f"C3: groups {groups} does not divide the {merged} output channels")
        return merged

    @classmethod
    @abstractmethod
    def output_channels(cls, given: int, kernel: dict[str, int], groups: int) -> int | None:
        """The output channels for `given` input channels, None where the kernel does not fit them."""

    @classmethod
    @abstractmethod
    def output_lengths(cls, geometry: Geometry, lengths: Sequence[int]) -> Sequence[int]:
        """The spatial sizes of the result."""


class DirectConvolution(Convolution, ABC):
    """out[n, o, y] = Σ over i, k of data[n, i, y · stride + k · dilation - before] · weight[o, i, k]."""

    strides = attribute(INTS, (1, 1))
    padding = attribute(INTS, (0, 0))
    dilation = attribute(INTS, (1, 1))
    groups = attribute(INT, 1)
    channels = attribute(INT, None)
    kernel_size = attribute(INTS, None)
    data_layout = attribute(STR, "NCHW")
    kernel_layout = attribute(STR, "OIHW")
    out_layout = attribute(STR, "")
    out_dtype = attribute(DTYPE, None)

    @classmethod
    def output_channels(cls, given: int, kernel: dict[str, int], groups: int) -> int | None:
        per_group = DYNAMIC if given == DYNAMIC else given // groups
        return None if unify_dim(per_group, kernel["I"]) is None else kernel["O"]

    @classmethod
    def output_lengths(cls, geometry: Geometry, lengths: Sequence[int]) -> Sequence[int]:
        return geometry.windows.count(lengths)


@irdl_op_definition
class Conv1D(DirectConvolution):
    """Convolution over one spatial axis."""

    name = "relay.nn.conv1d"
    SPATIAL: ClassVar[str] = "W"
    strides = attribute(INTS, (1,))
    dilation = attribute(INTS, (1,))
    data_layout = attribute(STR, "NCW")
    kernel_layout = attribute(STR, "OIW")


@irdl_op_definition
class Conv2D(DirectConvolution):
    """Convolution over height and width."""

    name = "relay.nn.conv2d"


class TransposedConvolution(Convolution, ABC):
    """The gradient of a convolution with respect to its data: every element of the data adds a scaled kernel to the
    result.

    out[n, o, y · stride + k · dilation - before] += data[n, i, y] · weight[i, o, k]. The result has the length (length
    - 1) · stride + extent of the kernel - before - after + output_padding: the output padding only adds places at the
    end.
    """

    channels = attribute(INT, None)
    kernel_size = attribute(INTS, None)
    strides = attribute(INTS, (1, 1))
    output_padding = attribute(INTS, (0, 0))
    padding = attribute(INTS, (0, 0))
    dilation = attribute(INTS, (1, 1))
    groups = attribute(INT, 1)
    data_layout = attribute(STR, "NCHW")
    kernel_layout = attribute(STR, "IOHW")
    out_layout = attribute(STR, "")
    out_dtype = attribute(DTYPE, None)

    @classmethod
    def output_channels(cls, given: int, kernel: dict[str, int], groups: int) -> int | None:
        if unify_dim(given, kernel["I"]) is None:
            return None
        return DYNAMIC if kernel["O"] == DYNAMIC else kernel["O"] * groups

    @classmethod
    def output_lengths(cls, geometry: Geometry, lengths: Sequence[int]) -> Sequence[int]:
        w = geometry.windows
        axes = zip(lengths, w.extent, w.strides, w.before, w.after, geometry.output_padding, strict=True)
        return [
            DYNAMIC
            if DYNAMIC in (length, extent)
            else 0
            if length == 0
            else (length - 1) * stride + extent - before - after + extra
            for length, extent, stride, before, after, extra in axes
        ]


@irdl_op_definition
class Conv1DTranspose(TransposedConvolution):
    """Transposed convolution over one spatial axis."""

    name = "relay.nn.conv1d_transpose"
    SPATIAL: ClassVar[str] = "W"
    strides = attribute(INTS, (1,))
    output_padding = attribute(INTS, (0,))
    padding = attribute(INTS, (0,))
    dilation = attribute(INTS, (1,))
    data_layout = attribute(STR, "NCW")
    kernel_layout = attribute(STR, "IOW")


@irdl_op_definition
class Conv2DTranspose(TransposedConvolution):
    """Transposed convolution over height and width."""

    name = "relay.nn.conv2d_transpose"
