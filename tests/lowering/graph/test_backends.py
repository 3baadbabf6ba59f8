"""Backends of one's own: merge composites, annotate, merge regions, partition, and run with a NumPy backend."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from tests.lowering.graph.graph_builder import Builder
from tests.lowering.graph.graph_utils import apply, check, names, random_inputs
from xrelay.dialects.relay.activation import Relu
from xrelay.dialects.relay.convolution import Conv2D
from xrelay.dialects.relay.elementwise import Add, Multiply, Subtract
from xrelay.dialects.relay.indexing import Split
from xrelay.dialects.relay.linear import BiasAdd, Dense
from xrelay.dialects.relay.transform import Concatenate
from xrelay.dialects.relay.unary import Exp, Negative, Tanh
from xrelay.errors import UnsupportedError, XRelayError
from xrelay.interpreters import external
from xrelay.interpreters.executor import run_module
from xrelay.interpreters.external import backend
from xrelay.lowering.graph import annotate_target
from xrelay.lowering.graph.annotate_target import AnnotateTarget, supports
from xrelay.lowering.graph.inline import Inline
from xrelay.lowering.graph.merge_compiler_regions import MergeCompilerRegions
from xrelay.lowering.graph.merge_composite import MergeComposite
from xrelay.lowering.graph.outline import COMPILER, COMPOSITE, function_attr
from xrelay.lowering.graph.partition_graph import PartitionGraph
from xrelay.relay import transform
from xrelay.relay.dataflow_pattern import has_dtype, is_constant, is_let, is_op, is_tuple, is_tuple_get_item, wildcard


@pytest.fixture(autouse=True)
def registries(monkeypatch):
    """The test's own backends."""
    monkeypatch.setattr(annotate_target, "_SUPPORTED", {})
    monkeypatch.setattr(external, "_BACKENDS", {})


def functions_of(module: ModuleOp, attr: str) -> list[FuncOp]:
    return [f for f in module.body.ops if isinstance(f, FuncOp) and function_attr(f, attr) is not None]


def merged(module: ModuleOp, *table) -> list[str]:
    """What is left in @main when the pass has run, which computes the same."""
    before = str(module)
    after = transform.MergeComposite(table)(module)
    after.verify()
    assert str(module) == before
    assert str(transform.MergeComposite(table)(after)) == str(after)
    inputs = random_inputs(module)
    for a, b in zip(run_module(module, inputs), run_module(after, inputs), strict=True):
        np.testing.assert_array_equal(a, b)
    return [name for name in names(after) if name != "constant"]


# Composites ----------------------------------------------------------------------------------------------------------


def conv_bias_relu():
    conv = is_op("nn.conv2d")(wildcard(), is_constant())
    return is_op("nn.relu")(is_op("nn.bias_add")(conv, wildcard()))


def test_a_chain_becomes_a_function_with_its_constants():
    b = Builder((1, 4, 6, 6))
    y = b(Relu.make(b(BiasAdd.make(b.conv(b.args[0]), b.constant(8)))))
    module = b.module(b(Negative.make(y)))
    assert merged(module, ("npu.conv", conv_bias_relu())) == ["npu_conv", "negative"]
    (function,) = functions_of(transform.MergeComposite([("npu.conv", conv_bias_relu())])(module), COMPOSITE)
    assert function_attr(function, COMPOSITE) == "npu.conv"
    assert function_attr(function, "PartitionedFromPattern") == "nn.conv2d_nn.bias_add_nn.relu_"
    assert len(function.args) == 2


def test_what_is_read_outside_stops_a_match():
    b = Builder((1, 4, 6, 6))
    y = b(BiasAdd.make(b.conv(b.args[0]), b.constant(8)))
    assert merged(b.module(b(Relu.make(y)), y), ("npu.conv", conv_bias_relu())) == [
        "nn.conv2d", "nn.bias_add", "nn.relu",
    ]  # fmt: skip


