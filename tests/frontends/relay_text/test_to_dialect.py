"""What a program becomes in the dialect."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from tests.frontends.relay_text.forms import FORMS, typed
from tests.lowering.graph.graph_utils import names
from xrelay.dialects.relay import adt, control, language, match, reference
from xrelay.errors import TypeInferenceError, UnsupportedError
from xrelay.frontends.relay_text.expr import Call, Function, If, Op, Program, Var
from xrelay.frontends.relay_text.infer import infer_types
from xrelay.frontends.relay_text.scopes import Scopes
from xrelay.frontends.relay_text.to_dialect import to_module
from xrelay.frontends.relay_text.types import TensorType
from xrelay.interpreters.executor import run_module


def functions(text: str, with_prelude: bool = False, **options) -> dict[str, FuncOp]:
    module = to_module(typed(text, with_prelude), **options)
    module.verify()
    return {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}


def find(function: FuncOp, kind: type[Operation]) -> list:
    return [op for op in function.walk() if isinstance(op, kind)]


def test_operators_names_and_inputs():
    module = to_module(typed("def @main(%x: float32) { let %y = exp(%x); %y * %y }"))
    assert names(module) == ["exp", "let", "multiply"]
    (main,) = module.body.ops
    assert [name.data for name in main.attributes["relay.input_names"]] == ["x"]
    assert main.sym_visibility is None
    assert main.body.block.first_op.location.line.data == 2


def test_a_shared_node_is_one_operation():
    assert names(to_module(typed(FORMS["shared node"]))) == ["exp", "add", "multiply"]


def test_what_branches_share_is_computed_before_them():
    (main,) = functions(FORMS["shared by branches"]).values()
    assert [op.name for op in main.body.block.ops] == ["relay.exp", "relay.if", "func.return"]


def test_what_one_branch_uses_is_computed_in_it():
    main = functions("def @main(%x: float32, %c: bool) { %0 = exp(%x); if (%c) { %0 + %0 } else { %x } }")["main"]
    assert [op.name for op in main.body.block.ops] == ["relay.if", "func.return"]


def test_the_scope_of_a_node_is_around_all_its_uses():
    x, c = Var("x", TensorType(())), Var("c", TensorType((), "bool"))
    shared = Call(Op("exp"), [x])
    inner = If(c, shared, Call(Op("add"), [shared, x]))
    root = If(c, inner, x)
    scopes = Scopes(root)
    assert scopes.home(shared) is scopes.home(inner) is scopes.opened(root)[0]
    assert scopes.home(root) is scopes.root
    assert scopes.opened(inner)[1].outer is scopes.home(inner)


def test_functions_and_globals():
    found = functions(FORMS["globals"])
    assert found["f"].sym_visibility.data == "private"
    assert len(find(found["main"], language.Global)) == 0, "a call of exact types is a func.call"
    found = functions(FORMS["call with more sizes"])
    (invoked,) = find(found["main"], language.Invoke)
    assert isinstance(invoked.function.owner, language.Global)


def test_without_main_every_function_is_public():
    assert functions("def @f(%x: float32) { %x }")["f"].sym_visibility is None


def test_recursion():
    (fn,) = find(functions(FORMS["recursive function"])["main"], language.Fn)
    assert fn.recursive is not None
    (fn,) = find(functions("def @main(%x: int32) { let %f = fn (%i: int32) { %i }; %f(%x) }")["main"], language.Fn)
    assert fn.recursive is None


def test_generic_functions():
    found = functions(FORMS["generic function"])
    assert language.type_params(found["id"]) == ("A",)
    types = [str(op.type_args.data[0]) for op in find(found["main"], language.Global)]
    assert types == ["tensor<f32>", "tensor<i32>"]
    assert len(find(functions(FORMS["local generic function"])["main"], language.Instantiate)) == 2


def test_data_types_stand_first():
    module = to_module(typed("def @main(%l: List[int32]) { match (%l) { Cons(%h, _) => %h, Nil => 0 } }", True))
    assert isinstance(module.body.block.first_op, adt.TypeDefinition)
    main = next(op for op in module.body.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    (chosen,) = find(main, match.Match)
    assert chosen.attrs.complete
    assert [len(region.block.args) for region in chosen.clauses] == [1, 0]


def test_effects_are_in_the_order_of_evaluation():
    text = "def @main(%r: float32) { let %c = ref(%r); (ref_read(%c), ref_write(%c, 1f), ref_read(%c)) }"
    main = functions(text)["main"]
    order = [type(op) for op in main.body.block.ops if isinstance(op, reference.RefRead | reference.RefWrite)]
    assert order == [reference.RefRead, reference.RefWrite, reference.RefRead]


def test_several_results_are_a_tuple_only_where_one_is_needed():
    main = functions(FORMS["several results"])["main"]
    assert not find(main, control.Tuple)
    assert len(find(functions(FORMS["tuple of several results"])["main"], control.Tuple)) == 1


def test_kernels_return_the_fields_of_their_tuple():
    found = functions(FORMS["kernel of a tuple"])
    assert len(found["k"].function_type.outputs) == 2
    assert "relay.primitive" in found["k"].attributes


def test_flatten_main():
    text = "def @main(%t: (float32, (int32, bool))) { (%t, (%t.0, (), (%t.1,))) }"
    main = functions(text, flatten_main=True)["main"]
    types = [str(t) for t in main.function_type.outputs]
    assert types == ["tensor<f32>", "tensor<i32>", "tensor<i1>", "tensor<f32>", "tensor<i32>", "tensor<i1>"]
    assert len(functions(text)["main"].function_type.outputs) == 1
    module = to_module(typed(text), flatten_main=True)
    given = (np.float32(1), (np.int32(2), np.array(True)))
    assert run_module(module, [given]) == [1.0, 2, True, 1.0, 2, True]


def test_results_without_fields():
    assert not functions("def @main() { () }", flatten_main=True)["main"].function_type.outputs


# Faults --------------------------------------------------------------------------------------------------------------


def test_types_must_be_known():
    x = Var("x", TensorType(()))
    with pytest.raises(TypeInferenceError, match="infer types first"):
        to_module(Program({"main": Function([x], x)}))


def test_free_variables():
    x, y = Var("x", TensorType(())), Var("y", TensorType(()))
    program = infer_types(Program({"main": Function([x], x)}))
    program.functions["main"].body = y
    y.checked_type = y.type_annotation
    with pytest.raises(TypeInferenceError, match="%y is not bound"):
        to_module(program)


def test_function_attributes_must_be_plain():
    x = Var("x", TensorType(()))
    program = infer_types(Program({"main": Function([x], x, attrs={"odd": {1: 2}})}))
    with pytest.raises(UnsupportedError, match="the attribute odd of a function is"):
        to_module(program)
