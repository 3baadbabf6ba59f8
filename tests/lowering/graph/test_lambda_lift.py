"""Lifting functions keeps what programs compute."""

from __future__ import annotations

import pytest
from xdsl.context import Context

from tests.lowering.language.programs import LIST, floats, ints, module, same
from xrelay.compiler import build
from xrelay.dialects.relay.language import Fn
from xrelay.interpreters.executor import run_module
from xrelay.lowering.graph.lambda_lift import CLOSURE, LambdaLift
from xrelay.runtime.model import CompiledModel

PROGRAMS = {
    "captures": """
    def @main(%n: int32, %x: float32) -> float32 {
      let %k = %x * 2f;
      let %f = fn (%a: float32) { fn (%b: float32) { %a * %k + %b + 3f } };
      %f(%x)(%f(1f)(%k))
    }
    """,
    "recursion": """
    def @main(%n: int32, %x: float32) -> float32 {
      let %free = fn (%i: int32, %v: float32) -> float32 { if (%i < 1) { %v } else { %free(%i - 1, %v * 2f) } };
      let %bound = fn (%i: int32) -> float32 { if (%i < 1) { %x } else { %bound(%i - 1) + %x } };
      %free(%n, %x) + %bound(%n)
    }
    """,
    "data": LIST
    + """
    def @main(%n: int32, %x: float32) -> float32 {
      let %l = Cons(fn (%v: float32) { %v + %x }, Cons(fn (%v: float32) { %v * 2f }, Nil));
      @all(%l, 1f)
    }
    def @all(%l: List[fn (float32) -> float32], %v: float32) -> float32 {
      match (%l) { Cons(%f, %t) => @all(%t, %f(%v)), Nil => %v, }
    }
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results(name):
    source, arguments = module(PROGRAMS[name]), [*ints(4), *floats(1.5)]
    (expected,) = run_module(source, arguments)
    lifted = source.clone()
    LambdaLift().apply(Context(), lifted)
    lifted.verify()
    for function in lifted.body.ops:
        if CLOSURE not in function.attributes:
            assert not any(isinstance(op, Fn) for op in function.walk())
    same(run_module(lifted, arguments)[0], expected)
    for opt_level in (0, 3):
        same(CompiledModel(build(lifted.clone(), opt_level=opt_level), 1).evaluate(*arguments), expected)


def test_a_second_time_changes_nothing():
    source = module(PROGRAMS["captures"])
    LambdaLift().apply(Context(), source)
    once = str(source)
    LambdaLift().apply(Context(), source)
    assert str(source) == once
