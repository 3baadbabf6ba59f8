"""The interpreter of the tensor level."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.parser import Parser

from xrelay.errors import ExecutionError
from xrelay.interpreters.tensor import run_function
from xrelay.universe import context


def run(text: str, *arrays: np.ndarray) -> list[np.ndarray]:
    module = Parser(context(), text).parse_module()
    module.verify()
    return run_function(module, "main", arrays)


MATMUL = """
func.func private @k(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                                        affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
       ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%init : tensor<2x4xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x4xf32>
  func.return %r : tensor<2x4xf32>
}
func.func @main(%a: tensor<2x3xf32>, %b: tensor<12xf32>) -> tensor<2x4xf32> {
  %v = kernel.view %b : tensor<12xf32> to tensor<3x4xf32>
  %r = func.call @k(%a, %v) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return %r : tensor<2x4xf32>
}
"""


def test_matmul():
    a, b = (np.random.default_rng(0).standard_normal(shape).astype(np.float32) for shape in ((2, 3), (3, 4)))
    (result,) = run(MATMUL, a, b.reshape(12))
    np.testing.assert_allclose(result, a @ b, rtol=1e-6)


def test_transposed_output_and_two_results():
    """xDSL prints several result types in parentheses and parses them without."""
    text = """
    func.func @main(%x: tensor<2x3xi32>) -> (tensor<3x2xi32>, tensor<2x3xindex>) {
      %a = tensor.empty() : tensor<3x2xi32>
      %b = tensor.empty() : tensor<2x3xindex>
      %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>,
                                              affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
           ins(%x : tensor<2x3xi32>) outs(%a, %b : tensor<3x2xi32>, tensor<2x3xindex>) {
      ^bb0(%v: i32, %o: i32, %p: index):
        %i = linalg.index 0 : index
        linalg.yield %v, %i : i32, index
      } -> tensor<3x2xi32>, tensor<2x3xindex>
      func.return %r#0, %r#1 : tensor<3x2xi32>, tensor<2x3xindex>
    }
    """
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    transposed, rows = run(text, x)
    np.testing.assert_array_equal(transposed, x.T)
    assert rows.tolist() == [[0] * 3, [1] * 3]


PICK = """
func.func @main(%x: tensor<4xi8>, %i: tensor<3xi64>) -> tensor<3xi8> {
  %e = tensor.empty() : tensor<3xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
       ins(%i : tensor<3xi64>) outs(%e : tensor<3xi8>) {
  ^bb0(%k: i64, %o: i8):
    %four = arith.constant 4 : i64
    %ok = arith.cmpi ult, %k, %four : i64
    CHECK
    %p = arith.index_cast %k : i64 to index
    %v = tensor.extract %x[%p] : tensor<4xi8>
    linalg.yield %v : i8
  } -> tensor<3xi8>
  func.return %r : tensor<3xi8>
}
"""


def test_reads_and_assertions():
    text = PICK.replace("CHECK", 'cf.assert %ok, "the index is outside"')
    unsigned = np.array([1, 2, 3, 255], np.uint8)
    assert run(text, unsigned, np.array([3, 0, 1]))[0].tolist() == [-1, 1, 2]
    with pytest.raises(ExecutionError, match="the index is outside"):
        run(text, unsigned, np.array([3, -1, 1]))


def test_a_read_outside_is_a_fault_of_the_lowering():
    with pytest.raises(AssertionError, match="a read outside axis 0 of size 4"):
        run(PICK.replace("CHECK", ""), np.zeros(4, np.int8), np.array([3, -1, 1]))


def test_insert_slice_and_constants():
    text = """
    func.func @main(%x: tensor<2xf64>) -> tensor<5xf64> {
      %c = kernel.constant #relay.tensor<[1.0, 2.0, 3.0, 4.0, 5.0] : tensor<5xf64>> : tensor<5xf64>
      %r = tensor.insert_slice %x into %c[2] [2] [1] : tensor<2xf64> into tensor<5xf64>
      func.return %r : tensor<5xf64>
    }
    """
    assert run(text, np.array([-1.0, -2.0]))[0].tolist() == [1, 2, -1, -2, 5]


def test_an_uninitialised_tensor_shows():
    text = """
    func.func @main() -> tensor<2xf32> {
      %e = tensor.empty() : tensor<2xf32>
      func.return %e : tensor<2xf32>
    }
    """
    (result,) = run(text)
    assert np.isnan(result).all()


def test_other_levels_are_refused():
    text = """
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = relay.nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
      func.return %y : tensor<2xf32>
    }
    """
    with pytest.raises(NotImplementedError, match=r"relay\.nn\.relu is no operation of the tensor level"):
        run(text, np.zeros(2, np.float32))
