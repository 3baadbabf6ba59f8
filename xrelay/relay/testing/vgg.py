"""VGG 11, 13, 16 and 19 (Simonyan and Zisserman 2014)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from xrelay import relay
from xrelay.errors import InputError
from xrelay.relay.testing import layers
from xrelay.relay.testing.init import create_workload

COUNTS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""Convolutions a stage, by the number of layers."""
WIDTHS = (64, 128, 256, 512, 512)


def get_net(
    batch_size: int,
    image_shape: Sequence[int] = (3, 224, 224),
    num_classes: int = 1000,
    dtype: str = "float32",
    num_layers: int = 11,
    batch_norm: bool = False,
) -> relay.Function:
    """The network: (batch_size, *image_shape) → (batch_size, num_classes) of probabilities.

    Raises:
        InputError: there is no VGG of so many layers.
    """
    if num_layers not in COUNTS:
        raise InputError(f"there is no vgg of {num_layers} layers, only {', '.join(map(str, COUNTS))}")
    body = relay.var("data", shape=(batch_size, *image_shape), dtype=dtype)
    for stage, (count, width) in enumerate(zip(COUNTS[num_layers], WIDTHS, strict=True), start=1):
        for i in range(1, count + 1):
            name = f"conv{stage}_{i}"
            body = layers.conv2d_bias(body, name=name, channels=width, kernel_size=(3, 3), padding=(1, 1))
            if batch_norm:
                body = layers.batch_norm_infer(body, name=f"{name}_bn")
            body = relay.nn.relu(body)
        body = relay.nn.max_pool2d(body, pool_size=(2, 2), strides=(2, 2))
    body = relay.nn.batch_flatten(body)
    for name in ("fc6", "fc7"):
        body = relay.nn.dropout(relay.nn.relu(layers.dense_add_bias(body, 4096, name=name)), rate=0.5)
    return layers.network(relay.nn.softmax(layers.dense_add_bias(body, num_classes, name="fc8")))


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
    num_layers: int = 11,
    batch_norm: bool = False,
) -> tuple[relay.Module, dict[str, np.ndarray]]:
    """The network and values for its parameters."""
    return create_workload(get_net(batch_size, image_shape, num_classes, dtype, num_layers, batch_norm))
