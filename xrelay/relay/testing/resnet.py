"""ResNet with pre-activation (He et al. 2016, "Identity Mappings in Deep Residual Networks")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xrelay import relay
from xrelay.errors import InputError
from xrelay.relay import Expr
from xrelay.relay.testing import layers
from xrelay.relay.testing.init import create_workload

UNITS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 24, 36, 3),
}
"""Units a stage, by the number of layers, for images of more than 32 pixels."""
SMALL = 32
"""Images up to this height get three stages and no pooling at the start."""


class _Builder:
    """The layers of a network in one layout."""

    def __init__(self, layout: str):
        self.layout = layout
        self.axis = layout.index("C")

    def conv(self, data: Expr, channels: int, size: int, name: str, stride: int = 1) -> Expr:
        return layers.conv2d(
            data,
            name=name,
            channels=channels,
            kernel_size=(size, size),
            strides=(stride, stride),
            padding=(size // 2, size // 2),
            data_layout=self.layout,
            kernel_layout=layers.conv_kernel_layout(self.layout),
        )

    def norm(self, data: Expr, name: str, **attrs: Any) -> Expr:
        return layers.batch_norm_infer(data, name=name, axis=self.axis, epsilon=2e-5, **attrs)

    def unit(self, data: Expr, channels: int, stride: int, widens: bool, name: str, bottleneck: bool) -> Expr:
        """Two convolutions, or three with a bottleneck, beside a way that leaves out all of them."""
        act = relay.nn.relu(self.norm(data, f"{name}_bn1"))
        if bottleneck:
            out = self.conv(act, channels // 4, 1, f"{name}_conv1")
            out = self.conv(relay.nn.relu(self.norm(out, f"{name}_bn2")), channels // 4, 3, f"{name}_conv2", stride)
            out = self.conv(relay.nn.relu(self.norm(out, f"{name}_bn3")), channels, 1, f"{name}_conv3")
        else:
            out = self.conv(act, channels, 3, f"{name}_conv1", stride)
            out = self.conv(relay.nn.relu(self.norm(out, f"{name}_bn2")), channels, 3, f"{name}_conv2")
        return out + (self.conv(act, channels, 1, f"{name}_sc", stride) if widens else data)

    def stem(self, data: Expr, channels: int, small: bool) -> Expr:
        data = self.norm(data, "bn_data", scale=False)
        if small:
            return self.conv(data, channels, 3, "conv0")
        data = relay.nn.relu(self.norm(self.conv(data, channels, 7, "conv0", stride=2), "bn0"))
        return relay.nn.max_pool2d(data, (3, 3), strides=(2, 2), padding=(1, 1), layout=self.layout)


def get_net(
    batch_size: int,
    num_classes: int,
    num_layers: int = 18,
    image_shape: Sequence[int] = (3, 224, 224),
    layout: str = "NCHW",
    dtype: str = "float32",
) -> relay.Function:
    """The network: (batch_size, *image_shape), in the layout, → (batch_size, num_classes) of probabilities.

    Raises:
        InputError: there is no ResNet of so many layers.
    """
    small = image_shape[layout.index("H") - 1] <= SMALL
    units, widths, bottleneck = _shape(num_layers, small)
    net = _Builder(layout)
    body = net.stem(relay.var("data", shape=(batch_size, *image_shape), dtype=dtype), widths[0], small)
    for stage, (count, width) in enumerate(zip(units, widths[1:], strict=True), start=1):
        for unit in range(1, count + 1):
            stride = 2 if unit == 1 and stage > 1 else 1
            body = net.unit(body, width, stride, unit == 1, f"stage{stage}_unit{unit}", bottleneck)
    body = relay.nn.relu(net.norm(body, "bn1"))
    body = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(body, layout=layout))
    return layers.network(relay.nn.softmax(layers.dense_add_bias(body, num_classes, name="fc1")))


def _shape(num_layers: int, small: bool) -> tuple[Sequence[int], Sequence[int], bool]:
    """Units a stage, the channels of the stem and of the stages, and whether units have a bottleneck."""
    if not small and num_layers in UNITS:
        bottleneck = num_layers >= 50
        return UNITS[num_layers], (64, 256, 512, 1024, 2048) if bottleneck else (64, 64, 128, 256, 512), bottleneck
    bottleneck = num_layers >= 164
    count, rest = divmod(num_layers - 2, 9 if bottleneck else 6)
    if not small or rest or count < 1:
        known = "6 n + 2" if small else ", ".join(map(str, UNITS))
        raise InputError(f"there is no resnet of {num_layers} layers for images of this size; there are {known}")
    return (count,) * 3, (16, 64, 128, 256) if bottleneck else (16, 16, 32, 64), bottleneck


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    num_layers: int = 18,
    image_shape: Sequence[int] = (3, 224, 224),
    layout: str = "NCHW",
    dtype: str = "float32",
) -> tuple[relay.Module, dict[str, np.ndarray]]:
    """The network and values for its parameters."""
    return create_workload(get_net(batch_size, num_classes, num_layers, image_shape, layout, dtype))
