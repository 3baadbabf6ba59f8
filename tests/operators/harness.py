"""Compiles operators and compares them with their meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from xrelay.compiler import build
from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.types import element_of, tensor_type
from xrelay.interpreters.relay.registry import evaluate
from xrelay.runtime.model import CompiledModel

TOLERANCE = {
    np.dtype(np.float64): (1e-12, 1e-12),
    np.dtype(np.float32): (2e-5, 2e-5),
    np.dtype(np.float16): (4e-3, 4e-3),
    np.dtype(ml_dtypes.bfloat16): (4e-2, 4e-2),
}
"""Relative and absolute tolerance: some tens of units in the last place, for sums are taken in another order."""


class Case:
    """One operator on these arrays; those at the positions `constants` are known to the compiler."""

    def __init__(self, operator: type[RelayOp], *arrays: np.ndarray, constants: Sequence[int] = (), **attrs: Any):
        self.operator, self.arrays, self.constants, self.attrs = operator, arrays, constants, attrs
        self.inputs = [given for position, given in enumerate(arrays) if position not in constants]

    def __str__(self) -> str:
        operands = ", ".join(f"{a.dtype}{list(a.shape)}" for a in self.arrays)
        return f"{self.operator.name}({operands}) {self.attrs}"

    def add_to(self, block: Block) -> RelayOp:
        """Append the operator to the body of @main, and its inputs to the arguments."""
        operands: list[SSAValue] = []
        for position, given in enumerate(self.arrays):
            if position in self.constants:
                block.add_op(constant := Constant.of(given))
                operands.append(constant.result)
            else:
                operands.append(block.insert_arg(tensor_type(given.shape, element_of(given.dtype)), len(block.args)))
        op = self.operator.make(*operands, **self.attrs)
        block.add_op(op)
        return op


def module_of(cases: Sequence[Case]) -> tuple[ModuleOp, list[RelayOp]]:
    """A module whose @main computes all the cases, one beside the other, and their operators."""
    block = Block()
    operators = [case.add_to(block) for case in cases]
    block.add_op(ReturnOp(*(result for op in operators for result in op.results)))
    types = [arg.type for arg in block.args], [result.type for op in operators for result in op.results]
    return ModuleOp([FuncOp("main", types, Region(block))]), operators


def assert_close(got: np.ndarray, want: np.ndarray, what: str = "") -> None:
    """Equal shape and dtype; equal values for integers and bool, close ones for floats, NaN equal to NaN."""
    assert got.dtype == want.dtype, f"{what}: dtype {got.dtype}, expected {want.dtype}"
    assert got.shape == want.shape, f"{what}: shape {got.shape}, expected {want.shape}"
    if want.dtype in TOLERANCE:
        rtol, atol = TOLERANCE[want.dtype]
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol, atol, err_msg=what)
    else:
        np.testing.assert_array_equal(got, want, err_msg=what)


def check(
    operator: type[RelayOp],
    *arrays: np.ndarray,
    opt_levels: Sequence[int] = (0, 3),
    constants: Sequence[int] = (),
    **attrs: Any,
) -> None:
    """Compile the operator at each opt level, run it on one and two threads, compare with the meaning."""
    check_all([Case(operator, *arrays, constants=constants, **attrs)], opt_levels)


def check_all(cases: Iterable[Case], opt_levels: Sequence[int] = (3,)) -> None:
    """`check` of many cases, which are compiled as one module: the greater part of a small compilation is fixed."""
    cases = list(cases)
    module, operators = module_of(cases)
    wanted = [
        (case, result) for case, op in zip(cases, operators, strict=True) for result in evaluate(op, tuple(case.arrays))
    ]
    inputs = [given for case in cases for given in case.inputs]
    for opt_level in opt_levels:
        artifact = build(module.clone(), opt_level=opt_level)
        for num_threads in (1, 2):
            results = CompiledModel(artifact, num_threads).run(inputs)
            for (case, want), got in zip(wanted, results, strict=True):
                assert_close(got, want, f"{case}, opt level {opt_level}, {num_threads} threads")
