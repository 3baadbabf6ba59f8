"""The debug executor runs all of the Relay language."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
import pytest

from tests.frontends.relay_text.forms import typed
from tests.lowering.graph.graph_utils import parse
from xrelay.errors import ExecutionError, InputError
from xrelay.frontends.relay_text.to_dialect import to_module
from xrelay.interpreters.executor import Executor, run_module
from xrelay.interpreters.language import Closure, ConstructorValue, RefValue

MANY = 20_000


def run(text: str, *arguments: Any, with_prelude: bool = False) -> Any:
    """What @main of a program gives."""
    (result,) = run_module(to_module(typed(text, with_prelude)), arguments)
    return result


def integer(value: int) -> np.ndarray:
    return np.array(value, np.int32)


def made_list(values: Sequence[Any]) -> ConstructorValue:
    nil = ConstructorValue("Nil", (), 1)
    return reduce(lambda tail, head: ConstructorValue("Cons", (head, tail), 0), reversed(values), nil)


def elements(value: ConstructorValue) -> list[Any]:
    found = []
    while value.constructor == "Cons":
        head, value = value.fields
        found.append(head)
    return found


NUMBERS = [integer(n) for n in (3, 1, 4, 1, 5)]

# Functions -----------------------------------------------------------------------------------------------------------


def test_closures_keep_the_values_around_them():
    text = """def @main(%x: int32) {
      let %add = fn (%y: int32) { fn (%z: int32) { %x * 100 + %y * 10 + %z } };
      let %f = %add(2);
      let %g = %add(5);
      (%f(3), %g(7), %f(4))
    }"""
    assert run(text, integer(1)) == (123, 157, 124)


def test_curried_calls():
    assert run("def @main(%x: int32) { (fn (%a: int32) { fn (%b: int32) { %a - %b } })(%x)(1) }", integer(9)) == 8


def test_functions_of_functions():
    text = """def @twice[A](%f: fn (A) -> A) -> fn (A) -> A { fn (%x: A) { %f(%f(%x)) } }
    def @inc(%x: int32) { %x + 1 }
    def @main(%x: int32) { (@twice(@twice)(@inc))(%x) }"""
    assert run(text, integer(0)) == 4


def test_recursive_functions():
    factorial = "let %f = fn (%n: int32) -> int32 { if (%n == 0) { 1 } else { %n * %f(%n - 1) } }; %f(%n)"
    assert run(f"def @main(%n: int32) -> int32 {{ {factorial} }}", integer(10)) == 3628800


@pytest.mark.parametrize("n", [0, 7, 10])
def test_mutual_recursion(n: int):
    text = """def @main(%n: int32) -> bool { @even(%n) }
    def @even(%n: int32) -> bool { if (%n == 0) { True } else { @odd(%n - 1) } }
    def @odd(%n: int32) -> bool { if (%n == 0) { False } else { @even(%n - 1) } }"""
    assert run(text, integer(n)) == (n % 2 == 0)


def test_a_recursive_closure_that_captures():
    text = """def @main(%n: int32, %step: int32) -> int32 {
      let %sum = fn (%i: int32) -> int32 { if (%i <= 0) { 0 } else { %i + %sum(%i - %step) } };
      %sum(%n)
    }"""
    assert run(text, integer(10), integer(3)) == 10 + 7 + 4 + 1


def test_generic_functions_at_several_types():
    text = """def @main(%x: float32) {
      let %pair = fn [A, B](%a: A, %b: B) -> (B, A) { (%b, %a) };
      (%pair(%x, 1), %pair(True, %x), @id(2))
    }
    def @id[A](%x: A) -> A { %x }"""
    assert run(text, np.float32(0.5)) == ((1, 0.5), (0.5, True), 2)


def test_only_what_is_needed_is_computed():
    """Without laziness in the branches these calls would not end."""
    text = """def @forever(%x: int32) -> int32 { @forever(%x + 1) }
    def @main(%x: int32) -> int32 { let %f = fn () { @forever(%x) }; if (%x > 0) { %x } else { %f() } }"""
    assert run(text, integer(1)) == 1


# Data types ----------------------------------------------------------------------------------------------------------


def prelude(text: str, *arguments: Any) -> Any:
    return run(text, *arguments, with_prelude=True)


def test_lists():
    text = """def @main(%xs: List[int32]) {
      let %double = fn (%x: int32) { %x * 2 };
      (@map(%double, %xs), @rev(%xs), @length(%xs), @concat(%xs, %xs), @filter(fn (%x: int32) { %x > 2 }, %xs))
    }"""
    mapped, reverse, length, twice, large = prelude(text, made_list(NUMBERS))
    assert elements(mapped) == [6, 2, 8, 2, 10]
    assert elements(reverse) == [5, 1, 4, 1, 3]
    assert length == 5
    assert elements(twice) == [3, 1, 4, 1, 5] * 2
    assert elements(large) == [3, 4, 5]


def test_folds_associate_as_they_say():
    text = """def @main(%xs: List[int32]) {
      let %minus = fn (%a: int32, %b: int32) { %a - %b };
      (@foldl(%minus, 100, %xs), @foldr(%minus, 100, %xs))
    }"""
    left, right = prelude(text, made_list(NUMBERS))
    assert left == 100 - 3 - 1 - 4 - 1 - 5
    assert right == 3 - (1 - (4 - (1 - (5 - 100))))


def test_constructors_as_functions():
    result = prelude("def @main(%xs: List[int32]) { @foldr(Cons, Nil, %xs) }", made_list(NUMBERS))
    assert elements(result) == NUMBERS


def test_options_and_trees():
    text = """def @sum_tree(%t: Tree[int32]) -> int32 {
      match (%t) { Rose(%x, %below) => @foldl(fn (%a: int32, %b: int32) { %a + %b }, %x, @map(@sum_tree, %below)) }
    }
    def @main(%o: Option[int32]) {
      let %leaf = fn (%x: int32) { Rose(%x, Nil) };
      let %tree = Rose(1, Cons(%leaf(2), Cons(Rose(3, Cons(%leaf(4), Nil)), Nil)));
      (match (%o) { Some(%x) => %x, None => -1 }, @sum_tree(%tree), @size(%tree))
    }"""
    some, none = ConstructorValue("Some", (integer(7),), 0), ConstructorValue("None", (), 1)
    assert prelude(text, some) == (7, 10, 4)
    assert prelude(text, none) == (-1, 10, 4)


@pytest.mark.parametrize(
    ("values", "option", "expected"),
    [([1, 2, 3], True, 1 + 2 + 10), ([1, 2], False, 1), ([1], True, 1), ([], True, 0)],
)
def test_nested_patterns(values: list[int], option: bool, expected: int):
    text = """def @main(%p: (List[int32], Option[int32])) {
      match (%p) { (Cons(%a, Cons(%b, _)), Some(%c)) => %a + %b + %c, (Cons(%a, _), _) => %a, _ => 0 }
    }"""
    chosen = ConstructorValue("Some", (integer(10),), 0) if option else ConstructorValue("None", (), 1)
    assert prelude(text, (made_list([integer(v) for v in values]), chosen)) == expected


def test_tags_are_the_numbers_of_the_constructors():
    cons, some = prelude("def @main() { (Cons(1, Nil), Some(1)) }")
    assert (cons.tag, cons.fields[1].tag, some.tag) == (0, 1, 0)


def test_a_match_that_nothing_fits():
    with pytest.raises(ExecutionError, match=r"no clause of the match at .* fits ConstructorValue\(Nil, 0 fields\)"):
        prelude("def @main(%xs: List[int32]) { match? (%xs) { Cons(%x, _) => %x } }", made_list([]))


# References ----------------------------------------------------------------------------------------------------------


def test_references():
    text = """def @main(%x: int32) {
      let %r = ref(%x);
      let %before = ref_read(%r);
      ref_write(%r, %x * 10);
      (%before, ref_read(%r), ref_write(%r, 5), ref_read(%r))
    }"""
    assert run(text, integer(2)) == (2, 20, (), 5)


def test_a_counter_is_its_own():
    text = """def @counter() { let %r = ref(0); fn () { ref_write(%r, ref_read(%r) + 1); ref_read(%r) } }
    def @main() { let %a = @counter(); let %b = @counter(); (%a(), %a(), %b(), %a()) }"""
    assert run(text) == (1, 2, 1, 3)


def test_the_parts_of_an_expression_are_evaluated_from_left_to_right():
    text = """def @main() {
      let %r = ref(1);
      let %next = fn (%factor: int32) { ref_write(%r, ref_read(%r) * 10 + %factor); ref_read(%r) };
      let %ignored = (%next(2), %next(3) - %next(4), if (%next(5) > 0) { %next(6) } else { %next(7) });
      ref_read(%r)
    }"""
    assert run(text) == 123456


def test_only_the_clause_that_fits_has_effects():
    text = """def @main(%o: Option[int32]) {
      let %r = ref(0);
      let %x = match (%o) { Some(%v) => ref_write(%r, %v), None => ref_write(%r, 100) };
      ref_read(%r)
    }"""
    assert prelude(text, ConstructorValue("Some", (integer(3),), 0)) == 3


# Depth ---------------------------------------------------------------------------------------------------------------


def test_a_fold_over_a_long_list():
    text = """def @range(%n: int32, %done: List[int32]) -> List[int32] {
      if (%n == 0) { %done } else { @range(%n - 1, Cons(%n, %done)) }
    }
    def @main(%n: int32) { @foldl(fn (%a: int32, %b: int32) { %b - %a }, 0, @range(%n, Nil)) }"""
    assert prelude(text, integer(MANY)) == MANY // 2


def test_deep_recursion_that_is_no_tail_call():
    text = "def @main(%n: int32) -> int32 { if (%n == 0) { 0 } else { 1 + @main(%n - 1) } }"
    assert run(text, integer(30_000)) == 30_000


def test_tail_calls_take_no_room():
    module = to_module(typed("def @main(%n: int32) -> int32 { if (%n == 0) { 0 } else { @main(%n - 1) } }"))
    run_module(module, [integer(1)])
    tracemalloc.start()
    try:
        run_module(module, [integer(10_000)])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 500_000, "10,000 frames take more than 2 MB"


# Values across the border --------------------------------------------------------------------------------------------


def test_function_values_can_be_called_from_outside():
    executor = Executor(to_module(typed("def @main(%x: int32) { (fn (%y: int32) { %x - %y }, Some) }", True)))
    ((closure, constructor),) = executor.call("main", [integer(9)])
    assert executor.apply(closure, [integer(4)]) == 5
    assert executor.apply(constructor, [integer(4)]).fields == (4,)
    with pytest.raises(InputError, match="cannot take 2 arguments"):
        executor.apply(closure, [integer(1), integer(2)])
    with pytest.raises(InputError, match="is no function"):
        executor.apply(integer(1), [])


def test_function_values_and_references_as_arguments():
    text = """def @main(%f: fn (int32) -> int32) { %f(1) }
    def @two(%x: int32) { fn (%y: int32) { %x + %y } }"""
    executor = Executor(to_module(typed(text)))
    (closure,) = executor.call("two", [integer(2)])
    assert isinstance(closure, Closure)
    assert executor.call("main", [closure]) == [3]
    cell = RefValue(integer(1))
    run_module(
        parse(
            "func.func @main(%r: !relay.ref<tensor<i32>>, %x: tensor<i32>) {"
            "%u = relay.ref_write %r, %x : (!relay.ref<tensor<i32>>, tensor<i32>) -> tuple<> func.return }"
        ),
        [cell, integer(8)],
    )
    assert cell.value == 8


@pytest.mark.parametrize(
    ("parameter", "argument", "message"),
    [
        ("(int32, bool)", (integer(1),), r"argument 0 of @main must be a tuple of 2 fields"),
        ("(int32, bool)", (integer(1), integer(1)), r"field 1 of argument 0 of @main must be bool of shape \(\)"),
        ("List[int32]", integer(1), "must be a value of List"),
        ("List[int32]", ConstructorValue("Some", (), 0), r"must be a value of List, got ConstructorValue\(Some"),
        ("fn (int32) -> int32", integer(1), "must be a function"),
    ],
)
def test_arguments_are_checked(parameter: str, argument: Any, message: str):
    with pytest.raises(InputError, match=message):
        prelude(f"def @main(%x: {parameter}) {{ 1 }}", argument)
