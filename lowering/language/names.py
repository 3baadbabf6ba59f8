"""Names for values: what the passes to normal forms with `relay.let` share."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from xrelay.dialects.relay.adt import ConstructorOp
from xrelay.dialects.relay.attributes import STR
from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.language import Global
from xrelay.dialects.relay.reference import Let
from xrelay.lowering.graph.base import unique_name


def is_atom(value: SSAValue) -> bool:
    """Whether a value needs no name: parameters, names, constants, and what has a name in the module."""
    return not isinstance(value, OpResult) or isinstance(value.op, Let | Constant | Global | ConstructorOp)


def at_type(value: SSAValue, wanted: Attribute, made: list[Operation]) -> SSAValue:
    """The value at a type that knows more or fewer sizes; an operation for that is added to `made`."""
    if value.type == wanted:
        return value
    made.append(_let("", value, wanted))
    return made[-1].results[0]


class LetNames:
    """Names values of one function, each with a name that the function does not have yet."""

    def __init__(self, function: FuncOp):
        self._taken = {op.attrs.variable for op in function.walk() if isinstance(op, Let)}

    def bind(self, value: OpResult) -> None:
        """Put a name right behind the operation of a value; whoever uses the value uses the name then."""
        block = value.op.parent
        assert block is not None
        name = unique_name(value.name_hint or "x", self._taken)
        let = _let(name, value, value.type)
        let.location = value.op.location
        let.result.name_hint = value.name_hint
        value.replace_uses_with_if(let.result, lambda use: use.operation is not let)
        block.insert_op_after(let, value.op)


def _let(name: str, value: SSAValue, value_type: Attribute) -> Let:
    return Let.create(operands=[value], result_types=[value_type], properties={"variable": STR.encode(name)})
