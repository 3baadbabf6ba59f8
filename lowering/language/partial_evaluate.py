"""`relay-partial-evaluate`: what a program does at any input is done here, what depends on the input is left.

- a call of a known function (a `relay.fn` in sight, a function of the module, a constructor) becomes what it computes;
- `relay.if` on a constant and `relay.match` on a known form become the branch that is taken;
- a field of a known tuple is the field; operators on constants become constants.

Calls of recursive functions go away entirely or not at all: only where every choice that leads to another such call
is known, and within `MAX_OPERATIONS`. Reads and writes of references stay, in their order: what a cell holds is never
taken for known. Functions with attributes (`relay.attrs`: those of a backend) stay functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xrelay.dialects.relay.adt import Construct, ConstructorOp
from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.control import If, Tuple, TupleGetItem, Yield
from xrelay.dialects.relay.language import FUNCTION_ATTRS, Fn, Global, Instantiate, Invoke, type_params
from xrelay.dialects.relay.language_types import AdtType, substitute
from xrelay.dialects.relay.match import ConstructorPattern, Match, TuplePattern, VariablePattern
from xrelay.dialects.relay.reference import Let
from xrelay.lowering.graph.base import RelayPass, graph_functions, reached_functions, used_functions
from xrelay.lowering.graph.dead_code_elimination import erase_dead_operations
from xrelay.lowering.graph.fold_constant import FoldConstant
from xrelay.lowering.graph.lambda_lift import has_type_variable
from xrelay.lowering.language.copies import Types, copy_operation
from xrelay.lowering.language.names import at_type

MAX_OPERATIONS = 5_000
"""The operations that may be copied for one call of the program, with all calls that it leads to."""
MAX_DEPTH = 32
"""How deep a call may stand in choices and functions to which another call has led."""


@dataclass(frozen=True)
class PartialEvaluate(RelayPass):
    """Evaluates what is static in each function. Functions that nobody calls any more stay."""

    name = "relay-partial-evaluate"
    opt_level = 1

    max_operations: int = MAX_OPERATIONS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        evaluator = _Evaluator(op, self.max_operations)
        for function in graph_functions(op):
            evaluator.evaluate(function.body.block.first_op, certain=True)
            erase_dead_operations(function.body)


class _TooMuch(Exception):
    """A call that cannot go away."""


@dataclass
class _Attempt:
    """What is known of the call that is being replaced."""

    recursive: bool
    budget: int


@dataclass
class _Callee:
    """A known function at the arguments and types of a call."""

    body: Block
    arguments: Sequence[SSAValue]
    recursive: bool
    types: Types = field(default_factory=dict)


class _Evaluator:
    def __init__(self, module: ModuleOp, max_operations: int):
        self._functions = {f.sym_name.data: f for f in graph_functions(module) if FUNCTION_ATTRS not in f.attributes}
        self._recursive = {
            name for name, f in self._functions.items() if name in reached_functions(module, used_functions(f))
        }
        self._max_operations = max_operations
        self._attempt: _Attempt | None = None
        self._depth = 0

    def evaluate(self, op: Operation | None, certain: bool) -> None:
        """Evaluate an operation and those behind it in its block; `certain`: that block is computed in any case."""
        while op is not None:
            op = self._step(op, certain)

    def _step(self, op: Operation, certain: bool) -> Operation | None:
        """Evaluate one operation; the next one to evaluate."""
        match op:
            case If() if isinstance(condition := _maker(op.condition), Constant):
                return _take(op, op.regions[0 if condition.array else 1].block, [])
            case Match() if (clause := _chosen(op)) is not None:
                return _take(op, *clause)
            case TupleGetItem() if isinstance(made := _maker(op.tuple), Tuple):
                return _replace(op, [], [made.fields[op.attrs.index]])
            case Invoke() | CallOp():
                return self._call(op, certain)
        following = op.next_op
        self._enter(op)
        _FOLD.fold(op)
        return following

    def _enter(self, op: Operation) -> None:
        """Evaluate what stands inside of an operation."""
        self._depth += 1
        for region in op.regions:
            self.evaluate(region.block.first_op, certain=False)
        self._depth -= 1

    def _call(self, op: Invoke | CallOp, certain: bool) -> Operation | None:
        if isinstance(op, Invoke) and isinstance(constructor := _function(op.function)[0], ConstructorOp):
            assert isinstance(op.result.type, AdtType)
            made = Construct.of(constructor.constructor.data, op.arguments, op.result.type, op.location)
            return _replace(op, [made], [made.result])
        callee = self._callee(op)
        if callee is None:
            return op.next_op
        attempt = self._attempt
        if attempt is None or (callee.recursive and not attempt.recursive):
            return self._try(op, callee)
        if self._depth > MAX_DEPTH or (callee.recursive and not certain):
            raise _TooMuch
        return self._inline(op, callee, attempt)

    def _callee(self, op: Invoke | CallOp) -> _Callee | None:
        if isinstance(op, CallOp):
            name, type_args = op.callee.string_value(), ()
        else:
            function, type_args = _function(op.function)
            if any(map(has_type_variable, type_args)):
                return None
            if isinstance(function, Fn):
                if FUNCTION_ATTRS in function.attributes:
                    return None
                itself = [function.result] if function.recursive else []
                types = dict(zip(function.type_params, type_args, strict=True))
                return _Callee(function.body.block, [*itself, *op.arguments], bool(itself), types)
            if not isinstance(function, Global):
                return None
            name = function.function.string_value()
        found = self._functions.get(name)
        if found is None:
            return None
        types = dict(zip(type_params(found), type_args, strict=True))
        return _Callee(found.body.block, op.arguments, name in self._recursive, types)

    def _try(self, op: Invoke | CallOp, callee: _Callee) -> Operation | None:
        """Replace a call if all that it leads to ends; work on a copy, since that is seen late."""
        call = op.clone()
        place = Block([call, Yield.create(operands=call.results)])
        outer, depth = self._attempt, self._depth
        attempt = self._attempt = _Attempt(callee.recursive, self._max_operations if outer is None else outer.budget)
        try:
            self.evaluate(self._inline(call, callee, attempt), certain=True)
        except _TooMuch:
            place.erase(safe_erase=False)
            return op.next_op
        finally:
            self._attempt, self._depth = outer, depth
        if outer is not None:
            outer.budget = attempt.budget
        following = op.next_op
        _take(op, place, [])
        return following

    def _inline(self, op: Operation, callee: _Callee, attempt: _Attempt) -> Operation | None:
        """Put a copy of what a function computes in the place of a call; the first of its operations."""
        attempt.budget -= sum(1 for _ in callee.body.walk())
        if attempt.budget < 0:
            raise _TooMuch
        values: dict[SSAValue, SSAValue] = {}
        made: list[Operation] = []
        for param, argument in zip(callee.body.args, callee.arguments, strict=True):
            values[param] = at_type(argument, substitute(param.type, callee.types), made)
        *inner, end = callee.body.ops
        made += [copy_operation(op, values, callee.types) for op in inner]
        return _replace(op, made, [values.get(value, value) for value in end.operands])


_FOLD = FoldConstant()


# What is known of a value --------------------------------------------------------------------------------------------


def _maker(value: SSAValue) -> Operation | Block:
    """What gives a value, whatever names it has."""
    while isinstance(value.owner, Let):
        value = value.owner.value
    return value.owner


def _function(value: SSAValue) -> tuple[Operation | Block, Sequence[Attribute]]:
    """What gives a function, and the types that it is taken at."""
    owner, type_args = _maker(value), ()
    if isinstance(owner, Instantiate):
        owner, type_args = _maker(owner.function), owner.type_args.data
    if isinstance(owner, Global) and owner.type_args:
        type_args = owner.type_args.data
    return owner, type_args


def _chosen(op: Match) -> tuple[Block, list[SSAValue]] | None:
    """The clause that fits the value, with the values of its variables; None where that is not known."""
    for pattern, clause in zip(op.patterns, op.clauses, strict=True):
        bound: list[SSAValue] = []
        fits = _fits(pattern, op.value, bound)
        if fits:
            return clause.block, bound
        if fits is None:
            return None
    return None


def _fits(pattern: Attribute, value: SSAValue, bound: list[SSAValue]) -> bool | None:
    """Whether a value fits a pattern, None where that is not known; what its variables stand for goes to `bound`."""
    match pattern, _maker(value):
        case ConstructorPattern(), Construct() as made:
            return pattern.constructor == made.constructor and _all_fit(pattern.fields, made.fields, bound)
        case TuplePattern(), Tuple() as made:
            return _all_fit(pattern.fields, made.fields, bound)
        case ((ConstructorPattern() | TuplePattern()), _):
            return None
        case VariablePattern(), _:
            bound.append(value)
    return True


def _all_fit(patterns: Iterable[Attribute], values: Iterable[SSAValue], bound: list[SSAValue]) -> bool | None:
    found = [_fits(pattern, value, bound) for pattern, value in zip(patterns, values, strict=True)]
    return False if False in found else None if None in found else True


# Replacing operations ------------------------------------------------------------------------------------------------


def _take(op: Operation, block: Block, arguments: Sequence[SSAValue]) -> Operation | None:
    """Put the operations of a block in the place of an operation; the first of them."""
    made: list[Operation] = []
    for arg, value in zip(block.args, arguments, strict=True):
        arg.replace_all_uses_with(at_type(value, arg.type, made))
    *inner, end = block.ops
    values = list(end.operands)
    for operation in (*inner, end):
        operation.detach()
    end.erase()
    return _replace(op, [*made, *inner], values)


def _replace(op: Operation, made: list[Operation], values: Sequence[SSAValue]) -> Operation | None:
    """Put operations in the place of another one; the first of them, or else the one behind it."""
    block = op.parent
    assert block is not None
    for old, new in zip(op.results, values, strict=True):
        old.replace_all_uses_with(at_type(new, old.type, made))
    following = op.next_op
    block.insert_ops_before(made, op)
    block.erase_op(op)
    return made[0] if made else following
