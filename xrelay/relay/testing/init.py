"""Values for the parameters of a network."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xrelay.errors import InputError
from xrelay.frontends.relay_text.expr import Function, Var
from xrelay.frontends.relay_text.types import TensorType
from xrelay.relay.module import Module

Initializer = Callable[[str, np.ndarray, np.random.Generator], None]
"""`initializer(name, array, random)` fills the array of a parameter."""

_CONSTANT = {"bias": 0.0, "beta": 0.0, "mean": 0.0, "gamma": 1.0, "var": 1.0}
"""What the parameters are whose names end so."""


def xavier(name: str, array: np.ndarray, random: np.random.Generator) -> None:
    """Weights are uniform, of a width such that values keep their scale through a layer; the rest by its name."""
    kind = name.split("_")[-1]
    if kind in _CONSTANT:
        array[...] = _CONSTANT[kind]
        return
    if array.ndim < 2:
        raise InputError(f"parameter {name!r} of shape {array.shape}: its name says no kind, and it is no weight")
    window = int(np.prod(array.shape[2:]))
    width = np.sqrt(6.0 / (window * (array.shape[0] + array.shape[1])))
    array[...] = random.uniform(-width, width, array.shape)


def create_workload(
    net: Function, initializer: Initializer = xavier, seed: int = 0
) -> tuple[Module, dict[str, np.ndarray]]:
    """The module of a network, with values for all its parameters but those whose names begin with `data`.

    Raises:
        InputError: the initializer does not know a parameter, or its size is not known.
    """
    module = Module.from_expr(net).infer_types()
    random, params = np.random.default_rng(seed), {}
    for param in module["main"].params:
        if not param.name_hint.startswith("data"):
            params[param.name_hint] = _empty(param)
            initializer(param.name_hint, params[param.name_hint], random)
    return module, params


def _empty(param: Var) -> np.ndarray:
    known = param.checked_type
    sizes = known.shape if isinstance(known, TensorType) else ()
    shape = [size for size in sizes if isinstance(size, int)]
    if not isinstance(known, TensorType) or len(shape) != len(sizes):
        raise InputError(f"parameter {param.name_hint!r} is a {known}: no tensor of known size")
    return np.empty(shape, known.dtype)
