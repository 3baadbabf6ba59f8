"""`relay-simplify-fc-transpose`: a dense layer that reads a transposed weight reads it as it is.

    dense(x, transpose(w))  →  matmul(x, w)

Relay needs the names of such weights, and transposes them behind the program's back, since its dense knows one order of
the weight only. `nn.matmul` knows both, so here the parameters stay what they are; `names` limits the pass to some of
them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from xrelay.dialects.relay.linear import Dense, Matmul
from xrelay.dialects.relay.transform import Transpose, permutation
from xrelay.lowering.graph.base import FunctionPass, constant_of
from xrelay.lowering.graph.rewrite import GraphRules


@dataclass(frozen=True)
class SimplifyFCTranspose(FunctionPass):
    """Rewrites the dense layers, and matrix products, whose weight is transposed right before."""

    name = "relay-simplify-fc-transpose"
    opt_level = 4

    names: tuple[str, ...] = ()
    """The weights to look at; none given: all."""

    def apply_to_function(self, function: FuncOp) -> None:
        rules = GraphRules()

        @rules(Dense)
        def dense(op, b):
            weight = self._transposed(op.weight)
            return None if weight is None else b.make(Matmul, op.data, weight, **vars(op.attrs))

        @rules(Matmul)
        def matmul(op, b):
            weight = self._transposed(op.tensor_b)
            if weight is None:
                return None
            turned = not op.attrs.transpose_b
            return b.make(Matmul, op.tensor_a, weight, **{**vars(op.attrs), "transpose_b": turned})

        rules.rewrite(function.body)

    def _transposed(self, value: SSAValue) -> SSAValue | None:
        """The matrix whose transpose a value is, where the pass is to look at it."""
        op = value.owner
        if not isinstance(op, Transpose) or permutation(op.attrs.axes, 2) != (1, 0):
            return None
        return op.data if not self.names or _name(op.data) in self.names else None


def _name(value: SSAValue) -> str | None:
    constant = constant_of(value)
    return value.name_hint if constant is None else constant.value.data.name
