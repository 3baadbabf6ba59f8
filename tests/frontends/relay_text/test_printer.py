"""The printer: what it prints is read back to the same, for every form, every number and any depth."""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.frontends.relay_text.random_programs import TYPES, programs
from xrelay.errors import RelayParseError, UnsupportedError
from xrelay.frontends.relay_text.expr import (
    Call,
    Constant,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    Program,
    RefCreate,
    RefRead,
    Tuple,
    TupleGetItem,
    Var,
)
from xrelay.frontends.relay_text.operators import operators
from xrelay.frontends.relay_text.parser import parse, parse_expr
from xrelay.frontends.relay_text.prelude import prelude
from xrelay.frontends.relay_text.printer import expr_text, program_text
from xrelay.frontends.relay_text.structural import assert_structural_equal, structural_hash
from xrelay.frontends.relay_text.types import TensorType, TupleType, TypeVar

DEEP = 20_000


def round_trip(program: Program) -> Program:
    again = parse(program_text(program))
    assert_structural_equal(again, program)
    return again


def main(body, *params, **attrs):
    return Program({"main": Function(params, body, attrs=attrs)})


FORMS = {
    "let": "let %a = 1; let %b: int32 = %a + %a; %b",
    "sequence": "%r(1); %r",
    "recursion": "let %f = fn (%n: int32) -> int32 { if (%n < 1) { 0 } else { %f(%n - 1) } }; %f(3)",
    "nested let": "add((let %a = 1; %a), { let %a = 2; %a })",
    "sharing": "%0 = nn.relu(%r); let %a = 1; (%0, %0, multiply(%0, %a))",
    "shared let": "%0 = { let %a = nn.relu(%r); %a }; (%0, %0)",
    "shared tail": "%0 = nn.relu(%r); let %f = fn () { %0 }; %0",
    "sharing across branches": "if (%r) { %0 = nn.relu(%r); (%0, 1) } else { (%0, 2) }",
    "tuples": "((), (1,), (%r, %r), (1, 2).0, %r.0.1)",
    "functions": "(fn [A](%x: A, %y, Primitive=1) -> A { %x }, (fn () { 1 })())",
    "curried": "%r(1)(2, axis=1)()",
    "if": "if (True) { if (%r) { 1 } else { 2 } } else { let %a = 3; %a }",
    "match": "match? (%r) { Cons(%h, Cons(_, %t: List[int32])) => { %t }, Nil => Nil, (%a, _) => %a, _ => { 0; %r } }",
    "refs": "let %c = ref(%r); ref_write(%c, 1); ref_read(%c)",
    "constructors": "(Cons, Cons(1, Nil), Nil)",
    "operators": "(nn.relu, @other, @main, nn.conv2d(%r, %r, strides=[1, 2], out_dtype=None, data_layout=\"NHWC\"))",
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    text = f'#[version = "0.0.5"]\ndef @main(%r) {{ {FORMS[form]} }}'
    program = parse(text, init_module=Program({}, TYPES))
    again = round_trip(program)
    assert program_text(again) == program_text(program)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs())
def test_any_program(program):
    round_trip(program)


def test_prelude():
    round_trip(prelude())


@pytest.mark.parametrize("name", operators())
def test_every_operator(name):
    x = Var("x")
    round_trip(main(Call(Op(name), [Op(name), x], {"axis": 1}), x))


# Numbers -------------------------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["float16", "float32", "float64", "bfloat16", "int8", "uint64", "int64"]), st.randoms())
def test_scalars_lose_no_bit(name, random):
    dtype = np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)
    array = np.frombuffer(random.randbytes(dtype.itemsize), dtype).reshape(())
    again = round_trip(main(Constant(array))).functions["main"].body
    assert (again.data.dtype, again.data.tobytes()) == (dtype, array.tobytes())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.1), "0.1f"),
        (np.float32(0.123456789), "0.12345679f"),
        (np.float64(1 / 3), "0.3333333333333333f64"),
        (np.float16(3), "3f16"),
        (np.float32(-0.0), "-0f"),
        (np.float32(1e30), "1e+30f"),
        (np.float32("inf"), "inff"),
        (np.float16("-inf"), "-inff16"),
        (np.float64("nan"), "nanf64"),
        (np.int32(7), "7"),
        (np.int64(-7), "-7i64"),
        (np.uint8(200), "200u8"),
        (np.bool_(True), "True"),
    ],
)
def test_literals(value, text):
    assert expr_text(Constant(value)) == text + "\n"
    assert "metadata" not in program_text(main(Constant(value)))


