"""Type inference of whole programs, written as text, and of the faults that they may have."""

from __future__ import annotations

import time

import numpy as np
import pytest

from xrelay.errors import TypeInferenceError
from xrelay.frontends.relay_text.expr import Call, Constant, Function, GlobalVar, Let, Op, Program, Tuple, Var
from xrelay.frontends.relay_text.infer import infer_expr, infer_types
from xrelay.frontends.relay_text.parser import parse, parse_expr
from xrelay.frontends.relay_text.patterns import pattern_text, unmatched_cases
from xrelay.frontends.relay_text.prelude import prelude
from xrelay.frontends.relay_text.traversal import nodes
from xrelay.frontends.relay_text.types import Any, TensorType, TupleType, scalar_type

T = TensorType
PRELUDE = prelude()
PAIR = "type Pair[A, B] { Both(A, B), }\n"
COLOUR = "type Colour { Red, Green, Blue, }\n"


def program(text):
    return parse('#[version = "0.0.5"]\n' + text, init_module=PRELUDE)


def type_of(text, name="main"):
    """The inferred type of a function of the program."""
    return str(infer_types(program(text)).functions[name].checked_type)


def faults(text):
    """The lines of the error, without the count."""
    with pytest.raises(TypeInferenceError) as error:
        infer_types(program(text))
    return [line for line in str(error.value).splitlines() if ": " in line]


# Each form of expression ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "int32"),
        ("1.5f16", "float16"),
        ("True", "bool"),
        ("()", "()"),
        ("(1, (2f, True))", "(int32, (float32, bool))"),
        ("(1, 2f).1", "float32"),
        ("let %x = 1; %x + 2", "int32"),
        ("let %x: _ = (1, 2f); %x.0", "int32"),
        ("let %t: (_, int32) = (1f, 2); %t.0", "float32"),
        ("if (1 < 2) { 1f } else { 2f }", "float32"),
        ("fn (%x: int32) { %x == 1 }", "fn (int32) -> bool"),
        ("fn (%x) { %x == 1 }", None),
        ("(fn (%x) { %x })(1)", "int32"),
        ("fn (%x: int32) { fn (%y: float32) { (%x, %y) } }", "fn (int32) -> fn (float32) -> (int32, float32)"),
        ("(fn (%x) { fn (%y) { (%y, %x) } })(1)(2f)", "(float32, int32)"),
        ("ref(1)", "ref(int32)"),
        ("ref_read(ref(1f))", "float32"),
        ("ref_write(ref(1f), 2f)", "()"),
        ("let %r = ref(ref(1)); ref_read(ref_read(%r))", "int32"),
        ("Cons(1, Nil)", "List[int32]"),
        ("Cons(Cons(1, Nil), Nil)", "List[List[int32]]"),
        ("Some(())", "Option[()]"),
        ("S(S(Z))", "nat"),
        ("match (Cons(1, Nil)) { Cons(%x, _) => %x, Nil => 0, }", "int32"),
        ("match ((1, Some(2f))) { (%a, Some(%b)) => %b, (_, None) => 0f, }", "float32"),
        ("match? (Some(1)) { Some(%x) => (%x, %x), }", "(int32, int32)"),
        ("@id(1)", "int32"),
        ("@id(@id)(1)", "int32"),
        ("@map(@id, Cons(1, Nil))", "List[int32]"),
        ("@map(fn (%x) { %x == 1 }, Cons(1, Nil))", "List[bool]"),
        ("@foldl(fn (%a, %x) { %a + %x }, 0, Cons(1, Nil))", "int32"),
        ("@compose(fn (%x) { %x == 1 }, @length)(Cons(1f, Nil))", "bool"),
        ("@zip(Cons(1, Nil), Cons(1f, Nil))", "List[(int32, float32)]"),
        ("@length(Cons(@hd, Nil))", "int32"),
        ("let %f = fn[A](%x: A) { (%x, %x) }; (%f(1), %f(2f))", "((int32, int32), (float32, float32))"),
        ("let %id = @id; (%id(1), %id(2f))", "(int32, float32)"),
        ("let %first = fn (%p) { %p.0 }; %first((1, 2f))", "int32"),
    ],
)
def test_expressions(text, expected):
    expr = parse_expr(text, init_module=PRELUDE)
    if expected is None:
        with pytest.raises(TypeInferenceError, match="cannot be inferred"):
            infer_expr(expr, PRELUDE)
        return
    assert str(infer_expr(expr, PRELUDE)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Recursion: global, local, mutual, generic; what is not written is found.
        ("def @main(%n: int32) { if (%n == 0) { 1 } else { %n * @main(%n - 1) } }", "fn (int32) -> int32"),
        ("def @main(%n: int32) { if (%n == 0) { 1f } else { @main(%n - 1) } }", "fn (int32) -> float32"),
        (
            "def @main(%n: int32) { let %f = fn (%i, %x) { if (%i == 0) { %x } else { %f(%i - 1, %x + 1f) } };"
            " %f(%n, 0f) }",
            "fn (int32) -> float32",
        ),
        (
            "def @main(%n: int32) -> bool { if (%n == 0) { True } else { @odd(%n - 1) } }"
            "def @odd(%n: int32) { if (%n == 0) { False } else { @main(%n - 1) } }",
            "fn (int32) -> bool",
        ),
        # The result of a generic function is found before it is used, wherever it stands.
        ("def @main() { (@twice(1), @twice(2f)) } def @twice[A](%x: A) { (%x, %x) }",
         "fn () -> ((int32, int32), (float32, float32))"),
        ("def @main[A](%x: List[A]) { @rev(@rev(%x)) }", "fn [A](List[A]) -> List[A]"),
        # A parameter without a type has that of the arguments.
        ("def @main() { @f(1f) } def @f(%x) { nn.relu(%x) }", "fn () -> float32"),
        ("def @main(%c: bool) { let %f = if (%c) { @id } else { fn (%x) { %x + 1 } }; %f(2) }", "fn (bool) -> int32"),
        ("def @main(%x: Tree[int32]) { @tmap(fn (%v) { cast(%v, dtype=\"float32\") }, %x) }",
         "fn (Tree[int32]) -> Tree[float32]"),
    ],
)  # fmt: skip
def test_functions(text, expected):
    assert type_of(text) == expected


