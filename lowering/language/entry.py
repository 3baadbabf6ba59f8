"""The entry of a program: from the caller's tensors to values and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, SymbolRefAttr, TensorType, TupleType, i1, i64
from xdsl.ir import Attribute, Block, Region, SSAValue

from xrelay.dialects.relay.types import is_static
from xrelay.errors import UnsupportedError
from xrelay.lowering.language.builder import ProgramBuilder, ProgramState, symbol, tensor_bytes
from xrelay.lowering.llvm.builder import FunctionBuilder
from xrelay.lowering.llvm.func import ARENA_BYTES, ENTRY, or_default
from xrelay.lowering.llvm.object_code import PROGRAM_START
from xrelay.lowering.llvm.types import POINTER
from xrelay.lowering.loop.plan_memory import DEFAULT_OFFSETS

_START = "program.start"


def leaves(value_type: Attribute) -> Iterator[Attribute]:
    """The types of the values that are not tuples in a nest of tuples, in order."""
    if isinstance(value_type, TupleType):
        for field in value_type.types:
            yield from leaves(field)
    else:
        yield value_type


def flat_types(types: Sequence[Attribute]) -> list[Attribute]:
    """The leaves of several types."""
    return [leaf for t in types for leaf in leaves(t)]


def takes_tensors_only(main: func.FuncOp) -> bool:
    """Whether arguments and results are tensors and tuples of them, so that callers see tensors.

    Otherwise they hand over and get whole values, `runtime/values.py`.
    """
    types = main.function_type
    return all(isinstance(leaf, TensorType) for leaf in flat_types([*types.inputs, *types.outputs]))


def convert_entry(main: func.FuncOp, state: ProgramState) -> list[llvm.FuncOp | llvm.GlobalOp]:
    """`xrelay_main`, which starts the run; the start in the run's own thread; the size of the arena, which is 0."""
    for leaf in flat_types([*main.function_type.inputs, *main.function_type.outputs]):
        if isinstance(leaf, TensorType) and not is_static(leaf):
            raise UnsupportedError(
                f"@main takes or gives {leaf}; the tensors of a compiled program have sizes that are known"
            )
    arena = llvm.GlobalOp(i64, ARENA_BYTES, "external", constant=True, value=IntegerAttr(0, i64))
    return [_main(main, state), _start(main, state), arena]


def _main(main: func.FuncOp, state: ProgramState) -> llvm.FuncOp:
    """`xrelay_main(frame, inputs, outputs, arena, constants)`. With values, the second output is the run's heap."""
    region = Region(Block(arg_types=[POINTER] * 5))
    b = FunctionBuilder(state, region, region.block.args[0])
    frame, inputs, outputs, _, constants = region.block.args
    if takes_tensors_only(main):
        keep = b.op(llvm.ZeroOp, [], POINTER)
    else:
        keep = _word(b, outputs, 1)
    start = b.op(llvm.AddressOfOp, [], POINTER, {"global_name": SymbolRefAttr(_START)})
    deep = b.integer(int(state.needs_stack), i1)
    b.call_external(PROGRAM_START, [frame, start, inputs, outputs, constants, keep, deep])
    b.insert(llvm.ReturnOp.create())
    return _function(b, ENTRY, 5, "external")


def _start(main: func.FuncOp, state: ProgramState) -> llvm.FuncOp:
    """`start(program, inputs, outputs)`, in the thread of the program."""
    b = ProgramBuilder(state, _START, 1)
    inputs, outputs = b.closure, b.arguments[0]
    types = main.function_type
    if takes_tensors_only(main):
        addresses = iter(_tensors(main, inputs, b))
        arguments = [_boxed(t, addresses, b) for t in types.inputs]
    else:
        arguments = [_word(b, inputs, i) for i in range(len(types.inputs))]
    result = b.call_program(symbol("main"), b.null(), arguments)
    assert result is not None
    if takes_tensors_only(main):
        value_type = types.outputs.data[0] if len(types.outputs) == 1 else TupleType(types.outputs.data)  # type: ignore[arg-type]
        for index, (leaf, value) in enumerate(_unboxed(value_type, result, b)):
            _copy(value, _word(b, outputs, index), leaf, b)
    else:
        b.store(result, _word(b, outputs, 0))
    b.insert(llvm.ReturnOp.create())
    return _function(b, _START, 3, "internal")


def _tensors(main: func.FuncOp, inputs: SSAValue, b: ProgramBuilder) -> list[SSAValue]:
    """The addresses of the caller's tensors; of those that it leaves out, the ones of their defaults."""
    found = [_word(b, inputs, i) for i in range(len(flat_types(main.function_type.inputs.data)))]
    defaults = main.attributes.get(DEFAULT_OFFSETS)
    if not isinstance(defaults, DenseArrayBase):
        return found
    b.constants_address()
    return [or_default(b, v, int(at)) for v, at in zip(found, defaults.get_values(), strict=True)]


def _word(b: FunctionBuilder, table: SSAValue, index: int) -> SSAValue:
    return b.load(b.address(table, POINTER, [b.integer(index)]), POINTER)


def _boxed(value_type: Attribute, addresses: Iterator[SSAValue], b: ProgramBuilder) -> SSAValue:
    if isinstance(value_type, TupleType):
        return b.record([_boxed(field, addresses, b) for field in value_type.types])
    return next(addresses)


def _unboxed(value_type: Attribute, value: SSAValue, b: ProgramBuilder) -> Iterator[tuple[TensorType, SSAValue]]:
    if isinstance(value_type, TupleType):
        for index, field in enumerate(value_type.types):
            yield from _unboxed(field, b.field(value, index), b)
    else:
        assert isinstance(value_type, TensorType)
        yield value_type, value


def _copy(source: SSAValue, to: SSAValue, tensor: TensorType, b: ProgramBuilder) -> None:
    b.intrinsic("llvm.memcpy", [to, source, b.integer(tensor_bytes(tensor)), b.integer(0, i1)])


def _function(b: FunctionBuilder, name: str, arity: int, linkage: str) -> llvm.FuncOp:
    b.finish()
    signature = llvm.LLVMFunctionType([POINTER] * arity)
    return llvm.FuncOp(name, signature, llvm.LinkageAttr(linkage), body=b.region)
