"""A multilayer perceptron: 128, 64, classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from xrelay import relay
from xrelay.relay.testing.init import create_workload
from xrelay.relay.testing.layers import dense_add_bias, network


def get_net(
    batch_size: int, num_classes: int = 10, image_shape: Sequence[int] = (1, 28, 28), dtype: str = "float32"
) -> relay.Function:
    """The network: (batch_size, *image_shape) → (batch_size, num_classes) of probabilities."""
    data = relay.var("data", shape=(batch_size, *image_shape), dtype=dtype)
    hidden = relay.nn.relu(dense_add_bias(relay.nn.batch_flatten(data), 128, name="fc1"))
    hidden = relay.nn.relu(dense_add_bias(hidden, 64, name="fc2"))
    return network(relay.nn.softmax(dense_add_bias(hidden, num_classes, name="fc3")))


def get_workload(
    batch_size: int = 1, num_classes: int = 10, image_shape: Sequence[int] = (1, 28, 28), dtype: str = "float32"
) -> tuple[relay.Module, dict[str, np.ndarray]]:
    """The network and values for its parameters."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
