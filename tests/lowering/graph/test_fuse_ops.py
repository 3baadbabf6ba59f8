"""`relay-fuse-ops` groups operators into kernels by Relay's rule; `relay-defuse-ops` inlines them again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from tests.lowering.graph.graph_utils import check, names, parse, parse_main
from xrelay.dialects.relay import elementwise, indexing, linear, normalization, reduce, shape, transform, unary
from xrelay.dialects.relay.types import f32, shape_of, tensor_type
from xrelay.lowering.graph.defuse_ops import DefuseOps
from xrelay.lowering.graph.fuse_ops import FuseOps
from xrelay.lowering.graph.verify_fused import VerifyFused

IMAGE, WEIGHT, VECTOR = "tensor<1x4x6x6xf32>", "tensor<4x4x3x3xf32>", "tensor<4x1x1xf32>"
CONV = f"{{padding = [1, 1]}} : ({IMAGE}, {WEIGHT}) -> {IMAGE}"
UNARY, BINARY = f"({IMAGE}) -> {IMAGE}", f"({IMAGE}, {IMAGE}) -> {IMAGE}"


def fused(module: ModuleOp, **options) -> ModuleOp:
    after = check(FuseOps(**options), module)
    VerifyFused().apply(Context(), after)
    return after


def kernels_of(
    body: str, results: str = IMAGE, arguments: str = f"%x: {IMAGE}, %w: {WEIGHT}, %b: {VECTOR}"
) -> list[str]:
    """What @main holds behind fusion; equal results are checked."""
    return [name.removeprefix("fused_") for name in names(fused(parse_main(arguments, body, results)))]


def test_an_anchor_takes_the_elementwise_operators_behind_it():
    body = f"""
        %0 = relay.nn.conv2d %x, %w {CONV}
        %1 = relay.add %0, %b : ({IMAGE}, {VECTOR}) -> {IMAGE}
        %2 = relay.nn.relu %1 : {UNARY}
        func.return %2 : {IMAGE}"""
    assert kernels_of(body) == ["nn_conv2d_add_nn_relu"]


def test_what_stands_before_an_anchor_stays_outside():
    body = f"""
        %0 = relay.nn.relu %x : {UNARY}
        %1 = relay.nn.conv2d %0, %w {CONV}
        func.return %1 : {IMAGE}"""
    assert kernels_of(body) == ["nn_relu", "nn_conv2d"]


def test_two_anchors_never_share_a_kernel():
    body = f"""
        %0 = relay.nn.conv2d %x, %w {CONV}
        %1 = relay.nn.conv2d %0, %w {CONV}
        %2 = relay.nn.conv2d %0, %w {CONV}
        %3 = relay.add %1, %2 : {BINARY}
        func.return %3 : {IMAGE}"""
    assert kernels_of(body) == ["nn_conv2d", "nn_conv2d", "nn_conv2d_add"]


def test_a_residual_connection():
    body = f"""
        %0 = relay.nn.conv2d %x, %w {CONV}
        %1 = relay.nn.relu %0 : {UNARY}
        %2 = relay.nn.conv2d %1, %w {CONV}
        %3 = relay.add %2, %1 : {BINARY}
        %4 = relay.nn.relu %3 : {UNARY}
        func.return %4 : {IMAGE}"""
    assert kernels_of(body) == ["nn_conv2d_nn_relu", "nn_conv2d_add_nn_relu"]


def test_a_diamond_of_elementwise_operators_behind_an_anchor():
    body = f"""
        %0 = relay.nn.conv2d %x, %w {CONV}
        %1 = relay.sigmoid %0 : {UNARY}
        %2 = relay.multiply %0, %1 : {BINARY}
        func.return %2 : {IMAGE}"""
    assert kernels_of(body) == ["nn_conv2d_sigmoid_multiply"]


def test_a_result_that_is_returned_ends_its_kernel():
    body = f"""
        %0 = relay.nn.conv2d %x, %w {CONV}
        %1 = relay.nn.relu %0 : {UNARY}
        func.return %0, %1 : {IMAGE}, {IMAGE}"""
    assert kernels_of(body, f"{IMAGE}, {IMAGE}") == ["nn_conv2d", "nn_relu"]


def test_an_anchor_is_not_fused_where_its_result_is_broadcast():
    body = """
        %0 = relay.nn.dense %x, %w : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
        %1 = relay.add %0, %y : (tensor<1x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
        func.return %1 : tensor<3x4xf32>"""
    arguments = "%x: tensor<1x4xf32>, %w: tensor<4x4xf32>, %y: tensor<3x4xf32>"
    assert kernels_of(body, "tensor<3x4xf32>", arguments) == ["nn_dense", "add"]


def test_a_reduction_takes_what_stands_before_and_nothing_behind():
    body = f"""
        %0 = relay.exp %x : {UNARY}
        %1 = relay.sum %0 {{axis = [1], keepdims = true}} : ({IMAGE}) -> tensor<1x1x6x6xf32>
        %2 = relay.sqrt %1 : (tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xf32>
        func.return %2 : tensor<1x1x6x6xf32>"""
    assert kernels_of(body, "tensor<1x1x6x6xf32>") == ["exp_sum", "sqrt"]


def test_elementwise_operators_around_a_softmax():
    body = f"""
        %0 = relay.exp %x : {UNARY}
        %1 = relay.nn.softmax %0 : {UNARY}
        %2 = relay.sqrt %1 : {UNARY}
        func.return %2 : {IMAGE}"""
    assert kernels_of(body) == ["exp", "nn_softmax_sqrt"]


def test_injective_operators_join_each_other_but_no_anchor():
    body = f"""
        %0 = relay.exp %x : {UNARY}
        %1 = relay.transpose %0 {{axes = [0, 1, 3, 2]}} : {UNARY}
        %2 = relay.reverse %1 {{axis = 1}} : {UNARY}
        %3 = relay.nn.relu %2 : {UNARY}
        %4 = relay.nn.conv2d %3, %w {CONV}
        %5 = relay.transpose %4 {{axes = [0, 1, 3, 2]}} : {UNARY}
        func.return %5 : {IMAGE}"""
    assert kernels_of(body) == ["exp_transpose_reverse_nn_relu", "nn_conv2d", "transpose"]


def test_concatenation_takes_elementwise_operands_and_no_convolution():
    body = f"""
        %0 = relay.nn.relu %x : {UNARY}
        %1 = relay.exp %x : {UNARY}
        %2 = relay.nn.conv2d %x, %w {CONV}
        %3 = relay.nn.relu %2 : {UNARY}
        %4 = relay.concatenate %0, %1, %3 {{axis = 1}} : ({IMAGE}, {IMAGE}, {IMAGE}) -> tensor<1x12x6x6xf32>
        func.return %4 : tensor<1x12x6x6xf32>"""
    assert kernels_of(body, "tensor<1x12x6x6xf32>") == ["nn_conv2d_nn_relu", "nn_relu_exp_concatenate"]


def test_operators_of_several_results():
    half = "tensor<1x2x6x6xf32>"
    body = f"""
        %0, %1 = relay.split %x {{indices_or_sections = 2, axis = 1}} : ({IMAGE}) -> ({half}, {half})
        %2 = relay.add %0, %1 : ({half}, {half}) -> {half}
        func.return %2, %0 : {half}, {half}"""
    assert kernels_of(body, f"{half}, {half}") == ["split", "add"]
    assert kernels_of(body.replace("return %2, %0", "return %2, %2"), f"{half}, {half}") == ["split_add"]


def test_views_stay_outside_of_kernels():
    flat = "tensor<1x144xf32>"
    body = f"""
        %0 = relay.nn.relu %x : {UNARY}
        %1 = relay.nn.batch_flatten %0 : ({IMAGE}) -> {flat}
        %2 = relay.exp %1 : ({flat}) -> {flat}
        func.return %2 : {flat}"""
    assert kernels_of(body, flat) == ["nn_relu", "nn.batch_flatten", "exp"]


def test_an_opaque_operator_is_alone():
    body = f"""
        %0 = relay.nn.relu %x : {UNARY}
        %1 = relay.nn.lrn %0 : {UNARY}
        %2 = relay.nn.relu %1 : {UNARY}
        func.return %2 : {IMAGE}"""
    assert kernels_of(body) == ["nn_relu", "nn_lrn", "nn_relu"]


def test_a_function_that_computes_nothing():
    body = f"%c = relay.constant [1.0] : tensor<1xf32>\nfunc.return %x, %c : {IMAGE}, tensor<1xf32>"
    assert kernels_of(body, f"{IMAGE}, tensor<1xf32>") == ["constant"]


def test_branches_are_fused_each_by_itself():
    body = f"""
        %0 = relay.exp %x : {UNARY}
        %r = relay.if %c -> ({IMAGE}) {{
          %1 = relay.nn.relu %0 : {UNARY}
          %2 = relay.negative %1 : {UNARY}
          relay.yield %2 : {IMAGE}
        }} else {{
          relay.yield %x : {IMAGE}
        }}
        %3 = relay.nn.relu %r : {UNARY}
        func.return %3 : {IMAGE}"""
    after = fused(parse_main(f"%c: tensor<i1>, %x: {IMAGE}", body, IMAGE))
    assert names(after) == ["fused_exp", "if", "fused_nn_relu"]
    assert {f.sym_name.data for f in after.body.ops} == {"main", "fused_exp", "fused_nn_relu_negative", "fused_nn_relu"}


def test_scalars_stay_inside_and_weights_become_arguments():
    body = f"""
        %s = relay.constant 2.0 : tensor<f32>
        %v = relay.constant [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] : tensor<6xf32>
        %0 = relay.multiply %x, %s : ({IMAGE}, tensor<f32>) -> {IMAGE}
        %1 = relay.add %0, %v : ({IMAGE}, tensor<6xf32>) -> {IMAGE}
        func.return %1 : {IMAGE}"""
    after = fused(parse_main(f"%x: {IMAGE}", body, IMAGE))
    assert names(after) == ["constant", "fused_multiply_add"]
    assert names(after, "fused_multiply_add") == ["constant", "multiply", "add"]
    kernel = after.body.block.last_op
    assert [str(t) for t in kernel.function_type.inputs] == [IMAGE, "tensor<6xf32>"]


def test_equal_groups_share_a_kernel():
    layers = "\n".join(
        f"""
        %w{i} = relay.constant [[{i}.0, 1.0], [0.0, {i}.0]] : tensor<2x2xf32>
        %a{i} = relay.nn.matmul %x{i}, %w{i} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
        %x{i + 1} = relay.nn.relu %a{i} : (tensor<2x2xf32>) -> tensor<2x2xf32>"""
        for i in range(4)
    )
    module = parse_main("%x0: tensor<2x2xf32>", f"{layers}\nfunc.return %x4 : tensor<2x2xf32>", "tensor<2x2xf32>")
    after = fused(module)
    assert [f.sym_name.data for f in after.body.ops] == ["main", "fused_nn_matmul_nn_relu"]


def test_other_wiring_types_attributes_or_scalars_make_another_kernel():
    t = "tensor<2xf32>"
    body = f"""
        %a = relay.constant 1.0 : tensor<f32>
        %b = relay.constant 2.0 : tensor<f32>
        %0 = relay.subtract %x, %a : ({t}, tensor<f32>) -> {t}
        %1 = relay.subtract %x, %b : ({t}, tensor<f32>) -> {t}
        %2 = relay.subtract %a, %x : (tensor<f32>, {t}) -> {t}
        %3 = relay.subtract %x, %x : ({t}, {t}) -> {t}
        %4 = relay.subtract %x, %y : ({t}, {t}) -> {t}
        %5 = relay.subtract %y, %x : ({t}, {t}) -> {t}
        %6 = relay.clip %x {{a_min = 0.0, a_max = 1.0}} : ({t}) -> {t}
        %7 = relay.clip %x {{a_min = 0.0, a_max = 2.0}} : ({t}) -> {t}
        func.return %0, %1, %2, %3, %4, %5, %6, %7 : {", ".join([t] * 8)}"""
    assert kernels_of(body, ", ".join([t] * 8), f"%x: {t}, %y: {t}") == [
        "subtract",
        "subtract_1",
        "subtract_2",
        "subtract_3",
        "subtract_4",
        "subtract_4",
        "clip",
        "clip_1",
    ]


def test_without_fusion_each_operator_is_a_kernel():
    body = f"""
        %0 = relay.nn.conv2d %x, %w {CONV}
        %1 = relay.nn.relu %0 : {UNARY}
        func.return %1 : {IMAGE}"""
    after = fused(parse_main(f"%x: {IMAGE}, %w: {WEIGHT}", body, IMAGE), enabled=False)
    assert names(after) == ["fused_nn_conv2d", "fused_nn_relu"]


@pytest.mark.parametrize(("depth", "sizes"), [(1, [1] * 12), (5, None), (12, [12])])
def test_max_depth_and_long_names(depth: int, sizes: list[int] | None):
    chain = "\n".join(f"%x{i + 1} = relay.logical_not %x{i} : (tensor<2xi1>) -> tensor<2xi1>" for i in range(12))
    module = parse_main("%x0: tensor<2xi1>", f"{chain}\nfunc.return %x12 : tensor<2xi1>", "tensor<2xi1>")
    after = fused(module, max_depth=depth)
    found = [len(names(after, callee)) for callee in names(after)]
    assert sum(found) == 12
    assert max(found) <= depth
    assert sizes is None or found == sizes
    assert all(len(name) < 100 for name in names(after))


def test_names_do_not_clash_with_functions_of_the_module():
    module = parse("""
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
      %1 = func.call @fused_exp(%0) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %1 : tensor<2xf32>
    }
    func.func private @fused_exp(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = relay.negative %x : (tensor<2xf32>) -> tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }""")
    after = fused(module)
    assert names(after) == ["fused_exp_1", "fused_exp"]
    assert names(after, "fused_exp") == ["fused_negative"]


def test_a_batch_of_unknown_size_does_not_hinder_the_bias():
    module = parse_main(
        "%x: tensor<?x4xf32>, %w: tensor<4x4xf32>, %b: tensor<1x4xf32>, %y: tensor<?x4xf32>",
        """
        %0 = relay.nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
        %1 = relay.add %0, %b : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
        %2 = relay.nn.dense %x, %w : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
        %3 = relay.add %2, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
        func.return %1, %3 : tensor<?x4xf32>, tensor<?x4xf32>""",
        "tensor<?x4xf32>, tensor<?x4xf32>",
    )
    FuseOps().apply(Context(), module)
    assert names(module) == ["fused_nn_dense_add", "fused_nn_dense", "fused_add"]


# Random graphs -----------------------------------------------------------------------------------------------------


@st.composite
def graphs(draw) -> ModuleOp:
    """A module of random operators on 4×4 matrices; some results are returned."""
    matrix = tensor_type([4, 4], f32)
    block = Block(arg_types=[matrix, matrix])
    values = list(block.args)

    def add(op):
        block.add_op(op)
        return op.results[0]

    def pick():
        return values[draw(st.integers(max(0, len(values) - 5), len(values) - 1))]

    for _ in range(draw(st.integers(1, 14))):
        match draw(st.integers(0, 9)):
            case 0 | 1:
                value = add(elementwise.Add.make(pick(), pick()))
            case 2:
                value = add(unary.Tanh.make(pick()))
            case 3:
                value = add(transform.Transpose.make(pick(), axes=(1, 0)))
            case 4:
                value = add(linear.Matmul.make(pick(), pick()))
            case 5:
                row = add(reduce.Sum.make(pick(), axis=(0,), keepdims=True))
                value = add(elementwise.Subtract.make(pick(), row))
            case 6:
                joined = add(transform.Concatenate.make(pick(), pick(), axis=0))
                value = add(indexing.StridedSlice.make(joined, begin=(0,), end=(8,), strides=(2,)))
            case 7:
                split = indexing.Split.make(pick(), indices_or_sections=2, axis=1)
                block.add_op(split)
                value = add(transform.Concatenate.make(split.results[1], split.results[0], axis=1))
            case 8:
                flat = add(shape.Reshape.make(pick(), newshape=(16,)))
                value = add(shape.Reshape.make(flat, newshape=(4, 4)))
            case _:
                value = add(normalization.Softmax.make(pick()))
        assert shape_of(value.type) == (4, 4)
        values.append(value)
    returned = [values[-1], *draw(st.lists(st.sampled_from(values), max_size=2))]
    block.add_op(ReturnOp(*returned))
    types = block.arg_types, [value.type for value in returned]
    return ModuleOp([FuncOp("main", types, Region(block))])


@settings(max_examples=60, deadline=None)
@given(graphs(), st.sampled_from([2, 4, 256]))
def test_random_graphs_compute_the_same_fused_and_defused(module: ModuleOp, max_depth: int):
    module.verify()
    after = fused(module, max_depth=max_depth)
    assert all(np.less_equal(len(names(after, f.sym_name.data)), max_depth) for f in list(after.body.ops)[1:])
    defused = check(DefuseOps(), after)
    assert sorted(names(defused)) == sorted(names(module))
