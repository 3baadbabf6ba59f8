"""`relay-convert-layout` computes the same in other layouts, with transforms at the borders only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tests.lowering.graph.graph_builder import Builder
from tests.lowering.graph.graph_utils import apply, check, names, parse
from xrelay.dialects.relay import activation, creation, elementwise, indexing, reduce, shape, transform, unary
from xrelay.dialects.relay import normalization as norm
from xrelay.dialects.relay import pooling as pools
from xrelay.dialects.relay.convolution import Conv1D, Conv1DTranspose, Conv2D, Conv2DTranspose
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.elementwise import Add, Where
from xrelay.dialects.relay.image import Resize2D
from xrelay.dialects.relay.linear import BiasAdd
from xrelay.dialects.relay.types import element_of
from xrelay.lowering.graph.convert_layout import ConvertLayout, LayoutError
from xrelay.relay import transform as passes

NHWC = ("nn.conv2d:NHWC",)
BLOCKED = ("nn.conv2d:NCHW4c:OIHW4i4o",)


def converted(module: ModuleOp, desired: Sequence[str] = NHWC) -> list[str]:
    """What is in @main afterwards, which computes the same; constants left out."""
    after = check(ConvertLayout(desired=tuple(desired)), module, rtol=1e-4, atol=1e-3)
    return [name for name in names(after) if name != "constant"]


def transforms(found: Sequence[str]) -> int:
    """How many layout_transforms there are, those of the weights left out."""
    return found.count("layout_transform") - sum(name.startswith("nn.conv") for name in found)


# Operators with a layout ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operator", "data", "weight", "attrs", "wish"),
    [
        (Conv1D, (2, 4, 9), (8, 4, 3), {"padding": (1,)}, "nn.conv1d:NWC"),
        (Conv2D, (2, 4, 7, 6), (8, 4, 3, 3), {"strides": (2, 1), "padding": (1, 0)}, "nn.conv2d:NHWC"),
        (Conv2D, (2, 4, 7, 6), (8, 2, 3, 3), {"groups": 2}, "nn.conv2d:NHWC"),
        (Conv2D, (2, 4, 7, 6), (8, 1, 3, 3), {"groups": 4}, "nn.conv2d:NHWC:default"),
        (Conv2D, (2, 4, 7, 6), (8, 4, 3, 3), {}, "nn.conv2d:HWNC"),
        (Conv2D, (2, 4, 7, 6), (8, 4, 3, 3), {}, "nn.conv2d:NCHW4c:OIHW4i8o"),
        (Conv2D, (2, 4, 7, 6), (4, 1, 3, 3), {"groups": 4}, "nn.conv2d:NCHW4c:OIHW1i4o"),
        (Conv2D, (2, 4, 7, 6), (8, 4, 3, 3), {}, "nn.conv2d:NCHW:HWIO"),
        (Conv1DTranspose, (2, 4, 9), (4, 8, 3), {"strides": (2,)}, "nn.conv1d_transpose:NWC"),
        (
            Conv2DTranspose,
            (2, 4, 5, 6),
            (4, 8, 3, 3),
            {"output_padding": (1, 0), "strides": (2, 2)},
            "nn.conv2d_transpose:NHWC",
        ),
    ],
)
def test_convolutions(operator, data, weight, attrs, wish):
    b = Builder(data)
    module = b.module(b(operator.make(b.args[0], b.constant(*weight), **attrs)))
    found = converted(module, [wish])
    assert operator.name.removeprefix("relay.") in found
    assert "layout_transform" in found


@pytest.mark.parametrize(
    ("operator", "data", "attrs", "layout"),
    [
        (pools.MaxPool1D, (2, 4, 9), {"pool_size": (2,), "strides": (2,), "layout": "NCW"}, "NWC"),
        (pools.MaxPool2D, (2, 4, 6, 7), {"pool_size": (3, 3), "padding": (1, 0, 1, 1)}, "NHWC"),
        (pools.AvgPool2D, (2, 4, 6, 7), {"pool_size": (3, 3), "padding": (1, 1), "ceil_mode": True}, "NHWC"),
        (pools.AvgPool2D, (2, 4, 6, 7), {"pool_size": (3, 3)}, "NCHW2c"),
        (pools.GlobalAvgPool2D, (2, 4, 6, 7), {}, "NHWC"),
        (pools.GlobalMaxPool2D, (2, 4, 6, 7), {}, "HWNC"),
        (pools.AdaptiveAvgPool2D, (2, 4, 6, 7), {"output_size": (3, 2)}, "NHWC"),
        (pools.AdaptiveMaxPool2D, (2, 4, 6, 7), {"output_size": (3, 2)}, "NHWC"),
        (Resize2D, (2, 4, 6, 7), {"size": (9, 5)}, "NHWC"),
        (transform.DepthToSpace, (2, 8, 3, 5), {"block_size": 2}, "NHWC"),
        (transform.SpaceToDepth, (2, 4, 6, 8), {"block_size": 2}, "NHWC"),
    ],
)
def test_pools_and_images(operator, data, attrs, layout):
    b = Builder(data)
    name = operator.name.removeprefix("relay.")
    found = converted(b.module(b(operator.make(b.args[0], **attrs))), [f"{name}:{layout}"])
    assert found == ["layout_transform", name, "layout_transform"]


def test_a_chain_has_transforms_at_its_ends_only():
    b = Builder((1, 4, 8, 8))
    y = b(activation.Relu.make(b.conv(b.args[0])))
    y = b(pools.MaxPool2D.make(y, pool_size=(2, 2), strides=(2, 2)))
    y = b(Add.make(b.conv(y), y))
    assert transforms(converted(b.module(y))) == 2


def test_nothing_is_done_where_all_is_as_wished():
    b = Builder((1, 4, 8, 8))
    found = converted(b.module(b(activation.Relu.make(b.conv(b.args[0])))), ["nn.conv2d:NCHW"])
    assert found == ["nn.conv2d", "nn.relu"]


def test_a_split_that_does_not_divide_the_channels_leaves_the_convolution():
    b = Builder((1, 6, 8, 8))
    assert converted(b.module(b.conv(b.args[0])), BLOCKED) == ["nn.conv2d"]


def test_skipped_convolutions():
    b = Builder((1, 4, 8, 8))
    module = b.module(b.conv(b.conv(b.args[0])))
    after = check(ConvertLayout(desired=NHWC, skip_layers=(1,)), module, rtol=1e-4, atol=1e-3)
    layouts = [op.attrs.data_layout for op in after.walk() if isinstance(op, Conv2D)]
    assert layouts == ["NHWC", "NCHW"]


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ("nn.relu:NHWC", "nn.relu has no layout"),
        ("nn.conv2d:default", "data layout"),
        ("nn.conv2d:NHC", "must have the axes"),
        ("nn.conv2d:NCHW4c", "no default kernel layout"),
        ("nn.conv2d:NCHW4h", "must not split the axis H"),
        ("nn.conv2d:NHWC:HWIOX", "kernel layout"),
        ("nn.max_pool2d:NHWC:HWIO", "1 layouts"),
        ("image.resize2d:HWNC", "NCHW, NHWC"),
    ],
)
def test_wishes_that_cannot_be(wish, message):
    b = Builder((1, 4, 8, 8))
    with pytest.raises(LayoutError, match=message):
        converted(b.module(b.conv(b.args[0])), [wish])


# Operators that are carried along ------------------------------------------------------------------------------------


def _gamma(b: Builder) -> list[SSAValue]:
    return [b.constant(8), b.constant(8)]


def _variance(b: Builder, x: SSAValue, **attrs) -> RelayOp:
    mean = b(reduce.Mean.make(x, **{**attrs, "keepdims": True}))
    return reduce.Variance.make(x, mean, **attrs)


CARRIED = {
    "relu": lambda b, x: activation.Relu.make(x),
    "cast": lambda b, x: unary.Cast.make(x, dtype=element_of("float64")),
    "clip": lambda b, x: unary.Clip.make(x, a_min=-1.0, a_max=1.0),
    "full_like": lambda b, x: creation.FullLike.make(x, b.constant()),
    "dropout": lambda b, x: norm.Dropout.make(x),
    "add itself": lambda b, x: Add.make(x, x),
    "add scalar": lambda b, x: Add.make(x, b.constant()),
    "add (1,)": lambda b, x: Add.make(b.constant(1), x),
    "add (1, 1)": lambda b, x: Add.make(b.constant(1, 1), x),
    "add (6,)": lambda b, x: Add.make(x, b.constant(6)),
    "add (5, 1)": lambda b, x: Add.make(x, b.constant(5, 1)),
    "add (8, 1, 1)": lambda b, x: Add.make(x, b.constant(8, 1, 1)),
    "add (1, 8, 1, 1)": lambda b, x: Add.make(b.constant(1, 8, 1, 1), x),
    "add (2, 1, 5, 6)": lambda b, x: Add.make(b.constant(2, 1, 5, 6), x),
    "add (1, 1, 5, 1)": lambda b, x: Add.make(b.constant(1, 1, 5, 1), x),
    "where": lambda b, x: Where.make(b(elementwise.Greater.make(x, b.constant(8, 1, 1))), x, b.constant()),
    "bias_add": lambda b, x: BiasAdd.make(x, b.constant(8)),
    "bias_add over w": lambda b, x: BiasAdd.make(x, b.constant(6), axis=-1),
    "concatenate channels": lambda b, x: transform.Concatenate.make(x, b.constant(2, 4, 5, 6), x, axis=1),
    "concatenate rows": lambda b, x: transform.Concatenate.make(x, b.constant(2, 8, 3, 6), axis=-2),
    "stack": lambda b, x: transform.Stack.make(x, b.constant(2, 8, 5, 6), axis=2),
    "split channels": lambda b, x: indexing.Split.make(x, indices_or_sections=2, axis=1),
    "split rows": lambda b, x: indexing.Split.make(x, indices_or_sections=(1, 3), axis=-2),
    "slice rows": lambda b, x: indexing.StridedSlice.make(x, begin=(-1,), end=(-6,), strides=(-2,), axes=(2,)),
    "slice all": lambda b, x: indexing.StridedSlice.make(x, begin=(0, 4, 1), end=(2, 8, 4)),
    "slice sizes": lambda b, x: indexing.StridedSlice.make(
        x, begin=(1, 2), end=(-1, 3), slice_mode="size", axes=(0, 3)
    ),
    "pad": lambda b, x: transform.Pad.make(x, pad_width=(0, 0, 0, 0, 1, 2, 0, 3), pad_value=2.0),
    "mirror_pad": lambda b, x: transform.MirrorPad.make(x, pad_width=(0, 0, 0, 0, 1, 2, 0, 3)),
    "tile": lambda b, x: transform.Tile.make(x, reps=(2, 1, 3)),
    "reverse": lambda b, x: transform.Reverse.make(x, axis=2),
    "repeat": lambda b, x: transform.Repeat.make(x, repeats=2, axis=3),
    "sum": lambda b, x: reduce.Sum.make(x, axis=(1,), keepdims=True),
    "sum of channels": lambda b, x: reduce.Sum.make(x, axis=(1,)),
    "mean of pixels": lambda b, x: reduce.Mean.make(x, axis=(-1, -2)),
    "max of all": lambda b, x: reduce.Max.make(x),
    "min but": lambda b, x: reduce.Min.make(x, axis=(0, 2), exclude=True, keepdims=True),
    "argmax of rows": lambda b, x: reduce.Argmax.make(x, axis=(2,)),
    "variance": lambda b, x: _variance(b, x, axis=(2, 3)),
    "l2_normalize": lambda b, x: norm.L2Normalize.make(x, axis=(1, 2), eps=1e-6),
    "softmax of rows": lambda b, x: norm.Softmax.make(x, axis=2),
    "squeeze": lambda b, x: shape.Squeeze.make(b(reduce.Sum.make(x, axis=(2,), keepdims=True)), axis=(-2,)),
    "expand_dims": lambda b, x: shape.ExpandDims.make(x, axis=2, num_newaxis=2),
    "adaptive_avg_pool2d": lambda b, x: pools.AdaptiveAvgPool2D.make(x, output_size=(2, 2)),
}
"""Operators that are carried in any layout of (2, 8, 5, 6)."""

CARRIED_WHOLE = {
    "batch_norm": lambda b, x: norm.BatchNorm.make(x, *_gamma(b), b.constant(8), b(unary.Abs.make(b.constant(8)))),
    "layer_norm": lambda b, x: norm.LayerNorm.make(x, *_gamma(b), axis=1),
    "instance_norm": lambda b, x: norm.InstanceNorm.make(x, *_gamma(b)),
    "group_norm": lambda b, x: norm.GroupNorm.make(x, *_gamma(b), num_groups=4),
    "softmax": lambda b, x: norm.Softmax.make(x, axis=1),
    "log_softmax": lambda b, x: norm.LogSoftmax.make(x, axis=-3),
    "lrn": lambda b, x: norm.LRN.make(x),
    "prelu": lambda b, x: activation.PRelu.make(x, b.constant(8)),
    "argmax": lambda b, x: reduce.Argmax.make(x, axis=(1,), keepdims=True),
    "argmin of pixels": lambda b, x: reduce.Argmin.make(x, axis=(2, 3)),
    "variance of channels": lambda b, x: _variance(b, x, axis=(1,), keepdims=True),
    "pad channels": lambda b, x: transform.Pad.make(x, pad_width=(0, 0, 0, 1, 0, 0, 1, 0)),
    "slice channels": lambda b, x: indexing.StridedSlice.make(x, begin=(1,), end=(8,), strides=(3,), axes=(1,)),
    "split uneven": lambda b, x: indexing.Split.make(x, indices_or_sections=(2, 6), axis=1),
    "concatenate uneven": lambda b, x: transform.Concatenate.make(x, b.constant(2, 3, 5, 6), axis=1),
    "broadcast_to": lambda b, x: transform.BroadcastTo.make(x, shape=(2, 8, 5, 6)),
    "resize": lambda b, x: Resize2D.make(x, size=(7, 7)),
    "cumsum": lambda b, x: indexing.Cumsum.make(x, axis=1),
}
"""Operators that are carried where no axis is split."""

NOT_CARRIED = {
    "reshape": lambda b, x: shape.Reshape.make(x, newshape=(2, -1)),
    "batch_flatten": lambda b, x: shape.BatchFlatten.make(x),
    "take": lambda b, x: indexing.Take.make(x, b.array(np.array([1, 0], np.int32)), axis=1),
    "argmax of columns and channels": lambda b, x: reduce.Argmax.make(x, axis=(1, 3)),
    "cumsum of all": lambda b, x: indexing.Cumsum.make(x),
    "tile to more axes": lambda b, x: transform.Tile.make(x, reps=(2, 1, 1, 1, 1)),
}


def _behind_convolution(make) -> ModuleOp:
    b = Builder((2, 4, 5, 6))
    op = make(b, b.conv(b.args[0]))
    b(op)
    return b.module(*op.results)


@pytest.mark.parametrize("desired", [NHWC, BLOCKED, ("nn.conv2d:HWNC",)], ids=str)
@pytest.mark.parametrize("name", [*CARRIED, *CARRIED_WHOLE, *NOT_CARRIED])
def test_semantics_behind_a_convolution(name, desired):
    converted(_behind_convolution((CARRIED | CARRIED_WHOLE | NOT_CARRIED)[name]), desired)


@pytest.mark.parametrize("name", [*CARRIED, *CARRIED_WHOLE])
def test_operators_are_carried_in_nhwc(name):
    """No transform stands between the convolution and the operator."""
    found = converted(_behind_convolution((CARRIED | CARRIED_WHOLE)[name]))
    behind = found[found.index("nn.conv2d") + 1 :]
    operator = name.split()[0]
    here = next(i for i, found_name in enumerate(behind) if operator in found_name)
    assert behind[:here].count("layout_transform") <= {"add": 1, "concatenate": 1, "stack": 1, "where": 1}.get(
        operator, 0
    )


@pytest.mark.parametrize("name", CARRIED)
def test_operators_are_carried_in_blocks(name):
    after = check(ConvertLayout(desired=BLOCKED), _behind_convolution(CARRIED[name]), rtol=1e-4, atol=1e-3)
    (main,) = after.body.ops
    (conv,) = (op for op in main.walk() if isinstance(op, Conv2D))
    readers = {use.operation.name for use in conv.result.uses}
    assert "relay.layout_transform" not in readers


# Where transforms cancel ---------------------------------------------------------------------------------------------


def test_transposes_of_a_model_written_for_another_layout_melt_away():
    """NHWC data around an NCHW convolution: nothing is left to be transposed."""
    b = Builder((1, 8, 8, 4))
    x = b(transform.Transpose.make(b.args[0], axes=(0, 3, 1, 2)))
    y = b(transform.Transpose.make(b.conv(x), axes=(0, 2, 3, 1)))
    assert transforms(converted(b.module(b(activation.Relu.make(y))))) == 0


def test_layout_transforms_between_convolutions_melt_away():
    b = Builder((1, 4, 8, 8))
    y = b(transform.LayoutTransform.make(b.conv(b.args[0]), src_layout="NCHW", dst_layout="NHWC"))
    y = b(activation.Relu.make(y))
    y = b(transform.LayoutTransform.make(y, src_layout="NHWC", dst_layout="NCHW"))
    found = converted(b.module(b.conv(y)), ["nn.conv2d:NCHW"])
    assert found == ["nn.conv2d", "nn.relu", "nn.conv2d"]


@pytest.mark.parametrize("desired", [NHWC, BLOCKED])
def test_a_transpose_between_convolutions(desired):
    """Height and width change places (apache/tvm#10109)."""
    b = Builder((1, 4, 8, 6))
    y = b(transform.Transpose.make(b.conv(b.args[0]), axes=(0, 1, 3, 2)))
    assert transforms(converted(b.module(b.conv(y)), desired)) <= 3


@pytest.mark.parametrize("desired", [NHWC, BLOCKED])
def test_a_classifier_needs_one_transform(desired):
    """Behind the global pool only axes of size 1 have moved."""
    b = Builder((1, 4, 8, 8))
    y = b(pools.GlobalAvgPool2D.make(b(activation.Relu.make(b.conv(b.args[0])))))
    y = b(shape.BatchFlatten.make(y))
    assert transforms(converted(b.module(y), desired)) == (1 if desired is NHWC else 2)


def test_a_mean_and_a_resize():
    """The old layout of the data is that of the operator before (apache/tvm PR 12007)."""
    b = Builder((1, 4, 8, 8))
    y = b(reduce.Mean.make(b.conv(b.args[0]), axis=(1,), keepdims=True))
    y = b(Resize2D.make(y, size=(4, 4)))
    assert transforms(converted(b.module(y), [*NHWC, "image.resize2d:NHWC"])) == 2


def test_blocks_of_different_size_follow_each_other():
    """NCHW4c → NCHW2c (apache/tvm PR 10336) goes in one transform."""
    b = Builder((1, 4, 8, 8))
    y = b(pools.MaxPool2D.make(b.conv(b.args[0]), pool_size=(2, 2)))
    found = converted(b.module(y), [*BLOCKED, "nn.max_pool2d:NCHW2c"])
    assert transforms(found) == 3


@pytest.mark.parametrize("desired", [NHWC, ("nn.conv2d:NCHW4c:OIHW1i4o",)])
def test_depthwise_and_squeeze_excite(desired):
    """Depthwise convolution (apache/tvm#2832) and a gate that is broadcast over the pixels."""
    b = Builder((2, 8, 6, 6))
    y = b.conv(b.args[0], groups=8)
    gate = b(unary.Sigmoid.make(b(pools.GlobalAvgPool2D.make(y))))
    assert transforms(converted(b.module(b(elementwise.Multiply.make(y, gate))), desired)) == 2


def test_regions_see_the_forms_around_them():
    module = parse("""
    func.func @main(%x: tensor<1x4x5x6xf32>, %c: tensor<i1>) -> tensor<1x8x5x6xf32> {
      %w = relay.ones {shape = [8, 4, 1, 1], dtype = f32} : () -> tensor<8x4x1x1xf32>
      %v = relay.ones {shape = [8, 8, 1, 1], dtype = f32} : () -> tensor<8x8x1x1xf32>
      %0 = relay.nn.conv2d %x, %w : (tensor<1x4x5x6xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x5x6xf32>
      %1 = relay.if %c -> (tensor<1x8x5x6xf32>) {
        %2 = relay.nn.conv2d %0, %v : (tensor<1x8x5x6xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x5x6xf32>
        relay.yield %2 : tensor<1x8x5x6xf32>
      } else {
        relay.yield %0 : tensor<1x8x5x6xf32>
      }
      func.return %1 : tensor<1x8x5x6xf32>
    }""")
    assert converted(module).count("nn.conv2d") == 1


def test_unknown_sizes():
    module = parse("""
    func.func @main(%x: tensor<?x4x?x6xf32>, %w: tensor<8x4x1x1xf32>) -> tensor<?x8x?x6xf32> {
      %0 = relay.nn.conv2d %x, %w : (tensor<?x4x?x6xf32>, tensor<8x4x1x1xf32>) -> tensor<?x8x?x6xf32>
      %1 = relay.nn.relu %0 : (tensor<?x8x?x6xf32>) -> tensor<?x8x?x6xf32>
      func.return %1 : tensor<?x8x?x6xf32>
    }""")
    for desired in (NHWC, BLOCKED):
        assert transforms(names(apply(ConvertLayout(desired=desired), module))) == 2


# Random programs -----------------------------------------------------------------------------------------------------

STEPS = {
    **CARRIED,
    **CARRIED_WHOLE,
    "conv": lambda b, x: Conv2D.make(x, b.constant(8, 8, 1, 1)),
    "swap": lambda b, x: transform.Transpose.make(x, axes=(0, 1, 3, 2)),
}
KEEPING = [
    "relu", "add scalar", "add (8, 1, 1)", "bias_add", "batch_norm", "softmax", "reverse", "lrn", "conv", "swap",
    "softmax of rows",
]  # fmt: skip
"""Steps that keep the rank and the channels."""


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(KEEPING), min_size=2, max_size=6), st.sampled_from(["NHWC", "HWNC", "NCHW4c:OIHW4i4o"]))
def test_random_chains(steps: list[str], layout: str):
    b = Builder((2, 8, 6, 6))
    x = y = b.args[0]
    for step in steps:
        if step == "add (8, 1, 1)":
            y = b(Add.make(y, x))
        y = b(STEPS[step](b, y))
    converted(b.module(y), [f"nn.conv2d:{layout}"])


def test_the_input_module_is_not_changed():
    b = Builder((1, 4, 8, 8))
    module = b.module(b.conv(b.args[0]))
    before = str(module)
    wishes: Mapping[str, Sequence[str]] = {"nn.conv2d": ["NHWC", "default"]}
    after = passes.ConvertLayout(wishes)(module)
    assert str(module) == before
    assert "NHWC" in str(after)
