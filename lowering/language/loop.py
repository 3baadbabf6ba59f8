"""Loops of a program: a function whose last act is to call itself with tensors starts again, in the memory that it had.

Nothing that an iteration makes lives on but the arguments of the next one. These are copied into one of two spaces that
take turns, and the heap goes back to what it was at the start of the loop. That holds where everything that is handed
on is a tensor or a tuple of such (arguments that stay the same may be anything), and nothing is written into
references.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, TupleType, i1
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xrelay.dialects.relay.language import Fn, Global, Invoke
from xrelay.dialects.relay.types import is_static
from xrelay.lowering.language.builder import WORD, ProgramBuilder, tensor_bytes
from xrelay.lowering.language.tail import Function, callee, is_tail_call, own_operations
from xrelay.lowering.llvm.types import POINTER
from xrelay.lowering.loop.plan_memory import aligned

NEXT, CHUNK = 32, 48
"""Where the frame of a program (`%Program` of program.ll) holds the state of its heap."""


@dataclass(frozen=True)
class Loop:
    """The start of a loop, and what an iteration needs to begin another one."""

    function: Function
    header: Block
    moving: dict[int, Attribute]
    """The arguments that change, and their types."""
    mark: tuple[SSAValue, SSAValue]
    """The heap at the start: its chunk, and the first free byte."""
    spaces: tuple[SSAValue, SSAValue]
    """The one in which the arguments are, and the one for the next."""

    def again(self, arguments: Sequence[SSAValue], b: ProgramBuilder) -> None:
        """Go to the start with other arguments."""
        here, other = self.spaces
        following, offset = list(arguments), 0
        for index, value_type in self.moving.items():
            following[index] = _move(arguments[index], value_type, other, offset, b)
            offset += _room(value_type)
        b.call_external("xrelay_rewind", [b.frame, *self.mark])
        b.branch(self.header, [*following, other, here])


def start_loop(function: Function, arguments: Sequence[SSAValue], b: ProgramBuilder) -> Sequence[SSAValue]:
    """Begin a loop here where the function is one; the arguments with which its body goes on."""
    moving = moving_arguments(function)
    if not moving or b.module.writes_references:
        return arguments
    size = sum(map(_room, moving.values()))
    spaces = [b.allocate(size), b.allocate(size)]
    chunk, free = (b.load(b.offset(b.frame, place), POINTER) for place in (CHUNK, NEXT))
    header = Block(arg_types=[POINTER] * (len(arguments) + 2))
    b.branch(header, [*arguments, *spaces])
    *following, here, other = b.start_block(header)
    b.loop = Loop(function, header, moving, (chunk, free), (here, other))
    return following


def moving_arguments(function: Function) -> dict[int, Attribute] | None:
    """The arguments that change from call to call of a function by itself, with their types.

    None where it never calls itself last, or such an argument is not made of tensors.
    """
    params = function.params if isinstance(function, Fn) else function.args
    calls = [arguments for op in own_operations(function) if (arguments := _own_arguments(op, function)) is not None]
    moving = {
        index: param.type
        for index, param in enumerate(params)
        if any(arguments[index] is not param for arguments in calls)
    }
    return moving if all(map(_is_flat, moving.values())) else None


def calls_itself(op: Operation, function: Function) -> bool:
    """Whether an operation of a function calls the function that it stands in."""
    if isinstance(op, CallOp):
        return isinstance(function, FuncOp) and op.callee.string_value() == function.sym_name.data
    if not isinstance(op, Invoke):
        return False
    called = callee(op.function)
    if isinstance(function, Fn):
        return function.itself is called
    return isinstance(called.owner, Global) and called.owner.function.string_value() == function.sym_name.data


def _own_arguments(op: Operation, function: Function) -> Sequence[SSAValue] | None:
    if not calls_itself(op, function) or not is_tail_call(op):
        return None
    return op.arguments  # type: ignore[attr-defined]


def _is_flat(value_type: Attribute) -> bool:
    if isinstance(value_type, TupleType):
        return all(map(_is_flat, value_type.types))
    return isinstance(value_type, TensorType) and is_static(value_type)


def _room(value_type: Attribute) -> int:
    """The bytes that a value takes in a space."""
    if isinstance(value_type, TupleType):
        return aligned(WORD * len(value_type.types)) + sum(map(_room, value_type.types))
    return aligned(tensor_bytes(value_type))


def _move(value: SSAValue, value_type: Attribute, space: SSAValue, offset: int, b: ProgramBuilder) -> SSAValue:
    """Copy a value into a space; the copy."""
    copy = b.offset(space, offset)
    if not isinstance(value_type, TupleType):
        b.intrinsic("llvm.memcpy", [copy, value, b.integer(tensor_bytes(value_type)), b.integer(0, i1)])
        return copy
    offset += aligned(WORD * len(value_type.types))
    fields = []
    for index, field in enumerate(value_type.types):
        fields.append(_move(b.field(value, index), field, space, offset, b))
        offset += _room(field)
    return b.fill(copy, fields)
