"""What the passes from relay to relay share: the pass classes, the walk over functions and blocks, constants.

Graph passes work on the functions that say *what* is computed. Primitive functions (kernels, the product of
`relay-fuse-ops`) are closed to them, except for those passes that are about primitive functions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.language import Global

PRIMITIVE = "relay.primitive"
"""The unit attribute of a function that is one kernel."""

PROGRAM = "relay.program"
"""The unit attribute of a function that computes with more than tensors: it goes straight to the llvm level."""


@dataclass(frozen=True)
class RelayPass(ModulePass):
    """A pass from relay to relay. `apply` changes the module in place; `xrelay.relay.transform` works on copies."""

    opt_level: ClassVar[int] = 0
    """The lowest optimisation level at which pipelines run the pass."""
    required: ClassVar[tuple[str, ...]] = ()
    """Names of the passes that must run right before it."""


@dataclass(frozen=True)
class FunctionPass(RelayPass):
    """A pass that treats each function by itself and leaves kernels alone."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            self.apply_to_function(function)

    @abstractmethod
    def apply_to_function(self, function: FuncOp) -> None: ...


def is_primitive(function: Operation) -> bool:
    return PRIMITIVE in function.attributes


def is_program(function: Operation) -> bool:
    return PROGRAM in function.attributes


def is_private(function: FuncOp) -> bool:
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def kernel_level(module: ModuleOp) -> list[FuncOp]:
    """The functions that the levels between relay and llvm know: kernels, and a @main that only calls them."""
    return [function for function in functions(module) if not is_program(function)]


def functions(module: ModuleOp) -> list[FuncOp]:
    """The functions of a module that have a body, in order."""
    return [op for op in module.body.ops if isinstance(op, FuncOp) and not op.is_declaration]


def graph_functions(module: ModuleOp) -> list[FuncOp]:
    """The functions that are not kernels."""
    return [function for function in functions(module) if not is_primitive(function)]


def used_functions(op: Operation) -> Iterator[str]:
    """The names of the functions that an operation and all inside it call or take as values."""
    for inner in op.walk():
        if isinstance(inner, CallOp):
            yield inner.callee.string_value()
        elif isinstance(inner, Global):
            yield inner.function.string_value()


def reached_functions(module: ModuleOp, roots: Iterable[str]) -> set[str]:
    """The names of these functions and of all that they use, directly or not."""
    by_name = {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}
    reached: set[str] = set()
    pending = list(roots)
    while pending:
        name = pending.pop()
        if name not in reached and name in by_name:
            reached.add(name)
            pending += used_functions(by_name[name])
    return reached


def blocks(region: Region) -> Iterator[Block]:
    """The blocks of a region and, behind each, those nested in its operations."""
    for block in region.blocks:
        yield block
        for op in block.ops:
            for nested in op.regions:
                yield from blocks(nested)


def unique_name(wanted: str, taken: set[str]) -> str:
    """`wanted`, with a number behind it where that is taken; the name is added to `taken`."""
    name, n = wanted, 0
    while name in taken:
        n += 1
        name = f"{wanted}_{n}"
    taken.add(name)
    return name


def inline_call(call: CallOp, callee: FuncOp) -> None:
    """Put a copy of what a function computes in the place of its call."""
    block = call.parent
    assert block is not None
    values: dict[SSAValue, SSAValue] = dict(zip(callee.args, call.arguments, strict=True))
    *body, terminator = callee.body.block.ops
    for op in body:
        block.insert_op_before(op.clone(values), call)
    for old, new in zip(call.results, terminator.operands, strict=True):
        old.replace_all_uses_with(values[new])
    block.erase_op(call)


# Constants ---------------------------------------------------------------------------------------------------------


def constant_of(value: SSAValue) -> Constant | None:
    """The `relay.constant` that a value comes from."""
    return value.owner if isinstance(value.owner, Constant) else None


def array_of(value: SSAValue) -> np.ndarray | None:
    """The array of a constant value, None for any other."""
    constant = constant_of(value)
    return None if constant is None else constant.array


def is_splat(value: SSAValue, number: float) -> bool:
    """Whether a value is a constant all of whose elements are `number`."""
    array = array_of(value)
    return array is not None and array.size > 0 and array.flat[0] == number and bool((array == number).all())


def erase_unused_constants(region: Region) -> None:
    for block in blocks(region):
        for op in list(block.ops):
            if isinstance(op, Constant) and not op.result.uses:
                block.erase_op(op)
