"""Gradient rules: what the adjoint of an operator's result says about those of its operands.

```python
@gradient_of(Multiply)
def multiply(op, b, grad):
    return b.multiply(grad, op.rhs), b.multiply(grad, op.lhs)
```

A rule is given the operator, a builder and the adjoint of each result. It returns one adjoint an operand; None says
that the operand has no influence that can be followed. An adjoint may have the shape that the operand was broadcast
to: it is summed down for the rule. Rules live in `gradients_elementwise.py` and `gradients_tensor.py`; plugins add
theirs with the same decorator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Block, Operation, SSAValue

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.creation import ZerosLike
from xrelay.dialects.relay.elementwise import Add, Divide, Multiply, Subtract
from xrelay.dialects.relay.reduce import Sum
from xrelay.dialects.relay.shape import Reshape
from xrelay.dialects.relay.types import as_tensor, dtype_of, shape_of
from xrelay.dialects.relay.unary import Negative

Adjoints = SSAValue | Sequence[SSAValue | None]
GradientRule = Callable[..., Adjoints]

_RULES: dict[type[Operation], GradientRule] = {}


def gradient_of(*operators: type[RelayOp]) -> Callable[[GradientRule], GradientRule]:
    """Decorator: register the gradient rule of these operators. An operator has one; the last one counts."""

    def register(rule: GradientRule) -> GradientRule:
        _RULES.update(dict.fromkeys(operators, rule))
        return rule

    return register


def gradient_rule(operator: type[Operation]) -> GradientRule | None:
    """The rule of an operator, None where it has none."""
    from xrelay.lowering.graph import gradients_elementwise, gradients_tensor  # noqa: F401  they register rules

    return _RULES.get(operator)


class GradientBuilder:
    """Adds operators in front of the end of a block."""

    def __init__(self, block: Block):
        self._block = block
        self._location: LocationAttr | None = None
        self.made: list[Operation] = []
        """The operators that were added, in order."""

    def at(self, op: Operation) -> None:
        """From here on, new operators get the location of this one."""
        self._location = op.location

    def make(self, operator: type[RelayOp], *operands: SSAValue, **attrs: Any) -> SSAValue:
        """The result of a new operator (of one result)."""
        return self.insert(operator.make(*operands, location=self._location, **attrs))

    def insert(self, op: Operation) -> SSAValue:
        end = self._block.last_op
        assert end is not None
        self._block.insert_op_before(op, end)
        self.made.append(op)
        return op.results[0]

    def number(self, value: float, like: SSAValue) -> SSAValue:
        """A scalar with the element type of another value."""
        return self.insert(Constant.of(np.array(value, dtype_of(as_tensor(like.type)))))

    def add(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.make(Add, lhs, rhs)

    def subtract(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.make(Subtract, lhs, rhs)

    def multiply(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.make(Multiply, lhs, rhs)

    def divide(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.make(Divide, lhs, rhs)

    def negative(self, value: SSAValue) -> SSAValue:
        return self.make(Negative, value)

    def scale(self, value: SSAValue, factor: float) -> SSAValue:
        """value · factor."""
        return self.multiply(value, self.number(factor, value))

    def shift(self, value: SSAValue, offset: float) -> SSAValue:
        """value + offset."""
        return self.add(value, self.number(offset, value))

    def zeros(self, like: SSAValue) -> SSAValue:
        return self.make(ZerosLike, like)

    def reshape(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        if shape_of(value.type) == tuple(shape):
            return value
        return self.make(Reshape, value, newshape=tuple(shape), allowzero=0 in shape)

    def sum(self, value: SSAValue, axes: Sequence[int], keepdims: bool = False) -> SSAValue:
        """The sum over some axes; none are none."""
        return self.make(Sum, value, axis=tuple(axes), keepdims=keepdims) if axes else value

    def sum_to(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """The sums over the axes along which `shape` was broadcast to the shape of the value."""
        added = len(shape_of(value.type)) - len(shape)
        value = self.sum(value, range(added))
        wide = shape_of(value.type)
        return self.sum(value, [i for i, size in enumerate(shape) if size == 1 != wide[i]], keepdims=True)
