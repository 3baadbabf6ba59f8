"""RNN, GRU and LSTM over a known number of steps, which are written out.

The products of all steps with the input weights are one matrix product; each step adds that of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from xrelay.dialects.relay.types import i32, shape_of
from xrelay.frontends.onnx.activation import softplus_of
from xrelay.frontends.onnx.node import Node
from xrelay.frontends.onnx.registry import importer
from xrelay.frontends.operators import ops

MAX_STEPS = 1024

_ACTIVATIONS: dict[str, Callable[[Node, SSAValue], SSAValue]] = {
    "Sigmoid": lambda node, x: node.build(ops.Sigmoid, x),
    "Tanh": lambda node, x: node.build(ops.Tanh, x),
    "Relu": lambda node, x: node.build(ops.Relu, x),
    "Softplus": softplus_of,
    "Softsign": lambda node, x: node.build(
        ops.Divide, x, node.build(ops.Add, node.build(ops.Abs, x), node.constant(1, x))
    ),
}


@dataclass
class _Direction:
    """The weights, state and activations of one direction; `index` is its place in the operands."""

    node: Node
    index: int
    gates: int
    activations: Sequence[str]
    backwards: bool

    def weight(self, i: int) -> SSAValue:
        """What input i, which is not optional, holds for this direction."""
        weight = self.part(i)
        assert weight is not None
        return weight

    def part(self, i: int, axis: int = 0) -> SSAValue | None:
        """What input i holds for this direction: one index of an axis."""
        if not self.node.has(i):
            return None
        cut = self.node.build(
            ops.StridedSlice, self.node.input(i), begin=(self.index,), end=(self.index + 1,), axes=(axis,)
        )
        return self.node.build(ops.Squeeze, cut, axis=(axis,))

    def activate(self, i: int, x: SSAValue) -> SSAValue:
        clip = self.node.attr("clip")
        if clip is not None:
            x = self.node.build(ops.Clip, x, a_min=-clip, a_max=clip)
        return _ACTIVATIONS[self.activations[i]](self.node, x)

    def split(self, x: SSAValue, pieces: int) -> Sequence[SSAValue]:
        if pieces == 1:
            return [x]
        return self.node.build(ops.Split, x, indices_or_sections=pieces, axis=-1)


class _Recurrence:
    """One node: shapes, directions, and the walk over the steps."""

    def __init__(self, node: Node, gates: int, defaults: Sequence[str]):
        self.node, self.gates = node, gates
        if node.attr("activation_alpha") or node.attr("activation_beta"):
            node.unsupported("activation_alpha and activation_beta are not supported")
        if node.rank() != 3:
            node.fail(f"{node.input_name(0)} must have rank 3, not {node.type()}")
        self.batch_first = bool(node.attr("layout", 0))
        self.data = node.transpose(node.input(0), (1, 0, 2)) if self.batch_first else node.input(0)
        node.static_shape()
        self.steps, self.batch, _ = shape_of(self.data.type)
        self.hidden = node.attr("hidden_size") or node.static_shape(2)[-1]
        if not 0 < self.steps <= MAX_STEPS:
            node.unsupported(f"{self.steps} steps; supported are 1 to {MAX_STEPS}")
        direction = node.attr("direction", "forward")
        if direction not in ("forward", "reverse", "bidirectional"):
            node.fail(f"direction is forward, reverse or bidirectional, not {direction!r}")
        backwards = [False, True] if direction == "bidirectional" else [direction == "reverse"]
        # The schema's default names one direction too many or too few.
        names = node.attr("activations") if node.is_given("activations") else list(defaults) * len(backwards)
        if len(names) != len(defaults) * len(backwards):
            node.fail(f"{len(names)} activations, {len(defaults) * len(backwards)} are needed")
        if not set(names) <= set(_ACTIVATIONS):
            node.unsupported(f"activations {', '.join(names)}; supported are {', '.join(_ACTIVATIONS)}")
        n = len(defaults)
        self.directions = [
            _Direction(node, i, gates, names[i * n : (i + 1) * n], back) for i, back in enumerate(backwards)
        ]
        for i in (1, 2):
            if node.rank(i) != 3 or node.static_shape(i)[:2] != (len(backwards), gates * self.hidden):
                wanted = f"{len(backwards)} directions and {gates} gates of {self.hidden}"
                node.fail(f"{node.input_name(i)}, {node.type(i)}, does not have {wanted}")

    def projected(self, direction: _Direction, bias: SSAValue | None) -> list[SSAValue]:
        """x · Wᵀ + bias of every step, in the order of the data."""
        products = self.node.build(ops.Dense, self.data, direction.weight(1))
        if bias is not None:
            products = self.node.build(ops.BiasAdd, products, bias, axis=-1)
        if self.steps == 1:
            pieces: Sequence[SSAValue] = [products]
        else:
            pieces = self.node.build(ops.Split, products, indices_or_sections=self.steps, axis=0)
        return [self.node.build(ops.Squeeze, piece, axis=(0,)) for piece in pieces]

    def initial(self, direction: _Direction, i: int) -> SSAValue:
        """The state at the start, zeros if it is not given."""
        if not self.node.has(i):
            return self.node.constant(np.zeros((self.batch, self.hidden)), self.node.element())
        state = direction.part(i, axis=1 if self.batch_first else 0)
        assert state is not None
        return state

    def walk(
        self,
        direction: _Direction,
        state: tuple[SSAValue, ...],
        step: Callable[[int, tuple[SSAValue, ...]], tuple[SSAValue, ...]],
    ) -> tuple[SSAValue, tuple[SSAValue, ...]]:
        """(the first state after every step, stacked; the last states). Behind a sequence's end the state stays."""
        outputs: list[SSAValue] = [state[0]] * self.steps
        for t in reversed(range(self.steps)) if direction.backwards else range(self.steps):
            new = step(t, state)
            outputs[t] = new[0]
            if self.node.has(4):
                running = self._running(t)
                outputs[t] = self.node.build(ops.Where, running, new[0], self.node.constant(0, new[0]))
                new = tuple(self.node.build(ops.Where, running, a, b) for a, b in zip(new, state, strict=True))
            state = new
        return self.node.build(ops.Stack, *outputs, axis=0), state

    def _running(self, t: int) -> SSAValue:
        """Which samples are longer than t, as a column."""
        lengths = self.node.build(ops.ExpandDims, self.node.input(4), axis=1)
        return self.node.build(ops.Greater, lengths, self.node.constant(t, i32))

    def joined(self, results: Sequence[tuple[SSAValue, tuple[SSAValue, ...]]]) -> list[SSAValue]:
        """Y and the last states, the directions side by side."""
        ys = self.node.build(ops.Stack, *(y for y, _ in results), axis=1)
        if self.batch_first:
            ys = self.node.transpose(ys, (2, 0, 1, 3))
        states, axis = zip(*(state for _, state in results), strict=True), 1 if self.batch_first else 0
        return [ys, *(self.node.build(ops.Stack, *state, axis=axis) for state in states)]