def test_every_expression_has_its_type():
    found = infer_types(
        program(
            "def @main(%xs: List[(int32, float32)]) {"
            "  let %r = ref(0f);"
            "  let %f = fn (%p: (int32, float32)) { ref_write(%r, ref_read(%r) + %p.1); %p.0 };"
            "  match (@map(%f, %xs)) { Cons(%x, _) => (%x, ref_read(%r)), Nil => (0, 0f), }"
            "}"
        )
    )
    main = found.functions["main"]
    untyped = [node for node in nodes(main) if node.checked_type is None]
    assert all(isinstance(node, Op) for node in untyped)
    assert str(main.checked_type) == "fn (List[(int32, float32)]) -> (int32, float32)"
    assert main.ret_type is None


def test_nothing_is_written_where_a_fault_is():
    given = program("def @main(%x: int32) { %x + 1f }")
    with pytest.raises(TypeInferenceError):
        infer_types(given)
    assert given.functions["main"].checked_type is None


def test_shared_nodes_and_variables_of_several_functions():
    x = Var("x", T((2,)))
    twice = Call(Op("add"), [x, x])
    found = infer_types(Program({"f": Function([x], Tuple([twice, twice])), "g": Function([x], twice)}))
    assert found.functions["f"].checked_type.ret_type == TupleType((T((2,)), T((2,))))
    assert found.functions["g"].checked_type.ret_type == T((2,))


