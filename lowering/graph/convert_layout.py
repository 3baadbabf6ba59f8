"""`relay-convert-layout`: compute convolutions, pools and images in the layouts that a target likes.

```
ConvertLayout({"nn.conv2d": ["NHWC", "default"], "nn.max_pool2d": ["NHWC"]})

conv2d(x, w) → relu → max_pool2d        (NCHW)
layout_transform → conv2d(…, layout_transform(w)) → relu → max_pool2d → layout_transform        (NHWC)
```

Operators that do not care for a layout (`layout_rules.py`) are carried along, so transforms stand only where data comes
into such a region and where it leaves; transposes and layout transforms that are in the program melt into them. An
operator stays as it is where the wished layout does not fit: a split that does not divide the channels, a layout of
its own that is split already, an `out_layout` of its own.

What the program computes stays, but for the order in which sums are added up. Running the pass again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.convolution import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose, Convolution
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.image import Resize2D
from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.pooling import Pooling
from xrelay.dialects.relay.transform import BlockOp, LayoutTransform, Transpose, permutation
from xrelay.dialects.relay.types import shape_of
from xrelay.dialects.relay.window import parse_layout
from xrelay.errors import XRelayError
from xrelay.lowering.graph.base import FunctionPass
from xrelay.lowering.graph.layout_rules import Results, again, carry
from xrelay.lowering.graph.layout_storage import Form, Forms, Storage
from xrelay.lowering.graph.successors import Restore, Successors

DEFAULT = "default"
IMAGE_LAYOUTS = ("NCHW", "NHWC")

DEFAULT_KERNELS: Mapping[type[Convolution], Mapping[str, str]] = {
    Conv1D: {"NCW": "OIW", "NWC": "WIO"},
    Conv2D: {"NCHW": "OIHW", "NHWC": "HWIO", "HWNC": "HWOI"},
    Conv1DTranspose: {"NCW": "IOW", "NWC": "WIO"},
    Conv2DTranspose: {"NCHW": "IOHW", "NHWC": "HWIO"},
}
"""Data layout → the kernel layout that "default" stands for."""

Choice = Callable[[Any], Sequence[str] | None]
"""Operator → the layouts it should have (of the data, and of the kernel), None to leave it to the operators around."""


class LayoutError(XRelayError):
    """A wish for a layout that an operator cannot have, or for an operator without layouts."""


@dataclass(frozen=True)
class ConvertLayout(FunctionPass):
    """Converts operators to desired layouts. Raises LayoutError for a wish that no operator can fulfil."""

    name = "relay-convert-layout"
    opt_level = 3

    desired: tuple[str, ...] = ()
    """`"nn.conv2d:NHWC:HWIO"`: the operator, the layout of its data, and of its kernel (or "default", or left out)."""
    skip_layers: tuple[int, ...] = ()
    """Convolutions (nn.conv2d) that keep their layout, counted from 0 in each function."""

    def apply_to_function(self, function: FuncOp) -> None:
        wishes = dict(parse_wish(text) for text in self.desired)
        convolutions = [op for op in function.walk() if isinstance(op, Conv2D)]
        skipped = {op for i, op in enumerate(convolutions) if i in self.skip_layers}

        def choose(op: RelayOp) -> Sequence[str] | None:
            return None if op in skipped else wishes.get(type(op))

        convert_function(function, choose)


# Wishes --------------------------------------------------------------------------------------------------------------


def operators_with_layout() -> dict[str, type[RelayOp]]:
    """The operators that compute in several layouts, by Relay's names."""
    from xrelay.dialects.relay import FAMILIES

    found = [member for family in FAMILIES for member in vars(family).values() if isinstance(member, type)]
    return {
        op.name.removeprefix("relay."): op
        for op in found
        if issubclass(op, Convolution | Pooling | Resize2D | BlockOp) and "name" in vars(op)
    }


def parse_wish(text: str) -> tuple[type[RelayOp], list[str]]:
    """`"nn.conv2d:NHWC:default"` → the operator and its layouts. Raises LayoutError where it cannot have them."""
    name, *layouts = text.split(":")
    operator = operators_with_layout().get(name)
    if operator is None:
        raise LayoutError(f"{name} has no layout; these have: {', '.join(operators_with_layout())}")
    most = 2 if issubclass(operator, Convolution) else 1
    if not 1 <= len(layouts) <= most:
        raise LayoutError(f"{name} has {most} layouts to be given, got {layouts}")
    check_layouts(operator, layouts)
    return operator, layouts


def check_layouts(operator: type[RelayOp], layouts: Sequence[str]) -> None:
    """Raises LayoutError for layouts that the operator cannot have."""
    name, (data, *kernel) = operator.name.removeprefix("relay."), layouts
    try:
        if issubclass(operator, Convolution | Pooling):
            parse_layout(data, "NC" + operator.SPATIAL, operator.SPATIAL, "the data layout")
        elif data not in IMAGE_LAYOUTS:
            raise VerifyException(f"the data layout is one of {', '.join(IMAGE_LAYOUTS)}, not {data!r}")
        if issubclass(operator, Convolution):
            text = kernel[0] if kernel else DEFAULT
            if text != DEFAULT:
                parse_layout(text, "OI" + operator.SPATIAL, operator.SPATIAL, "the kernel layout")
            elif data not in DEFAULT_KERNELS[operator]:
                raise VerifyException(f"for data in {data} there is no default kernel layout, one must be given")
    except VerifyException as error:
        raise LayoutError(f"{name}: {error}") from None


