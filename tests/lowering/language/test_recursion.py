"""Recursion and choices: loops, calls that wait, calls that do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.lowering.language.programs import agree, compiled, floats, ints, scalar
from xrelay.errors import ExecutionError

FACTORIAL = """
def @main(%n: int64) -> int64 { @factorial(%n) }
def @factorial(%n: int64) -> int64 {
  if (%n <= 1i64) { 1i64 } else { %n * @factorial(%n - 1i64) }
}
"""

EVEN = """
def @main(%n: int32) -> bool { @even(%n) }
def @even(%n: int32) -> bool { if (equal(%n, 0)) { True } else { @odd(%n - 1) } }
def @odd(%n: int32) -> bool { if (equal(%n, 0)) { False } else { @even(%n - 1) } }
"""

POWER = """
def @main(%n: int32, %x: Tensor[(3, 3), float32]) -> Tensor[(3, 3), float32] {
  let %loop = fn (%i: int32, %y: Tensor[(3, 3), float32]) -> Tensor[(3, 3), float32] {
    if (%i < %n) { %loop(%i + 1, nn.relu(nn.dense(%y, %x) * 0.5f)) } else { %y }
  };
  %loop(0, %x)
}
"""


@pytest.mark.parametrize("n", [0, 1, 5, 20])
def test_factorial(n):
    agree(FACTORIAL, [scalar(n, "int64")], math.factorial(n))


def test_two_functions_that_call_each_other_take_no_stack():
    agree(EVEN, ints(7), False)
    agree(EVEN, ints(2_000_000), True, debug=False)


def test_a_loop_over_tensors():
    x = np.random.default_rng(0).uniform(0, 1, (3, 3)).astype(np.float32)
    expected = x
    for _ in range(10):
        expected = np.maximum(expected @ x.T * 0.5, 0)
    agree(POWER, [*ints(10), x], expected)


def test_a_loop_over_a_tuple_that_swaps_its_fields():
    text = """
    def @main(%n: int32, %a: Tensor[(2), float32], %b: Tensor[(2), float32])
        -> (Tensor[(2), float32], Tensor[(2), float32]) {
      @loop(%n, (%a, %b))
    }
    def @loop(%n: int32, %p: (Tensor[(2), float32], Tensor[(2), float32]))
        -> (Tensor[(2), float32], Tensor[(2), float32]) {
      if (equal(%n, 0)) { %p } else { @loop(%n - 1, (%p.1, %p.0 + %p.1)) }
    }
    """
    a, b = np.float32([1, 2]), np.float32([3, 5])
    x, y = a, b
    for _ in range(9):
        x, y = y, x + y
    agree(text, [*ints(9), a, b], (x, y))


def test_calls_inside_of_loops_and_loops_inside_of_calls():
    text = """
    def @main(%n: int32) -> int32 { @outer(%n, 0) }
    def @outer(%i: int32, %sum: int32) -> int32 {
      if (equal(%i, 0)) { %sum } else { @outer(%i - 1, %sum + @inner(%i, 0) * @fibonacci(%i)) }
    }
    def @inner(%j: int32, %sum: int32) -> int32 {
      if (equal(%j, 0)) { %sum } else { @inner(%j - 1, %sum + %j) }
    }
    def @fibonacci(%n: int32) -> int32 {
      if (%n < 2) { %n } else { @fibonacci(%n - 1) + @fibonacci(%n - 2) }
    }
    """
    fibonacci = [0, 1]
    while len(fibonacci) < 9:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    agree(text, ints(8), sum(i * (i + 1) // 2 * fibonacci[i] for i in range(1, 9)))


def test_nested_choices_give_tuples_and_tensors():
    text = """
    def @main(%a: float32, %b: float32) -> (float32, (float32, float32)) {
      let %p = if (%a < %b) { (%a, (%b, %a)) } else { if (equal(%a, %b)) { (0f, (0f, 0f)) } else { (%b, (%a, %b)) } };
      (%p.0, (%p.1.0, %p.1.1 + 1f))
    }
    """
    agree(text, floats(1, 2), (1, 2, 2))
    agree(text, floats(2, 2), (0, 0, 1))
    agree(text, floats(3, 2), (2, 3, 3))


def test_tuple_arguments_are_taken_apart():
    text = "def @main(%p: (float32, (float32, float32))) -> float32 { %p.0 + %p.1.0 * %p.1.1 }"
    model = compiled(text)
    assert model.input_names == ("p.0", "p.1.0", "p.1.1")
    assert model.run(*floats(1, 2, 3)) == [7]


def test_recursion_without_an_end_stops():
    text = "def @main(%n: int32) -> int32 { @f(%n) } def @f(%n: int32) -> int32 { @f(%n + 1) + 1 }"
    model = compiled(text)
    for _ in range(2):
        with pytest.raises(ExecutionError, match="recursion is too deep"):
            model.run(*ints(0))


def test_recursion_may_be_deep():
    text = "def @main(%n: int32) -> int32 { @f(%n) }"
    model = compiled(text + " def @f(%n: int32) -> int32 { if (%n < 1) { 0 } else { @f(%n - 1) + 1 } }")
    assert model.run(*ints(500_000)) == [500_000]