# Operators ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nn.conv2d(%x, %w, channels=16, kernel_size=[3, 3], padding=[1, 1])", "(16, 4, 3, 3)"),
        ("nn.conv2d(%x, %w, channels=16, kernel_size=[3, 5], groups=2)", "(16, 2, 3, 5)"),
        ("nn.conv2d(%x, %w, channels=16, kernel_size=[3, 5], kernel_layout=\"HWIO\")", "(3, 5, 4, 16)"),
        ("nn.conv2d_transpose(%x, %w, channels=6, kernel_size=[2, 3], groups=2)", "(4, 3, 2, 3)"),
        ("nn.dense(%x, %w, units=5)", "(5, 9)"),
        ("nn.bias_add(%x, %w)", "(4)"),
        ("nn.bias_add(%x, %w, axis=-1)", "(9)"),
        ("nn.prelu(%x, %w)", "(4)"),
        ("nn.layer_norm(%x, %w, %w)", "(9)"),
        ("nn.batch_norm(%x, %w, %w, %w, %w).0", "(4)"),
    ],
)  # fmt: skip
def test_the_types_of_weights_follow(text, expected):
    found = infer_types(program(f"def @main(%x: Tensor[(1, 4, 8, 9), float32], %w) {{ {text} }}"))
    assert str(found.functions["main"].params[1].checked_type) == f"Tensor[{expected}, float32]"


@pytest.mark.parametrize(
    ("args", "text", "expected"),
    [
        # An unknown size and N > 1 broadcast to N, with 1 to an unknown one.
        ([(Any(), 3), (4, 1)], "%a + %b", (4, 3)),
        ([(Any(), 3), (1, 3)], "%a + %b", (Any(), 3)),
        ([(Any(), 3), (Any(), 1)], "%a + %b", (Any(), 3)),
        ([(Any(), 4), (2, 3)], "nn.dense(%a, reshape(%b, newshape=[-1, 4]), units=None)", None),
        # Faults of relay_facts 6.1: the batch of batch_matmul, reshape with -1, an inner size that is unknown.
        ([(Any(), 2, 3), (5, 3, 4)], "nn.batch_matmul(%a, %b)", (5, 2, 4)),
        ([(1, 2, 3), (Any(), 3, 4)], "nn.batch_matmul(%a, %b)", (Any(), 2, 4)),
        ([(2, Any()), (5, 3)], "nn.dense(%a, %b)", (2, 5)),
        ([(2, Any()), (3, 5)], "nn.matmul(%a, %b)", (2, 5)),
        ([(Any(), 4), ()], "reshape(%a, newshape=[-1, 2])", (Any(), 2)),
        ([(2, Any(), 4), ()], "reshape(%a, newshape=[0, -1])", (2, Any())),
        ([(2, 3, 4), ()], "reshape(%a, newshape=[1, -1, 0])", (1, 6, 4)),
        ([(2, 3), ()], "sum(%a, axis=[])", ()),
        ([(1, 3, 1), ()], "squeeze(%a, axis=[-1])", (1, 3)),
        ([(Any(), 3), ()], "sin(%a)", (Any(), 3)),
        ([(Any(), 3), (2, 3)], "concatenate((%a, %b))", (Any(), 3)),
        ([(Any(), 3), (2, 3)], "if (True) { %a } else { %b }", (Any(), 3)),
        ([(3, 3), (Any(), 3)], "if (True) { %a } else { %b }", (Any(), 3)),
    ],
)
def test_unknown_sizes(args, text, expected):
    a, b = args
    source = f"def @main(%a: {T(a)}, %b: {T(b)}) {{ {text} }}"
    if expected is None:
        assert faults(source)
        return
    assert infer_types(program(source)).functions["main"].checked_type.ret_type == T(expected)


