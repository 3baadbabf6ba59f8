"""`relay-canonicalize-ops` writes operators in the forms that fuse and run best."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.graph.graph_utils import check, names, parse_main
from xrelay.lowering.graph.canonicalize_ops import CanonicalizeOps


@pytest.mark.parametrize(("shape", "axis", "view"), [("2x3x4", 1, True), ("2x4x3", -1, False), ("3", 0, False)])
def test_bias_add(shape: str, axis: int, view: bool):
    t = f"tensor<{shape}xf32>"
    body = f"%0 = relay.nn.bias_add %x, %b {{axis = {axis}}} : ({t}, tensor<3xf32>) -> {t}\nfunc.return %0 : {t}"
    after = check(CanonicalizeOps(), parse_main(f"%x: {t}, %b: tensor<3xf32>", body, t))
    assert names(after) == (["expand_dims", "add"] if view else ["add"])


@pytest.mark.parametrize("shape", ["2x3", "3", "4x2x3"])
def test_dense_of_a_constant_weight(shape: str):
    given, result = f"tensor<{shape}xf32>", f"tensor<{shape[:-1]}2xf32>"
    body = f"""
        %w = relay.constant [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] : tensor<2x3xf32>
        %0 = relay.nn.dense %x, %w {{units = 2}} : ({given}, tensor<2x3xf32>) -> {result}
        func.return %0 : {result}"""
    after = check(CanonicalizeOps(), parse_main(f"%x: {given}", body, result), rtol=1e-6)
    assert names(after) == ["constant", "nn.matmul"]
    (weight,) = (op.array for op in after.walk() if op.name == "relay.constant")
    np.testing.assert_array_equal(weight, [[1, 4], [2, 5], [3, 6]])
    assert weight.flags.c_contiguous


def test_dense_of_a_computed_weight_stays():
    body = """
        %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
        func.return %0 : tensor<2x4xf32>"""
    module = parse_main("%x: tensor<2x3xf32>, %w: tensor<4x3xf32>", body, "tensor<2x4xf32>")
    assert names(check(CanonicalizeOps(), module)) == ["nn.dense"]


@pytest.mark.parametrize(
    ("order", "x", "c", "rank"),
    [
        ("%x, %c", "tensor<2x3xf32>", "[[2.0]] : tensor<1x1xf32>", 0),
        ("%c, %x", "tensor<2x3xf32>", "[2.0] : tensor<1xf32>", 0),
        ("%x, %c", "tensor<3xf32>", "[[2.0]] : tensor<1x1xf32>", 2),  # the result has rank 2 because of the constant
        ("%x, %c", "tensor<2x3xf32>", "[2.0, 1.0, 0.0] : tensor<3xf32>", 1),
    ],
)
def test_constants_of_one_element_become_scalars(order: str, x: str, c: str, rank: int):
    constant_type = c.partition(": ")[2]
    result = "tensor<1x3xf32>" if rank == 2 else x
    types = ", ".join({"%x": x, "%c": constant_type}[name] for name in order.split(", "))
    body = f"%c = relay.constant {c}\n%0 = relay.subtract {order} : ({types}) -> {result}\nfunc.return %0 : {result}"
    after = check(CanonicalizeOps(), parse_main(f"%x: {x}", body, result))
    assert [op.array.ndim for op in after.walk() if op.name == "relay.constant"] == [rank]
