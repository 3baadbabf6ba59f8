"""The programs as fixtures, and the way through a part of the compiler."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tests.stages.programs import PROGRAMS, Program
from xrelay.lowering.pipelines import MAX_OPT_LEVEL, PHASES

NAMES = [phase.name for phase in PHASES]


@pytest.fixture(params=PROGRAMS)
def program(request) -> Program:
    return PROGRAMS[request.param]()


@pytest.fixture(params=range(MAX_OPT_LEVEL + 1), ids="O{}".format)
def opt_level(request) -> int:
    return request.param


@pytest.fixture
def lower(opt_level) -> Callable[..., ModuleOp]:
    """`lower(module, first, last)`: a copy of the module, behind the phases from `first` to `last`."""

    def run(module: ModuleOp, first: str, last: str) -> ModuleOp:
        module = module.clone()
        for phase in PHASES[NAMES.index(first) : NAMES.index(last) + 1]:
            for pass_ in phase.passes(opt_level, "llvm"):
                pass_.apply(Context(allow_unregistered=True), module)
        return module

    return run