def test_attributes_lose_no_digit():
    values = [0.1, 1 / 3, 1e-300, -0.0, float("inf"), 2**62, True, None, "a\\n", 'say "hi"', "two\nlines", [1, [0.5]]]
    f = Var("f")
    body = round_trip(main(Call(f, [], {"values": values}), f)).functions["main"].body
    assert repr(body.attrs["values"]) == repr(values)


# Metadata ------------------------------------------------------------------------------------------------------------


def test_constants_go_to_the_metadata():
    weight = Constant(np.arange(6, dtype=np.float32).reshape(2, 3))
    text = program_text(main(Tuple([weight, weight])))
    assert "(meta[relay.Constant][0], meta[relay.Constant][0])" in text
    fields = parse(text).functions["main"].body.fields
    np.testing.assert_array_equal(fields[0].data, weight.data)
    assert text.count('"dtype"') == 1


def test_metadata_can_be_left_out():
    program = main(Constant(np.zeros(3, np.int8)))
    text = program_text(program, show_meta_data=False)
    assert "meta[relay.Constant][0]" in text
    assert "#[metadata]" not in text
    with pytest.raises(RelayParseError, match=r"no metadata for relay.Constant: the text has no #\[metadata\] section"):
        parse(text)


def test_big_endian_and_strided_constants():
    array = np.arange(6, dtype=">f4").reshape(2, 3).T
    again = round_trip(main(Constant(array))).functions["main"].body
    np.testing.assert_array_equal(again.data, array)


def test_module_attributes():
    program = Program({}, attrs={"author": 'me "x"', "levels": [1, 0.5, None]})
    assert parse(program_text(program)).attrs == program.attrs


def test_values_without_text_are_refused():
    with pytest.raises(UnsupportedError, match="attribute of type object"):
        program_text(main(Call(Var("f"), [], {"a": object()})))
    with pytest.raises(UnsupportedError, match="complex64"):
        program_text(main(Constant(np.zeros(1, np.complex64))))


# Layout --------------------------------------------------------------------------------------------------------------


def test_definitions_are_sorted_and_numbered_for_themselves():
    x = Var("x")
    relu = Call(Op("nn.relu"), [Call(Op("exp"), [x])])
    text = program_text(Program({"b": Function([x], relu), "a": Function([], Tuple([]))}))
    assert text == (
        '#[version = "0.0.5"]\n'
        "def @a() {\n  ()\n}\n\n"
        "def @b(%x) {\n  %0 = exp(%x);\n  nn.relu(%0)\n}\n"
    )


def test_one_function_as_two_definitions():
    x = Var("x")
    function = Function([x], Call(Op("exp"), [Call(Op("exp"), [x])]))
    round_trip(Program({"a": function, "b": function}))


def test_types_are_comments():
    x = Var("x", TensorType((2,)))
    call = Call(Op("exp"), [x])
    call.checked_type = TensorType((2,))
    assert "exp(%x) /* ty=Tensor[(2), float32] */" in program_text(main(call, x))
    round_trip(main(call, x))


def test_annotations_replace_types():
    call = Call(Op("exp"), [Var("x")])
    text = expr_text(call, annotate=lambda expr: "a /* b */" if isinstance(expr, Call) else "")
    assert "exp(%x) /* a / * b * / */" in text
    parse_expr(text)


