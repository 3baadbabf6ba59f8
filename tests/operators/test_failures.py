"""Operators that stop the run: where a value has no meaning, `ExecutionError` says why, and the model lives on."""

from __future__ import annotations

import numpy as np
import pytest

from tests.operators.arrays import INTEGERS, LARGE, array, cases
from tests.operators.harness import Case, assert_close, module_of
from xrelay.compiler import build
from xrelay.dialects.relay import elementwise, indexing
from xrelay.errors import ExecutionError
from xrelay.interpreters.relay.registry import evaluate
from xrelay.runtime.model import CompiledModel

DIVISIONS = (elementwise.Divide, elementwise.Mod, elementwise.FloorDivide, elementwise.FloorMod)


def check_failure(good: Case, *bad_inputs: np.ndarray, opt_level: int = 3) -> None:
    """The run fails on the bad inputs, with the message of the operator's meaning, and before and after works."""
    module, (op,) = module_of([good])
    (want,) = evaluate(op, good.arrays)
    with pytest.raises(ExecutionError) as expected:
        evaluate(op, bad_inputs)
    artifact = build(module, opt_level=opt_level)
    for num_threads in (1, 2):
        with CompiledModel(artifact, num_threads) as model:
            for _ in range(2):
                assert_close(model.run(good.inputs)[0], want, str(good))
                with pytest.raises(ExecutionError) as error:
                    model.run(bad_inputs)
                assert str(error.value) == str(expected.value)


def with_one(values: np.ndarray, number: int, at: int) -> np.ndarray:
    """The values, one of them replaced."""
    changed = values.copy()
    changed.reshape(-1)[at] = number
    return changed


@pytest.mark.parametrize("dtype", cases(*INTEGERS))
@pytest.mark.parametrize("operator", cases(*DIVISIONS))
def test_integer_division_by_zero(operator, dtype):
    x, y = array(3, 17, dtype=dtype, high=100), array(17, dtype=dtype, low=1, high=9)
    check_failure(Case(operator, x, y), x, with_one(y, 0, 13))


@pytest.mark.parametrize("place", [0, 40_000, -1])
@pytest.mark.parametrize("opt_level", [0, 3])
def test_a_failure_in_one_of_many_slices(place, opt_level):
    x, y = array(*LARGE, dtype=np.int32, high=100), array(*LARGE, dtype=np.int32, low=1, high=9)
    check_failure(Case(elementwise.Divide, x, y), x, with_one(y, 0, place), opt_level=opt_level)


@pytest.mark.parametrize("place", [9, 100, -10, -1000])
def test_take(place):
    x, indices = array(9, 3), array(2, 7, dtype=np.int64, low=-9, high=9)
    check_failure(Case(indexing.Take, x, indices, axis=0, mode="error"), x, with_one(indices, place, 12))


@pytest.mark.parametrize("place", [5, -1])
def test_gather(place):
    x, indices = array(5, 7), array(3, 7, dtype=np.int64, low=0, high=5)
    check_failure(Case(indexing.Gather, x, indices, axis=0), x, with_one(indices, place, 20))


@pytest.mark.parametrize("place", [5, -1])
def test_gather_nd(place):
    x, indices = array(5, 7), array(2, 9, dtype=np.int64, low=0, high=5)
    check_failure(Case(indexing.GatherND, x, indices), x, with_one(indices, place, 0))


@pytest.mark.parametrize("place", [5, -1])
@pytest.mark.parametrize("reduction", ["update", "add"])
def test_scatter_elements(reduction, place):
    x, indices, updates = array(5, 7), array(3, 7, dtype=np.int64, low=0, high=5), array(3, 7, seed=1)
    good = Case(indexing.ScatterElements, x, indices, updates, axis=0, reduction=reduction)
    check_failure(good, x, with_one(indices, place, 20), updates)


def test_constants_that_fail_do_so_when_the_model_runs():
    """Folding leaves them alone."""
    one, zero = np.array([1, 2]), np.array([1, 0])
    module, _ = module_of([Case(elementwise.Divide, one, zero, constants=(0, 1))])
    with (
        CompiledModel(build(module, opt_level=3), 2) as model,
        pytest.raises(ExecutionError, match=elementwise.ZERO_DIVISION),
    ):
        model.run()
