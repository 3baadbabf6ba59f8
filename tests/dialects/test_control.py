"""Type rules of tuples, and the checks of `relay.if`."""

from __future__ import annotations

import pytest
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from tests.dialects.type_rules import infer, parse_type
from xrelay.dialects.relay import control as ops


def test_tuple():
    assert infer(ops.Tuple, "2xf32", "?xi8") == "tuple<tensor<2xf32>, tensor<?xi8>>"
    assert infer(ops.TupleGetItem, "tuple<tensor<2xf32>, tensor<?xi8>>", index=1) == "?xi8"


@pytest.mark.parametrize("index", [2, -1])
def test_tuple_get_item_c1_index_outside(index: int):
    with pytest.raises(VerifyException, match=f"C1: index {index} is outside a tuple of 2 fields"):
        infer(ops.TupleGetItem, "tuple<tensor<2xf32>, tensor<f32>>", index=index)


def test_tuple_get_item_of_a_tensor():
    with pytest.raises(VerifyException, match="operand must be a tuple"):
        infer(ops.TupleGetItem, "2xf32", index=0)


def make_if(condition: str, then_type: str, else_type: str, result: str | None = None) -> ops.If:
    yields = [ops.Yield.make(create_ssa_value(parse_type(value_type))) for value_type in (then_type, else_type)]
    regions = [Region(Block([end])) for end in yields]
    types = None if result is None else [parse_type(result)]
    return ops.If.of(create_ssa_value(parse_type(condition)), *regions, types)


def test_if_takes_its_types_from_the_first_region():
    op = make_if("i1", "2xf32", "2xf32")
    op.verify_()
    assert op.result_types == (parse_type("2xf32"),)


def test_if_with_unknown_size():
    make_if("i1", "2xf32", "3xf32", "?xf32").verify_()


def test_if_c1_condition():
    with pytest.raises(VerifyException, match=r"C1: condition must be tensor<i1>, got tensor<2xi1>"):
        make_if("2xi1", "f32", "f32").verify_()


def test_if_c2_types_differ():
    with pytest.raises(VerifyException, match=r"C2: a region yields \(tensor<3xf32>\), the results .* \(tensor<2xf32>"):
        make_if("i1", "2xf32", "3xf32").verify_()


def test_if_c2_no_yield():
    op = make_if("i1", "f32", "f32")
    block = op.else_region.block
    block.erase_op(block.last_op)
    with pytest.raises(VerifyException, match=r"C2: both regions end in relay\.yield"):
        op.verify_()
