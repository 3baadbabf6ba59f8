"""Structural equality and hash."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

from tests.frontends.relay_text.random_programs import programs
from xrelay.frontends.relay_text.expr import Call, Constant, Function, Let, Op, Program, Tuple, TupleGetItem, Var
from xrelay.frontends.relay_text.parser import parse, parse_expr
from xrelay.frontends.relay_text.printer import program_text
from xrelay.frontends.relay_text.structural import assert_structural_equal, structural_equal, structural_hash
from xrelay.frontends.relay_text.types import FuncType, Hole, TensorType, TypeVar

HEADER = '#[version = "0.0.5"]\ntype List[A] { Cons(A, List[A]), Nil, }\n'


def same(a: str, b: str) -> bool:
    """Whether two bodies of a function of %x are equal; the hashes must agree where they are."""
    left, right = (parse(f"{HEADER}def @main(%x, %y) {{ {text} }}") for text in (a, b))
    equal = structural_equal(left, right)
    assert equal == (structural_hash(left) == structural_hash(right))
    return equal


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("let %a = %x; %a", "let %b = %x; %b"),
        ("fn (%a, %b) { (%a, %b) }", "fn (%c, %d) { (%c, %d) }"),
        ("fn [A](%a: A) { %a }", "fn [B](%a: B) { %a }"),
        ("match (%x) { Cons(%a, _) => %a }", "match (%x) { Cons(%h, _) => { %h } }"),
        ("let %a: _ = 1; %a", "let %a = 1; %a"),
        ("%0 = exp(%x); (%0, %0)", "%7 = exp(%x); %8 = (%7, %7); %8"),
        ("%0 = (%x, 1); (%0, %0)", "((%x, 1), (%x, 1))"),
        ("%0 = exp(%x); %1 = %0.0; (%1, %1)", "%0 = exp(%x); (%0.0, %0.0)"),
        ("sum(%x, axis=[1], keepdims=True)", "sum(%x, keepdims=True, axis=[1])"),
        ("sum(%x, axis=[1], keepdims=False)", "sum(%x, axis=[1])"),
        ("nn.dense(%x, %y, units=None)", "nn.dense(%x, %y)"),
        ("%x + %y", "add(%x, %y)"),
        ("nanf", "nanf"),
    ],
)
def test_equal(a, b):
    assert same(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("%x", "%y"),
        ("let %a = %x; %a", "let %a = %x; %x"),
        ("fn (%a, %b) { (%a, %b) }", "fn (%a, %b) { (%b, %a) }"),
        ("%0 = exp(%x); (%0, %0)", "(exp(%x), exp(%x))"),
        ("%0 = fn () { %x }; (%0, %0)", "(fn () { %x }, fn () { %x })"),
        ("1", "1i64"),
        ("0f", "-0f"),
        ("0f", "nanf"),
        ("(1,)", "1"),
        ("%x.0", "%x.1"),
        ("sum(%x, axis=[1])", "sum(%x, axis=[2])"),
        ("%x(a=1)", "%x(a=1f)"),
        ("%x(a=1)", "%x(a=True)"),
        ('%x(a="1")', "%x(a=1)"),
        ("%x(a=0f)", "%x(a=-0f)"),
        ("match (%x) { _ => 1 }", "match? (%x) { _ => 1 }"),
        ("match (%x) { _ => 1 }", "match (%x) { %a => 1 }"),
        ("match (%x) { (%a, %b) => %a }", "match (%x) { (%a, %b) => %b }"),
        ("let %a: int32 = 1; %a", "let %a: int64 = 1; %a"),
        ("fn () -> int32 { 1 }", "fn () { 1 }"),
        ("fn (Primitive=1) { 1 }", "fn () { 1 }"),
        ("fn [A](%a: A) { %a }", "fn [A, B](%a: A) { %a }"),
        ("fn [A, B](%a: A, %b: B) { %a }", "fn [A, B](%a: B, %b: A) { %a }"),
        ("@f", "@g"),
        ("ref(%x)", "ref_read(%x)"),
        ("if (%x) { 1 } else { 2 }", "if (%x) { 2 } else { 1 }"),
        ("Cons", "Nil"),
    ],
)
def test_different(a, b):
    assert not same(a, b)


def test_free_variables():
    x, y = Var("x"), Var("x")
    assert structural_equal(x, x)
    assert not structural_equal(x, y)
    assert structural_equal(x, y, map_free_vars=True)
    assert structural_hash(x) == structural_hash(y)
    assert not structural_equal(Tuple([x, y]), Tuple([x, x]), map_free_vars=True)
    assert not structural_equal(x, Var("x", TensorType((1,))), map_free_vars=True)


def test_types():
    a, b = TypeVar("A"), TypeVar("B")
    assert structural_equal(FuncType((a,), a, (a,)), FuncType((b,), b, (b,)))
    assert not structural_equal(FuncType((a,), a), FuncType((b,), b))
    assert structural_equal(Hole(), Hole())
    assert not structural_equal(TensorType((1,)), TensorType((2,)))


def test_constants():
    one, other = Constant(np.ones(3, np.float32)), Constant(np.ones(3, np.float32))
    assert structural_equal(one, other)
    assert structural_equal(Tuple([one, one]), Tuple([one, other]))
    assert not structural_equal(one, Constant(np.ones((3, 1), np.float32)))
    assert structural_equal(one, Constant(np.ones(3, ">f4")))


def test_programs():
    text = HEADER + "def @b() { 1 } def @a() { 2 }"
    swapped = HEADER + "def @a() { 2 } def @b() { 1 }"
    assert structural_equal(parse(text), parse(swapped))
    assert not structural_equal(parse(text), parse(text.replace("@b", "@c")))
    assert not structural_equal(parse(text), parse(text.replace("Nil,", "Nil(A),")))
    assert not structural_equal(Program(attrs={"a": 1}), Program())


def test_nothing_inferred_counts():
    a, b = parse_expr("exp(1f)"), parse_expr("exp(1f)")
    a.checked_type = TensorType(())
    b.type_args = (TensorType(()),)
    assert structural_equal(a, b)


def test_a_variable_bound_twice():
    x, y, z = Var("x"), Var("y"), Var("z")
    twice = Tuple([Function([x], x), Function([x], x)])
    assert structural_equal(twice, Tuple([Function([y], y), Function([z], z)]))
    assert structural_equal(Let(x, Function([x], x), x), Let(y, Function([z], z), y))


def test_shared_tuples_take_linear_time():
    def doubled():
        expr = Var("x")
        for _ in range(200):
            expr = Tuple([expr, TupleGetItem(Tuple([expr, expr]), 0)])
        return expr

    assert structural_equal(doubled(), doubled(), map_free_vars=True)


def test_deep():
    def chain(name, n=20_000):
        x = Var(name)
        expr = x
        for _ in range(n):
            expr = Call(Op("exp"), [expr])
        return Function([x], expr)

    assert structural_equal(chain("x"), chain("y"))
    assert not structural_equal(chain("x"), chain("y", 49_999))


def test_the_difference_is_shown():
    a, b = (parse(f"{HEADER}def @main(%x) {{\n  (%x, {op}(%x)) }}") for op in ("exp", "log"))
    with pytest.raises(AssertionError, match=r"`exp` at from_string:4:8 .*\nagainst `log` at from_string:4:8"):
        assert_structural_equal(a, b)
    assert_structural_equal(a, a)
    with pytest.raises(AssertionError, match="nothing more"):
        assert_structural_equal(Program(), Program({"f": Function([], Tuple([]))}))


def test_the_hash_is_the_same_in_another_process():
    code = (
        "from xrelay.frontends.relay_text.parser import parse_expr\n"
        "from xrelay.frontends.relay_text.structural import structural_hash\n"
        "print(structural_hash(parse_expr('sum(exp(1f), axis=[0])')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(run.stdout) == structural_hash(parse_expr("sum(exp(1f), axis=[0])"))


@settings(max_examples=30, deadline=None)
@given(programs())
def test_any_program_hashes_like_its_text(program):
    assert structural_hash(parse(program_text(program))) == structural_hash(program)
