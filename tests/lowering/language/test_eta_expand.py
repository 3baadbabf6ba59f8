"""Eta expansion keeps what programs compute."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.lowering.language.pass_cases import PROGRAMS, check, program
from xrelay.dialects.relay.adt import ConstructorOp
from xrelay.dialects.relay.language import Global, Invoke
from xrelay.relay import transform


def values(module: ModuleOp, kind: type) -> int:
    """How many constructors or global functions are more than called."""
    found = [op for op in module.walk() if isinstance(op, kind)]
    return sum(
        not all(isinstance(use.operation, Invoke) and use.index == 0 for use in op.results[0].uses) for op in found
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results(name):
    after = check(transform.EtaExpand(expand_constructor=True, expand_global_var=True), program(name))
    assert not values(after, ConstructorOp)
    assert not values(after, Global)


@pytest.mark.parametrize("constructor", [False, True])
@pytest.mark.parametrize("global_var", [False, True])
def test_options(constructor, global_var):
    before = program("data types")
    assert values(before, ConstructorOp)
    assert values(before, Global)
    after = check(transform.EtaExpand(constructor, global_var), before)
    assert bool(values(after, ConstructorOp)) != constructor
    assert bool(values(after, Global)) != global_var
    assert constructor or global_var or str(after) == str(before)
