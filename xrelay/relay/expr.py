"""Building expressions: `var`, `const`, `bind`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from xrelay.errors import InputError
from xrelay.frontends.relay_text.expr import Constant, Expr, Function, Var
from xrelay.frontends.relay_text.types import TensorType, Type, scalar_type

_NARROWED = {"int64": "int32", "float64": "float32"}
"""The dtypes of Python's numbers, and what a Relay program means by them."""


def var(
    name_hint: str,
    type_annotation: Type | str | None = None,
    shape: Sequence[Any] | None = None,
    dtype: str = "float32",
) -> Var:
    """A new variable.

    Its type is `type_annotation` (the name of a dtype is a scalar), or a tensor of `shape` and `dtype`, whose dims are
    numbers or `relay.Any()`; without either, inference finds it.

    Raises:
        InputError: both a type and a shape are given.
    """
    if type_annotation is not None and shape is not None:
        raise InputError(f"var {name_hint!r}: give a type or a shape, not both")
    if isinstance(type_annotation, str):
        type_annotation = scalar_type(type_annotation)
    if shape is not None:
        type_annotation = TensorType(tuple(shape), dtype)
    return Var(name_hint, type_annotation)


def const(value: Any, dtype: str | None = None) -> Constant:
    """A constant: of a number, a list, or an array.

    Without `dtype`, 64-bit values become 32-bit ones, as in Relay: a Python int is int32, a float is float32.

    Raises:
        InputError: the value is no tensor, or an integer does not fit: a dtype must be given.
    """
    try:
        array = np.asarray(value)
        target = _dtype(dtype or _NARROWED.get(array.dtype.name, array.dtype.name))
    except (TypeError, ValueError) as error:
        raise InputError(f"const: {value!r} is no tensor: {error}") from error
    if array.dtype.kind not in "biufV" or (array.dtype.kind == "V" and array.dtype.name != "bfloat16"):
        raise InputError(f"const: {value!r} is no tensor of numbers")
    if array.dtype.kind in "iu" and target.kind in "iu" and array.size:
        limits = np.iinfo(target)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise InputError(f"const: {value!r} does not fit {target.name}; give dtype=")
    return Constant(array.astype(target))


def _dtype(name: str) -> np.dtype:
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def bind(expr: Expr, binds: Mapping[Var, Expr]) -> Expr:
    """`expr` with values in place of variables.

    Of a function, parameters may be bound too: it loses them, and takes what is free in their values instead.
    """
    from xrelay.relay.analysis import free_vars
    from xrelay.relay.functors import Substitution

    substitution = Substitution(binds)
    if not isinstance(expr, Function):
        return substitution.visit(expr)
    params = [param for param in expr.params if param not in binds]
    outer = set(free_vars(expr))
    for param in expr.params:
        new = free_vars(binds[param]) if param in binds else []
        params += [v for v in new if v not in params and v not in outer]
    ret_type = expr.ret_type
    return Function(params, substitution.visit(expr.body), ret_type, expr.type_params, expr.attrs, expr.span)
