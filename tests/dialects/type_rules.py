"""Ask an operator's type rule, with types as MLIR writes them."""

from __future__ import annotations

from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, TensorType
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.test_value import create_ssa_value

from xrelay.dialects.relay.core import RelayOp


def parse_type(text: str) -> Attribute:
    """`2x?xf32` is short for `tensor<2x?xf32>`."""
    context = Context()
    context.load_dialect(Builtin)
    return Parser(context, text if "<" in text else f"tensor<{text}>").parse_type()


def infer(operator: type[RelayOp], *types: str, **attrs: Any) -> str | list[str]:
    """The result type of an operator for operands of these types; a list of them unless it is one."""
    op = operator.make(*(create_ssa_value(parse_type(t)) for t in types), **attrs)
    op.verify(verify_nested_ops=False)
    results = [str(t)[len("tensor<") : -1] if isinstance(t, TensorType) else str(t) for t in op.result_types]
    return results[0] if len(results) == 1 else results
