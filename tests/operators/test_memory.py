"""Compiled code stays inside its tensors.

What is written before one changes guard bytes; what is read or written behind one crashes.
"""

from __future__ import annotations

import ctypes
import mmap

import numpy as np
import pytest

from tests.operators.arrays import LARGE, array, cases
from tests.operators.harness import Case, assert_close, module_of
from xrelay.compiler import build
from xrelay.dialects.relay import (
    convolution,
    elementwise,
    indexing,
    linear,
    normalization,
    pooling,
    reduce,
    transform,
    unary,
)
from xrelay.interpreters.relay.registry import evaluate
from xrelay.runtime.model import CompiledModel

GUARD = 256
"""Bytes before a tensor, at least; more than two vectors."""
CANARY = 0xA5

X = array(1, 3, 7, 7)
ODD = [
    Case(elementwise.Add, array(17), array(17, seed=1)),
    Case(elementwise.Add, array(3, 15), array(15, seed=1)),
    Case(elementwise.Multiply, array(*LARGE), array(33, 1, seed=1)),
    Case(unary.Exp, array(33, dtype=np.float16)),
    Case(unary.Tanh, array(7, dtype=np.float64)),
    Case(unary.LogicalNot, array(31, dtype=np.bool_)),
    Case(reduce.Sum, array(7, 33), axis=(1,)),
    Case(reduce.Max, array(33, 7, dtype=np.int8), axis=(0,)),
    Case(normalization.Softmax, array(5, 19)),
    Case(convolution.Conv2D, X, array(5, 3, 3, 3, seed=1)),
    Case(convolution.Conv2D, X, array(5, 3, 7, 7, seed=1), padding=(3, 3)),
    Case(convolution.Conv2D, X, array(17, 3, 1, 1, seed=1), strides=(2, 2)),
    Case(convolution.Conv2D, X, array(3, 1, 3, 3, seed=1), groups=3, padding=(1, 1), strides=(2, 2)),
    Case(convolution.Conv2D, array(1, 7, 7, 3), array(3, 3, 3, 5, seed=1), data_layout="NHWC", kernel_layout="HWIO"),
    Case(convolution.Conv2D, array(1, 8, 33, 35), array(9, 8, 3, 3, seed=1), padding=(1, 1)),
    Case(convolution.Conv2DTranspose, X, array(3, 5, 3, 3, seed=1), strides=(2, 2)),
    Case(linear.Dense, array(3, 7), array(5, 7, seed=1)),
    Case(linear.Dense, array(1, 65), array(33, 65, seed=1)),
    Case(linear.BatchMatmul, array(3, 5, 7), array(3, 7, 9, seed=1)),
    Case(pooling.MaxPool2D, X, pool_size=(3, 3), strides=(2, 2), padding=(1, 1)),
    Case(pooling.AvgPool2D, X, pool_size=(2, 2), ceil_mode=True, strides=(2, 2)),
    Case(transform.Transpose, array(15, 17)),
    Case(transform.Concatenate, array(3, 5), array(3, 9, seed=1), axis=1),
    Case(transform.Pad, array(5, 7), pad_width=(1, 2, 3, 0)),
    Case(indexing.StridedSlice, array(33), begin=(32,), end=(-34,), strides=(-2,)),
    Case(indexing.Take, array(9, 5), array(7, dtype=np.int64, low=-9, high=20), axis=0),
]


class Guarded:
    """An array with guard bytes before it, and behind it a page that may be neither read nor written."""

    def __init__(self, value: np.ndarray):
        size = -(-(GUARD + value.nbytes) // mmap.PAGESIZE) * mmap.PAGESIZE
        pages = mmap.mmap(-1, size + mmap.PAGESIZE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(address + size), mmap.PAGESIZE, 0) == 0
        memory = np.frombuffer(pages, np.uint8, size)
        self.before, inside = np.split(memory, [size - value.nbytes])
        self.before[:] = CANARY
        self.array = inside.view(value.dtype).reshape(value.shape)
        self.array[...] = value

    def assert_alive(self, what: str) -> None:
        assert np.all(self.before == CANARY), f"something was written before {what}"


def garbage(value: np.ndarray) -> np.ndarray:
    """An array like this one that no kernel gives."""
    return np.full(value.nbytes, CANARY, np.uint8).view(value.dtype).reshape(value.shape)


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("case", cases(*ODD))
def test_accesses_stay_inside(case, opt_level):
    module, (op,) = module_of([case])
    expected = evaluate(op, case.arrays)
    artifact = build(module, opt_level=opt_level)
    for num_threads in (1, 2):
        inputs = [Guarded(value) for value in case.arrays]
        outputs = [Guarded(garbage(value)) for value in expected]
        with CompiledModel(artifact, num_threads) as model:
            model.run([given.array for given in inputs], out=[given.array for given in outputs])
        for number, (given, value) in enumerate(zip(inputs, case.arrays, strict=True)):
            given.assert_alive(f"input {number}")
            np.testing.assert_array_equal(given.array, value)
        for number, (given, want) in enumerate(zip(outputs, expected, strict=True)):
            given.assert_alive(f"output {number}")
            assert_close(given.array, want, f"output {number}")
