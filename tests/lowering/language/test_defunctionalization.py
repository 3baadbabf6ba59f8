"""Programs of first order compute what the programs with functions as values did."""

from __future__ import annotations

import pytest

from tests.lowering.language.pass_cases import PROGRAMS, check, program
from tests.lowering.language.programs import floats, ints, module, same
from xrelay.compiler import build
from xrelay.dialects.relay.language import Fn, Global, Invoke
from xrelay.errors import UnsupportedError
from xrelay.interpreters.executor import run_module
from xrelay.relay import transform
from xrelay.runtime.model import CompiledModel


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results(name):
    after = check(transform.Defunctionalization(), program(name))
    assert not any(isinstance(op, Fn | Global | Invoke) for op in after.walk())


@pytest.mark.parametrize("name", ["closures", "references"])
def test_same_results_compiled(name):
    before = program(name)
    model = CompiledModel(build(transform.Defunctionalization()(before)), 1)
    arguments = [*ints(4), *floats(0.75)]
    same(model.evaluate(*arguments), tuple(run_module(before, arguments)))


MORE = {
    "functions in data types": """
    def @main(%n: int32, %x: float32) -> float32 {
      let %fs = Cons(fn (%v: float32) { %v * %x }, Cons(@double, Cons(fn (%v: float32) { %v - 1f }, Nil)));
      let %last = if (%n < 3) { @double } else { fn (%v: float32) { %v + %x } };
      let %r = ref(%last);
      ref_write(%r, fn (%v: float32) { %last(%v) * 0.5f });
      @foldl(fn (%v: float32, %f: fn (float32) -> float32) { %f(%v) }, 1f, %fs) + (ref_read(%r), %x).0(%x)
    }
    def @double(%v: float32) -> float32 { %v + %v }""",
    "functions of functions": """
    def @main(%n: int32, %x: float32) -> float32 {
      let %compose = fn (%f: fn (float32) -> float32, %g: fn (float32) -> float32) { fn (%v: float32) { %f(%g(%v)) } };
      let %power = fn (%i: int32, %f: fn (float32) -> float32) -> fn (float32) -> float32 {
        if (%i < 1) { fn (%v: float32) { %v } } else { %compose(%f, %power(%i - 1, %f)) }
      };
      %power(%n, fn (%v: float32) { %v * 0.5f + %x })(%x)
    }""",
}


@pytest.mark.parametrize("name", MORE)
def test_functions_that_depend_on_the_input(name):
    after = check(transform.Defunctionalization(), module(MORE[name], std=True))
    assert not any(isinstance(op, Fn | Global | Invoke) for op in after.walk())


def test_functions_that_leave_the_program_are_errors():
    with pytest.raises(UnsupportedError, match="@main takes or gives functions"):
        transform.Defunctionalization()(module("def @main(%x: float32) { fn (%y: float32) { %x + %y } }"))


def test_generic_functions_inside_of_others_are_errors():
    source = module("def @main(%x: float32) { let %f = fn [A](%y: A) -> A { %y }; (%f(%x), %f(1)) }")
    with pytest.raises(UnsupportedError, match="make it one of the module"):
        transform.Defunctionalization()(source)
    evaluated = transform.Defunctionalization()(transform.PartialEvaluate()(source))
    same(tuple(run_module(evaluated, floats(1.5))), (1.5, 1))
