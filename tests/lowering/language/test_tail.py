"""Which programs need a stack of their own, and which functions are loops."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp

from tests.lowering.language.programs import LIST, module
from xrelay.dialects.relay.language import Fn
from xrelay.lowering.language.loop import moving_arguments
from xrelay.lowering.language.tail import needs_stack

LOOP = """
def @main(%n: int32, %x: float32) -> float32 { @loop(%n, %x, %x) + 1f }
def @loop(%n: int32, %x: float32, %y: float32) -> float32 { if (%n < 1) { %x } else { @loop(%n - 1, %x + %y, %y) } }
"""
CASES = {
    "a loop": (LOOP, False),
    "a closure that is a loop": (
        """
        def @main(%n: int32) -> int32 {
          let %loop = fn (%i: int32) -> int32 { if (%i < 1) { %n } else { %loop(%i - 1) } };
          %loop(%n) + 1
        }
        """,
        False,
    ),
    "recursion that waits": ("def @main(%n: int32) -> int32 { if (%n < 1) { 0 } else { @main(%n - 1) + 1 } }", True),
    "recursion that waits in another function": (
        """
        def @main(%n: int32) -> int32 { if (%n < 1) { 0 } else { @more(%n) } }
        def @more(%n: int32) -> int32 { 1 + @main(%n - 1) }
        """,
        True,
    ),
    "an unknown function": ("def @main(%f: fn (int32) -> int32, %n: int32) -> int32 { %f(%n) + 1 }", True),
    "an unknown function, last": ("def @main(%f: fn (int32) -> int32, %n: int32) -> int32 { %f(%n + 1) }", False),
}


def functions(text: str) -> list[FuncOp]:
    return [op for op in module(text).body.ops if isinstance(op, FuncOp)]


@pytest.mark.parametrize("case", CASES)
def test_needs_stack(case):
    text, expected = CASES[case]
    assert needs_stack(functions(text)) == expected


def test_the_arguments_that_change():
    main, loop = functions(LOOP)
    assert list(moving_arguments(loop) or ()) == [0, 1]
    assert not moving_arguments(main)


def test_lists_that_change_make_no_loop():
    text = (
        LIST
        + """
    def @main(%l: List[int32], %n: int32) -> int32 {
      match (%l) { Cons(%h, %t) => @main(%t, %n + %h), Nil => %n, }
    }
    """
    )
    (main,) = functions(text)
    assert moving_arguments(main) is None


def test_the_function_of_a_let_is_its_own_loop():
    (main,) = functions(CASES["a closure that is a loop"][0])
    (loop,) = [op for op in main.walk() if isinstance(op, Fn)]
    assert list(moving_arguments(loop) or ()) == [0]
