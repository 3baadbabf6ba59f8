"""The debug executor runs relay modules by the meaning of their operators."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import arith
from xdsl.rewriter import InsertPoint, Rewriter

from tests.lowering.graph.graph_utils import parse, parse_main
from xrelay.errors import InputError, UnsupportedError
from xrelay.interpreters.executor import run_module

X = np.array([1.0, -2.0], np.float32)


def test_calls_constants_and_several_results():
    module = parse("""
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %0 = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = func.call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %1, %x : tensor<2xf32>, tensor<2xf32>
    }
    func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = relay.constant 2.0 : tensor<f32>
      %1 = relay.multiply %x, %0 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      func.return %1 : tensor<2xf32>
    }""")
    y, x = run_module(module, [X])
    np.testing.assert_array_equal(y, 4 * X)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(run_module(module, [X], "twice")[0], 2 * X)


@pytest.mark.parametrize("condition", [True, False])
def test_only_the_chosen_branch_runs(condition: bool):
    module = parse_main(
        "%c: tensor<i1>, %x: tensor<2xf32>, %i: tensor<i64>",
        """
        %n = relay.negative %x : (tensor<2xf32>) -> tensor<2xf32>
        %r = relay.if %c -> (tensor<f32>) {
          %0 = relay.take %n, %i {axis = 0, mode = "error"} : (tensor<2xf32>, tensor<i64>) -> tensor<f32>
          relay.yield %0 : tensor<f32>
        } else {
          %0 = relay.sum %n {axis = [0]} : (tensor<2xf32>) -> tensor<f32>
          relay.yield %0 : tensor<f32>
        }
        func.return %r : tensor<f32>""",
        "tensor<f32>",
    )
    index = np.int64(0 if condition else 99)
    (y,) = run_module(module, [np.array(condition), X, index])
    assert y == (-1.0 if condition else 1.0)


def test_tuples():
    pair = "tuple<tensor<2xf32>, tensor<i64>>"
    module = parse_main(
        "%x: tensor<2xf32>, %i: tensor<i64>",
        f"""
        %t = relay.tuple %x, %i : (tensor<2xf32>, tensor<i64>) -> {pair}
        %0 = relay.tuple_get_item %t {{index = 1}} : ({pair}) -> tensor<i64>
        func.return %0, %t : tensor<i64>, {pair}""",
        f"tensor<i64>, {pair}",
    )
    i, (x, j) = run_module(module, [X, np.int64(7)])
    assert i == j == 7
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "@main takes 1 arguments, got 0"),
        ([X.astype(np.float64)], r"argument 0 of @main must be float32 of shape \(2,\), got float64 of \(2,\)"),
        ([X[:1]], r"must be float32 of shape \(2,\), got float32 of \(1,\)"),
    ],
)
def test_arguments_are_checked(arguments, message: str):
    module = parse_main("%x: tensor<2xf32>", "func.return %x : tensor<2xf32>", "tensor<2xf32>")
    with pytest.raises(InputError, match=message):
        run_module(module, arguments)


def test_unknown_sizes_take_any_size():
    module = parse_main("%x: tensor<?xf32>", "func.return %x : tensor<?xf32>", "tensor<?xf32>")
    np.testing.assert_array_equal(run_module(module, [X])[0], X)


def test_unknown_functions_and_operations():
    module = parse_main("%x: tensor<2xf32>", "func.return %x : tensor<2xf32>", "tensor<2xf32>")
    with pytest.raises(InputError, match="no function @other; it has @main"):
        run_module(module, [X], "other")
    foreign = arith.ConstantOp.from_int_and_width(0, 32)
    Rewriter.insert_op(foreign, InsertPoint.at_start(module.body.block.first_op.body.block))
    with pytest.raises(UnsupportedError, match=r"arith\.constant at .* is no operation of the relay level"):
        run_module(module, [X])