def test_indices_do_not_depend_on_how_a_size_is_written():
    text = "def @main(%x: Tensor[(2i64, 3), float32]) { argmax(broadcast_to(%x, shape=[2i64, 3i64]), axis=[1]) }"
    assert type_of(text) == "fn (Tensor[(2, 3), float32]) -> Tensor[(2), int32]"


def test_units_may_be_absent_or_none():
    for attrs in ("", ", units=None", ", units=4"):
        text = f"def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) {{ nn.dense(%x, %w{attrs}) }}"
        assert type_of(text).endswith("Tensor[(2, 4), float32]")


def test_a_written_type_holds_where_sizes_are_unknown():
    text = "def @main(%x: Tensor[(?, 3), float32]) -> Tensor[(2, 3), float32] { %x }"
    assert type_of(text).endswith("-> Tensor[(2, 3), float32]")


# Faults ---------------------------------------------------------------------------------------------------------------


LECTURE = """v0.0
def @main(%x: Tensor[(1, 3, 224, 224), float32]) -> Tensor[(1, {result}), float32] {{
  %0 = conv2d(%x, @weight, strides=[1, 1], padding=[0, 0, 0, 0], channels=64, kernel_size=[3, 3]);
  %1 = relu(%0);
  %1
}}
"""


def test_the_ill_typed_program_of_the_lecture():
    with pytest.raises(TypeInferenceError) as error:
        infer_types(parse(LECTURE.format(result="3, 224, 224"), "lecture.rly"))
    assert str(error.value) == (
        "lecture.rly:4:8: the result of the function has type Tensor[(1, 64, 222, 222), float32], "
        "not Tensor[(1, 3, 224, 224), float32] (size 64 is not 3)"
    )


def test_the_lectures_program_corrected():
    found = infer_types(parse(LECTURE.format(result="64, 222, 222"))).functions["main"]
    assert str(found.checked_type.arg_types[-1]) == "Tensor[(64, 3, 3, 3), float32]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def @main(%x: int32) { %x + 1f }", "2:27: add: C1: operands have element types int32 and float32"),
        ("def @main(%x: int32) { if (%x) { 1 } else { 2 } }", "the condition has type int32, not bool"),
        ("def @main() { if (True) { 1 } else { 2f } }", "the else branch has type float32, not int32"),
        ("def @main() { (1, 2).2 }", r"there is no field 2 in (int32, int32)"),
        ("def @main() { let %x = 1; %x.0 }", "int32 is no tuple"),
        ("def @main() { let %x = 1; %x(2) }", "%x of type int32 is no function"),
        ("def @main() { @id(1, 2) }", "@id takes 1 arguments, not 2"),
        ("def @main() { @sum(Cons(1f, Nil)) }", "argument 1 of @sum has type List[float32], not List[int32]"),
        ("def @main() { Cons(1, Cons(2f, Nil)) }", "argument 2 of Cons has type List[float32], not List[int32]"),
        ("def @main() { let %x: float32 = 1; %x }", "%x has type int32, not float32"),
        ("def @main() { let %f: fn (int32) -> bool = fn (%x: int32) { %x }; %f }", "not bool"),
        ("def @main() { ref_read(1) }", "the constant has type int32, not ref(_)"),
        ("def @main() { ref_write(ref(1), 2f) }", "the value written has type float32, not int32"),
        ("def @main() { @map(add, Cons(1, Nil)) }", "the operator add is no value"),
        ("def @main() { Nil }", "cannot be inferred"),
        ("def @main(%x) { nn.relu(%x) }", "2:11: the type of %x cannot be inferred, only _: write it"),
        ("def @main() { let %f = fn (%x) { %f }; %f }", "the type would hold itself"),
        ("def @main[A](%x: A) { %x + 1 }", "add takes tensors, not A"),
        ("def @main[A](%x: A) -> int32 { %x }", "has type A, not int32"),
        ("def @main[A](%x: A) { let %f = fn[A](%y: A) { %y }; %f(%x) }", "A is declared twice"),
        (
            "def @main() { fn (%x) { let %f = fn[A](%y: A) { if (True) { %x } else { %y } }; 1 } }",
            "the type of %x would hold A, of a generic function further in",
        ),
        ("def @main(%x: List) { 1 }", "type List takes 1 type arguments, not 0"),
        ("def @main(%x: List[int32, int32]) { 1 }", "type List takes 1 type arguments, not 2"),
        ("def @main(%x: Tensor[(2), int4]) { 1 }", "there is no element type int4"),
        ("type Bad[A] { Worse(Unknown), } def @main() { 1 }", "there is no type Unknown"),
        ("def @main(%x: Tensor[(2, 3), float32]) { nn.softmax(%x, axis=2) }", "axis 2 is outside [-2, 2)"),
        ("def @main(%x: Tensor[(2, 3), float32]) { squeeze(%x, axis=[0]) }", "has size 2, not 1"),
        ("def @main(%x: float32, %w: Tensor[(3, 3), float32]) { nn.matmul(%x, %w) }", "C2"),
        ("def @main(%x: Tensor[(2, 3), float32], %b) { nn.bias_add(%x, %b, axis=5) }", "axis 5 is outside [-2, 2)"),
        ("def @main(%x: Tensor[(2, 3), float32]) { cast(%x) }", "cast needs the attribute dtype"),
        ("def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x, %x) }", "nn.relu takes 1 argument (data), not 2"),
        ("def @main(%n: int32) { arange(0, %n, 1, dtype=\"int32\") }", "arange needs the attribute stop"),
    ],
)  # fmt: skip
def test_faults_are_located(text, message):
    found = faults(text)
    assert len(found) == 1
    assert message in found[0]
    assert found[0].startswith("from_string:2:") or text.startswith("type")


