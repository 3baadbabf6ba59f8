"""Programs that the passes of the language are tried on, and the comparison of what they compute."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tests.lowering.language.programs import floats, ints, module, same
from xrelay.interpreters.executor import run_module
from xrelay.transform import Pass

PROGRAMS = {
    "closures": """
    def @main(%n: int32, %x: float32) {
      let %k = %x * 2f;
      let %add = fn (%a: float32) { fn (%b: float32) { %a * %k + %b + 3f } };
      let %twice = fn (%f: fn (float32) -> float32) { fn (%v: float32) { %f(%f(%v)) } };
      (%add(%x)(%add(1f)(%k)), %twice(%twice(%add(%x)))(1f), %twice(@double)(%x))
    }
    def @double(%x: float32) -> float32 { %x + %x }""",
    "choices": """
    def @main(%n: int32, %x: float32) {
      %0 = exp(%x);
      let %y = if (%n < 3) { %0 } else { if (%n == 3) { %0 * 2f } else { %x } };
      let %z = if (True) { %y + %0 } else { %x };
      (%z, (%y, %x).0)
    }""",
    "recursion": """
    def @main(%n: int32, %x: float32) {
      let %loop = fn (%i: int32, %v: float32) -> float32 { if (%i < 1) { %v } else { %loop(%i - 1, %v * 1.5f) } };
      (%loop(%n, %x), %loop(3, %x), @even(4), @even(%n))
    }
    def @even(%i: int32) -> bool { if (%i == 0) { True } else { @odd(%i - 1) } }
    def @odd(%i: int32) -> bool { if (%i == 0) { False } else { @even(%i - 1) } }""",
    "references": """
    def @main(%n: int32, %x: float32) {
      let %r = ref(%x);
      let %bump = fn (%by: float32) { ref_write(%r, ref_read(%r) * 2f + %by); ref_read(%r) };
      let %a = %bump(1f);
      if (%n > 2) { ref_write(%r, %a + %x) } else { () };
      let %unused = %bump(%a);
      let %cells = (ref(%a), %r);
      ref_write(%cells.1, ref_read(%cells.1) + 1f);
      (%a, ref_read(%r), ref_read(%cells.0), %bump(2f), %bump(3f))
    }""",
    "data types": """
    def @main(%n: int32, %x: float32) {
      let %add = fn (%a: float32, %b: float32) { %a + %b };
      let %xs = Cons(%x, Cons(%x * 2f, Cons(1f, Nil)));
      let %first = match (%xs) { Cons(%a, Cons(%b, _)) => %a * 2f - %b, _ => %x };
      let %some = @map(Some, %xs);
      let %rest = if (%n < 3) { %xs } else { Nil };
      (%first, @foldl(%add, 0f, %xs), @length(%some), @sum_all(@map(@id, %rest)), @length(@iterate(@push, %n)(Nil)))
    }
    def @push(%xs: List[float32]) -> List[float32] { Cons(1f, %xs) }
    def @sum_all(%xs: List[float32]) -> float32 { match (%xs) { Cons(%h, %t) => %h + @sum_all(%t), Nil => 0f } }""",
    "several results": """
    def @main(%n: int32, %x: float32) {
      %0 = split(ones(shape=[4], dtype="float32") * %x, indices_or_sections=2);
      let %f = fn () { %0.1 };
      (%0.0, %f())
    }""",
    "unknown sizes": """
    def @main(%n: int32, %x: float32) {
      let %v = stack((%x, %x), axis=0);
      let %f = fn (%a: Tensor[(?), float32]) -> Tensor[(?), float32] { concatenate((%a, %v)) };
      let %grow = fn (%i: int32, %a: Tensor[(?), float32]) -> Tensor[(?), float32] {
        if (%i < 1) { %a } else { %grow(%i - 1, %f(%a)) }
      };
      (sum(%grow(2, %v)), sum(%grow(%n, %v)))
    }""",
}


def program(name: str) -> ModuleOp:
    return module(PROGRAMS[name], std=True)


def results(module: ModuleOp, seed: int) -> list[Any]:
    """What @main gives for random arguments."""
    rng = np.random.default_rng(seed)
    return run_module(module, [*ints(int(rng.integers(0, 6))), *floats(float(rng.standard_normal()))])


def check(pass_: Pass, before: ModuleOp) -> ModuleOp:
    """The module behind a pass: it computes the same, a second run leaves it, and the module before is as it was."""
    text = str(before)
    after = pass_(before)
    assert str(before) == text
    after.verify()
    assert str(pass_(after)) == str(after)
    for seed in range(4):
        same(tuple(results(after, seed)), tuple(results(before, seed)))
    return after
