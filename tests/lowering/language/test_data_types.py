"""Data types and match: lists, trees, options, nested patterns."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.language.programs import LIST, TREE, agree, compiled, floats, ints
from xrelay.errors import ExecutionError

BUILD = (
    LIST
    + """
def @build(%n: int32, %l: List[Tensor[(2), float32]]) -> List[Tensor[(2), float32]] {
  if (equal(%n, 0)) { %l } else {
    let %v = cast(%n, dtype="float32");
    @build(%n - 1, Cons(stack((%v, negative(%v)), axis=0), %l))
  }
}
def @foldl[A, B](%f: fn (A, B) -> A, %acc: A, %l: List[B]) -> A {
  match (%l) { Cons(%h, %t) => @foldl(%f, %f(%acc, %h), %t), Nil => %acc, }
}
def @foldr[A, B](%f: fn (B, A) -> A, %acc: A, %l: List[B]) -> A {
  match (%l) { Cons(%h, %t) => %f(%h, @foldr(%f, %acc, %t)), Nil => %acc, }
}
def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] {
  match (%l) { Cons(%h, %t) => Cons(%f(%h), @map(%f, %t)), Nil => Nil, }
}
"""
)

FOLDS = (
    BUILD
    + """
def @main(%n: int32, %zero: Tensor[(2), float32]) -> (Tensor[(2), float32], Tensor[(2), float32]) {
  let %list = @map(fn (%v: Tensor[(2), float32]) { %v * 2f }, @build(%n, Nil));
  let %f = fn (%a: Tensor[(2), float32], %b: Tensor[(2), float32]) { %a + %b };
  (@foldl(%f, %zero, %list), @foldr(%f, %zero, %list))
}
"""
)


def test_folds_over_a_list():
    total = 2 * sum(range(1, 31))
    agree(FOLDS, [*ints(30), np.zeros(2, np.float32)], (np.float32([total, -total]),) * 2)


@pytest.mark.parametrize("opt_level", [0, 3])
def test_folds_over_a_list_of_100000_tensors(opt_level):
    left, right = compiled(FOLDS, opt_level).run(*ints(100_000), np.zeros(2, np.float32))
    up, down = np.arange(1, 100_001, dtype=np.float32), np.arange(100_000, 0, -1, dtype=np.float32)
    np.testing.assert_allclose(left[0], np.add.accumulate(2 * up)[-1], rtol=1e-6)
    np.testing.assert_allclose(right[1], -np.add.accumulate(2 * down)[-1], rtol=1e-6)


def test_a_tree_with_lists_of_trees():
    text = (
        TREE
        + BUILD
        + """
    def @main(%depth: int32, %width: int32) -> float32 { @total(@grow(%depth, %width)) }
    def @grow(%depth: int32, %width: int32) -> Tree[float32] {
      Rose(cast(%depth, dtype="float32"), if (equal(%depth, 0)) { Nil } else { @children(%width, %depth - 1, %width) })
    }
    def @children(%n: int32, %depth: int32, %width: int32) -> List[Tree[float32]] {
      if (equal(%n, 0)) { Nil } else { Cons(@grow(%depth, %width), @children(%n - 1, %depth, %width)) }
    }
    def @total(%t: Tree[float32]) -> float32 {
      match (%t) { Rose(%v, %ts) => @foldl(fn (%a: float32, %u: Tree[float32]) { %a + @total(%u) }, %v, %ts), }
    }
    """
    )
    agree(text, ints(4, 3), sum((4 - level) * 3**level for level in range(5)))


NESTED = (
    LIST
    + """
type Option[A] { Some(A), None, }
def @main(%n: int32) -> int32 {
  let %list = if (equal(%n, 0)) { Nil } else {
    if (equal(%n, 1)) { Cons((Some(5), 1), Nil) } else {
      if (equal(%n, 2)) { Cons((None, 2), Cons((Some(7), 3), Nil)) } else { Cons((None, 4), Nil) }
    }
  };
  @pick(%list)
}
def @pick(%l: List[(Option[int32], int32)]) -> int32 {
  match (%l) {
    Nil => -1,
    Cons((Some(%v), %k), Nil) => %v * 10 + %k,
    Cons((None, %a), Cons((Some(%b), _), _)) => %a * 100 + %b,
    %other => @length(%other),
  }
}
def @length[A](%l: List[A]) -> int32 { match (%l) { Nil => 0, Cons(_, %t) => 1 + @length(%t), } }
"""
)


@pytest.mark.parametrize(("n", "expected"), [(0, -1), (1, 51), (2, 207), (3, 1)])
def test_nested_patterns(n, expected):
    agree(NESTED, ints(n), expected)


def test_a_value_that_no_clause_fits_stops_the_run():
    text = (
        LIST
        + """
    def @main(%c: bool, %x: float32) -> float32 {
      let %l = if (%c) { Cons(%x, Nil) } else { Nil };
      match? (%l) { Cons(%h, _) => %h + 1f, }
    }
    """
    )
    for opt_level in (0, 3):
        model = compiled(text, opt_level)
        assert model.run(np.array(True), *floats(1)) == [2]
        with pytest.raises(ExecutionError, match="no clause of the match"):
            model.run(np.array(False), *floats(1))


def test_the_prelude():
    text = """
    def @main(%x: float32, %y: float32) -> (float32, int32, float32) {
      let %l = @rev(@concat(Cons(%x, Nil), Cons(%y, Cons(%x, Nil))));
      let %doubled = @map(fn (%v: float32) { %v + %v }, %l);
      let %big = @filter(fn (%v: float32) { greater(%v, 5f) }, %doubled);
      (@sum_all(%doubled), @length(%big), @nth(%l, 1))
    }
    def @sum_all(%l: List[float32]) -> float32 { @foldl(fn (%a: float32, %b: float32) { %a + %b }, 0f, %l) }
    """
    agree(text, floats(2, 3), (14, 1, 3), std=True)
