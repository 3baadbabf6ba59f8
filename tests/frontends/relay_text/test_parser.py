"""The parser: one test for each fact of Relay's grammar that docs/relay_text.md keeps or decides otherwise."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.frontends.relay_text.texts import LIST, VERSION, body, fault, faults, name_of, program, value
from xrelay.errors import RelayParseError
from xrelay.frontends.relay_text.expr import (
    Call,
    Constant,
    Constructor,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    RefCreate,
    RefRead,
    RefWrite,
    TupleGetItem,
    Var,
)
from xrelay.frontends.relay_text.names import KEYWORDS
from xrelay.frontends.relay_text.parser import parse, parse_expr
from xrelay.frontends.relay_text.structural import structural_equal
from xrelay.frontends.relay_text.types import (
    ANY,
    FuncType,
    GlobalTypeVar,
    Hole,
    RefType,
    TensorType,
    TupleType,
    TypeCall,
    TypeVar,
    scalar_type,
)

# The facts, in their order -------------------------------------------------------------------------------------------


def test_fact_1_header():
    assert list(program("def @main() { 1 }").functions) == ["main"]
    assert list(parse("// a comment\n\n#[version = \"0.0.5\"] def @main() { 1 }").functions) == ["main"]
    assert list(parse("v0.0\ndef @main() { 1 }").functions) == ["main"]
    assert 'the text has no header: expected `#[version = "0.0.5"]`' in fault("def @main() { 1 }", parse)
    assert "version 0.0.4 of the format is unknown" in fault('#[version = "0.0.4"]\ndef @main() { 1 }', parse)
    assert "version v0.1 of the format is unknown" in fault("v0.1\ndef @main() { 1 }", parse)
    assert parse_expr("1").data == parse_expr(VERSION + "1").data


def test_fact_2_definitions():
    text = (
        "extern type Storage\n"
        "def @f[T1, T2](%a: T1, %b: T2, Primitive=1) -> T1 { %a }\n"
        "type Tree[A] { Rose(A, List[Tree[A]]), }\n" + LIST + "def @main(%s: Storage) { @f(1, %s) }"
    )
    read = program(text)
    f = read.functions["f"]
    assert f.type_params == (TypeVar("T1"), TypeVar("T2"))
    assert [param.type_annotation for param in f.params] == [TypeVar("T1"), TypeVar("T2")]
    assert (f.ret_type, f.attrs) == (TypeVar("T1"), {"Primitive": 1})
    assert list(read.type_definitions) == ["Storage", "Tree", "List"]
    assert read.type_definitions["Storage"].constructors == ()
    cons, nil = read.type_definitions["List"].constructors
    assert (cons.tag, cons.inputs) == (0, (TypeVar("A"), TypeCall(GlobalTypeVar("List"), (TypeVar("A"),))))
    assert (nil.tag, nil.inputs) == (1, ())
    assert read.functions["main"].body.op is read.global_vars["f"]


def test_fact_3_metadata():
    entry = {"dtype": "float32", "shape": [2], "data": "AACAPwAAAEA="}
    section = "\n#[metadata]\n" + json.dumps({"relay.Constant": [entry], "attrs.X": [{"axis": 1}]})
    read = parse(VERSION + "def @main(%x) { sum(meta[relay.Constant][0], meta[attrs.X][0]) }" + section)
    call = read.functions["main"].body
    np.testing.assert_array_equal(call.args[0].data, np.array([1, 2], np.float32))
    assert call.attrs == {"axis": 1}
    given = program("meta[relay.Constant][0]", init_meta_table={"relay.Constant": [np.arange(3)]})
    np.testing.assert_array_equal(given.functions["main"].body.data, np.arange(3))
    assert "there are no metadata for relay.Constant" in fault("meta[relay.Constant][0]")
    assert "hold 1 entries for relay.Constant, index 1 is beyond" in fault("meta[relay.Constant][1]" + section)


def test_fact_4_comments():
    assert value("/* a /* b */ c */ 1 // 2\n") == 1
    call = body("exp(%x) /* ty=Tensor[(99), int8] span=a:1:2 */")
    assert call.checked_type is None


def test_fact_5_integers():
    kinds = {"42": "int32", "42i": "int32", "42i16": "int16", "42i32": "int32", "42i64": "int64", "3000000000": "int64"}
    assert {text: str(value(text).dtype) for text in kinds} == kinds
    assert (value("42").shape, int(value("3000000000"))) == ((), 3_000_000_000)
    assert (value("-2147483648").dtype, value("-5i8").dtype, value("255u8").dtype) == ("int32", "int8", "uint8")
    assert "40000 does not fit int16" in fault("40000i16")
    assert "does not fit int64" in fault("9223372036854775808")
    assert "does not fit int64" in fault("9" * 5000)
    assert "-1 does not fit uint8" in fault("-1u8")
    assert "malformed number 42i7; the suffixes are i, f, bf16" in fault("42i7")


def test_fact_6_floats():
    kinds = {"1f": "float32", "1.5f32": "float32", "3f16": "float16", "3f64": "float64", "1E+1f": "float32"}
    assert {text: str(value(text).dtype) for text in kinds} == kinds
    assert [float(value(text)) for text in ("1.5f", "1E+1f", "2.f", "1e-3f64")] == [1.5, 10, 2, 1e-3]
    assert "needs the suffix of a float: 1.5f is a float32, 1.5f64 a float64" in fault("1.5")
    assert "beyond the largest float16; infinity is written inff16" in fault("70000f16")
    assert "beyond the largest float32" in fault("1e39f")
    assert "i32 is for integers" in fault("1.5i32")


def test_fact_7_infinities_and_nan():
    assert [float(value(text)) for text in ("inff", "-inff", "inff16", "-inff64")] == [np.inf, -np.inf, np.inf, -np.inf]
    assert [str(value(text).dtype) for text in ("inff", "inff16", "nanf64")] == ["float32", "float16", "float64"]
    assert np.isnan(value("nanf"))


def test_fact_8_booleans():
    assert (bool(value("True")), bool(value("False")), value("True").dtype) == (True, False, "bool")


def test_fact_9_minus():
    assert (int(value("--10")), int(value("---10")), float(value("-1.5f"))) == (10, -10, -1.5)
    assert "expected a number behind `-`, found `%x`; negative(…)" in fault("free_var %x; -%x")


def test_fact_10_operators_need_no_blanks():
    for text in ("1-2", "1+2", "1f*2f", "1-2-3", "%x-1", "%x--1", "1/%x/%y", "%x<-1"):
        assert isinstance(body(text), Call)
    call = body("1--2")
    assert (name_of(call), [int(arg.data) for arg in call.args]) == ("subtract", [1, -2])


def test_fact_11_identifiers():
    assert body("%a/b", "%a/b").name_hint == "a/b"
    assert body("%/model/x", "%/model/x").name_hint == "/model/x"
    assert name_of(body("%x/%y")) == "divide"
    assert body('%"dense.weight"', '%"dense.weight"').name_hint == "dense.weight"
    assert body("%inff_x", "%inff_x").name_hint == "inff_x"
    assert body("%meta.0", "%meta").tuple_value.name_hint == "meta"
    assert "no variable %x/y here; write `/` between blanks to divide" in fault("free_var %y; %x/y")


def test_fact_12_sigils():
    tuple_ = body("%0 = 1; (%x, @main, %0)")
    assert [type(field) for field in tuple_.fields] == [Var, GlobalVar, Constant]
    assert "expected the variable of a `let`: `%0` is a number" in fault("let %0 = 1; %0")


def test_fact_13_graph_bindings():
    read = body("%0 = exp(%x); %1 = %0; (%0, %1)")
    assert read.fields[0] is read.fields[1]
    replaced = body("%5 = exp(%x); %6 = log(%5); %5 = sin(%6); %5")
    assert [name_of(replaced), name_of(replaced.args[0]), name_of(replaced.args[0].args[0])] == ["sin", "log", "exp"]
    branches = body("if (%x) { %0 = exp(%x); %0 } else { %0 }")
    assert branches.true_branch is branches.false_branch
    assert "%1 is used before `%1 = …;`" in fault("%0 = %1; %0")


def test_fact_14_let():
    read = body("let %a: int32 = 1; let %b = %a; %b")
    assert isinstance(read, Let)
    assert read.var.type_annotation == scalar_type("int32")
    assert read.body.value is read.var
    recursive = body("let %f = fn (%n) { %f(%n) }; %f")
    assert recursive.value.body.op is recursive.var
    shadowing = body("let %a = 1; let %a = %a; %a")
    assert shadowing.body.value is shadowing.var
    assert "no variable %a here" in fault("let %a = %a; 1")
    assert "expected an expression, found `let`" in faults("let %a = let %b = 1; %b; %a", parse_expr)[0]


def test_fact_15_sequence():
    read = body("exp(%x); %y")
    assert isinstance(read, Let)
    assert (read.var.name_hint, name_of(read.value), read.body.name_hint) == ("", "exp", "y")


def test_fact_16_blocks_and_tuples():
    assert body("{ let %a = 1; %a } + (%x)").args[1].name_hint == "x"
    assert [len(body(text).fields) for text in ("()", "(%x,)", "(%x, %y)", "(%x, %y,)")] == [0, 1, 2, 2]
    assert body("(%x)").name_hint == "x"
    assert isinstance(body("exp((let %a = 1; %a))").args[0], Let)
    assert "no variable %a here" in fault("({ let %a = 1; %a }, %a)")


def test_fact_17_projections():
    read = body("%x.0.1")
    assert (read.index, read.tuple_value.index, read.tuple_value.tuple_value.name_hint) == (1, 0, "x")
    assert body("(%x, %y).1").index == 1
    assert isinstance(body("%0 = (%x, 1); %0.0"), TupleGetItem)
    assert isinstance(body("split(%x, indices_or_sections=2).12"), TupleGetItem)


def test_fact_18_if():
    read = body("if (%x) { let %a = 1; %a } else { %y }")
    assert isinstance(read, If)
    assert isinstance(read.true_branch, Let)
    assert "no variable %a here" in fault("(if (True) { let %a = 1; %a } else { 2 }, %a)")
    assert "expected `else` and the false branch" in fault("if (True) { 1 }")
    assert "expected `(` before the condition" in fault("if True { 1 } else { 2 }")
    assert "expected `{` before the true branch" in fault("if (True) 1 else 2")


def test_fact_19_match():
    read = body("match (%x) { Cons(%h, (_, %t: int32)) => { %h }, Nil => 0, %v => %v, _ => 1 }")
    assert isinstance(read, Match)
    assert read.complete
    first, second, third, fourth = (clause.lhs for clause in read.clauses)
    assert isinstance(first, PatternConstructor)
    assert isinstance(first.patterns[1], PatternTuple)
    assert first.patterns[1].patterns[1].var.type_annotation == scalar_type("int32")
    assert read.clauses[0].rhs is first.patterns[0].var
    assert (second.constructor.name_hint, second.patterns) == ("Nil", ())
    assert isinstance(third, PatternVar)
    assert isinstance(fourth, PatternWildcard)
    assert not body("match? (%x) { }").complete
    unknown = VERSION + LIST + "def @f(%x) { match (%x) { Con(%a) => 1 } }"
    assert "no constructor Con; do you mean Cons?" in fault(unknown, parse)


def test_fact_20_functions():
    read = body("fn [A](%a: A, %b) -> A { %a }")
    assert isinstance(read, Function)
    assert (read.type_params, read.ret_type, read.params[1].type_annotation) == ((TypeVar("A"),), TypeVar("A"), None)
    called = body("(fn (%a) { %a })(0)")
    assert isinstance(called.op, Function)
    curried = body("%x(0)(1)()")
    assert (curried.args, int(curried.op.args[0].data), int(curried.op.op.args[0].data)) == ((), 1, 0)


def test_fact_21_infix():
    names = {"*": "multiply", "/": "divide", "+": "add", "-": "subtract", "<": "less", "<=": "less_equal"}
    names |= {">": "greater", ">=": "greater_equal", "==": "equal", "!=": "not_equal"}
    assert {mark: name_of(body(f"%x {mark} %y")) for mark in names} == names
    assert structural_equal(body("1 + 2 * 3 < 4 == 5 - 6 - 7"), body("((1 + (2 * 3)) < 4) == ((5 - 6) - 7)"))
    for mark in ("%", "&&", "||"):
        assert faults(f"1 {mark} 2", parse_expr)
    assert faults("!True", parse_expr)


def test_fact_22_operators():
    assert name_of(body("nn.conv2d(%x, %y)")) == "nn.conv2d"
    assert body("nn.relu").name == "nn.relu"
    assert "there is no operator nn.conv2; do you mean nn.conv2d" in fault("nn.conv2(1, 2)")
    assert "there is no operator x; expected %x, with its `%`" in fault("free_var %x; x")


def test_fact_23_attributes():
    text = (
        'a=1, b=-2.5f, c=True, d="NHWC", e=[[0, 1], [2]], f=(3), g=None, h=nullptr, i=inff, j=%y, relay.k=1i64, l=[], '
        "m=0.12345678901234567f, n=@main, o=(1, 2)"
    )
    call = body(f"%x(1, {text})")
    assert call.attrs == {
        **{"a": 1, "b": -2.5, "c": True, "d": "NHWC", "e": [[0, 1], [2]], "f": 3, "g": None, "h": None, "i": np.inf},
        **{"j": call.attrs["j"], "relay.k": 1, "l": [], "m": 0.12345678901234567, "n": call.attrs["n"], "o": [1, 2]},
    }
    assert [type(call.attrs[key]) for key in "abcjn"] == [int, float, bool, Var, GlobalVar]
    assert "expected the attributes behind all arguments" in fault("free_var %x; %x(a=1, 2)")
    assert "the attribute a is given twice" in fault("free_var %x; %x(a=1, a=2)")
    assert "expected a value: a number, True, False, None, a list, or a string in quotes" in fault("sum(1, axis=NHWC)")


def test_fact_24_attributes_left_out_stay_out():
    assert body("nn.batch_matmul(%x, %y)").attrs == {}
    assert body("nn.dense(%x, %y, units=None)").attrs == {"units": None}
    left, right = body("nn.dense(%x, %y)"), body("nn.dense(%x, %y, units=None)")
    assert structural_equal(left, right, map_free_vars=True)


def test_fact_25_attribute_objects():
    assert body('%x(1, attrs_type_key="attrs.X", a=2)').attrs == {"a": 2}
    table = {"attrs.X": [{"a": 2}]}
    read = program("def @main(%x) { %x(1, meta[attrs.X][0]) }", init_meta_table=table)
    assert read.functions["main"].body.attrs == {"a": 2}


def test_fact_26_function_attributes_and_devices():
    read = body('fn (%a: int32, Primitive=1, global_symbol="f", relay.reshape_only=True) -> int32 { %a }')
    assert read.attrs == {"Primitive": 1, "global_symbol": "f", "relay.reshape_only": True}
    text = "def @main(%a {virtual_device=meta[VirtualDevice][0]}: int32) { %a }"
    (param,) = program(text, init_meta_table={"VirtualDevice": [{}]}).functions["main"].params
    assert param.type_annotation == scalar_type("int32")


def test_fact_27_free_variables():
    read = parse_expr("free_var %x: Tensor[(2), float32]; free_var %y; add(%x, %y)")
    assert [(arg.name_hint, arg.type_annotation) for arg in read.args] == [("x", TensorType((2,))), ("y", None)]


def test_fact_28_refs():
    read = body("let %r = ref(%x); ref_write(%r, ref_read(%r))")
    assert isinstance(read.value, RefCreate)
    assert isinstance(read.body, RefWrite)
    assert isinstance(read.body.value, RefRead)
    assert "`ref_write` takes 2 arguments, not 1" in fault("ref_write(1)")
    for word in KEYWORDS:
        assert faults(f"1 + {word}", parse_expr)


def test_fact_29_constructors():
    read = body("(Cons(%x, Nil), Nil(), Nil, Cons)")
    cons, explicit, nil, bare = read.fields
    assert isinstance(bare, Constructor)
    assert cons.op is bare
    assert [(call.op.name_hint, call.args) for call in (explicit, nil, cons.args[1])] == [("Nil", ())] * 3
    (line,) = faults(VERSION + LIST + "type Other { Nil, }")
    assert "there is another constructor Nil, of List" in line
    assert "there is another type List" in fault(VERSION + LIST + "type List { }", parse)
    assert "there is another function @f" in fault(VERSION + "def @f() { 1 } def @f() { 2 }", parse)


def test_fact_30_strings():
    assert body(r'%x(a="b\n")').attrs == {"a": "b\\n"}
    assert body('%x(a="// no /* comment %z")').attrs == {"a": "// no /* comment %z"}
    assert list(parse(f"{VERSION}\r\ndef @main() {{\r\n1\r\n}}\r\n").functions) == ["main"]
    assert 'the string has no end: expected `"` on the same line' in faults('exp(1, a="b\n)', parse_expr)[0]


def test_fact_31_shapes():
    shapes = {"(1, 2)": (1, 2), "(1)": (1,), "(1,)": (1,), "()": (), "(?, 3i64)": (ANY, 3), "(meta[IntImm][0])": (7,)}
    for text, shape in shapes.items():
        read = program(f"def @main(%x: Tensor[{text}, int8]) {{ %x }}", init_meta_table={"IntImm": [7]})
        assert read.functions["main"].params[0].type_annotation == TensorType(shape, "int8")
    assert "expected a size: an integer or `?`, found `n`" in fault("free_var %x: Tensor[(n), int8]; 1")


def test_fact_32_faults_are_shown_together():
    text = (
        VERSION + "def @f(%x: flot32) {\n"
        "  let %a = nn.conv2(%x, %b);\n"
        "  let %c = 1 + ;\n"
        "\t%a + %c(1.5\n"
        "}\n"
        "def @g() { 300i8 }\n"
    )
    with pytest.raises(RelayParseError) as error:
        parse(text, "net.rly")
    assert str(error.value).splitlines() == [
        "net.rly:2:12: there is no type flot32; do you mean float32?",
        "  def @f(%x: flot32) {",
        "             ^^^^^^",
        "net.rly:3:12: there is no operator nn.conv2; do you mean nn.conv2d or nn.conv1d?",
        "    let %a = nn.conv2(%x, %b);",
        "             ^^^^^^^^",
        "net.rly:3:25: there is no variable %b here",
        "    let %a = nn.conv2(%x, %b);",
        "                          ^^",
        "net.rly:4:16: expected an expression, found `;`",
        "    let %c = 1 + ;",
        "                 ^",
        "net.rly:5:10: a number with a fraction or an exponent needs the suffix of a float: "
        "1.5f is a float32, 1.5f64 a float64",
        "  \t%a + %c(1.5",
        "  \t        ^^^",
        "net.rly:7:12: 300 does not fit int8",
        "  def @g() { 300i8 }",
        "             ^^^^^",
    ]


# Types ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("float32", scalar_type("float32")),
        ("bfloat16", scalar_type("bfloat16")),
        ("()", TupleType(())),
        ("(int32,)", TupleType((scalar_type("int32"),))),
        ("(int32)", scalar_type("int32")),
        ("fn (int32, bool) -> ()", FuncType((scalar_type("int32"), scalar_type("bool")), TupleType(()))),
        ("fn [T](T) -> T", FuncType((TypeVar("T"),), TypeVar("T"), (TypeVar("T"),))),
        ("ref((int8, int8))", RefType(TupleType((scalar_type("int8"), scalar_type("int8"))))),
        ("List[int32]", TypeCall(GlobalTypeVar("List"), (scalar_type("int32"),))),
        ("Elsewhere", TypeCall(GlobalTypeVar("Elsewhere"))),
    ],
)
def test_types(text, expected):
    assert program(f"{LIST}def @main(%x: {text}) {{ %x }}").functions["main"].params[0].type_annotation == expected


def test_holes():
    assert isinstance(body("%x", "%x: _").type_annotation, Hole)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Tensr[(1), int8]", "there is no type Tensr; do you mean Tensor?"),
        ("Tensor[(1), flot]", "expected a dtype such as float32, found `flot`"),
        ("Tensor(1)", "expected `[` behind `Tensor`"),
        ("ref()", "`ref` holds one type"),
        ("5", "expected a type, found `5`"),
        ("(" * 1000, "types are nested more than 100 deep"),
        ("ref(" * 1000, "types are nested more than 100 deep"),
        ("fn () -> " * 1000, "types are nested more than 100 deep"),
    ],
)
def test_faults_in_types(text, message):
    assert message in faults(f"free_var %x: {text}; 1", parse_expr)[0]


# Programs ------------------------------------------------------------------------------------------------------------


def test_old_texts():
    read = parse(
        "v0.0\n"
        "def @main(%x: Tensor[(1, 3, 224, 224), float32]) -> Tensor[(1, 64, 222, 222), float32] {\n"
        "  %0 = conv2d(%x, @weight, strides=[1, 1], padding=[0, 0, 0, 0], channels=64, kernel_size=[3, 3]);\n"
        "  %1 = relu(%0);\n"
        "  let %z = @add(%1, @bias);\n"
        "  %z\n"
        "}"
    ).functions["main"]
    assert [param.name_hint for param in read.params] == ["x", "weight", "bias"]
    add = read.body.value
    assert [name_of(add), name_of(add.args[0]), name_of(add.args[0].args[0])] == ["add", "nn.relu", "nn.conv2d"]
    assert add.args[0].args[0].args[1] is read.params[1]


def test_short_names_do_not_hide_definitions():
    read = program("def @add(%x) { %x } def @main(%x) { (@add(%x), @elsewhere(%x), @weight) }")
    assert [type(field) for field in read.functions["main"].body.fields] == [Call, Call, GlobalVar]
    assert read.functions["main"].body.fields[0].op is read.global_vars["add"]


def test_definitions_of_another_program():
    base = program(LIST + "def @one() { 1 }")
    read = program("def @main() { Cons(@one(), Nil) }", init_module=base)
    assert list(read.functions) == ["one", "main"]
    assert read.functions["main"].body.op is base.type_definitions["List"].constructors[0]
    with pytest.raises(RelayParseError, match="there is another function @one"):
        program("def @one() { 2 }", init_module=base)
    assert isinstance(parse_expr("Nil", base).op, Constructor)


def test_an_expression_is_main():
    read = program("free_var %x: int32; add(%x, 1)").functions["main"]
    assert [param.name_hint for param in read.params] == ["x"]
    assert list(program("fn (%x) { %x }").functions["main"].params)
    assert program("").functions == {}


# Depth ---------------------------------------------------------------------------------------------------------------

DEPTH = 20_000
NESTED = {
    "calls": ("exp(", "1", ")"),
    "curried calls": ("", "%x", "(1)"),
    "lets": ("let %x = exp(%x); ", "%x", ""),
    "parentheses": ("(", "1", ")"),
    "blocks": ("{", "1", "}"),
    "infix": ("1 + ", "1", ""),
    "minus": ("-", "1", ""),
    "tuples": ("(", "1", ",)"),
    "projections": ("", "%x", ".0"),
    "ifs": ("if (%x) { 1 } else {", "1", "}"),
    "functions": ("fn () {", "1", "}"),
    "matches": ("match (%x) { _ => ", "1", "}"),
    "lets in values": ("let %y = {", "1", "}; 1"),
    "comments": ("/*", "", "*/"),
}


@pytest.mark.parametrize("form", NESTED)
def test_deep_texts(form):
    before, middle, after = NESTED[form]
    depth = DEPTH if form in ("calls", "lets", "parentheses", "comments") else DEPTH // 10
    parse_expr("free_var %x; " + before * depth + (middle or "") + after * depth + ("" if middle else "1"))
