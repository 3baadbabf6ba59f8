"""`relay-merge-composite`: what a backend computes as one operator becomes a function that says so.

```mlir
%0 = func.call @npu_conv2d_relu(%x, %w) : …
func.func private @npu_conv2d_relu(…) attributes {relay.attrs = {Composite = "npu.conv2d_relu", …}} { … }
```

A table gives names and patterns; earlier entries go first, larger matches of one entry too. A match stays where it is
if something inside of it is read outside too. `relay-inline` undoes the pass, so a program that no backend takes is
compiled as if nothing had been merged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from xrelay.dialects.relay.core import RelayOp
from xrelay.errors import XRelayError
from xrelay.lowering.graph.base import RelayPass, blocks
from xrelay.lowering.graph.op_pattern import OpPattern, chain
from xrelay.lowering.graph.outline import COMPOSITE, Outliner, open_functions


@dataclass(frozen=True)
class Composite:
    """An entry of a table. `check` is asked about the last operator of a match."""

    name: str
    pattern: OpPattern
    check: Callable[[RelayOp], bool] = lambda _: True


@dataclass(frozen=True)
class MergeComposite(RelayPass):
    """Merges what chains of operators describe. Raises XRelayError for a chain that cannot be read."""

    name = "relay-merge-composite"

    patterns: tuple[str, ...] = ()
    """`"npu.conv2d_relu=nn.conv2d>nn.relu"`: each operator reads the one before as its first operand."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        merge_composites(op, [_entry(text) for text in self.patterns])


def merge_composites(module: ModuleOp, table: Sequence[Composite]) -> None:
    """Move all matches into functions, in place."""
    outliner = Outliner(module)
    for function in open_functions(module):
        for block in list(blocks(function.body)):
            for entry in table:
                _merge(block, entry, outliner)


def _merge(block: Block, entry: Composite, outliner: Outliner) -> None:
    taken: set[RelayOp] = set()
    for op in reversed(list(block.ops)):
        if not isinstance(op, RelayOp) or op in taken:
            continue
        match = next(filter(None, map(entry.pattern.find, op.results)), None)
        ops = None if match is None or not entry.check(op) else match.operators(op)
        if match is None or ops is None:
            continue
        taken.update(ops)
        names = "".join(f"{inner.name.removeprefix('relay.')}_" for inner in ops)
        attrs = {COMPOSITE: entry.name, "PartitionedFromPattern": names}
        outliner.outline(ops, entry.name.replace(".", "_"), attrs, match.constants())


def _entry(text: str) -> Composite:
    name, _, operators = text.partition("=")
    if not name or not operators:
        raise XRelayError(f"a pattern is written name=operator>operator, not {text!r}")
    return Composite(name, chain(operators.split(">")))
