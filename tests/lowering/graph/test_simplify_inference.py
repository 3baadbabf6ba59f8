"""`relay-simplify-inference`: batch_norm becomes arithmetic, dropout goes away."""

from __future__ import annotations

import pytest

from tests.lowering.graph.graph_utils import check, names, parse_main
from xrelay.lowering.graph.simplify_inference import SimplifyInference

VECTORS = """
%gamma = relay.constant [1.0, 2.0, -3.0] : tensor<3x{t}>
%beta = relay.constant [0.5, 0.0, 1.0] : tensor<3x{t}>
%mean = relay.constant [0.25, -1.0, 4.0] : tensor<3x{t}>
%var = relay.constant [0.5, 2.0, 0.0] : tensor<3x{t}>
"""


def batch_norm(shape: str, attrs: str, element: str = "f32"):
    data, vector = f"tensor<{shape}x{element}>", f"tensor<3x{element}>"
    body = VECTORS.format(t=element) + (
        f"%n:3 = relay.nn.batch_norm %x, %gamma, %beta, %mean, %var {{{attrs}}} : "
        f"({data}, {vector}, {vector}, {vector}, {vector}) -> ({data}, {vector}, {vector})\n"
        f"func.return %n#0, %n#1, %n#2 : {data}, {vector}, {vector}"
    )
    return parse_main(f"%x: {data}", body, f"{data}, {vector}, {vector}")


@pytest.mark.parametrize(
    ("shape", "attrs"),
    [
        ("2x3x4x5", "axis = 1"),
        ("2x4x5x3", "axis = -1, epsilon = 0.001"),
        ("4x3", "axis = 1, scale = false"),
        ("3", "axis = 0, center = false"),
        ("3x2", "axis = 0, center = false, scale = false"),
    ],
)
def test_batch_norm(shape: str, attrs: str):
    after = check(SimplifyInference(), batch_norm(shape, attrs), rtol=1e-4, atol=1e-4)
    assert "nn.batch_norm" not in names(after)
    assert [name for name in names(after) if name != "constant"][-1] == "add"


def test_batch_norm_of_half_floats_computes_the_scale_in_single():
    after = check(SimplifyInference(), batch_norm("2x3x4", "axis = 1", "f16"), rtol=4e-3, atol=4e-3)
    assert [str(op.result.type) for op in after.walk() if op.name == "relay.sqrt"] == ["tensor<3xf32>"]


def test_dropout():
    module = parse_main(
        "%x: tensor<2xf32>",
        """
        %0:2 = relay.nn.dropout %x : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
        %1 = relay.nn.relu %0#0 : (tensor<2xf32>) -> tensor<2xf32>
        func.return %1 : tensor<2xf32>""",
        "tensor<2xf32>",
    )
    assert names(check(SimplifyInference(), module)) == ["nn.relu"]


def test_the_mask_of_dropout():
    module = parse_main(
        "%x: tensor<2xf32>",
        """
        %0:2 = relay.nn.dropout %x : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
        func.return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>""",
        "tensor<2xf32>, tensor<2xf32>",
    )
    assert names(check(SimplifyInference(), module)) == ["ones_like"]


def test_kernels_of_their_own_stay_whole():
    module = parse_main(
        "%x: tensor<2x3xf32>, %g: tensor<3xf32>",
        """
        %0 = relay.nn.layer_norm %x, %g, %g : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
        func.return %0 : tensor<2x3xf32>""",
        "tensor<2x3xf32>",
    )
    assert names(check(SimplifyInference(), module)) == ["nn.layer_norm"]
