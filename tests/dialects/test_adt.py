"""The checks of data types: definitions, constructors and matches."""

from __future__ import annotations

import pytest
from xdsl.utils.exceptions import VerifyException

from tests.lowering.graph.graph_utils import parse
from xrelay.dialects.relay.adt import TypeDefinition, find_definition

LIST = """relay.type @List<A> {
  @Cons(!relay.type_var<"A">, !relay.adt<"List", !relay.type_var<"A">>)
  @Nil
}
"""
FLOATS = '!relay.adt<"List", tensor<f32>>'


def main(body: str, arguments: str = f"%x: tensor<f32>, %xs: {FLOATS}") -> str:
    return f"{LIST}func.func @main({arguments}) {{\n{body}\nfunc.return\n}}"


def rejects(text: str, message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        parse(text)


def test_definition():
    module = parse(LIST)
    (definition,) = module.body.ops
    assert isinstance(definition, TypeDefinition)
    assert find_definition(definition, "List") is definition
    assert find_definition(definition, "Tree") is None
    assert definition.tag("Nil") == 1
    (argument,) = definition.type.arguments
    assert definition.fields("Cons", [argument]) == (argument, definition.type)
    with pytest.raises(VerifyException, match="List has no constructor Leaf; it has Cons, Nil"):
        definition.tag("Leaf")
    with pytest.raises(VerifyException, match="0 type arguments for the type parameters A"):
        definition.fields("Nil", [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LIST + LIST, "C1: List is defined twice"),
        (main("relay.type @Inner"), "C1: a type definition stands in the module, not in func.func"),
        ("relay.type @T<A, A>", "C2: type parameter A is named twice"),
        ("relay.type @T { @C @C }", "C2: constructor C is named twice"),
        ('relay.type @T<A> { @C(!relay.ref<!relay.type_var<"B">>) }', "C3: C uses B, which is no type parameter"),
    ],
)
def test_definition_constraints(text: str, message: str):
    rejects(text, message)


def test_construct():
    parse(
        main(f"""
        %nil = relay.construct @Nil() : () -> {FLOATS}
        %one = relay.construct @Cons(%x, %nil) : (tensor<f32>, {FLOATS}) -> {FLOATS}
        %f = relay.constructor @Cons : (tensor<f32>, {FLOATS}) -> {FLOATS}""")
    )


def test_construct_with_unknown_sizes():
    vectors = '!relay.adt<"List", tensor<?xf32>>'
    parse(
        main(
            f"%0 = relay.construct @Cons(%x, %xs) : (tensor<2xf32>, {vectors}) -> {vectors}",
            f"%x: tensor<2xf32>, %xs: {vectors}",
        )
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('relay.construct @Nil() : () -> !relay.adt<"Tree">', "C1: the module does not define the data type Tree"),
        (f"relay.construct @Leaf() : () -> {FLOATS}", "C1: List has no constructor Leaf; it has Cons, Nil"),
        ('relay.construct @Nil() : () -> !relay.adt<"List">', "C1: 0 type arguments for the type parameters A"),
        (
            f"relay.construct @Cons(%x) : (tensor<f32>) -> {FLOATS}",
            r"C2: Cons takes \(tensor<f32>, .*\), not \(tensor<f32>\)",
        ),
        ("relay.constructor @Nil : () -> tensor<f32>", "C1: a constructor is a function to a data type"),
        (f"relay.constructor @Cons : (tensor<f32>) -> {FLOATS}", "C2: Cons takes"),
    ],
)
def test_construct_constraints(body: str, message: str):
    rejects(main(f"%0 = {body}"), message)


def match(*cases: str, value: str = f"%xs : {FLOATS}", result: str = "tensor<f32>") -> str:
    return main(f"%0 = relay.match {value} -> {result} {{\n" + "\n".join(cases) + "\n}")


NIL = "case @Nil { relay.yield %x : tensor<f32> }"


def test_match():
    module = parse(match("case @Cons(%h: tensor<f32>, _) { relay.yield %h : tensor<f32> }", NIL))
    found = module.body.block.last_op.body.block.first_op
    assert found.attrs.complete
    found.properties["patterns"] = type(found.patterns)(found.patterns.data[:1])
    with pytest.raises(VerifyException, match="C1: 1 patterns for 2 regions"):
        found.verify_()


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("case @Leaf { relay.yield %x : tensor<f32> }", "C2: List has no constructor Leaf"),
        ("case @Cons { relay.yield %x : tensor<f32> }", "C2: Cons has 2 fields, the pattern 0"),
        ("case (_, _) { relay.yield %x : tensor<f32> }", "C2: .* is no tuple"),
        ("case @Cons(@Nil, _) { relay.yield %x : tensor<f32> }", r"C2: tensor<f32> has no constructors"),
        (
            "case @Cons(%h: tensor<i32>, _) { relay.yield %x : tensor<f32> }",
            r"C2: the pattern binds \(tensor<f32>\), the block takes \(tensor<i32>\)",
        ),
        ("case _ { relay.yield }", r"C3: a clause ends in relay\.yield of one value"),
        (f"case _ {{ relay.yield %xs : {FLOATS} }}", "C3: a clause yields .*, its result is tensor<f32>"),
    ],
)
def test_match_constraints(case: str, message: str):
    rejects(match(case, NIL), message)


def test_tuple_pattern():
    pair = "tuple<tensor<f32>, tensor<i32>>"
    case = "case (%a: tensor<f32>, _) { relay.yield %a : tensor<f32> }"
    parse(main(f"%0 = relay.match %p : {pair} -> tensor<f32> {{ {case} }}", f"%p: {pair}"))
    wrong = "case (_) { relay.yield %x : tensor<f32> }"
    rejects(
        main(f"%0 = relay.match %p : {pair} -> tensor<f32> {{ {wrong} }}", f"%p: {pair}, %x: tensor<f32>"),
        "C2: the tuple has 2 fields, the pattern 1",
    )
