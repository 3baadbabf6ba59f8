"""Convolutions and matrix products of many sizes, compiled, against their meaning in NumPy."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from tests.operators.arrays import array
from tests.operators.harness import Case, assert_close, module_of
from xrelay.compiler import build
from xrelay.dialects.relay.activation import Relu
from xrelay.dialects.relay.convolution import Conv1D, Conv2D, Conv2DTranspose
from xrelay.dialects.relay.elementwise import Add
from xrelay.dialects.relay.linear import BatchMatmul, BiasAdd, Dense, Matmul
from xrelay.dialects.relay.types import element_of, tensor_type
from xrelay.interpreters.relay.registry import evaluate
from xrelay.runtime.model import CompiledModel

IS_X86 = platform.machine() in ("x86_64", "AMD64")
NARROW_TARGETS = ["llvm -mattr=-avx512f", "llvm -mcpu=x86-64"] if IS_X86 else []
"""This machine, taken for one with shorter vectors (the second has no fused multiply-add either)."""


def agree(cases: Iterable[Case], target: str = "llvm") -> None:
    """Compile the cases as one module and compare each with its meaning."""
    cases = list(cases)
    module, operators = module_of(cases)
    wanted = [evaluate(op, tuple(case.arrays))[0] for case, op in zip(cases, operators, strict=True)]
    got = CompiledModel(build(module, target)).run([given for case in cases for given in case.inputs])
    for case, result, want in zip(cases, got, wanted, strict=True):
        assert_close(result, want, f"{case} for {target}")


def images(kernel: int, stride: int) -> Iterator[Case]:
    """Convolutions over images of width 1 to 40, the other sizes odd."""
    for width in range(1, 41):
        dilation = 1 + width % 2
        span = dilation * (kernel - 1) + 1
        padding = max(0, span - width)
        yield Case(
            Conv2D,
            array(1, 3, 2 * kernel, width, low=-1, high=1),
            array(1 + width % 7, 3, kernel, kernel, low=-1, high=1, seed=1),
            strides=(stride, stride),
            dilation=(1, dilation),
            padding=(0, 0, 0, padding),
        )


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("kernel", [1, 2, 3])
def test_widths(kernel: int, stride: int):
    agree(images(kernel, stride))


@pytest.mark.parametrize("size", range(1, 10))
def test_kernel_sizes(size: int):
    weight = array(5, 2, size, size, low=-1, high=1, seed=1)
    agree(
        Case(Conv2D, array(2, 2, size + 2, size + 17, low=-1, high=1), weight, strides=strides, dilation=dilation)
        for strides in ((1, 1), (2, 1), (1, 3))
        for dilation in ((1, 1), (1, 2))
        if dilation[1] * (size - 1) < size + 17
    )


def test_groups():
    agree(
        Case(
            Conv2D,
            array(2, groups * inputs, 5, width, low=-1, high=1),
            array(groups * outputs, inputs, 3, 3, low=-1, high=1, seed=1),
            groups=groups,
            padding=(1, 1),
            strides=(1, stride),
        )
        for groups, inputs, outputs in ((2, 1, 1), (3, 2, 1), (2, 3, 5), (7, 1, 2))
        for width, stride in ((1, 1), (9, 1), (17, 2), (33, 3))
    )


def test_layouts():
    agree(
        Case(
            Conv2D,
            array(1, 5, width, inputs, low=-1, high=1),
            array(3, 3, inputs, outputs, low=-1, high=1, seed=1),
            data_layout="NHWC",
            kernel_layout="HWIO",
            padding=(1, 1),
        )
        for width in (1, 7, 16)
        for inputs, outputs in ((1, 1), (3, 5), (8, 17), (5, 33))
    )


def test_other_dimensions():
    agree(
        [
            *(Case(Conv1D, array(2, 3, width), array(5, 3, 3, seed=1), padding=(1,)) for width in range(1, 40, 3)),
            *(
                Case(Conv2DTranspose, array(1, 3, 4, width), array(3, 4, 3, 3, seed=1), strides=(2, 2))
                for width in range(1, 20, 3)
            ),
        ]
    )


SIZES = [(1, 1), (13, 17), (7, 4), (3, 40), (8, 16), (5, 15), (1, 33)]
"""(rows, columns) of a product, around the sizes of vectors and tiles."""


def products(dtype: type = np.float32, sizes: Sequence[tuple[int, int]] = SIZES[1:4]) -> Iterator[Case]:
    """Matrix products with 1 to 9 numbers summed."""
    for summed in range(1, 10):
        for rows, columns in sizes:
            x, w = array(rows, summed, dtype=dtype), array(summed, columns, dtype=dtype, seed=1)
            yield Case(Matmul, x, w) if summed % 2 else Case(Dense, x, np.ascontiguousarray(w.T))
        batch = array(3, 5, summed, dtype=dtype), array(3, summed, 19, dtype=dtype, seed=1)
        yield Case(BatchMatmul, *batch)


def test_product_sizes():
    agree(products(sizes=SIZES))


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int32, np.int64])
def test_product_types(dtype: type):
    agree(products(dtype))


@pytest.mark.parametrize("target", NARROW_TARGETS)
def test_shorter_vectors(target: str):
    agree([*products(), *products(np.float64), *images(3, 2)], target)


@pytest.mark.parametrize("target", ["llvm", *NARROW_TARGETS])
def test_epilogues(target: str):
    """Bias, residual and activation on the tile, whose last one in a row overlaps its neighbour or is masked."""
    block = Block()
    wanted, given = [], []

    def argument(values: np.ndarray):
        given.append(values)
        return block.insert_arg(tensor_type(values.shape, element_of(values.dtype)), len(block.args))

    results = []
    for width in range(1, 41, 2):
        x, w = array(1, 2, 4, width, low=-1, high=1), array(5, 2, 3, 1, low=-1, high=1, seed=1)
        bias, residual = array(5, seed=2), array(1, 5, 2, width, seed=3)
        conv = Conv2D.make(argument(x), argument(w))
        biased = BiasAdd.make(conv.results[0], argument(bias), axis=1)
        total = Add.make(biased.results[0], argument(residual))
        relu = Relu.make(total.results[0])
        block.add_ops([conv, biased, total, relu])
        results.append(relu.results[0])
        wanted.append(np.maximum(evaluate(conv, (x, w))[0] + bias[:, None, None] + residual, 0))
    block.add_op(ReturnOp(*results))
    main = FuncOp("main", ([arg.type for arg in block.args], [result.type for result in results]), Region(block))
    for got, want in zip(CompiledModel(build(ModuleOp([main]), target)).run(given), wanted, strict=True):
        assert_close(got, want, f"width {want.shape[-1]} for {target}")
