"""Functions, closures and calls; kernels are called as everywhere, with memory of the heap."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from xrelay.dialects import kernel
from xrelay.dialects.relay.language import Fn, Global, Instantiate, Invoke
from xrelay.lowering.graph.free_values import free_values
from xrelay.lowering.language.builder import (
    STACK_FULL,
    ProgramBuilder,
    ProgramState,
    symbol,
    tensor_bytes,
    to_program,
)
from xrelay.lowering.language.loop import calls_itself, start_loop
from xrelay.lowering.language.tail import callee, waits


def convert_function(function: func.FuncOp, state: ProgramState) -> llvm.FuncOp:
    """A global program function as an llvm function."""
    b = ProgramBuilder(state, symbol(function.sym_name.data), len(function.args))
    return _convert(function, b)


def convert_closure(fn: Fn, state: ProgramState) -> llvm.FuncOp:
    """The code of a closure: what it captures lies behind the address of the code."""
    b = ProgramBuilder(state, state.names[fn], len(fn.params))
    b.location = fn.location
    for index, value in enumerate(state.captures[fn], start=1):
        b.values[value] = b.field(b.closure, index)
    for value in free_values(fn):
        if isinstance(value.owner, kernel.ConstantOp):
            b.values[value] = constant_address(value.owner, b)
    return _convert(fn, b)


def _convert(function: func.FuncOp | Fn, b: ProgramBuilder) -> llvm.FuncOp:
    b.location = function.location
    if waits(function, b.module.functions):
        message = b.integer(b.module.message(STACK_FULL), i32)
        b.call_external("xrelay_check_stack", [b.frame, message])
    itself = [b.closure] if isinstance(function, Fn) and function.recursive else []
    b.convert_region(function.body.block, [*itself, *start_loop(function, b.arguments, b)], tail=True)
    converted = b.function()
    converted.location = function.location
    return converted


@to_program(kernel.ConstantOp)
def constant(op: kernel.ConstantOp, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    return constant_address(op, b)


def constant_address(op: kernel.ConstantOp, b: ProgramBuilder) -> SSAValue:
    assert op.offset is not None
    return b.offset(b.constants_address(), op.offset.value.data)


@to_program(Fn)
def fn(op: Fn, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    """A closure: the address of its code, and what it captures."""
    state = b.module
    if op not in state.names:
        state.names[op] = f"closure.{len(state.names)}"
        state.captures[op] = [v for v in free_values(op) if not isinstance(v.owner, kernel.ConstantOp)]
        state.pending.append(op)
    code = b.address_of(state.names[op])
    return b.record([code, *(b.values[value] for value in state.captures[op])])


@to_program(Global)
def global_(op: Global, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    return b.record([b.address_of(symbol(op.function.string_value()))])


@to_program(Instantiate)
def instantiate(op: Instantiate, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue:
    """One code serves all types."""
    return operands[0]


@to_program(Invoke)
def invoke(op: Invoke, operands: Sequence[SSAValue], b: ProgramBuilder) -> SSAValue | None:
    closure, *arguments = operands
    if _repeats(op, arguments, b):
        return None
    return b.call_program(_code(op.function, closure, b), closure, arguments)


def _repeats(op: Operation, arguments: Sequence[SSAValue], b: ProgramBuilder) -> bool:
    """Go on with the next iteration, where the call is one of a loop."""
    if b.loop is None or not b.tail or not calls_itself(op, b.loop.function):
        return False
    b.loop.again(arguments, b)
    return True


def _code(function: SSAValue, closure: SSAValue, b: ProgramBuilder) -> str | SSAValue:
    """The code of a function value: by name where it is known."""
    function = callee(function)
    owner = function.owner
    if isinstance(owner, Global):
        return symbol(owner.function.string_value())
    if isinstance(owner, Fn):
        return b.module.names[owner]
    around = owner.parent_op()  # of the block whose argument it is
    if isinstance(around, Fn) and around.itself is function:
        return b.module.names[around]
    return b.field(closure, 0)


@to_program(func.CallOp)
def call(op: func.CallOp, operands: Sequence[SSAValue], b: ProgramBuilder) -> Sequence[SSAValue] | None:
    if _repeats(op, operands, b):
        return None
    result = b.call_program(symbol(op.callee.string_value()), b.null(), operands)
    if result is None or len(op.results) == 1:
        return None if result is None else [result]
    return [b.field(result, index) for index in range(len(op.results))]


@to_program(kernel.CallOp)
def call_kernel(op: kernel.CallOp, operands: Sequence[SSAValue], b: ProgramBuilder) -> list[SSAValue]:
    """The results of a kernel are new, its scratch memory is given back."""
    name = op.callee.string_value()
    results = [b.allocate(tensor_bytes(t)) for t in op.result_types]
    scratch = [] if op.scratch is None else [b.allocate(op.scratch.value.data)]
    b.call(name, [b.frame, *operands, *results, *scratch])
    for memory in scratch:
        b.call_external("xrelay_free_last", [b.frame, memory])
    if name in b.module.fallible:
        b.call_external("xrelay_check", [b.frame])
    return results
