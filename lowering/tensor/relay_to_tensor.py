"""`relay-to-tensor`: every operator of a kernel becomes linalg and tensor operations; @main keeps calls, views and
constants.

Program functions stay as they are, but for their constants and their calls of kernels.

Element types lose their sign on the way (`ui8` → `i8`): from here on the operations say how bits are read.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import FunctionType, IntegerType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from xrelay.dialects import kernel
from xrelay.dialects.relay import COMPUTED, RelayOp, control
from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.core import View
from xrelay.dialects.relay.types import as_tensor, element_of, is_float, shape_of
from xrelay.lowering.conversion import RuleSet, convert_block
from xrelay.lowering.graph.base import functions, is_primitive, is_program
from xrelay.lowering.tensor.builder import TensorBuilder, lowers, signless_tensor


def load_families() -> None:
    """Import the families, so that their lowerings are registered."""
    import importlib

    for family in COMPUTED:
        importlib.import_module(f"xrelay.lowering.tensor.{family}")


def convert_type(value_type: Attribute) -> Attribute:
    return signless_tensor(value_type) if isinstance(value_type, TensorType) else value_type


class _Rules(RuleSet):
    """The lowerings of operators, plus what holds for whole functions."""

    def get(self, op):
        if type(op) not in self and isinstance(op, RelayOp):
            return view if op.has_trait(View) else lowers.get(op)
        return super().get(op)


rules = _Rules("relay to tensor")


def view(op: RelayOp, operands: list[SSAValue], b: TensorBuilder) -> SSAValue:
    return b.view(operands[0], shape_of(op.results[0].type))


@rules(Constant)
def constant(op: Constant, operands: list[SSAValue], b: TensorBuilder) -> SSAValue:
    """A scalar of a kernel is filled in; every other constant stays one of the model."""
    element = as_tensor(op.result.type).element_type
    function = op.parent_op()
    if op.array.ndim == 0 and function is not None and is_primitive(function):
        item = float(op.array) if is_float(element) else int(op.array)
        return b.full((), item, element)
    value = b.value(kernel.ConstantOp(op.value, convert_type(op.result.type)))
    return b.note(value, element_of(op.array.dtype))


@rules(func.CallOp)
def call(op: func.CallOp, operands: list[SSAValue], b: TensorBuilder) -> list[SSAValue]:
    new = func.CallOp(op.callee, operands, [convert_type(t) for t in op.result_types])
    return list(b.insert(new).results)


@rules(func.ReturnOp)
def return_(op: func.ReturnOp, operands: list[SSAValue], b: TensorBuilder) -> None:
    b.insert(func.ReturnOp(*operands))


@rules(control.If)
def if_(op: control.If, operands: list[SSAValue], b: TensorBuilder) -> list[SSAValue]:
    """A choice stays in @main: `scf.if` on the condition's one element."""
    condition = b.value(tensor.ExtractOp(operands[0], [], IntegerType(1)))
    regions = []
    outer = b.block
    for region in op.regions:
        b.block = Block()
        regions.append(Region(b.block))
        around, b.values = b.values, dict(b.values)
        convert_block(region.block, b.values, rules, b)
        b.values = around
    b.block = outer
    b.location = op.location
    new = scf.IfOp(condition, [convert_type(t) for t in op.result_types], *regions)
    results: list[SSAValue] = list(b.insert(new).results)
    for old, result in zip(op.results, results, strict=True):
        if isinstance(old.type, TensorType):
            b.note(result, old.type.element_type)
    return results


@rules(control.Yield)
def yield_(op: control.Yield, operands: list[SSAValue], b: TensorBuilder) -> None:
    b.insert(scf.YieldOp(*operands))


def convert_function(function: func.FuncOp) -> None:
    """Replace a function's body by its lowered form."""
    source = function.body.block
    block = Block(arg_types=[convert_type(arg.type) for arg in source.args])
    b = TensorBuilder(block)
    values = b.values
    for old, new in zip(source.args, block.args, strict=True):
        values[old] = new
        new.name_hint = old.name_hint
        if isinstance(old.type, TensorType):
            b.note(new, old.type.element_type)
    convert_block(source, values, rules, b)
    function.body.detach_block(source)
    source.erase(safe_erase=False)
    function.body.add_block(block)
    function.function_type = FunctionType.from_lists(
        [arg.type for arg in block.args], [convert_type(t) for t in function.function_type.outputs]
    )


def convert_program(function: func.FuncOp, kernels: Container[str]) -> None:
    """Constants become the model's, calls of kernels their own operation; all types stay."""
    for op in list(function.walk()):
        if isinstance(op, Constant):
            new: Operation = kernel.ConstantOp(op.value, op.result.type)
        elif isinstance(op, func.CallOp) and op.callee.string_value() in kernels:
            new = kernel.CallOp(op.callee, op.arguments, op.result_types)
        else:
            continue
        new.location = op.location
        assert op.parent is not None
        op.parent.insert_op_before(new, op)
        for old, result in zip(op.results, new.results, strict=True):
            old.replace_all_uses_with(result)
            result.name_hint = old.name_hint
        op.parent.erase_op(op)


@dataclass(frozen=True)
class RelayToTensor(ModulePass):
    """Lower every function of the module from relay to the tensor level."""

    name = "relay-to-tensor"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        load_families()
        kernels = {function.sym_name.data for function in functions(op) if is_primitive(function)}
        for function in functions(op):
            if is_program(function):
                convert_program(function, kernels)
            else:
                convert_function(function)
