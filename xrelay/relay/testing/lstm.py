"""An LSTM, unrolled: one cell, a function, called for each step; with lets, tuples, and a function as a value."""

from __future__ import annotations

import numpy as np

from xrelay import relay
from xrelay.relay.testing.init import create_workload


def lstm_cell(num_hidden: int, batch_size: int = 1, dtype: str = "float32") -> relay.Function:
    """The function (input, (hidden, cell), i2h weight and bias, h2h weight and bias) → (output, (hidden, cell)).

    The gates are stacked in the order input, forget, candidate, output.
    """
    state = relay.TensorType((batch_size, num_hidden), dtype)
    weight, bias = relay.TensorType((4 * num_hidden, num_hidden), dtype), relay.TensorType((4 * num_hidden,), dtype)
    inputs, states = relay.Var("inputs", state), relay.Var("states", relay.TupleType((state, state)))
    i2h_weight, i2h_bias = relay.Var("i2h_weight", weight), relay.Var("i2h_bias", bias)
    h2h_weight, h2h_bias = relay.Var("h2h_weight", weight), relay.Var("h2h_bias", bias)

    sb = relay.ScopeBuilder()
    hidden, cell = sb.let("hidden", relay.TupleGetItem(states, 0)), sb.let("cell", relay.TupleGetItem(states, 1))
    i2h = relay.nn.bias_add(relay.nn.dense(inputs, i2h_weight, units=4 * num_hidden), i2h_bias, axis=-1)
    h2h = relay.nn.bias_add(relay.nn.dense(hidden, h2h_weight, units=4 * num_hidden), h2h_bias, axis=-1)
    gates = relay.split(i2h + h2h, 4, axis=1)
    in_gate, forget_gate, out_gate = (relay.sigmoid(gates[i]) for i in (0, 1, 3))
    next_cell = sb.let("next_cell", forget_gate * cell + in_gate * relay.tanh(gates[2]))
    next_hidden = sb.let("next_hidden", out_gate * relay.tanh(next_cell))
    sb.ret(relay.Tuple([next_hidden, relay.Tuple([next_hidden, next_cell])]))
    return relay.Function([inputs, states, i2h_weight, i2h_bias, h2h_weight, h2h_bias], sb.get())


def get_net(iterations: int, num_hidden: int, batch_size: int = 1, dtype: str = "float32") -> relay.Function:
    """The network: `iterations` inputs (data_0, data_1 …) of (batch_size, num_hidden) → the last output."""
    state = relay.TensorType((batch_size, num_hidden), dtype)
    weight, bias = relay.TensorType((4 * num_hidden, num_hidden), dtype), relay.TensorType((4 * num_hidden,), dtype)
    params = [
        *(relay.Var("i2h_weight", weight), relay.Var("i2h_bias", bias)),
        *(relay.Var("h2h_weight", weight), relay.Var("h2h_bias", bias)),
    ]
    data = [relay.Var(f"data_{i}", state) for i in range(iterations)]

    sb = relay.ScopeBuilder()
    cell = sb.let("cell", lstm_cell(num_hidden, batch_size, dtype))
    zeros = sb.let("zeros", relay.zeros((batch_size, num_hidden), dtype))
    output, states = zeros, sb.let("states", relay.Tuple([zeros, zeros]))
    for i, inputs in enumerate(data):
        step = sb.let(f"step_{i}", cell(inputs, states, *params))
        output, states = relay.TupleGetItem(step, 0), relay.TupleGetItem(step, 1)
    sb.ret(output)
    return relay.Function([*data, *params], sb.get(), state)


def get_workload(
    iterations: int = 1, num_hidden: int = 16, batch_size: int = 1, dtype: str = "float32"
) -> tuple[relay.Module, dict[str, np.ndarray]]:
    """The network and values for its parameters."""
    return create_workload(get_net(iterations, num_hidden, batch_size, dtype))
