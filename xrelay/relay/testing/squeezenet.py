"""SqueezeNet 1.0 and 1.1 (Iandola et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from xrelay import relay
from xrelay.errors import InputError
from xrelay.relay import Expr
from xrelay.relay.testing import layers
from xrelay.relay.testing.init import create_workload

POOL = 0
LAYERS = {
    "1.0": (16, 16, 32, POOL, 32, 48, 48, 64, POOL, 64),
    "1.1": (16, 16, POOL, 32, 32, POOL, 48, 48, 64, 64),
}
"""The squeezed channels of the fire modules, and the poolings between them."""


def get_net(
    batch_size: int,
    image_shape: Sequence[int] = (3, 224, 224),
    num_classes: int = 1000,
    version: str = "1.0",
    dtype: str = "float32",
) -> relay.Function:
    """The network: (batch_size, *image_shape) → (batch_size, num_classes) of probabilities.

    Raises:
        InputError: there is no such version.
    """
    if version not in LAYERS:
        raise InputError(f"there is no squeezenet {version!r}, only {', '.join(LAYERS)}")
    channels, size = (96, 7) if version == "1.0" else (64, 3)
    body = relay.var("data", shape=(batch_size, *image_shape), dtype=dtype)
    body = _pool(_conv(body, channels, size, "conv1", stride=2, padding=size // 2))
    fires = 0
    for squeezed in LAYERS[version]:
        if squeezed == POOL:
            body = _pool(body)
        else:
            fires += 1
            body = _fire(body, squeezed, f"fire{fires}")
    body = _conv(relay.nn.dropout(body, rate=0.5), num_classes, 1, "conv_final")
    return layers.network(relay.nn.softmax(relay.nn.batch_flatten(relay.nn.global_avg_pool2d(body))))


def _fire(data: Expr, squeezed: int, name: str) -> Expr:
    """Squeezed to few channels, then expanded by 1x1 and 3x3 windows side by side."""
    data = _conv(data, squeezed, 1, f"{name}_squeeze")
    left = _conv(data, 4 * squeezed, 1, f"{name}_expand1x1")
    right = _conv(data, 4 * squeezed, 3, f"{name}_expand3x3", padding=1)
    return relay.concatenate([left, right], axis=1)


def _conv(data: Expr, channels: int, size: int, name: str, stride: int = 1, padding: int = 0) -> Expr:
    return relay.nn.relu(
        layers.conv2d_bias(
            data,
            name=name,
            channels=channels,
            kernel_size=(size, size),
            strides=(stride, stride),
            padding=(padding, padding),
        )
    )


def _pool(data: Expr) -> Expr:
    return relay.nn.max_pool2d(data, pool_size=(3, 3), strides=(2, 2))


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    version: str = "1.0",
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
) -> tuple[relay.Module, dict[str, np.ndarray]]:
    """The network and values for its parameters."""
    return create_workload(get_net(batch_size, image_shape, num_classes, version, dtype))
