"""The kernel dialect: views, constants, parallel loops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, SymbolRefAttr, i8
from xdsl.ir import Attribute, SSAValue

from xrelay.dialects import kernel
from xrelay.errors import CompilationError
from xrelay.lowering.llvm.builder import FunctionBuilder, gep, to_llvm
from xrelay.lowering.llvm.types import POINTER


@to_llvm(kernel.ViewOp)
def lower_view(op: kernel.ViewOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    return operands[0]


@to_llvm(kernel.ConstantOp)
def lower_constant(op: kernel.ConstantOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> SSAValue:
    offset = op.properties.get("offset", op.attributes.get("offset"))
    if not isinstance(offset, IntegerAttr):
        raise CompilationError(
            f"loop-to-llvm: kernel.constant at {op.location} has no place among the model's constants"
        )
    if b.constants is None:
        raise CompilationError(f"loop-to-llvm: kernel.constant at {op.location} stands outside @main")
    return b.address(b.constants, i8, [b.integer(offset.value.data)])


@to_llvm(kernel.ParallelForOp)
def lower_parallel_for(op: kernel.ParallelForOp, operands: Sequence[SSAValue], b: FunctionBuilder) -> None:
    size, *captures = operands
    struct = llvm.LLVMStructType.from_type_list([c.type for c in captures])
    room = b.stack(struct)
    for position, value in enumerate(captures):
        # Natural alignment, unlike loads and stores of tensors: the struct is ours.
        b.insert(llvm.StoreOp.create(operands=[value, _field(b, room, struct, position)]))
    callee = b.op(llvm.AddressOfOp, [], POINTER, {"global_name": SymbolRefAttr(op.callee.string_value())})
    b.call_external("xrelay_parallel_for", [b.frame, callee, size, room])


def load_captures(b: FunctionBuilder, address: SSAValue, types: Sequence[Attribute]) -> list[SSAValue]:
    """Read what `lower_parallel_for` stored."""
    struct = llvm.LLVMStructType.from_type_list(types)
    return [b.op(llvm.LoadOp, [_field(b, address, struct, i)], t, _LOAD) for i, t in enumerate(types)]


_LOAD = {"ordering": IntegerAttr(0, 64)}


def _field(b: FunctionBuilder, address: SSAValue, struct: Attribute, position: int) -> SSAValue:
    return b.op(llvm.GEPOp, [address], POINTER, gep(struct, (0, position)))
