"""The debug executor: runs a relay module, fused or not, by the meaning of its operators.

It is the oracle of the tests: slow, without threads or buffers, and as plain as the meanings themselves. Calls live on
a stack of its own, so that deep recursion does not meet Python's limit; tail calls take no room on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, TupleType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xrelay.dialects.relay.control import If, Yield
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.language import Invoke
from xrelay.dialects.relay.language_types import AdtType, RefType
from xrelay.dialects.relay.match import Match
from xrelay.dialects.relay.types import dtype_of, format_shape, shape_of, unify_dim
from xrelay.errors import InputError, UnsupportedError
from xrelay.interpreters.external import backend_of
from xrelay.interpreters.language import (
    Closure,
    ConstructorFunction,
    ConstructorValue,
    Language,
    RefValue,
    Value,
    chosen_clause,
)
from xrelay.interpreters.relay.registry import evaluate

_ENDS = (ReturnOp, Yield)


def run_module(module: ModuleOp, arguments: Sequence[Value], function: str = "main") -> list[Value]:
    """The results of a function of the module on these arguments.

    A tensor is an array, a tuple a Python tuple, anything else one of the classes in `interpreters/language.py`.

    Raises InputError for arguments that do not fit the function, UnsupportedError for operations that are not relay's,
    ExecutionError for a match that no clause fits.
    """
    return Executor(module).call(function, arguments)


class Executor:
    """Runs functions of one module. Function values that it returns can be given back to it."""

    def __init__(self, module: ModuleOp):
        self._language = Language(module)
        self._entries: Mapping[type[Operation], Callable[..., Sequence[Value] | _Frame]] = {
            If: self._if,
            Match: self._match,
            Invoke: self._invoke,
            CallOp: self._call,
        }
        """Operation → the block to run for its results."""
        self._tail: dict[Operation, bool] = {}

    def call(self, name: str, arguments: Sequence[Value]) -> list[Value]:
        """The results of a function of the module."""
        functions = self._language.functions
        function = functions.get(name)
        if function is None or function.is_declaration:
            raise InputError(f"the module has no function @{name}; it has {', '.join(map('@{}'.format, functions))}")
        self._check_arguments(function, arguments)
        return self._run(_Frame(function.body.block, dict(zip(function.args, arguments, strict=True))))

    def apply(self, function: Value, arguments: Sequence[Value]) -> Value:
        """The result of a function value. Raises InputError for one of another number of parameters, or no function."""
        if isinstance(function, ConstructorFunction):
            return function(arguments)
        if not isinstance(function, Closure):
            raise InputError(f"{function!r} is no function")
        if len(arguments) != len(function.block.args) - function.recursive:
            raise InputError(f"{function!r} cannot take {len(arguments)} arguments")
        return self._run(_Frame(function.block, function.bind(arguments)))[0]

    def _run(self, start: _Frame) -> list[Value]:
        """Run a block, and those that it enters, to its end; the values of its terminator."""
        stack = [start]
        while True:
            frame = stack[-1]
            op = frame.op
            if op is None:
                raise UnsupportedError("a block of relay ends in func.return or relay.yield")
            operands = [frame.values[operand] for operand in op.operands]
            if type(op) in _ENDS:
                stack.pop()
                if not stack:
                    return operands
                stack[-1].proceed(operands)
                continue
            outcome = self._step(op, operands, frame.values)
            if not isinstance(outcome, _Frame):
                frame.proceed(outcome)
                continue
            if self._is_tail(op):
                stack.pop()
            stack.append(outcome)

    def _is_tail(self, op: Operation) -> bool:
        """Whether the block ends right behind the operation, and hands on its results as they are."""
        known = self._tail.get(op)
        if known is None:
            end = op.next_op
            known = end is not None and type(end) in _ENDS and tuple(end.operands) == tuple(op.results)
            self._tail[op] = known
        return known

    def _step(self, op: Operation, operands: list[Value], values: dict[SSAValue, Value]) -> Sequence[Value] | _Frame:
        """The results of an operation, or the block to run for them."""
        if (action := self._language.actions.get(type(op))) is not None:
            return [action(op, operands, values)]
        if (entry := self._entries.get(type(op))) is not None:
            return entry(op, operands, values)
        if isinstance(op, RelayOp):
            return evaluate(op, tuple(operands))
        raise UnsupportedError(f"{op.name} at {op.location} is no operation of the relay level")

    def _if(self, op: If, operands: list[Value], values: dict[SSAValue, Value]) -> _Frame:
        return _Frame((op.then_region if bool(operands[0]) else op.else_region).block, values)

    def _match(self, op: Match, operands: list[Value], values: dict[SSAValue, Value]) -> _Frame:
        block, bound = chosen_clause(op, operands[0])
        values.update(zip(block.args, bound, strict=True))
        return _Frame(block, values)

    def _invoke(self, op: Invoke, operands: list[Value], values: Any) -> Sequence[Value] | _Frame:
        function, *arguments = operands
        if isinstance(function, ConstructorFunction):
            return [function(arguments)]
        return _Frame(function.block, function.bind(arguments))

    def _call(self, op: CallOp, operands: list[Value], values: Any) -> Sequence[Value] | _Frame:
        function = self._language.functions[op.callee.string_value()]
        if (external := backend_of(function)) is not None:
            return external(function, operands)
        block = function.body.block
        return _Frame(block, dict(zip(block.args, operands, strict=True)))

    def _check_arguments(self, function: FuncOp, arguments: Sequence[Value]) -> None:
        name = f"@{function.sym_name.data}"
        if len(arguments) != len(function.args):
            raise InputError(f"{name} takes {len(function.args)} arguments, got {len(arguments)}")
        for i, (arg, value) in enumerate(zip(function.args, arguments, strict=True)):
            self._check(arg.type, value, f"argument {i} of {name}")

    def _check(self, expected: Attribute, value: Value, what: str) -> None:
        """Raises InputError for a value of another kind; fields of data types are not looked into."""
        match expected:
            case TensorType():
                _check_array(expected, value, what)
            case TupleType():
                if not isinstance(value, tuple) or len(value) != len(expected.types):
                    raise InputError(f"{what} must be a tuple of {len(expected.types)} fields, got {value!r}")
                for i, (field_type, field) in enumerate(zip(expected.types, value, strict=True)):
                    self._check(field_type, field, f"field {i} of {what}")
            case AdtType():
                known = isinstance(value, ConstructorValue) and self._language.has_constructor(
                    value.constructor, expected
                )
                if not known:
                    raise InputError(f"{what} must be a value of {expected.definition.data}, got {value!r}")
            case FunctionType() if not isinstance(value, Closure | ConstructorFunction):
                raise InputError(f"{what} must be a function, got {value!r}")
            case RefType() if not isinstance(value, RefValue):
                raise InputError(f"{what} must be a reference, got {value!r}")


class _Frame:
    """A block that is being run: the next operation, and the values in sight (shared with the blocks around)."""

    __slots__ = ("op", "values")

    def __init__(self, block: Block, values: dict[SSAValue, Value]):
        self.op = block.first_op
        self.values = values

    def proceed(self, results: Sequence[Value]) -> None:
        """Go on behind the current operation, which has these results."""
        assert self.op is not None
        self.values.update(zip(self.op.results, results, strict=True))
        self.op = self.op.next_op


def _check_array(expected: TensorType, value: Any, what: str) -> None:
    array, shape = np.asarray(value), shape_of(expected)
    same_shape = array.ndim == len(shape) and None not in map(unify_dim, shape, array.shape)
    if array.dtype != dtype_of(expected) or not same_shape:
        wanted = f"{dtype_of(expected)} of shape {format_shape(shape)}"
        raise InputError(f"{what} must be {wanted}, got {array.dtype} of {format_shape(array.shape)}")
