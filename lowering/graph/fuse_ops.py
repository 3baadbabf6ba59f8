"""`relay-fuse-ops`: group operators into kernels, one private primitive function a kernel.

```mlir
%1 = func.call @fused_nn_conv2d_add_nn_relu(%x, %w, %b) : …
func.func private @fused_nn_conv2d_add_nn_relu(%p0: …, %p1: …, %p2: …) -> … attributes {relay.primitive} { … }
```

`fusion_groups.py` decides who shares a kernel. Behind this pass a function holds only calls of kernels, constants,
views, tuples and conditionals. Equal groups share one function: the same operators, attributes and types, wired the
same way. Weights are arguments, so layers that differ in their weights only share too; 0-d constants stay inside,
where they become immediates.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.core import MayFail, RelayOp
from xrelay.dialects.relay.types import is_integer, shape_of
from xrelay.lowering.graph.base import PRIMITIVE, RelayPass, blocks, constant_of, graph_functions, unique_name
from xrelay.lowering.graph.fusion_groups import MAX_DEPTH, fusion_groups, single_groups

MAX_NAME_LENGTH = 80


@dataclass(frozen=True)
class FuseOps(RelayPass):
    """Moves the operators of every function into kernels and calls them."""

    name = "relay-fuse-ops"

    enabled: bool = True
    """Without it each operator is its own kernel."""
    max_depth: int = MAX_DEPTH
    """The most operators in one kernel."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = _Kernels(op)
        for function in graph_functions(op):
            for block in list(blocks(function.body)):
                groups = fusion_groups(block, self.max_depth) if self.enabled else single_groups(block)
                for group in groups:
                    _outline(group, kernels)
            _erase_scalars(function)


class _Kernels:
    """The primitive functions of a module, by what they compute."""

    def __init__(self, module: ModuleOp):
        self._module = module
        self._known: dict[Hashable, FuncOp] = {}
        self._names = {op.sym_name.data for op in module.body.ops if isinstance(op, FuncOp)}

    def get(self, group: Sequence[RelayOp], inputs: Sequence[SSAValue]) -> FuncOp:
        """The kernel that computes this group from these inputs."""
        key = _structure(group, inputs)
        kernel = self._known.get(key)
        if kernel is None:
            kernel = _kernel(unique_name(_readable_name(group), self._names), group, inputs)
            self._known[key] = kernel
            self._module.body.block.add_op(kernel)
        return kernel


def _outline(group: Sequence[RelayOp], kernels: _Kernels) -> None:
    """Replace a group by the call of its kernel."""
    inputs = _inputs(group)
    root = group[-1]
    kernel = kernels.get(group, inputs)
    call = CallOp(kernel.sym_name.data, inputs, root.result_types)
    call.location = root.location
    block = root.parent
    assert block is not None
    block.insert_op_before(call, root)
    for old, new in zip(root.results, call.results, strict=True):
        old.replace_all_uses_with(new)
    for op in reversed(group):
        block.erase_op(op)


def _inputs(group: Sequence[RelayOp]) -> list[SSAValue]:
    """What a group reads from outside, in the order of first use."""
    inside = {result for op in group for result in op.results}
    read = dict.fromkeys(operand for op in group for operand in op.operands)
    return [value for value in read if value not in inside and not _is_scalar_constant(value)]


def _is_scalar_constant(value: SSAValue) -> bool:
    return constant_of(value) is not None and shape_of(value.type) == ()


def _may_fail(op: RelayOp) -> bool:
    elements = [t.element_type for t in op.operand_types if isinstance(t, TensorType)]
    return op.has_trait(MayFail) and any(map(is_integer, elements))


def _structure(group: Sequence[RelayOp], inputs: Sequence[SSAValue]) -> Hashable:
    """Everything that a kernel depends on: equal structures compute the same."""
    numbers: dict[SSAValue, Hashable] = {value: i for i, value in enumerate(inputs)}
    operators: list[Hashable] = []
    for op in group:
        # What is neither an input nor a result is a scalar constant.
        operands = tuple(numbers[v] if v in numbers else constant_of(v) for v in op.operands)
        attributes = frozenset(op.properties.items()), frozenset(op.attributes.items())
        # A kernel that can stop the run says where it stands in the model, so it serves one place only.
        place = op.location if _may_fail(op) else None
        operators.append((type(op), operands, attributes, op.result_types, place))
        for result in op.results:
            numbers[result] = len(numbers)
    return tuple(value.type for value in inputs), tuple(operators)


def _kernel(name: str, group: Sequence[RelayOp], inputs: Sequence[SSAValue]) -> FuncOp:
    block = Block(arg_types=[value.type for value in inputs])
    for i, arg in enumerate(block.args):
        arg.name_hint = f"p{i}"
    values: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    for op in group:
        for operand in op.operands:
            if operand not in values:
                assert isinstance(operand.owner, Constant)
                block.add_op(operand.owner.clone(values))
        block.add_op(op.clone(values))
    block.add_op(ReturnOp(*(values[result] for result in group[-1].results)))
    types = [value.type for value in inputs], group[-1].result_types
    kernel = FuncOp(name, types, Region(block), visibility="private")
    kernel.attributes[PRIMITIVE] = UnitAttr()
    kernel.location = group[-1].location
    return kernel


def _readable_name(group: Sequence[Operation]) -> str:
    """`fused_nn_conv2d_add_nn_relu`; a long one is cut and ends in the number of operators."""
    names = [op.name.removeprefix("relay.").replace(".", "_") for op in group]
    full = "_".join(["fused", *names])
    if len(full) <= MAX_NAME_LENGTH:
        return full
    cut = full[:MAX_NAME_LENGTH].rpartition("_")[0]
    return f"{cut}_etc_{len(group)}_ops"


def _erase_scalars(function: FuncOp) -> None:
    """Drop the scalar constants whose only users have taken them along."""
    for op in list(function.walk()):
        if isinstance(op, Constant) and not op.result.uses and _is_scalar_constant(op.result):
            op.detach()
            op.erase()
