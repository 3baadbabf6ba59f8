"""Random graphs, compiled with and without optimisation, give what the executor gives."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, note, settings

from tests.fuzz.graphs import graphs
from tests.operators.harness import assert_close
from xrelay.compiler import build
from xrelay.interpreters.executor import run_module
from xrelay.runtime.model import CompiledModel

MAX_EXAMPLES = int(os.environ.get("XRELAY_FUZZ_EXAMPLES", "25"))
"""The same 25 graphs every time; with the variable set, that many new ones."""


@settings(
    max_examples=MAX_EXAMPLES,
    deadline=None,
    derandomize="XRELAY_FUZZ_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(graphs())
def test_compiled_graphs(drawn):
    module, inputs = drawn
    note(str(module))
    expected = run_module(module, inputs)
    for opt_level in (0, 3):
        with CompiledModel(build(module.clone(), opt_level=opt_level), num_threads=2) as model:
            for number, (got, want) in enumerate(zip(model.run(inputs), expected, strict=True)):
                assert_close(got, want, f"result {number} at opt level {opt_level}")
