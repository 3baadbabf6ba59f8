"""`example-fuse-snake`: x + sin(alpha · x)² / alpha, spelled out in operators, becomes one `example.snake`.

Models exported from PyTorch have it that way. The pass wants the square as `sine * sine`, and a constant alpha without
zeros: only then are both the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from xrelay.dialects.relay.elementwise import Add, Divide, Multiply
from xrelay.dialects.relay.unary import Sin
from xrelay.lowering.graph.base import FunctionPass, array_of
from xrelay.lowering.graph.rewrite import GraphRules, RuleBuilder
from xrelay_plugin_example.dialect import Snake

rules = GraphRules()


@rules(Add)
def snake(op: Add, b: RuleBuilder) -> SSAValue | None:
    for data, addend in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        alpha = _alpha(data, addend)
        if alpha is not None and op.result.type == data.type:
            return b.make(Snake, data, alpha)
    return None


def _alpha(data: SSAValue, addend: SSAValue) -> SSAValue | None:
    """The alpha for which `addend` is sin(alpha · data)² / alpha."""
    quotient = addend.owner
    if not isinstance(quotient, Divide):
        return None
    alpha = quotient.rhs
    values = array_of(alpha)
    if values is None or not values.all():
        return None
    square = quotient.lhs.owner
    if not isinstance(square, Multiply) or square.lhs != square.rhs:
        return None
    sine = square.lhs.owner
    if not isinstance(sine, Sin):
        return None
    product = sine.operands[0].owner
    if not isinstance(product, Multiply) or {product.lhs, product.rhs} != {alpha, data}:
        return None
    return alpha


@dataclass(frozen=True)
class FuseSnake(FunctionPass):
    """Finds Snake activations that are spelled out."""

    name = "example-fuse-snake"

    def apply_to_function(self, function: FuncOp) -> None:
        rules.rewrite(function.body)
