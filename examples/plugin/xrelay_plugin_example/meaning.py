"""The meaning of the operators, in NumPy."""

from __future__ import annotations

import numpy as np

from xrelay.interpreters.relay.registry import meaning
from xrelay_plugin_example.dialect import Snake


@meaning(Snake)
def snake(attrs, data, alpha):
    return np.where(alpha == 0, data, data + np.sin(alpha * data) ** 2 / alpha)