def _bias(direction: _Direction) -> tuple[SSAValue, SSAValue] | tuple[None, None]:
    """The biases of input and state."""
    both = direction.part(3)
    if both is None:
        return None, None
    on_input, on_state = direction.split(both, 2)
    return on_input, on_state


def _sum(node: Node, *values: SSAValue | None) -> SSAValue:
    """The sum of those that are there."""
    given = [value for value in values if value is not None]
    total = given[0]
    for value in given[1:]:
        total = node.build(ops.Add, total, value)
    return total


@importer("RNN")
def rnn(node: Node) -> list[SSAValue]:
    recurrence = _Recurrence(node, 1, ["Tanh"])

    def run(direction: _Direction) -> tuple[SSAValue, tuple[SSAValue, ...]]:
        on_input, on_state = _bias(direction)
        bias = None if on_input is None else _sum(node, on_input, on_state)
        xs, weight = recurrence.projected(direction, bias), direction.weight(2)

        def step(t: int, state: tuple[SSAValue, ...]) -> tuple[SSAValue, ...]:
            return (direction.activate(0, _sum(node, xs[t], node.build(ops.Dense, state[0], weight))),)

        return recurrence.walk(direction, (recurrence.initial(direction, 5),), step)

    return recurrence.joined([run(direction) for direction in recurrence.directions])