def test_names_are_unique_and_kept():
    a, b, c = Var("x"), Var("x"), Var("x1")
    params = round_trip(main(Tuple([a, b, c]), a, b, c)).functions["main"].params
    assert params[0].name_hint == "x"
    assert len({param.name_hint for param in params}) == 3
    odd = ["dense.weight", "input:0", "0", 'a"b', "x y", "let", "a\\b", "Größe"]
    params = round_trip(main(Tuple([]), *map(Var, odd))).functions["main"].params
    assert [param.name_hint for param in params] == odd


def test_free_variables_are_declared():
    x, y = Var("x", TensorType((2,))), Var("y")
    text = expr_text(Call(Op("add"), [x, y]))
    assert text == "free_var %x: Tensor[(2), float32];\nfree_var %y;\nadd(%x, %y)\n"
    assert_structural_equal(parse_expr(text), Call(Op("add"), [x, y]), map_free_vars=True)
    again = parse(program_text(main(x)))
    assert_structural_equal(again, main(x), map_free_vars=True)


def test_one_variable_bound_twice():
    x = Var("x")
    inner = Function([x], x)
    round_trip(main(Call(inner, [Call(Function([x], Call(Op("exp"), [x])), [x])]), x))


def test_header_is_optional_for_expressions():
    expr = Constant(np.float32(1))
    assert expr_text(expr, header=True).startswith('#[version = "0.0.5"]\n')
    assert_structural_equal(parse_expr(expr_text(expr, header=True)), expr)


def test_types_of_all_kinds():
    text = "fn [T](T, ref(Tensor[(?, 2), int8])) -> (List[T], (), (bool,), fn () -> _, $\"a type\")"
    function = parse(f'#[version = "0.0.5"]\nextern type $"a type"\ndef @main(%f: {text}) {{ %f }}').functions["main"]
    assert str(function.params[0].type_annotation) == text


# Depth ---------------------------------------------------------------------------------------------------------------


def chain(step, start, length=5_000):
    expr = start
    for _ in range(length):
        expr = step(expr)
    return expr


DEEP_PROGRAMS = {
    "calls": lambda x: chain(lambda e: Call(Op("exp"), [e]), x, DEEP),
    "lets": lambda x: chain(lambda e: Let(Var("v"), x, e), x, DEEP),
    "let values": lambda x: chain(lambda e: Let(Var("v"), e, x), x),
    "curried": lambda x: chain(lambda e: Call(e, [x]), x),
    "projections": lambda x: chain(lambda e: TupleGetItem(Tuple([e]), 0), x),
    "ifs": lambda x: chain(lambda e: If(x, e, x), x),
    "functions": lambda x: chain(lambda e: Function([Var("y")], e), x),
    "refs": lambda x: chain(lambda e: RefRead(RefCreate(e)), x),
    "doubling": lambda x: chain(lambda e: Call(Op("add"), [e, e]), x),
    "doubling tuples": lambda x: chain(lambda e: Tuple([e, e]), x),
}


@pytest.mark.parametrize("form", DEEP_PROGRAMS)
def test_deep_programs(form):
    x = Var("x")
    round_trip(main(DEEP_PROGRAMS[form](x), x))


@pytest.mark.parametrize("step", ["let %x = add(%x, 1f);", "%0 = add(%x, 1f); let %x = (%0, %0);", "%x;"])
def test_work_is_linear(step):
    """Counted in calls of Python functions, which four times the program has four times as many of."""

    def calls(n):
        count = 0

        def profile(frame, event, arg):
            nonlocal count
            count += event == "call"

        text = '#[version = "0.0.5"]\ndef @main(%x) {' + step * n + "%x}"
        sys.setprofile(profile)
        try:
            structural_hash(parse(program_text(parse(text))))
        finally:
            sys.setprofile(None)
        return count

    calls(1)
    assert calls(2000) < 4.1 * calls(500)


def test_unknown_globals_survive():
    round_trip(main(Call(GlobalVar("elsewhere"), [Constant(np.int32(1))])))


def test_generic_functions():
    a = TypeVar("A")
    round_trip(Program({"id": Function([x := Var("x", a)], x, a, [a]), "unit": Function([], Tuple([]), TupleType(()))}))
