"""`relay-div-to-mul`, `relay-canonicalize-cast`, `relay-simplify-fc-transpose`, `relay-split-args`."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lowering.graph.graph_builder import Builder
from tests.lowering.graph.graph_utils import check, names, parse_main
from xrelay.dialects.relay.elementwise import Divide, Multiply
from xrelay.dialects.relay.linear import Dense, Matmul
from xrelay.dialects.relay.transform import Concatenate, Transpose
from xrelay.errors import XRelayError
from xrelay.lowering.graph.canonicalize_cast import CanonicalizeCast
from xrelay.lowering.graph.div_to_mul import DivToMul
from xrelay.lowering.graph.simplify_fc_transpose import SimplifyFCTranspose
from xrelay.lowering.graph.split_args import SplitArgs


def left(pass_, module, rtol: float = 0.0) -> list[str]:
    return [name for name in names(check(pass_, module, rtol=rtol)) if name != "constant"]


# relay-div-to-mul ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("divisor", "rtol"), [(np.float32([4, -0.5]), 0), (np.float32(3), 1e-6)])
def test_division(divisor, rtol):
    b = Builder((3, 2))
    assert left(DivToMul(), b.module(b(Divide.make(b.args[0], b.array(divisor)))), rtol) == ["multiply"]


@pytest.mark.parametrize("divisor", [[1, 0], [1, np.inf], [1, np.nan], [1, 1e-39], [1, 3e38]])
def test_divisors_without_a_reciprocal(divisor):
    b = Builder((3, 2))
    assert left(DivToMul(), b.module(b(Divide.make(b.args[0], b.array(np.float32(divisor)))))) == ["divide"]


def test_integers_and_computed_divisors_stay():
    b = Builder((3, 2), dtype="int32")
    assert left(DivToMul(), b.module(b(Divide.make(b.args[0], b.array(np.int32([3, 2])))))) == ["divide"]
    b = Builder((3, 2))
    assert left(DivToMul(), b.module(b(Divide.make(b.args[0], b.args[0])))) == ["divide"]


def test_two_divisions_of_one_value():
    """The module is not edited in place, and running the pass again changes nothing (apache/tvm#16819)."""
    b = Builder((3, 2))
    y = b(Divide.make(b.args[0], b.array(np.float32(2))))
    assert (
        left(DivToMul(), b.module(b(Multiply.make(y, b(Divide.make(y, b.array(np.float32(4)))))))) == ["multiply"] * 3
    )


# relay-canonicalize-cast ---------------------------------------------------------------------------------------------

SHARED = """
%0 = relay.cast %x {{dtype = {wide}}} : (tensor<4x{narrow}>) -> tensor<4x{wide}>
%1 = relay.negative %0 : (tensor<4x{wide}>) -> tensor<4x{wide}>
%2 = relay.multiply %0, %0 : (tensor<4x{wide}>, tensor<4x{wide}>) -> tensor<4x{wide}>
"""


def _shared(narrow: str, wide: str, *more: str):
    returned = ["%1", "%2", *more]
    body = SHARED.format(narrow=narrow, wide=wide)
    types = ", ".join([f"tensor<4x{wide}>"] * len(returned))
    return parse_main(f"%x: tensor<4x{narrow}>", f"{body}\nfunc.return {', '.join(returned)} : {types}", types)


def test_each_reader_gets_its_cast():
    assert left(CanonicalizeCast(), _shared("i8", "i32")) == ["cast", "negative", "cast", "multiply"]


def test_a_reader_that_does_not_fuse_keeps_the_shared_one():
    assert left(CanonicalizeCast(), _shared("i8", "i32", "%0")) == ["cast", "cast", "negative", "cast", "multiply"]


def test_a_cast_of_a_cast():
    module = parse_main(
        "%x: tensor<4xi8>",
        """
        %0 = relay.cast %x {dtype = i16} : (tensor<4xi8>) -> tensor<4xi16>
        %1 = relay.cast %0 {dtype = i32} : (tensor<4xi16>) -> tensor<4xi32>
        %2 = relay.negative %1 : (tensor<4xi32>) -> tensor<4xi32>
        %3 = relay.abs %1 : (tensor<4xi32>) -> tensor<4xi32>
        func.return %2, %3 : tensor<4xi32>, tensor<4xi32>""",
        "tensor<4xi32>, tensor<4xi32>",
    )
    assert left(CanonicalizeCast(), module) == ["cast", "cast", "negative", "cast", "cast", "abs"]


def test_a_narrowing_cast_is_shared():
    assert left(CanonicalizeCast(), _shared("f32", "f16")) == ["cast", "negative", "multiply"]


# relay-simplify-fc-transpose -----------------------------------------------------------------------------------------


def test_dense_of_a_transposed_weight():
    b = Builder((3, 4), (4, 5))
    y = b(Dense.make(b.args[0], b(Transpose.make(b.args[1], axes=(1, 0)))))
    assert left(SimplifyFCTranspose(), b.module(y)) == ["transpose", "nn.matmul"][1:]


@pytest.mark.parametrize("transpose_b", [False, True])
def test_matmul_of_a_transposed_weight(transpose_b):
    b = Builder((3, 4), (4, 5) if transpose_b else (5, 4))
    y = b(Matmul.make(b.args[0], b(Transpose.make(b.args[1])), transpose_b=transpose_b))
    assert left(SimplifyFCTranspose(), b.module(y)) == ["nn.matmul"]


def test_only_the_weights_that_are_named():
    module = parse_main(
        "%x: tensor<3x4xf32>, %w: tensor<4x5xf32>",
        """
        %0 = relay.transpose %w : (tensor<4x5xf32>) -> tensor<5x4xf32>
        %1 = relay.nn.dense %x, %0 : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
        func.return %1 : tensor<3x5xf32>""",
        "tensor<3x5xf32>",
    )
    assert left(SimplifyFCTranspose(names=("v",)), module) == ["transpose", "nn.dense"]
    assert left(SimplifyFCTranspose(names=("w",)), module) == ["nn.matmul"]


# relay-split-args ----------------------------------------------------------------------------------------------------


def test_split_args():
    b = Builder((2, 3), (2, 1))
    y = b(Concatenate.make(*(b.args[i % 2] for i in range(7)), axis=-1))
    module = b.module(y)
    assert left(SplitArgs(), module) == ["concatenate"]
    after = check(SplitArgs(max_function_args=2), module)
    assert all(len(op.operands) <= 2 for op in after.walk() if isinstance(op, Concatenate))
    with pytest.raises(XRelayError, match="at least 2"):
        left(SplitArgs(max_function_args=1), module)
