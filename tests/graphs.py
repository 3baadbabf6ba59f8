"""Builds small relay modules, operator by operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from tests.operators.arrays import array
from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.control import If, Yield
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.types import element_of, tensor_type


class Graph:
    """A module that is being built, and the arrays to run it on.

    ```python
    g = Graph()
    x = g.input(array(2, 3))
    module = g.module(g(Relu, g(Add, x, g.constant(array(3)))))
    ```
    """

    def __init__(self) -> None:
        self.block = self.main = Block()
        self.inputs: list[np.ndarray] = []
        self.seed = 0

    def input(self, value: np.ndarray) -> SSAValue:
        """An argument of @main; `value` is what the module is run on."""
        self.inputs.append(value)
        return self.main.insert_arg(tensor_type(value.shape, element_of(value.dtype)), len(self.main.args))

    def constant(self, value: np.ndarray) -> SSAValue:
        return self._insert(Constant.of(value)).results[0]

    def weight(self, *shape: int, **kwargs: Any) -> SSAValue:
        """A constant of random numbers around zero, other ones at every call."""
        self.seed += 1
        return self.constant(array(*shape, **{"low": -1, "high": 1, "seed": self.seed, **kwargs}))

    def __call__(self, operator: type[RelayOp], *operands: SSAValue, **attrs: Any) -> SSAValue:
        """The (first) result of an operator."""
        return self.all(operator, *operands, **attrs)[0]

    def all(self, operator: type[RelayOp], *operands: SSAValue, **attrs: Any) -> list[SSAValue]:
        """All results of an operator."""
        return list(self._insert(operator.make(*operands, **attrs)).results)

    def if_(
        self, condition: SSAValue, then: Callable[[], list[SSAValue]], otherwise: Callable[[], list[SSAValue]]
    ) -> list[SSAValue]:
        """A choice; each function builds a branch and returns what it yields."""
        around, regions = self.block, []
        for branch in (then, otherwise):
            self.block = Block()
            self.block.add_op(Yield.make(*branch()))
            regions.append(Region(self.block))
        self.block = around
        return list(self._insert(If.of(condition, *regions)).results)

    def module(self, *outputs: SSAValue) -> ModuleOp:
        """The module that returns these values; verified."""
        self.main.add_op(ReturnOp(*outputs))
        types = [arg.type for arg in self.main.args], [value.type for value in outputs]
        module = ModuleOp([FuncOp("main", types, Region(self.main))])
        module.verify()
        return module

    def _insert(self, op: RelayOp) -> RelayOp:
        self.block.add_op(op)
        return op
