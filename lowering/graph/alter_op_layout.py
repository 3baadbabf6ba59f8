"""`relay-alter-op-layout`: the layouts that a target computes best in, chosen for each operator by itself.

A target, or a plugin, registers for an operator class which layouts it likes, by the sizes and attributes at hand:

```python
@layout_choice("npu", Conv2D)
def blocks(op):
    return ("NCHW16c", "OIHW16i16o") if channels_of(op) % 16 == 0 else None
```

The layouts are those of `relay-convert-layout`, which does the rest: it carries operators along that do not care,
puts transforms at the borders, and leaves an operator as it is where the layouts do not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xrelay.dialects.relay.core import RelayOp
from xrelay.lowering.graph.base import FunctionPass
from xrelay.lowering.graph.convert_layout import Choice, check_layouts, convert_function

DEFAULT_TABLE = "FTVMAlterOpLayout"
"""Relay's name for the table of the target."""

_TABLES: dict[str, dict[type[Operation], Choice]] = {}


def layout_choice(table: str, *operators: type[RelayOp]) -> Callable[[Choice], Choice]:
    """Decorator: register the function that gives the layouts of these operators (of data and kernel), or None."""

    def register(choice: Choice) -> Choice:
        _TABLES.setdefault(table, {}).update(dict.fromkeys(operators, choice))
        return choice

    return register


@dataclass(frozen=True)
class AlterOpLayout(FunctionPass):
    """Converts the operators for which the table has a choice. Raises LayoutError for a choice that cannot be."""

    name = "relay-alter-op-layout"
    opt_level = 3

    table: str = DEFAULT_TABLE

    def apply_to_function(self, function: FuncOp) -> None:
        choices = _TABLES.get(self.table, {})

        def choose(op: Any) -> Sequence[str] | None:
            choice = choices.get(type(op))
            layouts = None if choice is None else choice(op)
            if layouts is not None:
                check_layouts(type(op), layouts)
            return layouts

        if choices:
            convert_function(function, choose)
