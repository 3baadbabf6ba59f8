"""A-normal form keeps what programs compute, and names everything."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.func import FuncOp

from tests.lowering.language.pass_cases import PROGRAMS, check, program
from xrelay.dialects.relay.reference import Let
from xrelay.lowering.graph.to_graph_normal_form import ToGraphNormalForm
from xrelay.lowering.language.names import is_atom
from xrelay.relay import transform


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results_and_all_operands_are_names(name):
    after = check(transform.ToANormalForm(), program(name))
    for function in after.body.ops:
        if isinstance(function, FuncOp):
            for op in function.body.walk():
                assert isinstance(op, Let) or all(map(is_atom, op.operands))


@pytest.mark.parametrize("name", PROGRAMS)
def test_names_are_different_in_a_function(name):
    after = transform.ToANormalForm()(program(name))
    main = next(op for op in after.body.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    made = [op.attrs.variable for op in main.walk() if isinstance(op, Let) and op.attrs.variable.startswith("x_")]
    assert len(made) == len(set(made))


def test_the_way_back_is_graph_normal_form():
    before, after = program("choices"), transform.ToANormalForm()(program("choices"))
    for module in (before, after):
        ToGraphNormalForm().apply(Context(), module)
    assert str(after) == str(before)
