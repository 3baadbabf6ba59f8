"""`tensor-to-loop`: tensors become buffers, linalg operations become loops.

Kernels get their results as additional arguments, `@k(%in…, %out…)`. @main keeps its calls: every tensor between them
is a buffer of its own (`memref.alloc`), which `plan-memory` puts into one arena.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, memref, scf, tensor
from xdsl.dialects.builtin import DenseArrayBase, FunctionType, IntegerAttr, ModuleOp, TensorType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass

from xrelay.dialects import kernel
from xrelay.dialects.relay.types import is_static
from xrelay.errors import CompilationError, UnsupportedError
from xrelay.lowering.conversion import BlockBuilder, RuleSet, convert_block
from xrelay.lowering.graph.base import is_primitive, kernel_level
from xrelay.lowering.loop.access import Access
from xrelay.lowering.loop.builder import LoopBuilder, buffer_type
from xrelay.lowering.loop.kernel import KernelLowering, memref_of
from xrelay.lowering.loop.nest import Nest
from xrelay.lowering.loop.nest import emit as emit_nest
from xrelay.lowering.loop.plan_memory import IN_PLACE
from xrelay.lowering.target import Target

rules = RuleSet("tensor to loop, @main")


class MainBuilder(BlockBuilder):
    """Converts @main, one block after the other."""

    def __init__(self, block: Block, target: Target):
        super().__init__(block)
        self.top = block
        self.target = target
        self.values: dict[SSAValue, SSAValue] = {}
        self.destinations: dict[SSAValue, SSAValue] = {}
        """Where a value that is returned or yielded has to be."""

    def buffer(self, value: SSAValue) -> SSAValue:
        """The buffer that a value is to be computed in."""
        if value in self.destinations:
            return self.destinations[value]
        assert isinstance(value.type, TensorType)
        alloc = memref.AllocOp([], [], memref_of(value.type))
        alloc.location = self.location
        # Outside of conditionals, so that the buffers of both branches are planned like all others.
        self.top.add_op(alloc)
        return alloc.memref

    def copy(self, source: SSAValue, to: SSAValue) -> None:
        """Copy a whole buffer."""
        shape = list(buffer_type(to).get_shape())
        element = buffer_type(to).element_type
        block = Block(arg_types=[element, element])
        block.add_op(linalg.YieldOp(block.args[0]))
        b = LoopBuilder(self.block)
        b.location = self.location
        accesses = [Access.of(b.flat(v), shape, AffineMap.identity(len(shape))) for v in (source, to)]
        emit_nest(b, Nest(shape, ["parallel"] * len(shape), block, [accesses[0]], [accesses[1]]), self.target)


@rules(func.CallOp)
def _call(op: func.CallOp, operands: list[SSAValue], b: MainBuilder) -> list[SSAValue]:
    results = [b.buffer(r) for r in op.results]
    b.insert(func.CallOp(op.callee, [*operands, *results], []))
    return results


@rules(kernel.ViewOp)
def _view(op: kernel.ViewOp, operands: list[SSAValue], b: MainBuilder) -> SSAValue:
    assert isinstance(op.result.type, TensorType)
    return b.value(kernel.ViewOp(operands[0], memref_of(op.result.type)))


@rules(kernel.ConstantOp)
def _constant(op: kernel.ConstantOp, operands: list[SSAValue], b: MainBuilder) -> SSAValue:
    assert isinstance(op.result.type, TensorType)
    return b.value(kernel.ConstantOp(op.value, memref_of(op.result.type)))


@rules(tensor.ExtractOp)
def _extract(op: tensor.ExtractOp, operands: list[SSAValue], b: MainBuilder) -> SSAValue:
    return b.value(memref.LoadOp.get(operands[0], operands[1:]))


@rules(scf.IfOp)
def _if(op: scf.IfOp, operands: list[SSAValue], b: MainBuilder) -> list[SSAValue]:
    """Both branches write their results into the same buffers."""
    results = [b.buffer(r) for r in op.results]
    outer, regions = b.block, []
    for region in op.regions:
        b.block = Block()
        regions.append(Region(b.block))
        end = region.block.last_op
        assert isinstance(end, scf.YieldOp)
        copies: list[tuple[SSAValue, SSAValue]] = []
        for value, place in zip(end.operands, results, strict=True):
            _place_result(value, place, region.block, copies, b)
        end.detach()
        around, b.values = b.values, dict(b.values)
        convert_block(region.block, b.values, rules, b)
        for value, place in copies:
            b.copy(b.values[value], place)
        b.values = around
        b.insert(scf.YieldOp())
        end.erase()
    b.block = outer
    b.location = op.location
    b.insert(scf.IfOp(operands[0], [], *regions))
    return results


def check_static(function: func.FuncOp) -> None:
    """Raises UnsupportedError for a size that is not known at compile time."""
    for value in (*function.body.block.args, *(r for op in function.body.block.ops for r in op.results)):
        if isinstance(value.type, TensorType) and not is_static(value.type):
            name = value.name_hint or "value"
            raise UnsupportedError(
                f"%{name} of @{function.sym_name.data} has an unknown size ({value.type}); "
                "give the model's input sizes with shapes={'input': (1, 3, 224, 224)}"
            )


def convert_kernel(function: func.FuncOp, target: Target) -> None:
    source = function.body.block
    block = _new_block(function)
    lowering = KernelLowering(function, block, target)
    lowering.lower()
    in_place = lowering.in_place()
    if in_place:
        function.attributes[IN_PLACE] = DenseArrayBase.from_list(i64, in_place)
    _replace_body(function, source, block)


def convert_main(function: func.FuncOp, target: Target) -> None:
    """Calls write into buffers; what is returned is written where the caller wants it."""
    source = function.body.block
    block = _new_block(function)
    terminator = source.last_op
    assert isinstance(terminator, func.ReturnOp)
    outs = block.args[len(source.args) :]
    b = MainBuilder(block, target)
    values = b.values
    values.update(zip(source.args, block.args, strict=False))
    copies: list[tuple[SSAValue, SSAValue]] = []
    for value, out in zip(terminator.operands, outs, strict=True):
        _place_result(value, out, source, copies, b)
    terminator.detach()
    convert_block(source, values, rules, b)
    for value, out in copies:
        b.copy(values[value], out)
    b.insert(func.ReturnOp())
    terminator.erase()
    function.attributes["xrelay.num_inputs"] = IntegerAttr(len(source.args), i64)
    function.attributes["xrelay.num_outputs"] = IntegerAttr(len(outs), i64)
    _replace_body(function, source, block)


def _place_result(value: SSAValue, out: SSAValue, home: Block, copies: list, b: MainBuilder) -> None:
    """Compute a returned value in `out` if `home` makes it (perhaps through views); else copy it there at the end."""
    source, place, destinations = value, out, b.destinations
    views = []
    while isinstance(source.owner, kernel.ViewOp) and source not in destinations:
        views.append(source)
        source = source.owner.source
    if isinstance(source.owner, func.CallOp | scf.IfOp) and source not in destinations and source.owner.parent is home:
        if views:
            assert isinstance(source.type, TensorType)
            place = b.value(kernel.ViewOp(out, memref_of(source.type)))
        destinations[source] = place
    else:
        copies.append((value, out))


def _new_block(function: func.FuncOp) -> Block:
    inputs = [memref_of(t) for t in function.function_type.inputs]
    outputs = [memref_of(t) for t in function.function_type.outputs]
    block = Block(arg_types=[*inputs, *outputs])
    for old, new in zip(function.body.block.args, block.args, strict=False):
        new.name_hint = old.name_hint
    return block


def _replace_body(function: func.FuncOp, source: Block, block: Block) -> None:
    function.body.detach_block(source)
    source.erase(safe_erase=False)
    function.body.add_block(block)
    function.function_type = FunctionType.from_lists([arg.type for arg in block.args], [])


@dataclass(frozen=True)
class TensorToLoop(ModulePass):
    """Lower every function from tensors to loops over buffers."""

    name = "tensor-to-loop"

    target: str = "llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = Target(self.target)
        for function in kernel_level(op):
            types = *function.function_type.inputs, *function.function_type.outputs
            if not all(isinstance(t, TensorType) for t in types):
                raise CompilationError(f"@{function.sym_name.data} has arguments or results that are not tensors")
            check_static(function)
            convert_kernel(function, target) if is_primitive(function) else convert_main(function, target)


