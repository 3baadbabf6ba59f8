"""`relay-partition-graph`: every region of a backend becomes a function of its own.

```mlir
%0 = func.call @tvmgen_default_npu_main_0(%x) : …
func.func private @tvmgen_default_npu_main_0(…) attributes {relay.attrs = {Compiler = "npu", …}} { … }
```

A backend then compiles or runs the functions that bear its name: `interpreters/external.py` calls it from the debug
executor. For the compiler the functions are ordinary ones: `relay-inline` brings their operators back, and without a
backend the program computes what it always did. Operators may change places, as far as they do not depend on each
other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from xrelay.lowering.graph.annotate_target import TARGET, target_of
from xrelay.lowering.graph.base import RelayPass, blocks, erase_unused_constants
from xrelay.lowering.graph.compiler_regions import REGION, noted_regions
from xrelay.lowering.graph.outline import COMPILER, Outliner, open_functions


@dataclass(frozen=True)
class PartitionGraph(RelayPass):
    """Moves the regions into functions. With `bind_constants` their constants go along, else they are arguments."""

    name = "relay-partition-graph"

    mod_name: str = "default"
    bind_constants: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        outliner = Outliner(op)
        for function in open_functions(op):
            count = 0
            for block in list(blocks(function.body)):
                for region in _arrange(block):
                    self._outline(region, function, count, outliner)
                    count += 1
            erase_unused_constants(function.body)

    def _outline(self, region: Sequence[Operation], function: FuncOp, number: int, outliner: Outliner) -> None:
        backend = target_of(region[0])
        assert backend is not None
        name = f"tvmgen_{self.mod_name}_{backend}_{function.sym_name.data}_{number}"
        inside = {operand for op in region for operand in op.operands} if self.bind_constants else ()
        for op in region:
            op.attributes.pop(TARGET)
            op.attributes.pop(REGION, None)
        outliner.outline(region, name, {COMPILER: backend, "Inline": 1}, inside)


def _arrange(block: Block) -> list[list[Operation]]:
    """Put the operators of each region of a backend next to each other; these regions."""
    arranged = noted_regions(block).arranged()
    for region in arranged:
        for op in region:
            op.detach()
            block.add_op(op)
    return [region for region in arranged if target_of(region[0]) is not None]
