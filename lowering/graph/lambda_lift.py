"""`relay-lambda-lift`: functions inside of functions become functions of the module.

```mlir
%f = relay.fn (%y: T) -> T { … %x … }        %f = func.call @main_lambda(%x) : (T) -> (T) -> T
```

where `@main_lambda`, marked `relay.closure`, takes what the function captured and gives the function. One that captures
nothing becomes a function of the module itself, and its value a `relay.global`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, Region, SSAValue

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.language import Fn, Global
from xrelay.dialects.relay.language_types import TypeVarType
from xrelay.lowering.graph.base import RelayPass, graph_functions, unique_name
from xrelay.lowering.graph.free_values import free_values

CLOSURE = "relay.closure"
"""The unit attribute of a function that takes captures and gives a function."""


@dataclass(frozen=True)
class LambdaLift(RelayPass):
    """Lifts every `relay.fn`, inner ones first. Those whose types have type variables stay where they are."""

    name = "relay-lambda-lift"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        taken = {f.sym_name.data for f in op.body.ops if isinstance(f, FuncOp)}
        for function in graph_functions(op):
            if CLOSURE in function.attributes:
                continue
            for fn in [inner for inner in function.body.walk(reverse=True) if isinstance(inner, Fn)]:
                if not _is_generic(fn):
                    name = unique_name(f"{function.sym_name.data}_lambda", taken)
                    op.body.block.add_op(_lift(fn, name))


def _lift(fn: Fn, name: str) -> FuncOp:
    """Replace a function value; the new function of the module."""
    free = free_values(fn)
    captures = [value for value in free if not isinstance(value.owner, Constant)]
    block = fn.parent
    assert block is not None
    if captures:
        made: Operation = CallOp(name, captures, [fn.result.type])
    else:
        made = Global.of(name, fn.result.type)
    made.location = fn.location
    block.insert_op_before(made, fn)
    fn.result.replace_all_uses_with(made.results[0])
    made.results[0].name_hint = fn.result.name_hint
    fn.detach()
    lifted = _closure(fn, name, captures) if captures else _function(fn, name)
    bring_constants(lifted, [value for value in free if isinstance(value.owner, Constant)])
    lifted.location = made.location
    return lifted


def _closure(fn: Fn, name: str, captures: Sequence[SSAValue]) -> FuncOp:
    """The function that takes the captures and gives `fn`."""
    body = Block(arg_types=[value.type for value in captures])
    body.add_ops([fn, ReturnOp(fn.result)])
    replace_inside(fn, dict(zip(captures, body.args, strict=True)))
    for value, arg in zip(captures, body.args, strict=True):
        arg.name_hint = value.name_hint
    types = [value.type for value in captures], [fn.result.type]
    lifted = FuncOp(name, types, Region(body), visibility="private")
    lifted.attributes[CLOSURE] = UnitAttr()
    return lifted


def _function(fn: Fn, name: str) -> FuncOp:
    """`fn` as a function of the module."""
    region = fn.detach_region(fn.body)
    body, itself = region.block, region.block.args[0] if fn.recursive else None
    if itself is not None:
        value = Global.of(name, itself.type)
        assert body.first_op is not None
        body.insert_op_before(value, body.first_op)
        itself.replace_all_uses_with(value.result)
        body.erase_arg(itself)
    end = body.last_op
    assert end is not None
    body.add_op(ReturnOp(*end.operands))
    body.erase_op(end)
    signature = fn.signature
    lifted = FuncOp(name, (signature.inputs.data, signature.outputs.data), region, visibility="private")
    fn.erase()
    return lifted


def bring_constants(lifted: FuncOp, constants: Sequence[SSAValue]) -> None:
    """Give a function its own copies of the constants that it uses."""
    block = lifted.body.block
    copies: dict[SSAValue, SSAValue] = {}
    for value in constants:
        copy = value.owner.clone()  # type: ignore[union-attr]
        assert block.first_op is not None
        block.insert_op_before(copy, block.first_op)
        copies[value] = copy.results[0]
    replace_inside(lifted, copies)


def replace_inside(op: Operation, values: dict[SSAValue, SSAValue]) -> None:
    """Make an operation, and all inside of it, use other values."""
    for inner in op.walk():
        for index, operand in enumerate(inner.operands):
            if operand in values:
                inner.operands[index] = values[operand]


def _is_generic(fn: Fn) -> bool:
    """Whether type variables occur in the types of a function, or of what it captures."""
    if fn.type_params:
        return True
    types = [fn.result.type, *(v.type for v in free_values(fn)), *(t for op in fn.walk() for t in op.result_types)]
    return any(map(has_type_variable, types))


def has_type_variable(attribute: Attribute) -> bool:
    """Whether type variables occur in a type."""
    match attribute:
        case TypeVarType():
            return True
        case ParametrizedAttribute():
            return any(map(has_type_variable, attribute.parameters))
        case ArrayAttr():
            return any(map(has_type_variable, attribute))
    return False
