"""A program, a module and the program again: `to_program` is the inverse of `to_module`."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tests.frontends.onnx.models import BOOL, F32, info, model, node, tensor
from tests.frontends.relay_text.forms import DATA_TYPES, FORMS, typed
from tests.lowering.graph.graph_utils import parse
from xrelay.frontends.onnx.importer import import_onnx
from xrelay.frontends.relay_text.annotations import write_types
from xrelay.frontends.relay_text.expr import Call, Constant, Function, Let, Op, Program, RefRead, Var
from xrelay.frontends.relay_text.from_dialect import to_program
from xrelay.frontends.relay_text.infer import infer_types
from xrelay.frontends.relay_text.prelude import prelude
from xrelay.frontends.relay_text.structural import assert_structural_equal
from xrelay.frontends.relay_text.to_dialect import to_module
from xrelay.frontends.relay_text.traversal import nodes
from xrelay.frontends.relay_text.types import TensorType
from xrelay.interpreters.executor import run_module
from xrelay.lowering.graph.fuse_ops import FuseOps
from xrelay.lowering.graph.inline import Inline


def round_trip(program: Program) -> ModuleOp:
    """The module of a program, checked to be verified and to lead back to the program, with the same types."""
    module = to_module(program)
    module.verify()
    back = to_program(module)
    assert_structural_equal(back, program)
    for name, function in back.functions.items():
        assert function.checked_type == program.functions[name].checked_type
        assert all(n.checked_type is not None for n in nodes(function) if not isinstance(n, Op))
    assert_structural_equal(write_types(infer_types(back)), program)
    return module


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_every_form(text: str):
    round_trip(typed(text))


@pytest.mark.parametrize("text", DATA_TYPES.values(), ids=DATA_TYPES)
def test_every_form_of_data_types(text: str):
    round_trip(typed(text, with_prelude=True))


def test_prelude():
    round_trip(write_types(prelude()))


def test_the_text_of_the_module_leads_back_too():
    program = typed(DATA_TYPES["fold"], with_prelude=True)
    assert_structural_equal(to_program(parse(str(to_module(program)))), program)


def test_attributes_of_the_program_are_kept():
    program = typed("def @main(%x: float32) { %x }")
    program.attrs = {"author": "me", "levels": [1, 0.5, True, None]}
    assert to_program(parse(str(to_module(program)))).attrs == program.attrs


def test_names_and_places_are_kept():
    program = typed("def @main(%data: float32) {\n  let %named = exp(%data);\n  %named\n}")
    function = to_program(to_module(program)).functions["main"]
    assert function.params[0].name_hint == "data"
    assert isinstance(function.body, Let)
    assert function.body.var.name_hint == "named"
    assert function.body.value.span == program.functions["main"].body.value.span is not None  # type: ignore[attr-defined]


def test_a_let_in_an_argument_moves_out():
    module = to_module(typed("def @main(%x: float32) { %x - (let %y = exp(%x); %y * %y) }"))
    expected = typed("def @main(%x: float32) { let %y = exp(%x); %x - (%y * %y) }")
    assert_structural_equal(to_program(module), expected)


# Modules that no program made ----------------------------------------------------------------------------------------


def same_results(module: ModuleOp, inputs: list[np.ndarray]) -> Program:
    """The program of a module: its own module gives the same results, as a tuple where there are several."""
    program = to_program(module)
    again = to_module(program, flatten_main=True)
    again.verify()
    for a, b in zip(run_module(module, inputs), run_module(again, inputs), strict=True):
        np.testing.assert_array_equal(a, b)
    # Programs and modules agree from here on.
    assert_structural_equal(to_program(again), program)
    return program


def small_network() -> ModuleOp:
    proto = model(
        [
            node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
            node("Relu", ["c"], ["r"]),
            node("Split", ["r"], ["s", "t"], axis=1),
            node("Concat", ["s", "t", "s"], ["k"], axis=1),
            node("GlobalAveragePool", ["k"], ["p"]),
        ],
        [info("x", F32, [1, 3, 8, 8])],
        ["p", "r"],
        [tensor("w", np.ones((4, 3, 3, 3)), np.float32), tensor("b", [1, 2, 3, 4], np.float32)],
        opset=12,
    )
    return import_onnx(proto)


IMAGE = np.random.default_rng(0).standard_normal((1, 3, 8, 8)).astype(np.float32)


def test_an_imported_model_keeps_the_names_of_its_inputs_and_outputs():
    module = small_network()
    program = same_results(module, [IMAGE])
    (main,) = to_module(program, flatten_main=True).body.ops
    (original,) = module.body.ops
    assert main.attributes == original.attributes
    assert [p.name_hint for p in program.functions["main"].params] == ["x"]


def test_a_fused_module():
    module = small_network()
    FuseOps().apply(Context(), module)
    program = same_results(module, [IMAGE])
    assert all(f.attrs.get("Primitive") == 1 for name, f in program.functions.items() if name != "main")
    fused_again = to_module(program, flatten_main=True)
    assert [str(op) for op in fused_again.body.ops][1:] == [str(op) for op in module.body.ops][1:]


def test_an_if_with_several_results():
    branch = [model([node("Neg", ["x"], ["a"]), node("Abs", ["x"], ["b"])], [], ["a", "b"]).graph for _ in range(2)]
    proto = model(
        [node("If", ["c"], ["y", "z"], then_branch=branch[0], else_branch=branch[1])],
        [info("c", BOOL, []), info("x", F32, [2])],
        ["z", "y"],
    )
    same_results(import_onnx(proto), [np.array(True), np.array([1, -2], np.float32)])


# Effects -------------------------------------------------------------------------------------------------------------

CELL = "!relay.ref<tensor<f32>>"


def run_both(body: str, result: str, helpers: str = "") -> Program:
    main = f"func.func @main(%x: tensor<f32>) -> tensor<f32> {{ {body} func.return {result} : tensor<f32> }}"
    module = parse(f"{helpers}\n{main}")
    program = to_program(module)
    again = to_module(program)
    again.verify()
    for number in (1.0, -2.0):
        arrays = [np.array(number, np.float32)]
        assert run_module(module, arrays) == run_module(again, arrays)
    return program


def test_a_read_before_a_write_stays_before_it():
    program = run_both(
        f"""
        %r = relay.ref_create %x : (tensor<f32>) -> {CELL}
        %old = relay.ref_read %r : ({CELL}) -> tensor<f32>
        %two = relay.constant 2.0 : tensor<f32>
        %u = relay.ref_write %r, %two : ({CELL}, tensor<f32>) -> tuple<>
        %new = relay.ref_read %r : ({CELL}) -> tensor<f32>
        %d = relay.subtract %new, %old : (tensor<f32>, tensor<f32>) -> tensor<f32>""",
        "%d",
    )
    body = program.functions["main"].body
    assert isinstance(body, Let), "what has an order has a name"


def test_reads_in_the_order_of_evaluation_need_no_name():
    program = run_both(
        f"""
        %r = relay.ref_create %x : (tensor<f32>) -> {CELL}
        %0 = relay.let "r" = %r : {CELL}
        %a = relay.ref_read %0 : ({CELL}) -> tensor<f32>
        %b = relay.ref_read %0 : ({CELL}) -> tensor<f32>
        %d = relay.subtract %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>""",
        "%d",
    )
    let = program.functions["main"].body
    assert isinstance(let, Let)
    assert isinstance(let.body, Call)
    assert all(isinstance(arg, RefRead) for arg in let.body.args)


def test_a_cell_made_outside_of_a_function_is_not_made_by_its_calls():
    run_both(
        f"""
        %r = relay.ref_create %x : (tensor<f32>) -> {CELL}
        %count = relay.fn () -> tensor<f32> {{
          %old = relay.ref_read %r : ({CELL}) -> tensor<f32>
          %new = relay.add %old, %old : (tensor<f32>, tensor<f32>) -> tensor<f32>
          %u = relay.ref_write %r, %new : ({CELL}, tensor<f32>) -> tuple<>
          relay.yield %new : tensor<f32>
        }}
        %a = relay.invoke %count() : () -> tensor<f32>
        %b = relay.invoke %count() : () -> tensor<f32>""",
        "%b",
    )


def test_what_a_function_captures_is_computed_once():
    program = run_both(
        """
        %e = relay.exp %x : (tensor<f32>) -> tensor<f32>
        %f = relay.fn (%y: tensor<f32>) -> tensor<f32> {
          %0 = relay.add %e, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
          relay.yield %0 : tensor<f32>
        }
        %a = relay.invoke %f(%x) : (tensor<f32>) -> tensor<f32>
        %b = relay.invoke %f(%a) : (tensor<f32>) -> tensor<f32>""",
        "%b",
    )
    names = [let for let in nodes(program.functions["main"]) if isinstance(let, Let)]
    assert [let.value.op.name for let in names if isinstance(let.value.op, Op)] == ["exp"]  # type: ignore[attr-defined]


def test_calls_of_functions_without_effects_need_no_name():
    program = run_both(
        """
        %a = func.call @f(%x) : (tensor<f32>) -> tensor<f32>
        %b = func.call @g(%x) : (tensor<f32>) -> tensor<f32>
        %d = relay.subtract %b, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>""",
        "%d",
        """
        func.func private @f(%x: tensor<f32>) -> tensor<f32> {
          %0 = func.call @g(%x) : (tensor<f32>) -> tensor<f32>
          func.return %0 : tensor<f32>
        }
        func.func private @g(%x: tensor<f32>) -> tensor<f32> {
          %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
          func.return %0 : tensor<f32>
        }""",
    )
    assert not any(isinstance(n, Let) for n in nodes(program.functions["main"]))


def test_inlined_modules_go_back():
    program = typed(FORMS["globals"])
    module = to_module(program)
    Inline().apply(Context(), module)
    same_results(module, [np.array(3, np.float32)])


# Depth ---------------------------------------------------------------------------------------------------------------

DEPTH = 4_000


def test_deep_calls_and_long_chains_of_names():
    x = Var("x", TensorType((2,)))
    y = Var("y", TensorType((2,)))
    deep: Call | Var = x
    for _ in range(DEPTH):
        deep = Call(Op("nn.relu"), [deep])
    links = [Var(f"v{i}", TensorType((2,))) for i in range(DEPTH)]
    body = links[-1]
    for value, var in reversed(list(zip([y, *links], links, strict=False))):
        body = Let(var, Call(Op("add"), [value, Constant(np.float32(1))]), body)  # type: ignore[assignment]
    program = Program({"main": Function([x], deep), "names": Function([y], body)})
    module = to_module(write_types(infer_types(program)))
    assert_structural_equal(to_program(module), program)
    np.testing.assert_array_equal(run_module(module, [np.zeros(2, np.float32)], "names")[0], [DEPTH, DEPTH])
