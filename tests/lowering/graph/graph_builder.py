"""Building a module of one @main in Python, for the tests of graph passes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.convolution import Conv2D
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.types import element_of, tensor_type


class Builder:
    """Appends operators to @main, whose arguments have the given shapes."""

    def __init__(self, *shapes: Sequence[int], dtype: str = "float32", seed: int = 2):
        self.block = Block(arg_types=[tensor_type(shape, element_of(dtype)) for shape in shapes])
        self.args = self.block.args
        self.dtype = dtype
        self.rng = np.random.default_rng(seed)

    def constant(self, *shape: int) -> SSAValue:
        return self.array(self.rng.standard_normal(shape).astype(self.dtype))

    def array(self, array: np.ndarray) -> SSAValue:
        return self(Constant.of(array))

    def __call__(self, op: RelayOp) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def conv(self, x: SSAValue, channels: int = 8, **attrs) -> SSAValue:
        """A 3 × 3 convolution that keeps height and width."""
        groups = attrs.get("groups", 1)
        weight = self.constant(channels, x.type.get_shape()[1] // groups, 3, 3)
        return self(Conv2D.make(x, weight, **{"padding": (1, 1), **attrs}))

    def module(self, *results: SSAValue) -> ModuleOp:
        self.block.add_op(ReturnOp(*results))
        types = self.block.arg_types, [value.type for value in results]
        return ModuleOp([FuncOp("main", types, Region(self.block))])