def test_earlier_entries_go_first_and_checks_may_refuse():
    b = Builder((3, 4))
    y = b(Relu.make(b(Add.make(b.args[0], b.args[0]))))
    module = b.module(b(Relu.make(y)))
    relu, both = is_op("nn.relu")(wildcard()), is_op("nn.relu")(is_op("add")(wildcard(), wildcard()))
    assert merged(module, ("a.both", both), ("a.relu", relu)) == ["a_both", "a_relu"]
    assert merged(module, ("a.relu", relu), ("a.both", both)) == ["add", "a_relu_1", "a_relu"]
    assert merged(module, ("a.both", both, lambda op: False)) == ["add", "nn.relu", "nn.relu"]


def test_patterns_of_operators():
    b = Builder((4, 6))
    split = Split.make(b.args[0], indices_or_sections=2, axis=1)
    b(split)
    y = b(Concatenate.make(b(Exp.make(split.results[1])), b.constant(2, 3)))
    module = b.module(b(Multiply.make(b.constant(6, 3), y)))
    second = is_tuple_get_item(is_op("split")(wildcard()), 1)
    exp = is_op("exp")(has_dtype("float32", wildcard()))
    assert merged(module, ("a.b", is_op("concatenate")(is_tuple([exp, is_constant()])))) == ["split", "a_b", "multiply"]
    assert merged(module, ("a.b", is_op("exp")(second))) == ["a_b", "concatenate", "multiply"]
    joined = is_op("concatenate")(is_tuple(None))
    assert merged(module, ("a.b", is_op("multiply")(joined, is_constant()))) == ["split", "exp", "a_b"]
    assert merged(module, ("a.b", is_op("split")(wildcard()).has_attr({"axis": 0}))) == names_without_constants(module)


def names_without_constants(module: ModuleOp) -> list[str]:
    return [name for name in names(module) if name != "constant"]


def test_one_pattern_in_two_places_is_one_value():
    b = Builder((3, 4), (3, 4))
    x = wildcard()
    square = ("a.square", is_op("multiply")(x, x))
    assert merged(b.module(b(Multiply.make(b.args[0], b.args[0]))), square) == ["a_square"]
    b = Builder((3, 4), (3, 4))
    assert merged(b.module(b(Multiply.make(*b.args))), square) == ["multiply"]


def test_patterns_of_the_language_are_none_of_operators():
    with pytest.raises(UnsupportedError, match="LetPattern"):
        transform.MergeComposite([("a.b", is_let(wildcard(), wildcard(), wildcard()))])


def test_chains_as_text():
    b = Builder((1, 4, 6, 6))
    module = b.module(b(Relu.make(b(BiasAdd.make(b.conv(b.args[0]), b.constant(8))))))
    after = check(MergeComposite(patterns=("npu.conv=nn.conv2d>nn.bias_add>nn.relu",)), module)
    assert names_without_constants(after) == ["npu_conv"]
    with pytest.raises(XRelayError, match="name=operator"):
        apply(MergeComposite(patterns=("nn.conv2d",)), module)


# Regions -------------------------------------------------------------------------------------------------------------


def partitioned(module: ModuleOp, *targets: str, merge: bool = True, **options) -> ModuleOp:
    """The module with functions for backends; every pass keeps what is computed."""
    after = check(AnnotateTarget(targets=targets), module)
    after = check(MergeCompilerRegions(), after) if merge else after
    after = check(PartitionGraph(**options), after)
    return check(AnnotateTarget(targets=targets), after)


def test_neighbours_form_one_function():
    supports("npu", Add, Negative, Tanh)(lambda op: True)
    b = Builder((3, 4), (3, 4))
    y = b(Tanh.make(b(Add.make(*b.args))))
    z = b(Negative.make(b(Exp.make(y))))
    module = b.module(z, y)
    after = partitioned(module, "npu")
    assert names(after) == ["tvmgen_default_npu_main_0", "exp", "tvmgen_default_npu_main_1"]
    assert names(after, "tvmgen_default_npu_main_0") == ["add", "tanh"]
    assert function_attr(functions_of(after, COMPILER)[0], COMPILER) == "npu"
    assert len(functions_of(partitioned(module, "npu", merge=False), COMPILER)) == 3
    assert names(apply(Inline(), after)) == ["add", "tanh", "exp", "negative"]


