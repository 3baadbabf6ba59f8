"""Programs as text: compiled, interpreted, and what they should give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from xrelay.compiler import build
from xrelay.frontends.relay_text.infer import infer_types
from xrelay.frontends.relay_text.parser import parse
from xrelay.frontends.relay_text.prelude import prelude
from xrelay.frontends.relay_text.to_dialect import to_module
from xrelay.interpreters.executor import run_module
from xrelay.runtime.model import CompiledModel
from xrelay.runtime.values import ConstructorValue

LIST = "type List[A] { Cons(A, List[A]), Nil, }\n"
TREE = "type Tree[A] { Rose(A, List[Tree[A]]), }\n"


def module(text: str, std: bool = False, flatten: bool = True) -> ModuleOp:
    """The module of a Relay text without its header; with `std`, it may use the prelude."""
    program = parse('#[version = "0.0.5"]\n' + text, init_module=prelude() if std else None)
    return to_module(infer_types(program), flatten_main=flatten)


def compiled(text: str, opt_level: int = 3, num_threads: int = 1, std: bool = False) -> CompiledModel:
    return CompiledModel(build(module(text, std), opt_level=opt_level), num_threads)


def agree(text: str, arguments: Iterable[Any], expected: Any, std: bool = False, debug: bool = True) -> None:
    """Compiled at both ends of the opt levels, with one and two threads, and interpreted, @main gives `expected`.

    `debug` is for programs that the interpreter is too slow for.
    """
    source, arguments = module(text, std), list(arguments)
    if debug:
        found = run_module(source.clone(), arguments)
        same(found[0] if len(found) == 1 else tuple(found), expected)
    for opt_level in (0, 3):
        artifact = build(source.clone(), opt_level=opt_level)
        for num_threads in (1, 2):
            with CompiledModel(artifact, num_threads) as model:
                same(model.evaluate(*arguments), expected)


def same(found: Any, expected: Any) -> None:
    """Both are the same value: nested tuples, lists as Python lists, arrays up to rounding."""
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        assert len(found) == len(expected)
        for field, wanted in zip(found, expected, strict=True):
            same(field, wanted)
    elif isinstance(expected, list):
        items = elements(found)
        assert len(items) == len(expected)
        for item, wanted in zip(items, expected, strict=True):
            same(item, wanted)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def elements(value: Any) -> list[Any]:
    """The elements of a `List` value."""
    found = []
    while value.constructor == "Cons":
        head, value = value.fields
        found.append(head)
    assert value.constructor == "Nil"
    return found


def list_of(items: Iterable[Any]) -> ConstructorValue:
    """A `List` value."""
    result = ConstructorValue("Nil")
    for item in reversed(list(items)):
        result = ConstructorValue("Cons", (item, result))
    return result


def scalar(number: float, dtype: str = "float32") -> np.ndarray:
    return np.array(number, dtype)


def ints(*numbers: int) -> list[np.ndarray]:
    return [scalar(number, "int32") for number in numbers]


def floats(*numbers: float) -> list[np.ndarray]:
    return [scalar(number) for number in numbers]


def applied(function: Callable[[Any], Any], count: int, start: Any) -> Any:
    """The function, applied `count` times."""
    for _ in range(count):
        start = function(start)
    return start
