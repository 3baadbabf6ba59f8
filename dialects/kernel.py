"""The `kernel` dialect: what xDSL's dialects lack between tensors and machine code.

`kernel.view` reads a contiguous tensor or buffer in another shape, `kernel.constant` is the address of a constant of
the model, `kernel.remf` is a float remainder, `kernel.parallel_for` runs an outlined loop body on the model's threads,
`kernel.call` calls a kernel from a function of a program.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.arith import FloatingPointLikeBinaryOperation
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, StringAttr, SymbolRefAttr, TensorType
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.constant import TensorAttr
from xrelay.dialects.relay.types import DYNAMIC, num_elements


@irdl_op_definition
class ViewOp(IRDLOperation):
    """The same elements in row-major order under another shape; no data moves.

    C1: operand and result are both tensors or both memrefs, of one element type.
    C2: both have the same number of elements, as far as it is known.
    """

    name = "kernel.view"
    source = operand_def(TensorType | MemRefType)
    result = result_def(TensorType | MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source, result = self.source.type, self.result.type
        assert isinstance(source, TensorType | MemRefType)
        assert isinstance(result, TensorType | MemRefType)
        if type(source) is not type(result) or source.element_type != result.element_type:
            raise VerifyException(f"C1: cannot view {source} as {result}")
        sizes = num_elements(source.get_shape()), num_elements(result.get_shape())
        if DYNAMIC not in sizes and sizes[0] != sizes[1]:
            raise VerifyException(f"C2: {source} has {sizes[0]} elements, {result} has {sizes[1]}")


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A constant tensor of the model, by value; on memrefs, where it stands among the model's constants.

    `offset`, in bytes, is given by `plan-memory`.
    """

    name = "kernel.constant"
    value = prop_def(TensorAttr)
    offset = opt_prop_def(IntegerAttr)
    result = result_def(TensorType | MemRefType)
    traits = traits_def(Pure())
    assembly_format = "qualified($value) (`at` $offset^)? attr-dict `:` type($result)"

    def __init__(self, value: TensorAttr, result_type: Attribute):
        super().__init__(properties={"value": value}, result_types=[result_type])


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """The remainder of floats with the sign of lhs (C's fmod), exact; MLIR's `arith.remf`, which xDSL lacks."""

    name = "kernel.remf"
    traits = traits_def(Pure())


@irdl_op_definition
class ParallelForOp(IRDLOperation):
    """Calls `callee(begin, end, captures…)` on slices that together cover [0, size), one slice a thread."""

    name = "kernel.parallel_for"
    callee = prop_def(SymbolRefAttr)
    size = operand_def(IndexType())
    captures = var_operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$callee `,` $size `(` $captures `)` attr-dict `:` type($captures)"

    def __init__(self, callee: str, size: SSAValue, captures: list[SSAValue]):
        super().__init__(properties={"callee": SymbolRefAttr(StringAttr(callee))}, operands=[size, captures])


@irdl_op_definition
class CallOp(IRDLOperation):
    """A program's call of a kernel, by the tensors that it takes and gives.

    The kernel is not at the level of its caller any more: it is lowered to buffers, and may have got scratch memory, of
    `scratch` bytes, by `plan-memory`.
    """

    name = "kernel.call"
    callee = prop_def(SymbolRefAttr)
    scratch = opt_prop_def(IntegerAttr)
    arguments = var_operand_def()
    outputs = var_result_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $outputs)"

    def __init__(self, callee: SymbolRefAttr, arguments: Sequence[SSAValue], result_types: Sequence[Attribute]):
        super().__init__(properties={"callee": callee}, operands=[arguments], result_types=[result_types])


Kernel = Dialect("kernel", [ViewOp, ConstantOp, RemFOp, ParallelForOp, CallOp], [])
