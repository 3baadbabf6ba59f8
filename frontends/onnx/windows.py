"""Sliding windows of convolutions and pools: ONNX's attributes, with `auto_pad` worked out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xrelay.frontends.onnx.node import Node

AUTO_PADS = ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")


@dataclass(frozen=True)
class Windows:
    """One number an axis; `padding` holds all begins, then all ends."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: tuple[int, ...]

    @property
    def extent(self) -> tuple[int, ...]:
        """The length that a window spans along each axis."""
        return tuple((size - 1) * dilation + 1 for size, dilation in zip(self.kernel, self.dilations, strict=True))


def spatial_rank(node: Node) -> int:
    """The number of axes behind batch and channel. Raises ModelError for a rank below 3, UnsupportedError above 5."""
    rank = node.rank() - 2
    if rank < 1:
        node.fail(f"{node.input_name(0)} has no spatial axes: {node.type()}")
    if rank > 3:
        node.unsupported(f"{rank} spatial axes; supported are 1 to 3")
    return rank


def per_axis(node: Node, name: str, n: int, default: int) -> tuple[int, ...]:
    values = tuple(node.attr(name) or (default,) * n)
    if len(values) != n:
        node.fail(f"attribute {name} has {len(values)} numbers, {n} are needed")
    return values


def read_windows(node: Node, kernel: Sequence[int]) -> Windows:
    """The windows of a convolution or pool over the spatial axes of input 0."""
    n = len(kernel)
    windows = Windows(
        tuple(kernel),
        per_axis(node, "strides", n, 1),
        per_axis(node, "dilations", n, 1),
        per_axis(node, "pads", 2 * n, 0),
    )
    if min(windows.strides) < 1 or min(windows.dilations) < 1 or min(windows.kernel) < 1:
        node.fail(f"kernel {windows.kernel}, strides {windows.strides}, dilations {windows.dilations} must be positive")
    mode = auto_pad(node)
    if mode == "NOTSET":
        return windows
    return Windows(windows.kernel, windows.strides, windows.dilations, _same_padding(node, windows, mode))


def auto_pad(node: Node) -> str:
    mode = node.attr("auto_pad", "NOTSET")
    if mode not in AUTO_PADS:
        node.fail(f"auto_pad is one of {', '.join(AUTO_PADS)}, not {mode!r}")
    return mode


def _same_padding(node: Node, windows: Windows, mode: str) -> tuple[int, ...]:
    """The padding that gives ⌈length / stride⌉ windows; none for VALID."""
    n = len(windows.kernel)
    if mode == "VALID":
        return (0,) * 2 * n
    lengths = node.static_shape()[2:]
    totals = [
        max((-(-length // stride) - 1) * stride + extent - length, 0)
        for length, stride, extent in zip(lengths, windows.strides, windows.extent, strict=True)
    ]
    return split_padding(totals, more_at_end=mode == "SAME_UPPER")


def split_padding(totals: Sequence[int], more_at_end: bool) -> tuple[int, ...]:
    """Half of each total at either side, the odd one where told: all begins, then all ends."""
    small, large = [t // 2 for t in totals], [t - t // 2 for t in totals]
    return (*small, *large) if more_at_end else (*large, *small)
