"""A program means the same at every level: as relay, fused, on tensors, and as machine code."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operators.harness import assert_close
from xrelay.compiler import build
from xrelay.interpreters.executor import run_module
from xrelay.interpreters.tensor import run_function
from xrelay.runtime.model import CompiledModel


def assert_same(results: list[np.ndarray], expected: list[np.ndarray], what: str) -> None:
    for number, (got, want) in enumerate(zip(results, expected, strict=True)):
        assert_close(got, want, f"{what}, result {number}")


def test_fused(program, lower):
    module, inputs = program
    assert_same(run_module(lower(module, "graph", "graph"), inputs), run_module(module, inputs), "fused")


def test_on_tensors(program, lower):
    module, inputs = program
    results = run_function(lower(module, "graph", "tensor"), "main", inputs)
    assert_same(results, run_module(module, inputs), "on tensors")


@pytest.mark.parametrize("num_threads", [1, 2])
def test_compiled(program, opt_level, num_threads):
    module, inputs = program
    with CompiledModel(build(module.clone(), opt_level=opt_level), num_threads) as model:
        for _ in range(2):
            assert_same(model.run(inputs), run_module(module, inputs), "compiled")
