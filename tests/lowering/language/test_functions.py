"""Functions as values: closures, functions that take and give functions, generic ones."""

from __future__ import annotations

import numpy as np

from tests.lowering.language.programs import LIST, agree, applied, floats, ints


def test_a_closure_captures_what_is_around_it():
    text = """
    def @main(%x: float32, %y: float32) -> float32 {
      let %scale = fn (%k: float32) { fn (%v: float32) { %k * %v + %x } };
      let %double = %scale(2f);
      %double(%double(%y)) + %scale(%y)(%x)
    }
    """
    x, y = 3.0, 5.0
    agree(text, floats(x, y), 2 * (2 * y + x) + x + (y * x + x))


def test_functions_of_functions():
    text = """
    def @main(%n: int32, %x: float32) -> float32 {
      let %step = fn (%v: float32) { %v * 0.5f + 1f };
      @repeat(%step, %n)(%x) + @twice(@twice(%step))(%x)
    }
    def @compose(%f: fn (float32) -> float32, %g: fn (float32) -> float32) -> fn (float32) -> float32 {
      fn (%v: float32) -> float32 { %f(%g(%v)) }
    }
    def @twice(%f: fn (float32) -> float32) -> fn (float32) -> float32 { @compose(%f, %f) }
    def @repeat(%f: fn (float32) -> float32, %n: int32) -> fn (float32) -> float32 {
      if (%n < 1) { fn (%v: float32) -> float32 { %v } } else { @compose(%f, @repeat(%f, %n - 1)) }
    }
    """

    def step(v):
        return v * 0.5 + 1

    agree(text, [*ints(5), *floats(8)], applied(step, 5, 8.0) + applied(step, 4, 8.0))


def test_a_choice_between_functions():
    text = """
    def @main(%c: bool, %x: float32) -> float32 {
      let %f = if (%c) { fn (%v: float32) { %v + %x } } else { fn (%v: float32) { %v * %x } };
      %f(10f)
    }
    """
    agree(text, [np.array(True), *floats(3)], 13)
    agree(text, [np.array(False), *floats(3)], 30)


def test_functions_in_tuples_and_lists():
    text = (
        LIST
        + """
    def @main(%x: float32) -> float32 {
      let %pair = (fn (%v: float32) { %v + %x }, fn (%v: float32) { %v * %x });
      let %all = Cons(%pair.0, Cons(%pair.1, Cons(%pair.0, Nil)));
      @apply(%all, 1f)
    }
    def @apply(%fs: List[fn (float32) -> float32], %v: float32) -> float32 {
      match (%fs) { Cons(%f, %rest) => @apply(%rest, %f(%v)), Nil => %v, }
    }
    """
    )
    agree(text, floats(4), (1 + 4) * 4 + 4)


def test_a_recursive_closure_with_captures_in_a_recursive_closure():
    text = """
    def @main(%n: int32, %x: float32) -> float32 {
      let %outer = fn (%i: int32, %sum: float32) -> float32 {
        if (equal(%i, 0)) { %sum } else {
          let %inner = fn (%j: int32, %v: float32) -> float32 {
            if (equal(%j, %i)) { %v } else { %inner(%j + 1, %v * %x) }
          };
          %outer(%i - 1, %sum + %inner(0, 1f))
        }
      };
      %outer(%n, 0f)
    }
    """
    agree(text, [*ints(6), *floats(1.5)], sum(1.5**i for i in range(1, 7)))


def test_one_generic_function_serves_all_types():
    text = """
    def @main(%a: Tensor[(2), float32], %b: int32) -> (Tensor[(2), float32], int32, int32) {
      let %p = @swap((%b, %a));
      (@id(%p.0), @id(%p.1), @id(@id)(%b))
    }
    def @id[A](%v: A) -> A { %v }
    def @swap[A, B](%p: (A, B)) -> (B, A) { (%p.1, %p.0) }
    """
    agree(text, [np.float32([1, 2]), *ints(7)], (np.float32([1, 2]), 7, 7))


def test_a_global_function_and_a_constructor_as_values():
    text = (
        LIST
        + """
    def @main(%x: float32, %y: float32) -> float32 {
      let %f = @add3;
      let %list = @build(Cons, Cons(%x, Nil), %y);
      %f(@head(%list), %x, %y)
    }
    def @add3(%a: float32, %b: float32, %c: float32) -> float32 { %a + %b * %c }
    def @build(%f: fn (float32, List[float32]) -> List[float32], %l: List[float32], %v: float32)
        -> List[float32] { %f(%v, %l) }
    def @head(%l: List[float32]) -> float32 { match? (%l) { Cons(%h, _) => %h, } }
    """
    )
    agree(text, floats(2, 3), 3 + 2 * 3)


def test_weights_inside_of_functions():
    text = """
    def @main(%n: int32, %x: Tensor[(2, 4), float32], %w: Tensor[(4, 4), float32]) -> Tensor[(2, 4), float32] {
      let %layer = fn (%v: Tensor[(2, 4), float32]) { tanh(nn.dense(%v, %w)) };
      @repeat(%layer, %n, %x)
    }
    def @repeat[A](%f: fn (A) -> A, %n: int32, %v: A) -> A { if (%n < 1) { %v } else { @repeat(%f, %n - 1, %f(%v)) } }
    """
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 4), (4, 4)))
    agree(text, [*ints(4), x, w], applied(lambda v: np.tanh(v @ w.T), 4, x))
