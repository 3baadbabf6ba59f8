"""`relay-merge-compiler-regions`: neighbours of one backend form a region, which becomes one function.

Operators that `relay-annotate-target` has noted get the number of their region in the attribute `relay.region`. Two
regions are not merged where something between them, of another backend, depends on one and is needed by the other:
the function would have to be called before it has its arguments.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xrelay.dialects.relay.types import i64
from xrelay.lowering.graph.annotate_target import target_of
from xrelay.lowering.graph.base import RelayPass, blocks
from xrelay.lowering.graph.compiler_regions import REGION, Regions
from xrelay.lowering.graph.outline import open_functions


@dataclass(frozen=True)
class MergeCompilerRegions(RelayPass):
    """Numbers the regions of each function, in the order in which they begin."""

    name = "relay-merge-compiler-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in open_functions(op):
            _number(function)


def _number(function: FuncOp) -> None:
    count = 0
    for block in blocks(function.body):
        regions = Regions(block)
        numbers: dict[Operation, int] = {}
        annotated = [op for op in regions.ops if target_of(op) is not None]
        for op in annotated:
            for producer in regions.producers(op):
                if target_of(producer) == target_of(op):
                    regions.merge(producer, op)
        for op in annotated:
            if op not in numbers:
                numbers |= dict.fromkeys(regions.of(op), count)
                count += 1
            op.attributes[REGION] = IntegerAttr(numbers[op], i64)
