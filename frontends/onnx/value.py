"""Values of a graph during import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import as_tensor, element_of, tensor_type


@dataclass(eq=False)
class Value:
    """A tensor: computed at run time (`ssa`), known during import (`array`), or both.

    An array becomes a `relay.constant` only when an operator takes it. `default` holds the array of an input that has
    one and may be given another; `freeze` makes it known, and the input a constant.
    """

    name: str
    ssa: SSAValue | None = None
    array: np.ndarray | None = None
    default: np.ndarray | None = None

    @property
    def type(self) -> TensorType:
        if self.ssa is not None:
            return as_tensor(self.ssa.type)
        assert self.array is not None
        return tensor_type(self.array.shape, element_of(self.array.dtype))

    def freeze(self) -> np.ndarray | None:
        """The value, if it is known or can be fixed to its default."""
        if self.array is None and self.default is not None:
            self.array = self.default
        return self.array

    def operand(self, materialize: Callable[[np.ndarray, str], SSAValue]) -> SSAValue:
        """The value as an operand; `materialize` makes a constant of an array and its name."""
        if self.ssa is None:
            assert self.array is not None
            self.ssa = materialize(self.array, self.name)
        return self.ssa
