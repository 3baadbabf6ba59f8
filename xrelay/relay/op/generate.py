"""The function of an operator, made from its class."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from xrelay.frontends.relay_text.expr import Expr
from xrelay.frontends.relay_text.operators import operator_class, operators, parameter_names
from xrelay.relay.op.call import call
from xrelay.relay.op.wrappers import WRAPPERS

_TRANSPOSE = (
    "data weight strides padding dilation channels kernel_size groups data_layout kernel_layout out_layout "
    "output_padding out_dtype"
)
ORDER: Mapping[str, str] = {
    "gather": "data axis indices",
    "nn.conv1d_transpose": _TRANSPOSE,
    "nn.conv2d_transpose": _TRANSPOSE,
    "strided_slice": "data begin end strides axes slice_mode",
    "take": "data indices axis batch_dims mode",
}
"""Parameters where Relay's Python function has them in another order than tensors first, then attributes."""

DEFAULTS: Mapping[tuple[str, str], Any] = {
    ("full", "shape"): (),
    ("image.resize2d", "rounding_method"): "",
    ("nn.batch_matmul", "transpose_b"): True,
    ("nn.leaky_relu", "alpha"): 0.01,
    ("nn.lrn", "alpha"): 1e-5,
}
"""Defaults of Relay's Python functions that differ from those of the attributes."""


@cache
def operator_function(name: str) -> Callable[..., Expr]:
    """The function of an operator, by Relay's name. Raises UnsupportedError for one that there is not."""
    if name in WRAPPERS:
        return WRAPPERS[name]
    cls = operator_class(name)
    signature = _signature(name)
    tensors = [key for key in signature.parameters if key in parameter_names(cls)]

    def function(*args: Any, **kwargs: Any) -> Expr:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        attrs = dict(bound.arguments)
        return call(name, *[attrs.pop(key) for key in tensors], **attrs)

    function.__name__ = function.__qualname__ = name.split(".")[-1]
    function.__doc__ = cls.__doc__
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _signature(name: str) -> inspect.Signature:
    """Tensors first, then attributes: those that must be given before the others."""
    cls = operator_class(name)
    tensors = parameter_names(cls)
    defaults = dict.fromkeys(tensors, inspect.Parameter.empty)
    for key, spec in cls.SCHEMA.items():
        if key not in tensors:
            defaults[key] = inspect.Parameter.empty if spec.required else spec.default
    defaults |= {key: value for (owner, key), value in DEFAULTS.items() if owner == name}
    natural = sorted(defaults, key=lambda key: defaults[key] is not inspect.Parameter.empty)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    order = ORDER[name].split() if name in ORDER else natural
    return inspect.Signature([inspect.Parameter(key, kind, default=defaults[key]) for key in order])


class Namespace:
    """The operators whose names begin alike, as attributes: `relay.nn` holds `nn.relu` as `relu`."""

    def __init__(self, prefix: str = ""):
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        full = self._prefix + name
        if full in WRAPPERS or full in operators():
            value: Any = operator_function(full)
        elif any(known.startswith(f"{full}.") for known in operators()):
            value = Namespace(f"{full}.")
        else:
            raise AttributeError(f"relay has no {full}: neither an operator nor anything else")
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        names = [name.removeprefix(self._prefix) for name in {*operators(), *WRAPPERS} if name.startswith(self._prefix)]
        return sorted({name.split(".")[0] for name in names})

    def __repr__(self) -> str:
        return f"<operators {self._prefix}*>"


ROOT = Namespace()
