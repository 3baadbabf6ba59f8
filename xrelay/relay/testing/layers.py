"""Layers with parameters of their own, named after the layer; their types follow from the data."""

from __future__ import annotations

from typing import Any

from xrelay import relay
from xrelay.relay import Expr


def conv_kernel_layout(data_layout: str, is_depthwise: bool = False) -> str:
    """The layout of a convolution's weight that goes with a layout of the data."""
    if data_layout == "NHWC":
        return "HWOI" if is_depthwise else "HWIO"
    return "OIHW"


def conv2d(data: Expr, weight: Expr | None = None, *, name: str, **attrs: Any) -> Expr:
    """A convolution, with a weight of its own if none is given."""
    return relay.nn.conv2d(data, relay.var(f"{name}_weight") if weight is None else weight, **attrs)


def dense_add_bias(
    data: Expr, units: int, *, name: str, weight: Expr | None = None, bias: Expr | None = None
) -> Expr:
    """A dense layer and its bias."""
    weight = relay.var(f"{name}_weight") if weight is None else weight
    bias = relay.var(f"{name}_bias") if bias is None else bias
    return relay.nn.bias_add(relay.nn.dense(data, weight, units=units), bias, axis=-1)


def conv2d_bias(data: Expr, *, name: str, **attrs: Any) -> Expr:
    """A convolution and its bias, one a channel."""
    axis = attrs.get("data_layout", "NCHW").index("C")
    return relay.nn.bias_add(conv2d(data, name=name, **attrs), relay.var(f"{name}_bias"), axis=axis)


def batch_norm_infer(data: Expr, *, name: str, axis: int = 1, epsilon: float = 1e-5, **attrs: Any) -> Expr:
    """Batch normalization by statistics that are parameters."""
    gamma, beta = relay.var(f"{name}_gamma"), relay.var(f"{name}_beta")
    mean, var = relay.var(f"{name}_moving_mean"), relay.var(f"{name}_moving_var")
    return relay.nn.batch_norm(data, gamma, beta, mean, var, axis=axis, epsilon=epsilon, **attrs)[0]


def network(body: Expr) -> relay.Function:
    """The function of a network's result: its inputs and parameters in the order of their use."""
    return relay.Function(relay.analysis.free_vars(body), body)