@importer("GRU")
def gru(node: Node) -> list[SSAValue]:
    """Gates in the order update, reset, hidden."""
    recurrence = _Recurrence(node, 3, ["Sigmoid", "Tanh"])
    hidden = recurrence.hidden

    def run(direction: _Direction) -> tuple[SSAValue, tuple[SSAValue, ...]]:
        on_input, on_state = _bias(direction)
        xs, weight = recurrence.projected(direction, on_input), direction.weight(2)
        gate_weight, new_weight = node.build(ops.Split, weight, indices_or_sections=(2 * hidden,), axis=0)
        gate_bias = new_bias = None
        if on_state is not None:
            gate_bias, new_bias = node.build(ops.Split, on_state, indices_or_sections=(2 * hidden,), axis=0)

        def step(t: int, state: tuple[SSAValue, ...]) -> tuple[SSAValue, ...]:
            (h,) = state
            x_gates, x_new = node.build(ops.Split, xs[t], indices_or_sections=(2 * hidden,), axis=-1)
            gates = _sum(node, x_gates, node.build(ops.Dense, h, gate_weight), gate_bias)
            update, reset = direction.split(direction.activate(0, gates), 2)
            if node.attr("linear_before_reset", 0):
                from_state = _sum(node, node.build(ops.Dense, h, new_weight), new_bias)
                from_state = node.build(ops.Multiply, reset, from_state)
            else:
                from_state = _sum(node, node.build(ops.Dense, node.build(ops.Multiply, reset, h), new_weight), new_bias)
            new = direction.activate(1, _sum(node, x_new, from_state))
            # (1 - z) · new + z · h
            return (_sum(node, new, node.build(ops.Multiply, update, node.build(ops.Subtract, h, new))),)

        return recurrence.walk(direction, (recurrence.initial(direction, 5),), step)

    return recurrence.joined([run(direction) for direction in recurrence.directions])


@importer("LSTM")
def lstm(node: Node) -> list[SSAValue]:
    """Gates in the order input, output, forget, cell; peepholes in the order input, output, forget."""
    recurrence = _Recurrence(node, 4, ["Sigmoid", "Tanh", "Tanh"])
    if node.attr("input_forget", 0):
        node.unsupported("input_forget is not supported")

    def run(direction: _Direction) -> tuple[SSAValue, tuple[SSAValue, ...]]:
        on_input, on_state = _bias(direction)
        bias = None if on_input is None else _sum(node, on_input, on_state)
        xs, weight, peephole = recurrence.projected(direction, bias), direction.weight(2), direction.part(7)
        peepholes = None if peephole is None else direction.split(peephole, 3)

        def gate(i: int, x: SSAValue, c: SSAValue) -> SSAValue:
            if peepholes is not None:
                x = node.build(ops.Add, x, node.build(ops.Multiply, c, peepholes[i]))
            return direction.activate(0, x)

        def step(t: int, state: tuple[SSAValue, ...]) -> tuple[SSAValue, ...]:
            h, c = state
            pieces = direction.split(_sum(node, xs[t], node.build(ops.Dense, h, weight)), 4)
            written, kept = gate(0, pieces[0], c), gate(2, pieces[2], c)
            cell = node.build(ops.Multiply, written, direction.activate(1, pieces[3]))
            c = _sum(node, node.build(ops.Multiply, kept, c), cell)
            shown = gate(1, pieces[1], c)
            return node.build(ops.Multiply, shown, direction.activate(2, c)), c

        start = recurrence.initial(direction, 5), recurrence.initial(direction, 6)
        return recurrence.walk(direction, start, step)

    return recurrence.joined([run(direction) for direction in recurrence.directions])
