"""The prelude: its types, and what its functions compute on Python's values."""

from __future__ import annotations

import functools
import itertools

import pytest

from xrelay.frontends.relay_text import expr as e
from xrelay.frontends.relay_text.parser import parse
from xrelay.frontends.relay_text.prelude import prelude

PRELUDE = prelude()
CONSTRUCTORS = {c.name_hint: c for data in PRELUDE.type_definitions.values() for c in data.constructors}
ARITHMETIC = {"add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "equal": lambda a, b: a == b}


def evaluate(expr, env):
    """The value: a Python number, tuple or function, or (constructor, fields) for an ADT."""
    match expr:
        case e.Constant():
            return expr.data.item()
        case e.Var():
            return env[expr]
        case e.GlobalVar():
            return function(expr.name_hint)
        case e.Constructor():
            return lambda *fields: (expr.name_hint, fields)
        case e.Tuple():
            return tuple(evaluate(field, env) for field in expr.fields)
        case e.TupleGetItem():
            return evaluate(expr.tuple_value, env)[expr.index]
        case e.Let():
            inner = dict(env)
            inner[expr.var] = evaluate(expr.value, inner)
            return evaluate(expr.body, inner)
        case e.Function():
            return lambda *args: evaluate(expr.body, env | dict(zip(expr.params, args, strict=True)))
        case e.If():
            return evaluate(expr.true_branch if evaluate(expr.cond, env) else expr.false_branch, env)
        case e.Call():
            args = [evaluate(arg, env) for arg in expr.args]
            return ARITHMETIC[expr.op.name](*args) if isinstance(expr.op, e.Op) else evaluate(expr.op, env)(*args)
        case e.Match():
            data = evaluate(expr.data, env)
            bound = next((b for clause in expr.clauses if (b := matched(clause.lhs, data)) is not None), None)
            clause = next(clause for clause in expr.clauses if matched(clause.lhs, data) is not None)
            return evaluate(clause.rhs, env | bound)
    raise NotImplementedError(expr)


def matched(pattern, value):
    """The variables that the pattern binds; None where it does not take the value."""
    match pattern:
        case e.PatternWildcard():
            return {}
        case e.PatternVar(var):
            return {var: value}
        case e.PatternConstructor(constructor, patterns) if constructor.name_hint != value[0]:
            return None
        case e.PatternConstructor(_, patterns):
            value = value[1]
        case e.PatternTuple(patterns):
            pass
    found = [matched(inner, part) for inner, part in zip(patterns, value, strict=True)]
    return None if None in found else functools.reduce(dict.__or__, found, {})


def function(name):
    return evaluate(PRELUDE.functions[name], {})


def to_list(values):
    return functools.reduce(lambda rest, x: ("Cons", (x, rest)), reversed(values), ("Nil", ()))


def from_list(value):
    found = []
    while value[0] == "Cons":
        x, value = value[1]
        found.append(x)
    return found


def count_down(n):
    return ("None", ()) if n == 0 else ("Some", ((n - 1, n),))


XS, YS = [3, 1, 4, 1, 5], ["a", "b", "c"]
TREE = ("Rose", (1, to_list([("Rose", (2, to_list([]))), ("Rose", (3, to_list([("Rose", (4, to_list([])))])))])))


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("hd", [to_list(XS)], 3),
        ("nth", [to_list(XS), 2], 4),
        ("length", [to_list(XS)], 5),
        ("sum", [to_list(XS)], sum(XS)),
        ("foldl", [lambda a, x: f"({a}{x})", "", to_list(YS)], "(((a)b)c)"),
        ("foldr", [lambda x, a: f"({x}{a})", "", to_list(YS)], "(a(b(c)))"),
        ("foldr1", [lambda x, a: f"({x}{a})", to_list(YS)], "(a(bc))"),
        ("id", [7], 7),
        ("size", [TREE], 4),
        ("nat_to_int", [("S", (("S", (("Z", ()),)),))], 2),
    ],
)
def test_functions_that_give_a_value(name, args, expected):
    assert function(name)(*args) == expected


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("tl", [to_list(XS)], XS[1:]),
        ("update", [to_list(XS), 1, 9], [3, 9, 4, 1, 5]),
        ("map", [lambda x: x * x, to_list(XS)], [x * x for x in XS]),
        ("filter", [lambda x: x > 2, to_list(XS)], [x for x in XS if x > 2]),
        ("zip", [to_list(XS), to_list(YS)], list(zip(XS, YS, strict=False))),
        ("rev", [to_list(XS)], XS[::-1]),
        ("concat", [to_list(XS), to_list(YS)], XS + YS),
        ("unfoldr", [count_down, 3], [3, 2, 1]),
        ("unfoldl", [count_down, 3], [1, 2, 3]),
    ],
)
def test_functions_that_give_a_list(name, args, expected):
    assert from_list(function(name)(*args)) == expected


