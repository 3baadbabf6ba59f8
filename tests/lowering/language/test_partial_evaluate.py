"""Partial evaluation keeps what programs compute, and leaves only what depends on their input."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import DictionaryAttr, UnitAttr
from xdsl.dialects.func import FuncOp

from tests.lowering.graph.graph_utils import names
from tests.lowering.language.pass_cases import PROGRAMS, check, program
from tests.lowering.language.programs import floats, ints, module, same
from xrelay.compiler import build
from xrelay.dialects.relay.language import FUNCTION_ATTRS, Fn
from xrelay.interpreters.executor import run_module
from xrelay.lowering.graph.base import PRIMITIVE
from xrelay.relay import transform
from xrelay.runtime.model import CompiledModel


def main_names(text: str) -> list[str]:
    after = check(transform.PartialEvaluate(), module(text, std=True))
    return [name for name in names(after) if name not in ("constant", "let")]


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results(name):
    check(transform.PartialEvaluate(), program(name))


@pytest.mark.parametrize("name", ["recursion", "references"])
def test_same_results_compiled(name):
    before = program(name)
    model = CompiledModel(build(transform.PartialEvaluate()(before)), 1)
    arguments = [*ints(4), *floats(0.75)]
    same(model.evaluate(*arguments), tuple(run_module(before, arguments)))


def test_closures_go_away():
    after = check(transform.PartialEvaluate(), program("closures"))
    assert set(names(after)) <= {"constant", "let", "add", "multiply"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let %f = fn (%i: int32) -> float32 { if (%i == 0) { %x } else { %f(%i - 1) * %x } }; %f(1)", ["multiply"]),
        ("@foldl(fn (%a: float32, %b: float32) { %a + %b }, %x, Cons(%x, Cons(%x, Nil)))", ["add"] * 2),
        ("let %r = ref(%x); let %f = fn () { ref_write(%r, %x + ref_read(%r)); () }; %f(); ref_read(%r)",
         ["ref_create", "ref_read", "add", "ref_write", "ref_read"]),
        ("match ((Some(%x), %n)) { (Some(%v), _) => exp(%v), (None, _) => %x }", ["exp"]),
        ("match ((%x, Cons(%x, Nil))) { (_, Nil) => 1f, (_, Cons(_, Cons(_, _))) => 2f, (%a, _) => exp(%a) }", ["exp"]),
        ("(fn (%t: (float32, int32)) { %t.0 })((%x, %n))", []),
        ("if (1 < 2) { exp(%x) } else { %x }", ["exp"]),
    ],
)  # fmt: skip
def test_what_is_left(body, expected):
    assert main_names(f"def @main(%n: int32, %x: float32) -> float32 {{ {body} }}") == expected


@pytest.mark.parametrize(
    "body",
    [
        "let %f = fn (%i: int32) -> float32 { if (%i < 1) { %x } else { %f(%i - 1) * 2f } }; %f(%n)",
        "let %f = fn (%i: int32) -> float32 { if (%i < 1) { %x } else { %f(%i - 1) * 0.5f } }; %f(%n) + %f(3000)",
    ],
)
def test_recursion_without_a_known_end_stays(body):
    assert "invoke" in main_names(f"def @main(%n: int32, %x: float32) -> float32 {{ {body} }}")


def test_recursion_without_an_end_stays():
    source = module("def @main(%x: float32) -> float32 { @f(%x) }\ndef @f(%x: float32) -> float32 { @f(%x + 1f) }")
    assert names(transform.PartialEvaluate()(source)) == ["f"]


def test_functions_in_data_types_end():
    """A type that holds functions of itself makes recursion without a recursive function."""
    source = module(
        """type Loop { Roll(fn (Loop, float32) -> float32), }
        def @main(%n: int32, %x: float32) -> float32 {
          let %step = fn (%l: Loop, %v: float32) -> float32 {
            match (%l) { Roll(%f) => if (%v > 10f) { %v } else { %f(%l, %v + 1f) } }
          };
          %step(Roll(%step), %x)
        }"""
    )
    check(transform.PartialEvaluate(), source)


def test_kernels_stay():
    source = module("def @main(%x: float32) -> float32 { @f(%x) }\ndef @f(%x: float32) -> float32 { exp(%x) }")
    function = next(op for op in source.body.ops if isinstance(op, FuncOp) and op.sym_name.data == "f")
    function.attributes[PRIMITIVE] = UnitAttr()
    assert names(transform.PartialEvaluate()(source)) == ["f"]


def test_functions_with_attributes_stay():
    source = module("def @main(%n: int32, %x: float32) { let %f = fn (%y: float32) { exp(%y) }; %f(%x) }")
    next(op for op in source.walk() if isinstance(op, Fn)).attributes[FUNCTION_ATTRS] = DictionaryAttr({})
    assert "invoke" in names(check(transform.PartialEvaluate(), source))
