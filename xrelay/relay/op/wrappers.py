"""Functions of Relay's Python API that do more than call one operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xrelay.frontends.relay_text.expr import Expr, Tuple
from xrelay.relay.op.call import call, scalar

WRAPPERS: dict[str, Callable[..., Any]] = {}
"""By Relay's name: `nn.dropout`."""

Axis = int | Sequence[int] | None


def _wrapper(name: str) -> Callable[[Callable], Callable]:
    def register(function: Callable) -> Callable:
        WRAPPERS[name] = function
        return function

    return register


@_wrapper("arange")
def arange(start: Any, stop: Any = None, step: Any = None, dtype: str = "float32") -> Expr:
    """The numbers from start (0 where only stop is given) to before stop, step (1) apart; constants all three."""
    if stop is None:
        start, stop = 0, start
    bounds = [scalar(value, dtype) for value in (start, stop, 1 if step is None else step)]
    return call("arange", *bounds, dtype=dtype)


# Statistics ----------------------------------------------------------------------------------------------------------


@_wrapper("variance")
def variance(
    data: Expr,
    axis: Axis = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
    with_mean: Expr | None = None,
) -> Expr:
    """The mean of the squared distances from the mean, which may be given (with its axes kept)."""
    mean = call("mean", data, axis=axis, keepdims=True, exclude=exclude) if with_mean is None else with_mean
    return call("variance", data, mean, axis=axis, keepdims=keepdims, exclude=exclude, unbiased=unbiased)


@_wrapper("std")
def std(
    data: Expr, axis: Axis = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False
) -> Expr:
    """The square root of the variance."""
    return call("sqrt", variance(data, axis, keepdims, exclude, unbiased))


@_wrapper("mean_variance")
def mean_variance(
    data: Expr, axis: Axis = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False
) -> Tuple:
    """The pair of mean and variance."""
    mean = call("mean", data, axis=axis, keepdims=True, exclude=exclude)
    spread = variance(data, axis, keepdims, exclude, unbiased, mean)
    return Tuple([mean if keepdims else call("mean", data, axis=axis, exclude=exclude), spread])


@_wrapper("mean_std")
def mean_std(data: Expr, axis: Axis = None, keepdims: bool = False, exclude: bool = False) -> Tuple:
    """The pair of mean and standard deviation."""
    mean, spread = mean_variance(data, axis, keepdims, exclude).fields
    return Tuple([mean, call("sqrt", spread)])


@_wrapper("logsumexp")
def logsumexp(data: Expr, axis: Axis = None, keepdims: bool = False) -> Expr:
    """log(sum(exp(data))), without overflow."""
    largest = call("max", data, axis=axis, keepdims=True)
    powers = call("exp", call("subtract", data, largest))
    logarithm = call("log", call("sum", powers, axis=axis, keepdims=keepdims))
    return call("add", logarithm, largest if keepdims else call("max", data, axis=axis))


# nn ------------------------------------------------------------------------------------------------------------------


@_wrapper("nn.dropout")
def dropout(data: Expr, rate: float = 0.5) -> Expr:
    """The data with a part of its elements zero when training; the data itself when it is run."""
    return call("nn.dropout", data, rate=rate)[0]


@_wrapper("nn.dropout_raw")
def dropout_raw(data: Expr, rate: float = 0.5) -> Expr:
    """The tuple of `dropout`'s result and its mask."""
    return call("nn.dropout", data, rate=rate)


@_wrapper("nn.matmul")
def matmul(
    tensor_a: Expr,
    tensor_b: Expr,
    units: int | None = None,
    out_dtype: str = "",
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Expr:
    """The matrix product; with only `transpose_b` it is `nn.dense`."""
    if transpose_b and not transpose_a:
        return call("nn.dense", tensor_a, tensor_b, units=units, out_dtype=out_dtype)
    attrs = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    return call("nn.matmul", tensor_a, tensor_b, units=units, out_dtype=out_dtype, **attrs)


@_wrapper("nn.pad")
def pad(data: Expr, pad_width: Sequence[Any], pad_value: Any = 0, pad_mode: str = "constant") -> Expr:
    """The data with a border: `pad_width` is (before, after) for every axis, pad_value a number or a scalar."""
    return call("nn.pad", data, scalar(pad_value), pad_width=pad_width, pad_mode=pad_mode)


@_wrapper("nn.global_avg_pool1d")
def global_avg_pool1d(data: Expr, layout: str = "NCW", out_layout: str = "") -> Expr:
    """The mean of every channel, with the axis kept."""
    return call("nn.adaptive_avg_pool1d", data, output_size=[1], layout=layout, out_layout=out_layout)


@_wrapper("nn.global_max_pool1d")
def global_max_pool1d(data: Expr, layout: str = "NCW", out_layout: str = "") -> Expr:
    """The largest element of every channel, with the axis kept."""
    return call("nn.adaptive_max_pool1d", data, output_size=[1], layout=layout, out_layout=out_layout)
