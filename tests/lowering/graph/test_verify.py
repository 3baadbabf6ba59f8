"""`verify-relay` and `verify-fused` check the invariants of their levels."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, IntegerType, MemRefType, StringAttr
from xdsl.rewriter import InsertPoint, Rewriter

from tests.lowering.graph.graph_utils import parse
from xrelay.dialects.relay.types import f32, tensor_type
from xrelay.errors import CompilationError
from xrelay.lowering.graph.verify_fused import VerifyFused
from xrelay.lowering.graph.verify_relay import VerifyRelay

MAIN = """
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}"""


def rejected(pass_, module, message: str) -> None:
    with pytest.raises(CompilationError, match=message):
        pass_.apply(Context(), module)


def test_a_valid_module():
    VerifyRelay().apply(Context(), parse(MAIN))


def insert_first(module, op) -> None:
    Rewriter.insert_op(op, InsertPoint.at_start(module.body.block.first_op.body.block))


def test_r1_other_operations():
    module = parse(MAIN)
    insert_first(module, arith.ConstantOp.from_int_and_width(0, 32))
    rejected(VerifyRelay(), module, "R1: arith.constant at .* in @main is no relay operator")


def test_r1_other_top_level_operations():
    module = parse(MAIN)
    module.body.block.add_op(arith.ConstantOp.from_int_and_width(0, 32))
    rejected(VerifyRelay(), module, "R1: arith.constant at .* is no function")


@pytest.mark.parametrize("wrong", [MemRefType(f32, [2]), tensor_type([2], IntegerType(7))])
def test_r2_values_are_tensors_of_known_elements(wrong):
    module = parse(MAIN)
    Rewriter.replace_value_with_new_type(module.body.block.first_op.args[1], wrong)
    rejected(VerifyRelay(), module, "R2: argument 1 of @main")


def test_r3_type_rules():
    module = parse(MAIN)
    add = module.body.block.first_op.body.block.first_op
    Rewriter.replace_value_with_new_type(add.results[0], tensor_type([3], f32))
    rejected(VerifyRelay(), module, r"R3: .*relay.add gives tensor<2xf32>")


@pytest.mark.parametrize(("names", "ok"), [(["a", "b"], True), (["a"], False), (["a", "a"], False)])
def test_r4_names(names, ok):
    module = parse(MAIN)
    module.body.block.first_op.attributes["relay.input_names"] = ArrayAttr([StringAttr(name) for name in names])
    if ok:
        VerifyRelay().apply(Context(), module)
    else:
        rejected(VerifyRelay(), module, "R4: relay.input_names of @main must be 2 different names")


def kernel(body: str, visibility: str = "private") -> str:
    return f"""
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {{
  %0 = func.call @k(%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %0 : tensor<2x2xf32>
}}
func.func {visibility} @k(%x: tensor<2x2xf32>) -> tensor<2x2xf32> attributes {{relay.primitive}} {{
  {body}
  func.return %0 : tensor<2x2xf32>
}}"""


EXP = "%0 = relay.exp %x : (tensor<2x2xf32>) -> tensor<2x2xf32>"
UNARY = "(tensor<2x2xf32>) -> tensor<2x2xf32>"
MATMUL = "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>"


def test_a_valid_kernel():
    VerifyFused().apply(Context(), parse(kernel(EXP)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MAIN, "F1: relay.add at .* in @main stands outside of a kernel"),
        (kernel(EXP, visibility=""), "F2: kernel @k is not private"),
        (kernel("%0 = relay.copy %x : " + UNARY), "F2: relay.copy stands in kernel @k"),
        (kernel("%0 = func.call @k(%x) : " + UNARY), "F2: kernel @k calls @k"),
        (kernel("%0 = relay.constant [[1.0, 1.0], [1.0, 1.0]] : tensor<2x2xf32>"), "F3: kernel @k holds a constant"),
        (
            kernel(f"%1 = relay.nn.matmul %x, %x : {MATMUL}\n%0 = relay.nn.matmul %1, %x : {MATMUL}"),
            "F4: .* has 2 anchors",
        ),
        (
            kernel(f"%1 = relay.exp %x : {UNARY}\n%0 = relay.cumsum %1 {{axis = 0}} : {UNARY}"),
            "F4: kernel @k fuses an opaque operator with others",
        ),
    ],
)
def test_fused_invariants(text: str, message: str):
    rejected(VerifyFused(), parse(text), message)
