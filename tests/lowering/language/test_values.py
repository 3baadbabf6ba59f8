"""The border of programs whose arguments or results are no tensors."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.language.programs import LIST, TREE, compiled, elements, floats, ints, list_of, same, scalar
from xrelay.errors import InputError, UnsupportedError
from xrelay.runtime.loader import load
from xrelay.runtime.values import ConstructorValue, FunctionValue, RefValue

REVERSE = (
    LIST
    + """
def @main(%l: List[(float32, Tensor[(2), bool])], %x: float32) -> List[(Tensor[(2), bool], float32)] {
  @reverse(%l, %x, Nil)
}
def @reverse(%l: List[(float32, Tensor[(2), bool])], %x: float32, %r: List[(Tensor[(2), bool], float32)])
    -> List[(Tensor[(2), bool], float32)] {
  match (%l) { Cons((%a, %b), %t) => @reverse(%t, %x, Cons((logical_not(%b), %a + %x), %r)), Nil => %r, }
}
"""
)


def pairs(count: int) -> list:
    return [(scalar(i), np.array([i % 2 == 0, True])) for i in range(count)]


@pytest.mark.parametrize("count", [0, 1, 3000])
def test_lists_of_tuples(count):
    model = compiled(REVERSE)
    result = model.evaluate(list_of(pairs(count)), scalar(0.5))
    same(result, [(~b, a + 0.5) for a, b in reversed(pairs(count))])


def test_a_data_type_of_data_types():
    text = (
        TREE
        + LIST
        + """
    def @main(%t: Tree[int32]) -> (int32, Tree[int32]) { match (%t) { Rose(%v, %ts) => (%v + 1, Rose(%v * 2, %ts)), } }
    """
    )
    leaf = ConstructorValue("Rose", (*ints(5), list_of([])))
    number, tree = compiled(text).evaluate(ConstructorValue("Rose", (*ints(7), list_of([leaf, leaf]))))
    assert number == 8
    assert tree.fields[0] == 14
    first, second = elements(tree.fields[1])
    assert first is second
    assert first.fields[0] == 5


def test_results_outlive_the_run():
    model = compiled(
        LIST + "def @main(%x: Tensor[(4), float32]) -> List[Tensor[(4), float32]] { Cons(%x, Cons(%x * 2f, Nil)) }"
    )
    x = np.arange(4, dtype=np.float32)
    results = [model.evaluate(x) for _ in range(3)]
    x[:] = -1
    for result in results:
        same(result, [np.float32([0, 1, 2, 3]), np.float32([0, 2, 4, 6])])


def test_references_and_functions():
    text = """
    def @main(%r: ref(float32)) -> (ref(float32), float32, fn (float32) -> float32) {
      let %old = ref_read(%r);
      ref_write(%r, %old + 1f);
      (%r, %old, fn (%v: float32) -> float32 { %v })
    }
    """
    cell, old, function = compiled(text).evaluate(RefValue(scalar(3)))
    assert (cell.value, old) == (4, 3)
    assert isinstance(function, FunctionValue)


def test_tuples_of_tensors_need_no_values():
    text = "def @main(%p: (float32, float32)) -> (float32, (float32, float32)) { (%p.0 + %p.1, %p) }"
    model = compiled(text)
    assert [spec.type for spec in model.signature.outputs] == ["float32[]"] * 3
    assert model.evaluate(tuple(floats(1, 2))) == (3, 1, 2)


def test_arguments_that_do_not_fit():
    model = compiled(REVERSE)
    with pytest.raises(InputError, match="takes 2"):
        model.evaluate(list_of([]))
    with pytest.raises(InputError, match=r"expected a value of List \(Cons or Nil\), given Leaf"):
        model.evaluate(ConstructorValue("Leaf"), scalar(1))
    with pytest.raises(InputError, match="expected a tuple of 2 fields, given a list of 1"):
        model.evaluate(list_of([[scalar(1)]]), scalar(1))
    with pytest.raises(InputError, match="Cons has 2 fields, given 1"):
        model.evaluate(ConstructorValue("Cons", (pairs(1)[0],)), scalar(1))
    with pytest.raises(InputError, match="float32"):
        model.evaluate(list_of([]), scalar(1, "float64"))
    with pytest.raises(UnsupportedError, match="evaluate"):
        model.run(list_of([]), scalar(1))


def test_a_function_cannot_be_handed_over():
    model = compiled("def @main(%f: fn (float32) -> float32) -> float32 { %f(1f) }")
    with pytest.raises(InputError, match="function"):
        model.evaluate(abs)


def test_a_saved_program_of_values(tmp_path):
    with load(compiled(REVERSE).save(tmp_path / "reverse.xrelay")) as model:
        same(model.evaluate(list_of(pairs(2)), scalar(1)), [(~b, a + 1) for a, b in reversed(pairs(2))])
    with load(compiled(REVERSE).export_library(tmp_path / "reverse.so")) as model:
        same(model.evaluate(list_of(pairs(2)), scalar(1)), [(~b, a + 1) for a, b in reversed(pairs(2))])