def test_every_fault_is_told_once():
    text = """
def @main(%x: int32) {
  let %y = %x + 1f;
  let %z = nn.relu(%y);
  let %t = (%z, %y);
  %t.0 + @id(1, 2)
}
def @other() { if (1) { 2 } else { 3 } }
"""
    assert [line.split(": ")[0] for line in faults(text)] == [
        "from_string:4:15",
        "from_string:7:10",
        "from_string:9:20",
    ]


def test_programs_without_a_text_name_the_function():
    x = Var("x", T((2, 3)))
    with pytest.raises(TypeInferenceError, match=r"in @main: nn\.dense: C4: units 9"):
        infer_types(Program({"main": Function([x], Call(Op("nn.dense"), [x, x], {"units": 9}))}))
    with pytest.raises(TypeInferenceError, match=r"in @main: there is no function @mian; do you mean @main\?"):
        infer_types(Program({"main": Function([x], Call(GlobalVar("mian"), [x]))}))
    with pytest.raises(TypeInferenceError, match="in @main: %y is not bound here"):
        infer_types(Program({"main": Function([x], Var("y"))}))


def test_expressions_that_wait_for_each_other():
    x = Var("x")
    with pytest.raises(TypeInferenceError, match=r"the type of %x cannot be inferred"):
        infer_expr(Let(x, Call(Op("nn.relu"), [x]), x))


def test_free_variables_of_an_expression():
    x, y = Var("x", T((2, 3))), Var("y")
    assert infer_expr(Call(Op("nn.bias_add"), [x, y])) == T((2, 3))
    assert y.checked_type == T((3,))


def test_type_arguments_may_be_written():
    call = Call(GlobalVar("id"), [Constant(np.float32(1))], type_args=[scalar_type("float32")])
    assert infer_expr(call, PRELUDE) == scalar_type("float32")
    call = Call(GlobalVar("id"), [Constant(np.float32(1))], type_args=[scalar_type("int32")])
    with pytest.raises(TypeInferenceError, match="argument 1 of @id has type float32, not int32"):
        infer_expr(call, PRELUDE)


