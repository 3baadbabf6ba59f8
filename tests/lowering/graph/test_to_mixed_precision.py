"""`relay-to-mixed-precision` computes in 16 bits what may be, and keeps the types of results."""

from __future__ import annotations

import pytest

from tests.lowering.graph.graph_builder import Builder
from tests.lowering.graph.graph_utils import apply, check, names, parse
from xrelay.dialects.relay.activation import Relu
from xrelay.dialects.relay.convolution import Conv2D
from xrelay.dialects.relay.elementwise import Add
from xrelay.dialects.relay.linear import BiasAdd, Dense
from xrelay.dialects.relay.normalization import Softmax
from xrelay.dialects.relay.pooling import GlobalAvgPool2D
from xrelay.dialects.relay.reduce import Argmax
from xrelay.dialects.relay.types import bf16, f16, f32, f64
from xrelay.dialects.relay.unary import Erf, Exp
from xrelay.errors import XRelayError
from xrelay.lowering.graph import to_mixed_precision
from xrelay.lowering.graph.to_mixed_precision import ToMixedPrecision

TYPES = {"float16": (f16, 2e-2), "bfloat16": (bf16, 2e-1)}


def converted(b: Builder, *results, to: str = "float16", **options) -> list[tuple[str, object]]:
    """Name and element type of the first result of all operators but casts and constants."""
    element, tolerance = TYPES[to]
    module = b.module(*results)
    after = check(ToMixedPrecision(mixed_precision_type=to, **options), module, rtol=tolerance, atol=tolerance * 10)
    assert after.body.ops.first.function_type == module.body.ops.first.function_type
    shown = [
        (op.name.removeprefix("relay."), op.results[0].type.element_type)
        for op in after.body.ops.first.body.block.ops
        if op.results and op.name not in ("relay.cast", "relay.constant")
    ]
    assert all(kind in (element, f32, f64) or kind.name == "integer_type" for _, kind in shown)
    return shown


@pytest.mark.parametrize("to", TYPES)
def test_what_follows_a_convolution(to):
    element, _ = TYPES[to]
    b = Builder((1, 4, 6, 6))
    y = b(Relu.make(b(BiasAdd.make(b.conv(b.args[0]), b.constant(8)))))
    found = converted(b, b(GlobalAvgPool2D.make(b.conv(y))), to=to)
    assert found == [
        ("nn.conv2d", element), ("nn.bias_add", element), ("nn.relu", element), ("nn.conv2d", element),
        ("nn.global_avg_pool2d", f32),
    ]  # fmt: skip


def test_casts_stand_at_the_borders_only():
    b = Builder((3, 4))
    y = b(Relu.make(b(Dense.make(b.args[0], b.constant(5, 4)))))
    module = b.module(b(Softmax.make(b(Dense.make(y, b.constant(6, 5))))))
    found = [name for name in names(apply(ToMixedPrecision(), module)) if name != "constant"]
    assert found == ["cast", "cast", "nn.dense", "nn.relu", "cast", "nn.dense", "cast", "nn.softmax"]


def test_never_in_16_bits():
    b = Builder((3, 4))
    y = b(Erf.make(b(Exp.make(b(Dense.make(b.args[0], b.constant(5, 4)))))))
    assert converted(b, y) == [("nn.dense", f16), ("exp", f32), ("erf", f32)]


def test_an_operand_in_32_bits_keeps_the_operator_there():
    """The cast of the argument for the dense layer does not make the addition one of 16 bits."""
    b = Builder((3, 4))
    y = b(Dense.make(b.args[0], b.constant(4, 4)))
    found = converted(b, b(Add.make(y, b.args[0])), b(Relu.make(b.args[0])))
    assert found == [("nn.dense", f16), ("add", f32), ("nn.relu", f32)]


def test_integers_come_from_16_bits():
    b = Builder((3, 4))
    module = b.module(b(Argmax.make(b(Dense.make(b.args[0], b.constant(4, 4))), axis=(1,))))
    (argmax,) = (op for op in apply(ToMixedPrecision(), module).walk() if isinstance(op, Argmax))
    assert argmax.data.type.element_type == f16


def test_results_keep_their_types():
    """apache/tvm PR 11142."""
    b = Builder((1, 4, 6, 6))
    y = b.conv(b.args[0])
    assert converted(b, y, b(Relu.make(y))) == [("nn.conv2d", f16), ("nn.relu", f16)]


def test_float64_stays():
    b = Builder((3, 4), dtype="float64")
    assert converted(b, b(Dense.make(b.args[0], b.constant(5, 4)))) == [("nn.dense", f64)]


def test_conditionals_pass_on_32_bits():
    module = parse("""
    func.func @main(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>, %c: tensor<i1>) -> tensor<2x4xf32> {
      %0 = relay.nn.dense %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
      %1 = relay.if %c -> (tensor<2x4xf32>) {
        %2 = relay.nn.dense %0, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
        %3 = relay.nn.relu %2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
        relay.yield %3 : tensor<2x4xf32>
      } else {
        relay.yield %x : tensor<2x4xf32>
      }
      func.return %1 : tensor<2x4xf32>
    }""")
    after = check(ToMixedPrecision(), module, rtol=1e-1, atol=1)
    assert sum(op.name == "relay.cast" for op in after.walk()) == 3


def test_explicit_output_type():
    b = Builder((1, 4, 6, 6))
    assert converted(b, b.conv(b.args[0], out_dtype=f32)) == [("nn.conv2d", f16)]
    assert isinstance(b.block.first_op.next_op, Conv2D)


def test_missing_operators(monkeypatch):
    monkeypatch.setattr(to_mixed_precision, "NEVER", ())

    def program() -> tuple[Builder, object]:
        b = Builder((3, 3))
        return b, b(Softmax.make(b.args[0]))

    b, y = program()
    with pytest.warns(UserWarning, match="in no list"):
        converted(b, y)
    b, y = program()
    converted(b, y, missing_op_mode=2)
    b, y = program()
    with pytest.raises(XRelayError, match="in no list"):
        converted(b, y, missing_op_mode=0)


def test_another_type():
    b = Builder((3, 3))
    with pytest.raises(XRelayError, match="float16"):
        apply(ToMixedPrecision(mixed_precision_type="int8"), b.module(b.args[0]))
