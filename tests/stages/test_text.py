"""The text of every level reads back as the same module, and the compiler goes on from it as if it had never left."""

from __future__ import annotations

import re
from io import StringIO

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from tests.stages.conftest import NAMES
from xrelay.compiler import build
from xrelay.dialects.relay import Relay
from xrelay.lowering.pipelines import MAX_OPT_LEVEL
from xrelay.runtime.model import CompiledModel
from xrelay.universe import context


@pytest.fixture(params=[0, MAX_OPT_LEVEL], ids="O{}".format)
def opt_level(request) -> int:
    return request.param


def reread(module: ModuleOp) -> ModuleOp:
    """The module that the text of this one, with the bytes of its constants, stands for; verified."""
    out = StringIO()
    printer = Printer(out)
    printer.print_op(module)
    printer.print_metadata([Relay])
    parsed = Parser(context(), out.getvalue()).parse_module()
    parsed.verify()
    return parsed


def text(module: ModuleOp) -> str:
    """The module's text, its constants numbered: one that is read while another of its name lives gets another name."""
    names: dict[str, str] = {}
    return re.sub(r"@(\w+)(?= : tensor)", lambda m: names.setdefault(m[1], f"@constant_{len(names)}"), str(module))


@pytest.mark.parametrize("level", NAMES)
def test_round_trip(program, lower, level):
    module = lower(program[0], NAMES[0], level)
    parsed = reread(module)
    assert text(parsed) == text(module)


@pytest.mark.parametrize("level", NAMES[:-1])
def test_lowering_goes_on(program, lower, level):
    module = lower(program[0], NAMES[0], level)
    following = NAMES[NAMES.index(level) + 1]
    assert text(lower(reread(module), following, NAMES[-1])) == text(lower(module, following, NAMES[-1]))


def test_compiled_from_text(program, opt_level):
    module, inputs = program
    results = [
        CompiledModel(build(given, opt_level=opt_level), 1).run(inputs) for given in (reread(module), module.clone())
    ]
    for from_text, directly in zip(*results, strict=True):
        np.testing.assert_array_equal(from_text, directly)