def test_regions_do_not_depend_on_each_other():
    """exp reads add and is read by subtract: they cannot be one call (apache/tvm PR 15211)."""
    supports("npu", Add, Subtract)(lambda op: True)
    b = Builder((3, 4), (3, 4))
    y = b(Add.make(*b.args))
    module = b.module(b(Subtract.make(y, b(Exp.make(y)))))
    assert names(partitioned(module, "npu")) == ["tvmgen_default_npu_main_0", "exp", "tvmgen_default_npu_main_1"]


def test_regions_of_two_backends_do_not_wait_for_each_other():
    """Each pair could be merged, but not both."""
    supports("one", Add, Subtract)(lambda op: True)
    supports("two", Negative, Tanh)(lambda op: True)
    b = Builder((3, 4), (3, 4))
    x = b(Add.make(*b.args))
    p = b(Negative.make(b.args[0]))
    q = b(Tanh.make(b(Negative.make(x))))
    r = b(Subtract.make(p, x))
    module = b.module(b(Multiply.make(b(Add.make(r, q)), p)))
    after = partitioned(module, "one", "two")
    assert {function_attr(f, COMPILER) for f in functions_of(after, COMPILER)} == {"one", "two"}


def test_operators_between_move_out_of_the_way():
    supports("npu", Add, Subtract)(lambda op: True)
    b = Builder((3, 4), (3, 4))
    y = b(Add.make(*b.args))
    z = b(Exp.make(b.args[0]))
    module = b.module(b(Multiply.make(b(Subtract.make(y, b.args[1])), z)))
    assert sorted(names(partitioned(module, "npu"))) == ["exp", "multiply", "tvmgen_default_npu_main_0"]


@pytest.mark.parametrize("bind_constants", [True, False])
def test_constants(bind_constants):
    supports("npu", Dense)(lambda op: True)
    b = Builder((3, 4))
    after = partitioned(b.module(b(Dense.make(b.args[0], b.constant(5, 4)))), "npu", bind_constants=bind_constants)
    (function,) = functions_of(after, COMPILER)
    assert len(function.args) == (1 if bind_constants else 2)
    assert names(after) == ([] if bind_constants else ["constant"]) + ["tvmgen_default_npu_main_0"]


# A backend -----------------------------------------------------------------------------------------------------------


def test_a_numpy_backend_computes_its_functions():
    """Convolutions of one pixel with bias and relu are one matrix product for it; the rest is computed as ever."""
    supports("numpy", Multiply)(lambda op: True)
    ran = []

    @backend("numpy")
    def run(function: FuncOp, arguments):
        module = function.parent_op()
        assert isinstance(module, ModuleOp)
        values = dict(zip(function.args, arguments, strict=True))
        for op in function.body.block.ops:
            operands = [values[operand] for operand in op.operands]
            if isinstance(op, CallOp):
                ran.append("conv")
                x, bias = operands
                (composite,) = functions_of(module, COMPOSITE)
                (weight,) = (c.array for c in composite.walk() if c.name == "relay.constant")
                y = np.einsum("nchw,oc->nohw", x, weight[:, :, 0, 0]) + bias[:, None, None]
                values[op.results[0]] = np.maximum(y, 0)
            elif isinstance(op, Multiply):
                ran.append("multiply")
                values[op.result] = operands[0] * operands[1]
            elif op.name == "relay.constant":
                values[op.results[0]] = op.array
        assert op.name == "func.return"
        return operands

    b = Builder((1, 4, 6, 6))
    y = b(Conv2D.make(b.args[0], b.constant(8, 4, 1, 1)))
    y = b(Relu.make(b(BiasAdd.make(y, b.constant(8)))))
    module = b.module(b(Exp.make(b(Multiply.make(y, b.array(np.float32(0.1)))))))
    inputs = random_inputs(module)
    (expected,) = run_module(module, inputs)

    after = transform.MergeComposite([("numpy.conv", conv_bias_relu())])(module)
    for step in (transform.AnnotateTarget("numpy"), transform.MergeCompilerRegions(), transform.PartitionGraph()):
        after = step(after)
    (actual,) = run_module(after, inputs)
    assert ran == ["conv", "multiply"]
    assert names(after) == ["tvmgen_default_numpy_main_0", "exp"]
    np.testing.assert_allclose(actual, expected, rtol=1e-5)

    inlined = after.clone()
    Inline().apply(Context(), inlined)
    np.testing.assert_array_equal(run_module(inlined, inputs)[0], expected)