def test_functions_of_functions():
    assert function("compose")(lambda x: x + 1, lambda x: x * 10)(2) == 21
    assert function("flip")(lambda a, b: a - b)(1, 5) == 4
    assert function("iterate")(lambda x: 2 * x, 5)(1) == 32
    three = function("int_to_nat")(3)
    assert function("nat_iterate")(lambda x: 2 * x, three)(1) == 8
    assert function("nat_to_int")(function("nat_double")(three)) == 6
    assert function("nat_to_int")(function("nat_add")(three, three)) == 6


def test_maps_with_a_state():
    def step(a, x):
        return a + x, a * x

    left, results = function("map_accuml")(step, 0, to_list(XS))
    sums = list(itertools.accumulate(XS, initial=0))
    assert left == sums[-1]
    assert from_list(results) == [a * x for a, x in zip(sums, XS, strict=False)]
    right, results = function("map_accumr")(step, 0, to_list(XS))
    sums = list(itertools.accumulate(XS[::-1], initial=0))
    assert right == sums[-1]
    assert from_list(results) == [a * x for a, x in zip(sums, XS[::-1], strict=False)][::-1]


def test_trees():
    doubled = function("tmap")(lambda x: 2 * x, TREE)
    assert doubled[1][0] == 2
    assert [child[1][0] for child in from_list(doubled[1][1])] == [4, 6]
    assert function("size")(doubled) == 4


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("map", "fn [A, B](fn (A) -> B, List[A]) -> List[B]"),
        ("foldl", "fn [A, B](fn (A, B) -> A, A, List[B]) -> A"),
        ("foldr", "fn [A, B](fn (A, B) -> B, B, List[A]) -> B"),
        ("zip", "fn [A, B](List[A], List[B]) -> List[(A, B)]"),
        ("unfoldr", "fn [A, B](fn (A) -> Option[(A, B)], A) -> List[B]"),
        ("map_accumr", "fn [A, B, C](fn (A, B) -> (A, C), A, List[B]) -> (A, List[C])"),
        ("iterate", "fn [A](fn (A) -> A, int32) -> fn (A) -> A"),
        ("tmap", "fn [A, B](fn (A) -> B, Tree[A]) -> Tree[B]"),
    ],
)
def test_types(name, expected):
    assert str(PRELUDE.functions[name].checked_type) == expected


def test_a_program_may_use_it():
    text = '#[version = "0.0.5"]\ndef @main(%x: int32) { @sum(Cons(%x, Cons(2, Nil))) }'
    program = parse(text, init_module=prelude())
    assert {"main", "sum"} <= program.functions.keys()
    assert isinstance(program.functions["main"].body, e.Call)


def test_each_prelude_is_a_new_one():
    assert prelude().functions["id"] is not PRELUDE.functions["id"]
    assert set(CONSTRUCTORS) == {"Cons", "Nil", "Some", "None", "Rose", "Z", "S"}
