"""`relay-eta-expand`: functions with a name in the module, where they are values, become functions that call them.

```mlir
%f = relay.constructor @Some : (T) -> …      %f = relay.fn (%0: T) -> … {
                                               %1 = relay.construct @Some(%0) : …
                                               relay.yield %1 : …
                                             }
```

What is only called stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, Use

from xrelay.dialects.relay.adt import Construct, ConstructorOp
from xrelay.dialects.relay.control import Yield
from xrelay.dialects.relay.language import Fn, Global, Instantiate, Invoke
from xrelay.dialects.relay.language_types import AdtType, ForallType, TypeVarType
from xrelay.lowering.graph.base import FunctionPass


@dataclass(frozen=True)
class EtaExpand(FunctionPass):
    """Expands constructors, global functions, or both, as the options say; by default it changes nothing."""

    name = "relay-eta-expand"
    opt_level = 1

    expand_constructor: bool = False
    expand_global_var: bool = False

    def apply_to_function(self, function: FuncOp) -> None:
        for op in list(function.body.walk()):
            if (self.expand_constructor and isinstance(op, ConstructorOp)) or (
                self.expand_global_var and isinstance(op, Global)
            ):
                _expand(op)


def _expand(op: ConstructorOp | Global) -> None:
    as_value = {use for use in op.result.uses if not _is_call(use)}
    if not as_value:
        return
    function_type = op.result.type
    names = [p.data for p in function_type.variables] if isinstance(function_type, ForallType) else []
    signature = function_type.body if isinstance(function_type, ForallType) else function_type
    assert isinstance(signature, FunctionType)
    body = Block(arg_types=signature.inputs.data)
    call = _call(op, body, signature, [TypeVarType.of(name) for name in names])
    body.add_ops([*call, Yield.make(call[-1].results[0])])
    fn = Fn.of(Region(body), signature.outputs.data[0], names, location=op.location)
    fn.result.name_hint = op.result.name_hint
    for inner in body.ops:
        inner.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_after(fn, op)
    op.result.replace_uses_with_if(fn.result, lambda use: use in as_value)
    if not op.result.uses:
        block.erase_op(op)


def _call(
    op: ConstructorOp | Global, body: Block, signature: FunctionType, variables: Sequence[Attribute]
) -> list[Operation]:
    """The operations that give the result of the function for the arguments of a block."""
    (output,) = signature.outputs
    if isinstance(op, ConstructorOp):
        assert isinstance(output, AdtType)
        return [Construct.of(op.constructor.data, body.args, output)]
    name, type_args = op.function.string_value(), variables or op.type_args or ()
    if not type_args:
        return [CallOp(name, body.args, [output])]
    function = Global.of(name, signature, tuple(type_args))
    return [function, Invoke.of(function.result, body.args)]


def _is_call(use: Use) -> bool:
    user = use.operation
    if isinstance(user, Instantiate):
        return all(map(_is_call, user.result.uses))
    return isinstance(user, Invoke) and use.index == 0
