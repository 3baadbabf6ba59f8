"""`relay-first-order-gradient`: a function that also gives the derivatives of its result by its arguments.

`@f(x, y) -> T` becomes `@f(x, y) -> T, (X, Y)`: its value, and the tuple of the gradients of the sum of the value's
elements. They are computed backwards, operator by operator, by the rules of `gradients.py`. An argument without
influence, or one of integers, has the gradient 0.

The functions that others do not use are treated; each must be of the first order: one block of operators on tensors of
known sizes, whose result is one tensor of floats. What it gives is not of that kind: to run the pass twice is an error.
`relay-inline` before it resolves calls, `relay-simplify-inference` batch_norm and dropout.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, TupleType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from xrelay.dialects.relay.control import Tuple, TupleGetItem
from xrelay.dialects.relay.creation import OnesLike
from xrelay.dialects.relay.reference import Let
from xrelay.dialects.relay.types import as_tensor, is_float, is_static, shape_of
from xrelay.errors import UnsupportedError
from xrelay.lowering.graph.base import RelayPass, graph_functions, is_private, used_functions
from xrelay.lowering.graph.gradients import GradientBuilder, gradient_rule


@dataclass(frozen=True)
class FirstOrderGradient(RelayPass):
    """Functions give their value and its gradients by their arguments.

    Raises:
        UnsupportedError: a function is not of the first order, or has operators without a gradient rule.
    """

    name = "relay-first-order-gradient"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        used = set(used_functions(op))
        for function in graph_functions(op):
            if function.sym_name.data not in used and not is_private(function):
                differentiate(function)


def differentiate(function: FuncOp) -> None:
    """Let a function give the gradients of its result, too."""
    end = _checked_end(function)
    _see_through_tuples(function)
    value = end.operands[0]
    active = _active_values(function)
    _check_operators(function, active)
    backward = _Backward(function, active)
    gradients = backward.gradients(value)
    packed = backward.builder.insert(Tuple.make(*gradients))
    function.body.block.erase_op(end)
    function.body.block.add_op(ReturnOp(value, packed))
    function.function_type = FunctionType.from_lists(function.function_type.inputs.data, [value.type, packed.type])
    function.attributes.pop("relay.output_names", None)


class _Backward:
    """The walk from the result to the arguments; it adds what computes the adjoints to the end of the function."""

    def __init__(self, function: FuncOp, active: set[SSAValue]):
        self._function = function
        self._active = active
        self._adjoints: dict[SSAValue, SSAValue] = {}
        self.builder = GradientBuilder(function.body.block)

    def gradients(self, value: SSAValue) -> list[SSAValue]:
        """The adjoints of the function's arguments, after those of all between."""
        forward = list(self._function.body.block.ops)[:-1]
        if value in self._active:
            self._adjoints[value] = self.builder.make(OnesLike, value)
        for op in reversed(forward):
            if any(result in self._adjoints for result in op.results):
                self._visit(op)
        gradients = [self._adjoint(arg) for arg in self._function.args]
        self._erase_unused(gradients)
        return gradients

    def _visit(self, op: Operation) -> None:
        rule = gradient_rule(type(op))
        assert rule is not None, "operators were checked before"
        self.builder.at(op)
        found = rule(op, self.builder, *(self._adjoint(result) for result in op.results))
        adjoints = [found] if isinstance(found, SSAValue) else found
        for operand, adjoint in zip(op.operands, adjoints, strict=True):
            if adjoint is not None and operand in self._active:
                self._accumulate(operand, self.builder.sum_to(adjoint, shape_of(operand.type)))

    def _accumulate(self, value: SSAValue, adjoint: SSAValue) -> None:
        before = self._adjoints.get(value)
        self._adjoints[value] = adjoint if before is None else self.builder.add(before, adjoint)

    def _adjoint(self, value: SSAValue) -> SSAValue:
        return self._adjoints[value] if value in self._adjoints else self.builder.zeros(value)

    def _erase_unused(self, needed: list[SSAValue]) -> None:
        """Rules also compute the adjoints of constants; nobody reads them."""
        kept = {value.owner for value in needed}
        for op in reversed(self.builder.made):
            if op not in kept and is_trivially_dead(op):
                op.detach()
                op.erase()


def _checked_end(function: FuncOp) -> ReturnOp:
    """The return of a function that can be differentiated."""
    where = f"the gradient of @{function.sym_name.data}"
    inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
    if len(outputs) != 1 or not isinstance(outputs[0], TensorType) or not is_float(outputs[0].element_type):
        raise UnsupportedError(f"{where}: the result must be one tensor of floats, got {', '.join(map(str, outputs))}")
    for given in (*inputs, *outputs):
        if not isinstance(given, TensorType):
            raise UnsupportedError(f"{where}: arguments must be tensors, got {given}")
        if not is_static(given):
            raise UnsupportedError(f"{where}: sizes must be known, got {given}")
    end = function.body.block.last_op
    assert isinstance(end, ReturnOp)
    return end


def _see_through_tuples(function: FuncOp) -> None:
    """Read the fields of tuples directly, those with a name, too."""
    for op in list(function.body.block.ops):
        if isinstance(op, Let) and isinstance(op.result.type, TupleType):
            op.result.replace_all_uses_with(op.value)
            function.body.block.erase_op(op)
        elif isinstance(op, TupleGetItem) and isinstance(op.tuple.owner, Tuple):
            op.result.replace_all_uses_with(op.tuple.owner.fields[op.attrs.index])
            function.body.block.erase_op(op)
    for op in reversed(list(function.body.block.ops)):
        if isinstance(op, Tuple) and not op.result.uses:
            function.body.block.erase_op(op)


def _active_values(function: FuncOp) -> set[SSAValue]:
    """The values that depend on an argument in a way that can have a derivative."""
    active: set[SSAValue] = {arg for arg in function.args if _is_float_tensor(arg)}
    for op in function.body.block.ops:
        if not active.isdisjoint(op.operands) or op.regions:
            active.update(result for result in op.results if not _is_known_to_be_flat(result))
    return active


def _is_float_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and is_float(as_tensor(value.type).element_type)


def _is_known_to_be_flat(value: SSAValue) -> bool:
    """Tensors of integers have no derivative; what is no tensor may hide one."""
    return isinstance(value.type, TensorType) and not is_float(value.type.element_type)


def _check_operators(function: FuncOp, active: set[SSAValue]) -> None:
    """Raises UnsupportedError that names all operators without a rule, and those that work on unknown sizes."""
    where = f"the gradient of @{function.sym_name.data}"
    on_the_way = [op for op in function.body.block.ops if not active.isdisjoint(op.results)]
    lacking = sorted({op.name for op in on_the_way if gradient_rule(type(op)) is None})
    if lacking:
        raise UnsupportedError(f"{where}: there is no gradient rule for {', '.join(lacking)}")
    for op in on_the_way:
        for value in (*op.operands, *op.results):
            if not is_static(value.type):
                raise UnsupportedError(f"{where}: {op.name} has unknown sizes, {value.type}")
