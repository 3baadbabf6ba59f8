"""The checks of functions as values, of names and of references."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ArrayAttr, FunctionType, TupleType
from xdsl.ir import Attribute, Block, Region
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from tests.dialects.type_rules import infer, parse_type
from tests.lowering.graph.graph_utils import parse
from xrelay.dialects.relay import control, language, reference
from xrelay.dialects.relay.language_types import AdtType, ForallType, RefType, TypeVarType, function_type, substitute
from xrelay.dialects.relay.types import compatible

F32, VECTOR, ANY = map(parse_type, ("f32", "2xf32", "?xf32"))
A = TypeVarType.of("A")
ID = function_type([A], A, ["A"])
"""∀ A. A → A"""


def make_fn(params: list[Attribute], yielded: Attribute, output: Attribute | None = None) -> language.Fn:
    block = Block(arg_types=params)
    block.add_op(control.Yield.make(create_ssa_value(yielded)))
    return language.Fn.of(Region(block), output)


def value(value_type: Attribute):
    return create_ssa_value(value_type)


# Types ---------------------------------------------------------------------------------------------------------------


def test_substitution_goes_into_every_type_and_stops_at_generic_ones():
    generic = ForallType.of(["A"], FunctionType.from_lists([A], [A]))
    nested = [RefType(A), AdtType.of("List", A), function_type([A], A), generic]
    expected = [RefType(F32), AdtType.of("List", F32), function_type([F32], F32), generic]
    assert substitute(TupleType(ArrayAttr(nested)), {"A": F32}) == TupleType(ArrayAttr(expected))


@pytest.mark.parametrize("wrap", [RefType, lambda t: AdtType.of("List", t), lambda t: function_type([t], t)])
def test_unknown_sizes_inside_of_types_are_compatible(wrap):
    assert compatible(wrap(ANY), wrap(VECTOR))
    assert not compatible(wrap(F32), wrap(VECTOR))


@pytest.mark.parametrize("names", [[], ["A", "A"]])
def test_generic_types_have_different_parameters(names: list[str]):
    with pytest.raises(VerifyException, match="has type parameters, each once"):
        ForallType.of(names, FunctionType.from_lists([A], [A]))


# Functions -----------------------------------------------------------------------------------------------------------


def test_fn_takes_its_type_from_its_region():
    op = make_fn([F32, VECTOR], F32)
    op.verify()
    assert op.result.type == function_type([F32, VECTOR], F32)
    assert len(op.params) == 2
    assert op.itself is None


def test_fn_may_know_fewer_sizes_than_its_body():
    make_fn([F32], VECTOR, ANY).verify()


def test_fn_c1_no_function():
    op = make_fn([], F32)
    wrong = language.Fn.create(result_types=[F32], regions=[op.detach_region(op.body)])
    with pytest.raises(VerifyException, match="C1: the result must be a function of one result, got tensor<f32>"):
        wrong.verify_()


def test_fn_c2_other_parameters():
    op = make_fn([F32], F32)
    wrong = language.Fn.create(result_types=[function_type([VECTOR], F32)], regions=[op.detach_region(op.body)])
    with pytest.raises(VerifyException, match=r"C2: the block takes \(tensor<f32>\), the function \(tensor<2xf32>\)"):
        wrong.verify_()


def test_fn_c3_yields_another_type():
    with pytest.raises(VerifyException, match="C3: the function yields tensor<f32>, its result is tensor<2xf32>"):
        make_fn([], F32, VECTOR).verify_()


def test_fn_c3_no_yield():
    op = make_fn([], F32)
    op.body.block.erase_op(op.body.block.last_op)
    with pytest.raises(VerifyException, match=r"C3: the function ends in relay\.yield of one value"):
        op.verify_()


def test_invoke():
    op = language.Invoke.of(value(function_type([ANY], ANY)), [value(VECTOR)])
    op.verify()
    assert op.result.type == ANY


@pytest.mark.parametrize("callee", [F32, ID, FunctionType.from_lists([], [F32, F32])])
def test_invoke_c1_what_cannot_be_called(callee: Attribute):
    with pytest.raises(VerifyException, match=r"C1: .* is no function of one result that can be called"):
        language.Invoke.of(value(callee), [])


def test_invoke_c2_and_c3():
    function = value(function_type([F32], F32))
    with pytest.raises(VerifyException, match=r"C2: the function takes \(tensor<f32>\), the arguments are \(\)"):
        language.Invoke.of(function, []).verify_()
    with pytest.raises(VerifyException, match="C3: the function gives tensor<f32>, the result is tensor<2xf32>"):
        language.Invoke.create(operands=[function, value(F32)], result_types=[VECTOR]).verify_()


def test_instantiate():
    op = language.Instantiate.of(value(ID), [F32])
    op.verify()
    assert op.result.type == function_type([F32], F32)
    with pytest.raises(VerifyException, match="C1: 2 type arguments for the type parameters A"):
        language.Instantiate.of(value(ID), [F32, F32])
    with pytest.raises(VerifyException, match=r"C1: .* is not generic"):
        language.Instantiate.of(value(function_type([F32], F32)), [F32])


GLOBALS = """
func.func @f(%x: tensor<f32>) -> tensor<f32> {{ func.return %x : tensor<f32> }}
func.func @id(%x: !relay.type_var<"A">) -> !relay.type_var<"A"> attributes {{relay.type_params = ["A"]}} {{
  func.return %x : !relay.type_var<"A">
}}
func.func @two() -> (tensor<f32>, tensor<f32>) {{
  %0 = relay.constant 1.0 : tensor<f32>
  func.return %0, %0 : tensor<f32>, tensor<f32>
}}
func.func @main() {{
  %0 = relay.global {}
  func.return
}}"""


@pytest.mark.parametrize(
    "text",
    [
        "@f : (tensor<f32>) -> tensor<f32>",
        "@id<tensor<i8>> : (tensor<i8>) -> tensor<i8>",
        '@id : !relay.forall<["A"], (!relay.type_var<"A">) -> !relay.type_var<"A">>',
    ],
)
def test_global(text: str):
    parse(GLOBALS.format(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@g : () -> tensor<f32>", "C1: the module has no function @g"),
        ("@f : () -> tensor<f32>", r"C2: @f is \(tensor<f32>\) -> tensor<f32>, not \(\) -> tensor<f32>"),
        ("@f<tensor<f32>> : (tensor<f32>) -> tensor<f32>", "C2: .* is not generic"),
        ("@id<tensor<i8>> : (tensor<f32>) -> tensor<f32>", r"C2: @id is \(tensor<i8>\) -> tensor<i8>, not"),
        ("@two : () -> (tensor<f32>, tensor<f32>)", "C2: .* is no function of one result"),
    ],
)
def test_global_constraints(text: str, message: str):
    with pytest.raises(VerifyException, match=message):
        parse(GLOBALS.format(text))


# Names and references ------------------------------------------------------------------------------------------------


def test_type_rules():
    assert infer(reference.Let, "2xf32", variable="x") == "2xf32"
    assert infer(reference.RefCreate, "2xf32") == "!relay.ref<tensor<2xf32>>"
    cell = value(RefType(F32))
    assert reference.RefRead.make(cell).result.type == F32
    assert reference.RefWrite.make(cell, value(F32)).result.type == TupleType(ArrayAttr(()))


def test_ref_write_c1():
    with pytest.raises(VerifyException, match="C1: the cell holds tensor<f32>, the value is tensor<2xf32>"):
        reference.RefWrite.make(value(RefType(F32)), value(VECTOR))


def test_ref_read_of_no_reference():
    with pytest.raises(VerifyException, match="must be a reference, got tensor<f32>"):
        infer(reference.RefRead, "f32")


# Effects -------------------------------------------------------------------------------------------------------------


def make_if(*inner) -> control.If:
    then, otherwise = Block(list(inner)), Block()
    for block in (then, otherwise):
        block.add_op(control.Yield.make())
    return control.If.of(value(parse_type("i1")), Region(then), Region(otherwise))


def test_what_is_free_of_effects():
    cell = value(RefType(F32))
    assert is_side_effect_free(reference.Let.make(value(F32), variable="x"))
    assert is_side_effect_free(make_if())
    for op in (
        reference.RefCreate.make(value(F32)),
        reference.RefRead.make(cell),
        reference.RefWrite.make(cell, value(F32)),
        language.Invoke.of(value(function_type([], F32)), []),
        make_if(reference.RefWrite.make(cell, value(F32))),
    ):
        assert not is_side_effect_free(op), op.name


def test_making_a_function_that_has_effects_has_none():
    block = Block([reference.RefWrite.make(value(RefType(F32)), value(F32))])
    block.add_op(control.Yield.make(block.last_op.results[0]))
    assert is_side_effect_free(language.Fn.of(Region(block)))