# Conversion ----------------------------------------------------------------------------------------------------------


def convert_function(function: FuncOp, choose: Choice) -> None:
    """Convert the operators of a function for which `choose` gives layouts."""
    conversion = _Conversion(choose)
    for block in function.body.blocks:
        conversion.block(block, Forms(conversion.successors))
    conversion.successors.finish()


class _Conversion:
    """Builds the converted operators next to the old ones."""

    def __init__(self, choose: Choice):
        self._choose = choose
        self.successors = Successors()

    def block(self, block: Block, forms: Forms) -> None:
        for op in list(block.ops):
            forms.at = op
            self._operator(op, forms)
            for region in op.regions:
                for nested in region.blocks:
                    self.block(nested, forms.nested())

    def _operator(self, op: Operation, forms: Forms) -> None:
        if isinstance(op, Transpose | LayoutTransform) and self._transposed(op, forms):
            return
        layouts = self._choose(op) if isinstance(op, RelayOp) else None
        if layouts is not None and _has_layout(op, layouts):
            names = _data_layout(op)
            for result in op.results:
                forms.add(result, Form(result, Storage.of(names, names), leads=True))
            return
        results = None if layouts is None else _converted(op, layouts, forms)
        results = carry(op, forms) if results is None else results
        if results is None:
            return
        for old, (new, storage) in zip(op.results, results, strict=True):
            if storage is not None:
                forms.add(old, Form(new, storage, leads=True))
        self.successors.replace(op, [(new, _restore(storage)) for new, storage in results])

    def _transposed(self, op: Transpose | LayoutTransform, forms: Forms) -> bool:
        """Note that every form of the data is one of the transposed data, too."""
        axes = _permutation(op)
        if axes is None:
            return False
        names = ascii_uppercase[: len(axes)]
        for form in (*forms.of(op.data), Form(op.data, Storage.of(names, names))):
            forms.add(op.result, Form(form.value, form.storage.permuted(axes), form.leads))
        self.successors.may_go(op)
        same = next((form for form in forms.of(op.result) if form.storage.is_original), None)
        if same is not None and same.value.type == op.result.type:
            forms.add(same.value, same)
            op.result.replace_all_uses_with(same.value)
        return True


def _restore(storage: Storage | None) -> Restore:
    """How a value is made from its stored form."""
    if storage is None or storage.is_original:
        return None
    text, names = storage.layout.text, storage.names
    return lambda stored: LayoutTransform.make(stored, src_layout=text, dst_layout=names)


# Operators with a layout ---------------------------------------------------------------------------------------------


def _data_layout(op: Any) -> str:
    return op.attrs.data_layout if isinstance(op, Convolution) else op.attrs.layout


def _kernel_layout(op: Any, layouts: Sequence[str]) -> str:
    """The kernel layout that is wished for; the default of NHWC is HWOI for a depthwise convolution."""
    text = layouts[1] if len(layouts) > 1 else DEFAULT
    if text != DEFAULT:
        return text
    if isinstance(op, Conv2D) and layouts[0] == "NHWC" and _is_depthwise(op):
        return "HWOI"
    return DEFAULT_KERNELS[type(op)][layouts[0]]


def _is_depthwise(op: Conv2D) -> bool:
    kernel = op.attrs.kernel_layout
    return op.attrs.groups > 1 and "I" in kernel and shape_of(op.weight.type)[kernel.index("I")] == 1


def _has_layout(op: Any, layouts: Sequence[str]) -> bool:
    if isinstance(op, Convolution) and op.attrs.kernel_layout != _kernel_layout(op, layouts):
        return False
    return _data_layout(op) == layouts[0] and getattr(op.attrs, "out_layout", "") in ("", layouts[0])


def _converted(op: Any, layouts: Sequence[str], forms: Forms) -> Results | None:
    """The operator in other layouts, None where they do not fit."""
    own = _data_layout(op)
    if not own.isalpha() or getattr(op.attrs, "out_layout", "") not in ("", own):
        return None
    storage = Storage.of(own, layouts[0])
    if not (storage.fits(op.data) and storage.fits(op.result)):
        return None
    if not isinstance(op, Convolution):
        out = {"out_layout": ""} if isinstance(op, Pooling) else {}
        return [(again(op, [forms.get(op.data, storage)], forms, layout=layouts[0], **out), storage)]
    kernel = op.attrs.kernel_layout
    weight_storage = Storage.of(kernel, _kernel_layout(op, layouts)) if kernel.isalpha() else None
    if weight_storage is None or not weight_storage.fits(op.weight):
        return None
    operands = [forms.get(op.data, storage), forms.get(op.weight, weight_storage)]
    attrs = {"data_layout": layouts[0], "kernel_layout": weight_storage.layout.text, "out_layout": ""}
    return [(again(op, operands, forms, **attrs), storage)]


def _permutation(op: Transpose | LayoutTransform) -> tuple[int, ...] | None:
    """Which axis of the data each axis of the result is; None where axes are split or joined."""
    if isinstance(op, Transpose):
        return permutation(op.attrs.axes, len(shape_of(op.data.type)))
    source, target = Layout.parse(op.attrs.src_layout), Layout.parse(op.attrs.dst_layout)
    if source.letters != source.text or target.letters != target.text:
        return None
    return tuple(source.index(letter) for letter in target.letters)
