"""Functions, calls, and the entry of the model."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, MemRefType, i8, i64
from xdsl.ir import Attribute, Block, Region, SSAValue

from xrelay.errors import CompilationError
from xrelay.lowering.llvm.builder import FunctionBuilder, ModuleState, convert_types, no_results, to_llvm
from xrelay.lowering.llvm.kernel import load_captures
from xrelay.lowering.llvm.types import POINTER, convert_type

ENTRY = "xrelay_main"
ARENA_BYTES = "xrelay_arena_bytes"
_INTERNAL, _EXTERNAL = llvm.LinkageAttr("internal"), llvm.LinkageAttr("external")


def convert_function(op: func.FuncOp, module: ModuleState) -> llvm.FuncOp:
    """A loop-level function as an llvm function. The module's entry is the function called `main`."""
    if op.function_type.outputs.data:
        raise no_results(op)
    if not op.body.blocks:
        raise CompilationError(f"loop-to-llvm: function @{op.sym_name.data} at {op.location} has no body")
    if op.sym_name.data == "main":
        return _convert_entry(op, module)
    types = convert_types(op.function_type.inputs.data)
    if op.sym_name.data in module.outlined:
        begin, end, *captures = types
        b = _builder([POINTER, begin, end, POINTER], module, "begin", "end", "captures")
        _, first, last, address = b.block.args
        b.location = op.location
        arguments = [first, last, *load_captures(b, address, captures)]
    else:
        b = _builder([POINTER, *types], module)
        arguments = list(b.block.args[1:])
    return _finish(op, op.sym_name.data, arguments, b)


def _convert_entry(op: func.FuncOp, module: ModuleState) -> llvm.FuncOp:
    """`xrelay_main(frame, inputs, outputs, arena, constants)`; inputs and outputs are arrays of addresses."""
    inputs, outputs = (op.attributes.get(f"xrelay.num_{kind}") for kind in ("inputs", "outputs"))
    if not (isinstance(inputs, IntegerAttr) and isinstance(outputs, IntegerAttr)):
        raise CompilationError("loop-to-llvm: @main lacks the attributes xrelay.num_inputs and xrelay.num_outputs")
    num_inputs, num_outputs = inputs.value.data, outputs.value.data
    if len(op.args) != num_inputs + num_outputs + 1:
        raise CompilationError(
            f"loop-to-llvm: @main has {len(op.args)} arguments, expected {num_inputs} inputs, {num_outputs} outputs "
            "and the arena"
        )
    b = _builder([POINTER] * 5, module, "inputs", "outputs", "arena", "constants")
    _, inputs, outputs, arena, b.constants = b.block.args
    b.location = op.location
    buffers = [_entry_buffer(b, inputs, i) for i in range(num_inputs)]
    defaults = op.attributes.get("xrelay.default_offsets")
    if isinstance(defaults, DenseArrayBase):
        buffers = [or_default(b, v, int(at)) for v, at in zip(buffers, defaults.get_values(), strict=True)]
    buffers += [_entry_buffer(b, outputs, i) for i in range(num_outputs)]
    return _finish(op, ENTRY, [*buffers, arena], b)


def or_default(b: FunctionBuilder, address: SSAValue, offset: int) -> SSAValue:
    """The address of an input, or of its default where the caller gives none (null)."""
    if offset < 0:
        return address
    assert b.constants is not None
    default = b.address(b.constants, i8, [b.integer(offset)])
    missing = b.icmp("eq", address, b.op(llvm.ZeroOp, [], POINTER))
    return b.op(llvm.SelectOp, [missing, default, address], POINTER)


def arena_size(op: func.FuncOp) -> llvm.GlobalOp:
    """The constant by which the support code learns how large @main's arena is."""
    arena = op.args[-1].type
    convert_type(arena)
    assert isinstance(arena, MemRefType)
    size = IntegerAttr(prod(arena.get_shape()), i64)
    return llvm.GlobalOp(i64, ARENA_BYTES, "external", constant=True, value=size)


def _entry_buffer(b: FunctionBuilder, table: SSAValue, index: int) -> SSAValue:
    return b.load(b.address(table, POINTER, [b.integer(index)]), POINTER)


def _builder(types: Sequence[Attribute], module: ModuleState, *names: str) -> FunctionBuilder:
    region = Region(Block(arg_types=types))
    for argument, name in zip(region.block.args, ("frame", *names), strict=False):
        argument.name_hint = name
    return FunctionBuilder(module, region, region.block.args[0])


def _finish(op: func.FuncOp, name: str, arguments: Sequence[SSAValue], b: FunctionBuilder) -> llvm.FuncOp:
    signature = llvm.LLVMFunctionType([a.type for a in b.block.args])
    for old, new in zip(op.args, arguments, strict=True):
        new.name_hint = old.name_hint or new.name_hint
    b.convert(op.body.block, arguments)
    b.finish()
    private = op.sym_visibility is not None and op.sym_visibility.data == "private"
    function = llvm.FuncOp(name, signature, _INTERNAL if private else _EXTERNAL, body=b.region)
    function.location = op.location
    return function


@to_llvm(func.ReturnOp)
def lower_return(op: func.ReturnOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> None:
    b.insert(llvm.ReturnOp.create())


@to_llvm(func.CallOp)
def lower_call(op: func.CallOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> None:
    if op.results:
        raise no_results(op)
    b.call(op.callee.string_value(), [b.frame, *operands])
