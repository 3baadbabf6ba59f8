"""Types of weights that need not be written: they follow from the data and the attributes of the operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.layout import UNKNOWN, Layout
from xrelay.dialects.relay.types import normalize_axis
from xrelay.errors import TypeInferenceError
from xrelay.frontends.relay_text.operators import attr_values, dialect_attrs, operator_class
from xrelay.frontends.relay_text.types import ANY, Dim, TensorType, Type

Rule = Callable[[TensorType, SimpleNamespace], TensorType | None]


def implied_type(name: str, data: Type, attrs: Mapping[str, Any]) -> TensorType | None:
    """The type of every argument of the operator behind the first, where the first and the attributes tell it.

    Raises TypeInferenceError where the attributes do not fit the data.
    """
    rule = _RULES.get(name)
    if rule is None or not isinstance(data, TensorType):
        return None
    cls = operator_class(name)
    try:
        return rule(data, attr_values(cls, dialect_attrs(cls, attrs)))
    except (VerifyException, ValueError) as error:
        raise TypeInferenceError(f"{name}: {error}") from None


def _along_axis(data: TensorType, attrs: SimpleNamespace) -> TensorType:
    axis = normalize_axis(attrs.axis, len(data.shape))
    return TensorType(data.shape[axis : axis + 1], data.dtype)


def _dense(data: TensorType, attrs: SimpleNamespace) -> TensorType | None:
    return TensorType((attrs.units, data.shape[-1]), data.dtype) if attrs.units and data.shape else None


def _matmul(data: TensorType, attrs: SimpleNamespace) -> TensorType | None:
    if not attrs.units or not data.shape:
        return None
    inner = data.shape[-2] if attrs.transpose_a else data.shape[-1]
    return TensorType((attrs.units, inner) if attrs.transpose_b else (inner, attrs.units), data.dtype)


def _kernel(data: TensorType, attrs: SimpleNamespace, sizes: Callable[[Dim], tuple[Dim, Dim]]) -> TensorType | None:
    """The kernel of a convolution whose channels and kernel size are given; `sizes`: input channels → O and I."""
    if attrs.channels is None or attrs.kernel_size is None:
        return None
    stored = [size if isinstance(size, int) else UNKNOWN for size in data.shape]
    given = Layout.parse(attrs.data_layout).sizes(stored)["C"]
    outputs, inputs = sizes(ANY if given == UNKNOWN else given)
    layout = Layout.parse(attrs.kernel_layout)
    spatial = [letter for letter in layout.letters if letter not in "OI"]
    # The letters of the kernel's own axes are in the order of its size in every layout that Relay has: D, H, W.
    whole = dict(zip(sorted(spatial, key="DHW".index), attrs.kernel_size, strict=True)) | {"O": outputs, "I": inputs}
    shape = layout.shape({letter: size if isinstance(size, int) else UNKNOWN for letter, size in whole.items()})
    return TensorType(tuple(ANY if size == UNKNOWN else size for size in shape), data.dtype)


def _per_group(channels: Dim, groups: int) -> Dim:
    return channels // groups if isinstance(channels, int) else ANY


def _convolution(data: TensorType, attrs: SimpleNamespace) -> TensorType | None:
    return _kernel(data, attrs, lambda given: (attrs.channels, _per_group(given, attrs.groups)))


def _transposed_convolution(data: TensorType, attrs: SimpleNamespace) -> TensorType | None:
    return _kernel(data, attrs, lambda given: (_per_group(attrs.channels, attrs.groups), given))


_RULES: Mapping[str, Rule] = {
    "nn.conv1d": _convolution,
    "nn.conv2d": _convolution,
    "nn.conv1d_transpose": _transposed_convolution,
    "nn.conv2d_transpose": _transposed_convolution,
    "nn.dense": _dense,
    "nn.matmul": _matmul,
    "nn.bias_add": _along_axis,
    "nn.prelu": _along_axis,
    "nn.batch_norm": _along_axis,
    "nn.layer_norm": _along_axis,
    "nn.instance_norm": _along_axis,
    "nn.group_norm": _along_axis,
}
