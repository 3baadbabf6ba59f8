"""Moving operators of a block into a function of their own, with what Relay keeps with such functions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.language import FUNCTION_ATTRS
from xrelay.dialects.relay.types import i64
from xrelay.lowering.graph.base import constant_of, functions, is_primitive, unique_name

COMPOSITE = "Composite"
"""What a function is, that stands for one operator of a backend: `npu.conv2d_relu`."""
COMPILER = "Compiler"
"""The backend of a function."""
GLOBAL_SYMBOL = "global_symbol"


def function_attr(function: Operation, name: str) -> str | None:
    """A string that Relay keeps with a function."""
    attrs = function.attributes.get(FUNCTION_ATTRS)
    value = attrs.data.get(name) if isinstance(attrs, DictionaryAttr) else None
    return value.data if isinstance(value, StringAttr) else None


def open_functions(module: ModuleOp) -> list[FuncOp]:
    """The functions that are no kernels, no composites, and belong to no backend."""
    return [
        function
        for function in functions(module)
        if not is_primitive(function)
        and function_attr(function, COMPOSITE) is None
        and function_attr(function, COMPILER) is None
    ]


@dataclass
class Outliner:
    """Adds functions to a module."""

    module: ModuleOp
    _names: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self._names = {op.sym_name.data for op in self.module.body.ops if isinstance(op, FuncOp)}

    def outline(
        self, ops: Sequence[Operation], name: str, attrs: Mapping[str, str | int], inside: Collection[SSAValue] = ()
    ) -> FuncOp:
        """Move operators (in order, of one block) into a private function that is called where the last one stood.

        Constants among `inside` are copied into it, all else that the operators read becomes an argument. What is read
        behind them must be read behind the last one.
        """
        name = unique_name(name, self._names)
        inputs = _inputs(ops, inside)
        outputs = _outputs(ops)
        function = _function(name, ops, inputs, outputs)
        function.attributes[FUNCTION_ATTRS] = DictionaryAttr(
            {key: _encoded(value) for key, value in {**attrs, GLOBAL_SYMBOL: name}.items()}
        )
        self.module.body.block.add_op(function)
        last = ops[-1]
        assert last.parent is not None
        call = CallOp(name, inputs, [value.type for value in outputs])
        call.location = last.location
        last.parent.insert_op_before(call, last)
        for old, new in zip(outputs, call.results, strict=True):
            old.replace_all_uses_with(new)
        for op in reversed(ops):
            op.detach()
            op.erase()
        return function


def _inputs(ops: Sequence[Operation], inside: Collection[SSAValue]) -> list[SSAValue]:
    """What operators read from outside, in the order of first use."""
    made = {result for op in ops for result in op.results}
    read = dict.fromkeys(operand for op in ops for operand in op.operands)
    return [value for value in read if value not in made and not (value in inside and constant_of(value) is not None)]


def _outputs(ops: Sequence[Operation]) -> list[SSAValue]:
    """The results that others read, in order."""
    inner = set(ops)
    return [r for op in ops for r in op.results if any(use.operation not in inner for use in r.uses)]


def _function(name: str, ops: Sequence[Operation], inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> FuncOp:
    block = Block(arg_types=[value.type for value in inputs])
    values: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    for op in ops:
        for operand in op.operands:
            if operand not in values:
                assert isinstance(operand.owner, Constant)
                block.add_op(operand.owner.clone(values))
        block.add_op(op.clone(values))
    block.add_op(ReturnOp(*(values[value] for value in outputs)))
    types = [value.type for value in inputs], [value.type for value in outputs]
    function = FuncOp(name, types, Region(block), visibility="private")
    function.location = ops[-1].location
    return function


def _encoded(value: str | int) -> Attribute:
    return StringAttr(value) if isinstance(value, str) else IntegerAttr(value, i64)
