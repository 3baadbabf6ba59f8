"""MobileNet (Howard et al. 2017): depthwise and pointwise convolutions in turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from xrelay import relay
from xrelay.relay import Expr
from xrelay.relay.testing import layers
from xrelay.relay.testing.init import create_workload

BLOCKS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1))
"""Output channels and stride of each block."""


def get_net(
    batch_size: int,
    num_classes: int,
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
    layout: str = "NCHW",
) -> relay.Function:
    """The network: (batch_size, *image_shape), in the layout, → (batch_size, num_classes) of probabilities."""
    data = relay.var("data", shape=(batch_size, *image_shape), dtype=dtype)
    body, channels = _conv_block(data, 32, 3, "conv_block_1", layout, stride=2), 32
    for i, (width, stride) in enumerate(BLOCKS, start=1):
        body = _conv_block(body, channels, 3, f"separable_{i}_depthwise", layout, stride, groups=channels)
        body, channels = _conv_block(body, width, 1, f"separable_{i}_pointwise", layout), width
    body = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(body, layout=layout))
    return layers.network(relay.nn.softmax(layers.dense_add_bias(body, num_classes, name="fc")))


def _conv_block(
    data: Expr, channels: int, size: int, name: str, layout: str, stride: int = 1, groups: int = 1
) -> Expr:
    data = layers.conv2d(
        data,
        name=f"{name}_conv",
        channels=channels,
        kernel_size=(size, size),
        strides=(stride, stride),
        padding=(size // 2, size // 2),
        groups=groups,
        data_layout=layout,
        kernel_layout=layers.conv_kernel_layout(layout, is_depthwise=groups > 1),
    )
    return relay.nn.relu(layers.batch_norm_infer(data, name=f"{name}_bn", axis=layout.index("C")))


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
    layout: str = "NCHW",
) -> tuple[relay.Module, dict[str, np.ndarray]]:
    """The network and values for its parameters."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype, layout))
