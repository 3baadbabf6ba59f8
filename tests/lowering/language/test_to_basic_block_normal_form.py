"""Basic-block normal form keeps what programs compute, and names what crosses blocks, nothing else."""

from __future__ import annotations

import pytest
from xdsl.ir import OpResult

from tests.lowering.language.pass_cases import PROGRAMS, check, program
from xrelay.dialects.relay.reference import Let
from xrelay.lowering.language.names import is_atom
from xrelay.relay import transform


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results_and_what_crosses_blocks_has_a_name(name):
    after = check(transform.ToBasicBlockNormalForm(), program(name))
    for op in after.walk():
        for operand in op.operands:
            crosses = isinstance(operand, OpResult) and operand.op.parent is not op.parent
            assert not crosses or is_atom(operand)


def test_nothing_else_gets_a_name():
    before = program("choices")
    after = transform.ToBasicBlockNormalForm()(before)
    found, made = ([op for op in module.walk() if isinstance(op, Let)] for module in (before, after))
    main = [op for op in made if op.attrs.variable not in {op.attrs.variable for op in found}]
    assert all(any(use.operation.parent is not op.parent for use in op.result.uses) for op in main)
    assert main
