"""The graph passes on programs with functions as values, data types and references: results and effects stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from tests.frontends.relay_text.forms import typed
from tests.lowering.graph.graph_utils import apply, parse, parse_main
from xrelay.dialects.relay import language, reference
from xrelay.frontends.relay_text.to_dialect import to_module
from xrelay.interpreters.executor import run_module
from xrelay.lowering.graph.base import RelayPass
from xrelay.lowering.graph.canonicalize_ops import CanonicalizeOps
from xrelay.lowering.graph.dead_code_elimination import DeadCodeElimination
from xrelay.lowering.graph.eliminate_common_subexpr import EliminateCommonSubexpr
from xrelay.lowering.graph.fold_constant import FoldConstant
from xrelay.lowering.graph.fold_scale_axis import FoldScaleAxis
from xrelay.lowering.graph.fuse_ops import FuseOps
from xrelay.lowering.graph.infer_type import InferType
from xrelay.lowering.graph.inline import Inline
from xrelay.lowering.graph.simplify_expr import SimplifyExpr
from xrelay.lowering.graph.simplify_inference import SimplifyInference
from xrelay.lowering.graph.verify_fused import VerifyFused
from xrelay.lowering.graph.verify_relay import VerifyRelay

PASSES = [
    VerifyRelay(),
    InferType(),
    SimplifyInference(),
    EliminateCommonSubexpr(),
    FoldConstant(),
    FoldScaleAxis(),
    SimplifyExpr(),
    CanonicalizeOps(),
    DeadCodeElimination(),
    Inline(),
    FuseOps(),
    FuseOps(enabled=False),
]

PROGRAMS = {
    "closures": """def @main(%x: Tensor[(2), float32], %n: int32) {
      let %y = %x * 2f;
      let %f = fn (%z: Tensor[(2), float32]) { nn.relu(%z * 2f + %y) };
      let %g = fn (%h: fn (Tensor[(2), float32]) -> Tensor[(2), float32]) { %h(%h(%x)) + %x * 2f };
      (%g(%f), %f(%x * 2f))
    }""",
    "references": """def @main(%x: Tensor[(2), float32], %n: int32) {
      let %r = ref(%x);
      let %bump = fn () { ref_write(%r, ref_read(%r) + %x); ref_read(%r) };
      let %unused = %bump();
      let %before = ref_read(%r);
      if (%n > 0) { ref_write(%r, ref_read(%r) * 2f) } else { () };
      let %two_cells = (ref(%x), ref(%x));
      ref_write(%two_cells.0, %x * 3f);
      (%before, ref_read(%r), ref_read(%two_cells.0), ref_read(%two_cells.1), %bump(), %bump())
    }""",
    "recursion": """def @main(%x: Tensor[(2), float32], %n: int32) {
      let %loop = fn (%i: int32, %a: Tensor[(2), float32]) -> Tensor[(2), float32] {
        if (%i == 0) { %a } else { %loop(%i - 1, %a * 0.5f + 1f) }
      };
      (%loop(%n, %x), @pow(%x, %n))
    }
    def @pow(%x: Tensor[(2), float32], %i: int32) -> Tensor[(2), float32] {
      if (%i == 0) { %x * 0f + 1f } else { %x * @pow(%x, %i - 1) }
    }""",
    "data types": """def @main(%x: Tensor[(2), float32], %n: int32) {
      let %add = fn (%a: Tensor[(2), float32], %b: Tensor[(2), float32]) { %a + %b };
      let %xs = Cons(%x, Cons(%x * 2f, Cons(%x * 2f + 1f, Nil)));
      let %first = match (%xs) { Cons(%a, Cons(%b, _)) => %a * 2f - %b, _ => %x * 2f };
      (@foldl(%add, %x * 2f, %xs), @length(@map(@twice, %xs)), %first, @id(%n))
    }
    def @twice(%x: Tensor[(2), float32]) { %x + %x }""",
    "sizes": """def @main(%x: Tensor[(2), float32], %n: int32) {
      let %grown = @grow(%x, %n);
      let %f = @double;
      (%f(%x), @double(%x), sum(%grown))
    }
    def @double(%x: Tensor[(?), float32]) -> Tensor[(?), float32] { concatenate((%x, %x)) }
    def @grow(%x: Tensor[(?), float32], %n: int32) -> Tensor[(?), float32] {
      if (%n == 0) { %x } else { @grow(concatenate((%x, %x)), %n - 1) }
    }""",
}
X = np.array([0.5, -3.0], np.float32)


def same(a: Any, b: Any) -> None:
    if isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    else:
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def check(pass_: RelayPass, module: ModuleOp) -> ModuleOp:
    after = apply(pass_, module)
    VerifyRelay().apply(Context(), after)
    for n in (0, 3):
        same(run_module(after, [X, np.int32(n)]), run_module(module, [X, np.int32(n)]))
    return after


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_each_pass_and_all_of_them(text: str):
    module = to_module(typed(text, with_prelude=True), flatten_main=True)
    for pass_ in PASSES:
        check(pass_, module)
    for pass_ in PASSES[:-1]:
        module = check(pass_, module)
    VerifyFused().apply(Context(), module)


def found(module: ModuleOp, kind: type[Operation]) -> list[Any]:
    return [op for op in module.walk() if isinstance(op, kind)]


CELL = "!relay.ref<tensor<f32>>"


def test_writes_and_calls_stay_though_nobody_uses_what_they_give():
    module = parse_main(
        f"%r: {CELL}, %x: tensor<f32>, %f: () -> tensor<f32>, %c: tensor<i1>",
        f"""
        %dead = relay.fn () -> tensor<f32> {{
          %u = relay.ref_write %r, %x : ({CELL}, tensor<f32>) -> tuple<>
          relay.yield %x : tensor<f32>
        }}
        %read = relay.ref_read %r : ({CELL}) -> tensor<f32>
        %cell = relay.ref_create %x : (tensor<f32>) -> {CELL}
        %u = relay.ref_write %r, %x : ({CELL}, tensor<f32>) -> tuple<>
        %y = relay.invoke %f() : () -> tensor<f32>
        relay.if %c -> () {{
          %v = relay.ref_write %r, %x : ({CELL}, tensor<f32>) -> tuple<>
          relay.yield
        }} else {{
          relay.yield
        }}
        func.return""",
    )
    after = apply(DeadCodeElimination(), module)
    assert [op.name for op in after.body.block.first_op.body.block.ops] == [
        "relay.ref_write",
        "relay.invoke",
        "relay.if",
        "func.return",
    ]


def test_equal_reads_and_cells_are_not_shared():
    module = parse_main(
        f"%r: {CELL}, %x: tensor<f32>",
        f"""
        %a = relay.ref_read %r : ({CELL}) -> tensor<f32>
        %u = relay.ref_write %r, %x : ({CELL}, tensor<f32>) -> tuple<>
        %b = relay.ref_read %r : ({CELL}) -> tensor<f32>
        %c = relay.ref_create %x : (tensor<f32>) -> {CELL}
        %d = relay.ref_create %x : (tensor<f32>) -> {CELL}
        func.return %a, %b, %c, %d : tensor<f32>, tensor<f32>, {CELL}, {CELL}""",
        f"tensor<f32>, tensor<f32>, {CELL}, {CELL}",
    )
    after = apply(EliminateCommonSubexpr(), module)
    assert len(found(after, reference.RefRead)) == len(found(after, reference.RefCreate)) == 2


def test_a_function_uses_what_is_computed_around_it_but_keeps_its_own_to_itself():
    module = parse_main(
        "%x: tensor<f32>",
        """
        %f = relay.fn () -> tensor<f32> {
          %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
          relay.yield %0 : tensor<f32>
        }
        %g = relay.fn () -> tensor<f32> {
          %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
          relay.yield %0 : tensor<f32>
        }
        %1 = relay.exp %x : (tensor<f32>) -> tensor<f32>
        %h = relay.fn () -> tensor<f32> {
          %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
          relay.yield %0 : tensor<f32>
        }
        func.return %f, %g, %h : () -> tensor<f32>, () -> tensor<f32>, () -> tensor<f32>""",
        "() -> tensor<f32>, () -> tensor<f32>, () -> tensor<f32>",
    )
    after = apply(EliminateCommonSubexpr(), module)
    assert [len(list(fn.body.block.ops)) for fn in found(after, language.Fn)] == [2, 2, 1]


def test_constants_are_folded_through_names_and_inside_of_functions():
    text = "def @main() { let %a = 2f; let %b = %a * %a; fn (%x: float32) { %x + %b * 2f } }"
    (main,) = apply(FoldConstant(), to_module(typed(text))).body.ops
    assert [op.name for op in main.walk() if op is not main] == [
        "relay.fn",
        "relay.constant",
        "relay.add",
        "relay.yield",
        "func.return",
    ]


def test_functions_used_as_values_are_used():
    module = parse("""
    func.func @main() -> ((tensor<f32>) -> tensor<f32>) {
      %f = relay.global @f : (tensor<f32>) -> tensor<f32>
      func.return %f : (tensor<f32>) -> tensor<f32>
    }
    func.func private @f(%x: tensor<f32>) -> tensor<f32> { func.return %x : tensor<f32> }
    func.func private @g(%x: tensor<f32>) -> tensor<f32> { func.return %x : tensor<f32> }""")
    after = apply(DeadCodeElimination(), module)
    assert [op.sym_name.data for op in after.body.ops if isinstance(op, FuncOp)] == ["main", "f"]


def test_a_choice_of_several_sizes_keeps_its_unknown_size():
    module = parse_main(
        "%x: tensor<2xf32>, %y: tensor<3xf32>, %c: tensor<i1>",
        """
        %0, %1 = relay.if %c -> (tensor<?xf32>, tensor<?xf32>) {
          relay.yield %x, %x : tensor<2xf32>, tensor<2xf32>
        } else {
          relay.yield %y, %x : tensor<3xf32>, tensor<2xf32>
        }
        func.return""",
    )
    after = apply(InferType(), module)
    choice = after.body.block.first_op.body.block.first_op
    assert list(map(str, choice.result_types)) == ["tensor<?xf32>", "tensor<2xf32>"]
