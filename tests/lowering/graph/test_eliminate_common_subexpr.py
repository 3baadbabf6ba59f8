"""`relay-eliminate-common-subexpr` computes equal operators once."""

from __future__ import annotations

from tests.lowering.graph.graph_utils import check, names, parse_main
from xrelay.lowering.graph.eliminate_common_subexpr import EliminateCommonSubexpr

T = "tensor<2xf32>"
UNARY = f"({T}) -> {T}"
BINARY = f"({T}, {T}) -> {T}"


def test_equal_chains_become_one():
    module = parse_main(
        f"%x: {T}",
        f"""
        %0 = relay.exp %x : {UNARY}
        %1 = relay.exp %x : {UNARY}
        %2 = relay.negative %0 : {UNARY}
        %3 = relay.negative %1 : {UNARY}
        %4 = relay.add %2, %3 : {BINARY}
        func.return %4 : {T}""",
        T,
    )
    assert names(check(EliminateCommonSubexpr(), module)) == ["exp", "negative", "add"]


def test_attributes_and_operand_order_count():
    module = parse_main(
        f"%x: {T}, %y: {T}",
        f"""
        %0 = relay.clip %x {{a_min = 0.0, a_max = 1.0}} : {UNARY}
        %1 = relay.clip %x {{a_min = 0.0, a_max = 2.0}} : {UNARY}
        %2 = relay.subtract %x, %y : {BINARY}
        %3 = relay.subtract %y, %x : {BINARY}
        func.return %0, %1, %2, %3 : {T}, {T}, {T}, {T}""",
        f"{T}, {T}, {T}, {T}",
    )
    assert names(check(EliminateCommonSubexpr(), module)) == ["clip", "clip", "subtract", "subtract"]


def test_constants_of_equal_value():
    module = parse_main(
        "",
        """
        %0 = relay.constant [0.0, 1.0] : tensor<2xf32>
        %1 = relay.constant [0.0, 1.0] : tensor<2xf32>
        %2 = relay.constant [-0.0, 1.0] : tensor<2xf32>
        %3 = relay.constant [0, 1] : tensor<2xi32>
        func.return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>""",
        "tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>",
    )
    assert len(names(check(EliminateCommonSubexpr(), module))) == 3


def test_branches_see_what_stands_before_but_not_each_other():
    module = parse_main(
        f"%c: tensor<i1>, %x: {T}",
        f"""
        %0 = relay.exp %x : {UNARY}
        %r = relay.if %c -> ({T}) {{
          %1 = relay.exp %x : {UNARY}
          %2 = relay.negative %1 : {UNARY}
          relay.yield %2 : {T}
        }} else {{
          %3 = relay.negative %0 : {UNARY}
          relay.yield %3 : {T}
        }}
        %4 = relay.negative %0 : {UNARY}
        %5 = relay.add %r, %4 : {BINARY}
        func.return %5 : {T}""",
        T,
    )
    after = check(EliminateCommonSubexpr(), module)
    assert names(after) == ["exp", "if", "negative", "add"]
    assert [op.name for op in after.walk()].count("relay.exp") == 1


def test_operators_of_several_results():
    module = parse_main(
        "%x: tensor<4xf32>",
        f"""
        %a, %b = relay.split %x {{indices_or_sections = 2}} : (tensor<4xf32>) -> ({T}, {T})
        %c, %d = relay.split %x {{indices_or_sections = 2}} : (tensor<4xf32>) -> ({T}, {T})
        %0 = relay.add %a, %d : {BINARY}
        func.return %0 : {T}""",
        T,
    )
    assert names(check(EliminateCommonSubexpr(), module)) == ["split", "add"]
