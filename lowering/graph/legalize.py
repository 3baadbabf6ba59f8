"""`relay-legalize`: replace operators that a target cannot compute, or not well, by others that it can.

What is legal is known to the target only. It, or a plugin, registers rules in a table of its own:

```python
@legalization("npu", Conv2D)
def whole_channels(op, b):
    return None if … else b.make(StridedSlice, b.make(Conv2D, …), …)
```

`Legalize("npu")` applies them until none applies any more. A rule keeps what the operator computes, and says None to
its own result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp

from xrelay.dialects.relay.core import RelayOp
from xrelay.lowering.graph.base import FunctionPass
from xrelay.lowering.graph.rewrite import GraphRules, Rule

DEFAULT_TABLE = "FTVMLegalize"
"""Relay's name for the table of the target."""

_TABLES: dict[str, GraphRules] = {}


def legalization(table: str, *operators: type[RelayOp]) -> Callable[[Rule], Rule]:
    """Decorator: register a function as a rule of these operators in a table."""
    return _TABLES.setdefault(table, GraphRules())(*operators)


@dataclass(frozen=True)
class Legalize(FunctionPass):
    """Applies the rules of one table; a table that nobody registered has none."""

    name = "relay-legalize"
    opt_level = 1

    legalize_map_attr_name: str = DEFAULT_TABLE

    def apply_to_function(self, function: FuncOp) -> None:
        rules = _TABLES.get(self.legalize_map_attr_name)
        if rules is not None:
            rules.rewrite(function.body)
