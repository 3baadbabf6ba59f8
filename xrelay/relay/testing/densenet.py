"""DenseNet 121, 161, 169 and 201 (Huang et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from xrelay import relay
from xrelay.errors import InputError
from xrelay.relay import Expr
from xrelay.relay.testing import layers
from xrelay.relay.testing.init import create_workload

SPECS = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
}
"""Channels of the stem, channels that a layer adds, layers a block; by the number of layers."""
BOTTLENECK = 4


def get_net(
    densenet_size: int,
    classes: int,
    batch_size: int,
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
) -> relay.Function:
    """The network: (batch_size, *image_shape) → (batch_size, classes) of scores.

    Raises:
        InputError: there is no DenseNet of this size.
    """
    if densenet_size not in SPECS:
        raise InputError(f"there is no densenet {densenet_size}, only {', '.join(map(str, SPECS))}")
    channels, growth, blocks = SPECS[densenet_size]
    body = relay.var("data", shape=(batch_size, *image_shape), dtype=dtype)
    body = _conv(body, channels, 7, "conv1", stride=2)
    body = relay.nn.relu(layers.batch_norm_infer(body, name="bn1"))
    body = relay.nn.max_pool2d(body, pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    for block, count in enumerate(blocks, start=1):
        for layer in range(1, count + 1):
            body = relay.concatenate([body, _layer(body, growth, f"block{block}_layer{layer}")], axis=1)
        channels += count * growth
        if block < len(blocks):
            channels //= 2
            body = _conv(_norm_relu(body, f"transition{block}_bn"), channels, 1, f"transition{block}_conv")
            body = relay.nn.avg_pool2d(body, pool_size=(2, 2), strides=(2, 2))
    body = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(_norm_relu(body, "bn2")))
    return layers.network(layers.dense_add_bias(body, classes, name="fc"))


def _layer(data: Expr, growth: int, name: str) -> Expr:
    data = _conv(_norm_relu(data, f"{name}_bn1"), BOTTLENECK * growth, 1, f"{name}_conv1")
    return _conv(_norm_relu(data, f"{name}_bn2"), growth, 3, f"{name}_conv2")


def _norm_relu(data: Expr, name: str) -> Expr:
    return relay.nn.relu(layers.batch_norm_infer(data, name=name))


def _conv(data: Expr, channels: int, size: int, name: str, stride: int = 1) -> Expr:
    sizes, padding = (size, size), (size // 2, size // 2)
    return layers.conv2d(
        data, name=name, channels=channels, kernel_size=sizes, strides=(stride, stride), padding=padding
    )


def get_workload(
    densenet_size: int = 121,
    classes: int = 1000,
    batch_size: int = 4,
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
) -> tuple[relay.Module, dict[str, np.ndarray]]:
    """The network and values for its parameters."""
    return create_workload(get_net(densenet_size, classes, batch_size, image_shape, dtype))
