"""Tuples and choices, compiled."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.graphs import Graph
from tests.operators.arrays import ALL, array, cases
from tests.operators.harness import assert_close
from xrelay.compiler import build
from xrelay.dialects.relay import control as ops
from xrelay.dialects.relay.elementwise import Add, Equal
from xrelay.dialects.relay.indexing import Take
from xrelay.dialects.relay.unary import Negative
from xrelay.interpreters.executor import run_module
from xrelay.runtime.model import CompiledModel

LEVELS = pytest.mark.parametrize("opt_level", [0, 1, 3])


def check_module(module: ModuleOp, inputs: list[np.ndarray], opt_level: int) -> None:
    """The compiled module gives what the executor gives, on one and two threads."""
    expected = run_module(module, inputs)
    artifact = build(module.clone(), opt_level=opt_level)
    for num_threads in (1, 2):
        for got, want in zip(CompiledModel(artifact, num_threads).run(inputs), expected, strict=True):
            assert_close(got, want, f"opt level {opt_level}, {num_threads} threads")


@LEVELS
def test_tuple(opt_level):
    g = Graph()
    x, y = g.input(array(5, 3)), g.input(array(3, seed=1))
    pair = g(ops.Tuple, g(Add, x, y), g(ops.Tuple, g(Negative, y), x))
    first, second = (g(ops.TupleGetItem, pair, index=index) for index in (0, 1))
    inner = g(ops.TupleGetItem, second, index=0)
    check_module(g.module(g(Add, first, inner), inner), g.inputs, opt_level)


@LEVELS
@pytest.mark.parametrize("condition", [True, False])
def test_if(condition, opt_level):
    """Results of several kinds: computed, an input as it is, a constant."""
    g = Graph()
    x, y, chosen = g.input(array(3, 5)), g.input(array(5, seed=1)), g.input(np.array(condition))
    both = g(Add, x, y)
    results = g.if_(
        chosen,
        lambda: [g(Negative, both), y, g.constant(np.array(2, np.int64))],
        lambda: [x, g(Add, y, y), g.constant(np.array(3, np.int64))],
    )
    check_module(g.module(*results, both), g.inputs, opt_level)


@LEVELS
@pytest.mark.parametrize("outer", [True, False])
@pytest.mark.parametrize("inner", [True, False])
def test_nested_if(inner, outer, opt_level):
    g = Graph()
    x, first, second = g.input(array(3, 5)), g.input(np.array(outer)), g.input(np.array(inner))
    results = g.if_(
        first,
        lambda: g.if_(second, lambda: [g(Negative, x)], lambda: [x]),
        lambda: [g(Add, x, x)],
    )
    check_module(g.module(g(Add, *results, x)), g.inputs, opt_level)


@LEVELS
@pytest.mark.parametrize("numbers", [(1, 1), (1, 2)])
def test_computed_condition(numbers, opt_level):
    g = Graph()
    x, a, b = g.input(array(7)), *(g.input(np.array(n, np.int32)) for n in numbers)
    equal = g(Equal, a, b)
    check_module(g.module(*g.if_(equal, lambda: [g(Negative, x)], lambda: [x]), equal), g.inputs, opt_level)


@pytest.mark.parametrize("dtype", cases(*ALL))
def test_types(dtype):
    g = Graph()
    x, y, chosen = g.input(array(3, 5, dtype=dtype)), g.input(array(3, 5, dtype=dtype, seed=1)), g.input(np.array(True))
    check_module(g.module(*g.if_(chosen, lambda: [x], lambda: [y])), g.inputs, opt_level=3)


@LEVELS
def test_only_the_chosen_branch_runs(opt_level):
    """The other one would stop the run."""
    g = Graph()
    x, place, chosen = g.input(array(7)), g.input(np.array(9)), g.input(np.array(False))
    results = g.if_(chosen, lambda: [g(Take, x, place, axis=0, mode="error")], lambda: [g.constant(np.float32(2))])
    check_module(g.module(*results), g.inputs, opt_level)