# Matches --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "clauses", "missing"),
    [
        ("Cons(1, Nil)", "Cons(_, _) => 1, Nil => 2", []),
        ("Cons(1, Nil)", "Cons(_, Nil) => 1, Nil => 2", ["Cons(_, Cons(_, _))"]),
        ("Cons(1, Nil)", "Nil => 2", ["Cons(_, _)"]),
        ("Cons(1, Nil)", "%x => 1", []),
        ("(Red, Z)", "(Red, _) => 1, (_, Z) => 2", ["(Green, S(_))", "(Blue, S(_))"]),
        ("(Red, Green)", "(Red, _) => 1, (Green, _) => 2, (Blue, %y) => 3", []),
        ("Some((Red, 1))", "None => 0, Some((Red, _)) => 1, Some((Blue, _)) => 2", ["Some((Green, _))"]),
        ("Both(Some(1), Z)", "Both(None, _) => 1, Both(_, S(_)) => 2", ["Both(Some(_), Z)"]),
        ("Some(Some(Some(1)))", "None => 0, Some(None) => 1, Some(Some(None)) => 2", ["Some(Some(Some(_)))"]),
        ("((1, 2), 3)", "((%a, %b), %c) => %a", []),
    ],
)  # fmt: skip
def test_exhaustiveness(given, clauses, missing):
    text = f"{PAIR}{COLOUR}def @main() {{ match ({given}) {{ {clauses} }} }}"
    found = program(text)
    match = found.functions["main"].body
    assert [pattern_text(case) for case in unmatched_cases(match, found.type_definitions)] == missing
    if missing:
        (told,) = faults(text)
        assert missing[0] in told
    else:
        infer_types(found)
    assert infer_types(program(text.replace("match (", "match? ("))).functions["main"].checked_type


@pytest.mark.parametrize(
    ("clauses", "message"),
    [
        ("Cons(%x) => 1, Nil => 2", "Cons has 2 fields, not 1"),
        ("Some(_) => 1, None => 2", "has type List[int32], not Option[_]"),
        ("(%a, %b) => 1", "has type List[int32], not (_, _)"),
        ("Cons(%x: float32, _) => 1, Nil => 2", "%x has type int32, not float32"),
        ("Cons(_, _) => 1, Nil => 2f", "the clause Nil has type float32, not int32"),
    ],
)
def test_clauses_that_do_not_fit(clauses, message):
    found = faults(f"def @main(%xs: List[int32]) {{ match (%xs) {{ {clauses} }} }}")
    assert message in found[0]


# Large programs -------------------------------------------------------------------------------------------------------

SIZE = 50_000


def nested_calls(x):
    e = x
    for _ in range(SIZE):
        e = Call(Op("add"), [e, x])
    return e


def chain_of_lets(x):
    steps = [x, *(Var(f"v{i}") for i in range(SIZE))]
    body = steps[-1]
    for before, after in zip(reversed(steps[:-1]), reversed(steps[1:]), strict=True):
        body = Let(after, Call(Op("nn.relu"), [before]), body)
    return body


def calls_that_wait(x):
    """The type of the innermost argument is known last."""
    y = Var("y")
    e = y
    for _ in range(SIZE):
        e = Call(Op("nn.relu"), [e])
    return Call(Function([y], e), [x])


@pytest.mark.parametrize("make", [nested_calls, chain_of_lets, calls_that_wait])
def test_large_programs_take_seconds(make):
    x = Var("x", T((2, 3)))
    given = Program({"main": Function([x], make(x))})
    start = time.process_time()
    assert infer_types(given).functions["main"].checked_type.ret_type == T((2, 3))
    assert time.process_time() - start < 10


def test_a_type_of_any_depth_is_an_answer_or_an_error():
    e = Constant(np.int32(1))
    for _ in range(5_000):
        e = Tuple([e])
    with pytest.raises(TypeInferenceError, match="nested too deeply"):
        infer_expr(e)
