"""Which calls are the last thing that a function does, and which wait: those make recursion take stack."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from xrelay.dialects.relay.control import Yield
from xrelay.dialects.relay.language import Fn, Global, Instantiate, Invoke
from xrelay.dialects.relay.reference import Let

Function = FuncOp | Fn


def callee(function: SSAValue) -> SSAValue:
    """The function that is called, whether it is generic or has a name."""
    while isinstance(function.owner, Instantiate | Let):
        function = function.owner.operands[0]
    return function


def own_operations(function: Function) -> Iterator[Operation]:
    """The operations that a function does itself, not those of functions in it."""
    pending = [function.body.block]
    while pending:
        for op in pending.pop().ops:
            yield op
            if not isinstance(op, Fn):
                pending += [block for region in op.regions for block in region.blocks]


def in_tail_position(op: Operation) -> bool:
    """Whether the result of an operation is just what its block gives: nothing is left to do behind it there."""
    end = op.next_op
    return isinstance(end, ReturnOp | Yield) and len(op.results) == 1 and tuple(end.operands) == tuple(op.results)


def is_tail_call(op: Operation) -> bool:
    """Whether a call is the last thing that the function around it does."""
    while in_tail_position(op):
        parent = op.parent_op()
        if isinstance(parent, FuncOp | Fn):
            return True
        assert parent is not None
        op = parent
    return False


def waits(function: Function, program: Container[str]) -> bool:
    """Whether a function awaits the result of a call of another one of the program."""
    return any(_is_call(op, program) and not is_tail_call(op) for op in own_operations(function))


def needs_stack(program: Sequence[FuncOp]) -> bool:
    """Whether calls that wait may be nested without a bound: by recursion, or by a function that is not known here."""
    by_name = {function.sym_name.data: function for function in program}
    nodes: list[Function] = [*program]
    nodes += [op for function in program for op in function.walk() if isinstance(op, Fn)]
    calls = {node: [op for op in own_operations(node) if _is_call(op, by_name)] for node in nodes}
    targets = {node: [_target(op, by_name) for op in found] for node, found in calls.items()}
    return any(
        not is_tail_call(op) and (target is None or node in _reached(target, targets))
        for node, found in calls.items()
        for op, target in zip(found, targets[node], strict=True)
    )


def _is_call(op: Operation, program: Container[str]) -> bool:
    return isinstance(op, Invoke) or (isinstance(op, CallOp) and op.callee.string_value() in program)


def _target(op: Operation, by_name: Mapping[str, FuncOp]) -> Function | None:
    """The function that a call calls, None where that depends on the run."""
    if isinstance(op, CallOp):
        return by_name[op.callee.string_value()]
    assert isinstance(op, Invoke)
    called = callee(op.function)
    owner = called.owner
    if isinstance(owner, Global):
        return by_name[owner.function.string_value()]
    around = owner if isinstance(owner, Fn) else owner.parent_op()
    return around if isinstance(around, Fn) and called in (around.result, around.itself) else None


def _reached(start: Function, targets: Mapping[Function, Sequence[Function | None]]) -> Container[Function]:
    """The functions that a call of `start` may come to, over known calls; all of them behind an unknown one."""
    reached: set[Function] = set()
    pending: list[Function | None] = [start]
    while pending:
        function = pending.pop()
        if function is None:
            return targets
        if function not in reached:
            reached.add(function)
            pending += targets[function]
    return reached
