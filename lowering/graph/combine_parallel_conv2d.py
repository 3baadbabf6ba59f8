"""`relay-combine-parallel-conv2d`: convolutions of the same data become one with all of their output channels.

They need equal attributes and kernel sizes and one group; the channels may differ in number. See `combine_parallel.py`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from xrelay.dialects.relay.convolution import Conv2D
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.layout import Layout
from xrelay.dialects.relay.types import as_tensor, shape_of
from xrelay.lowering.graph.combine_parallel import Branches, CombineParallel, Joiner, join, without


@dataclass(frozen=True)
class CombineParallelConv2D(CombineParallel):
    """Combines at least `min_num_branches` convolutions of the same data."""

    name = "relay-combine-parallel-conv2d"
    OPERATOR: ClassVar[type[RelayOp]] = Conv2D

    def key(self, op: Conv2D) -> Hashable:
        attrs = op.attrs
        kernel, out = Layout.parse(attrs.kernel_layout), Layout.parse(attrs.out_layout or attrs.data_layout)
        if attrs.groups != 1 or kernel.is_split("O") or out.is_split("C"):
            return None
        sizes = list(shape_of(op.weight.type))
        del sizes[kernel.index("O")]
        return without(attrs, "channels", "kernel_size"), tuple(sizes), as_tensor(op.weight.type).element_type

    def combine(self, branches: Branches) -> None:
        attrs, joiner = branches[0].attrs, Joiner(branches[0])
        axis = Layout.parse(attrs.kernel_layout).index("O")
        weight = joiner.concatenate([op.weight for op in branches], axis)
        combined = joiner.make(Conv2D, branches[0].data, weight, **{**vars(attrs), "channels": None})
        join(branches, combined, Layout.parse(attrs.out_layout or attrs.data_layout).index("C"), joiner)
