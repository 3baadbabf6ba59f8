"""`relay-annotate-target`: say which operators a backend is to compute.

A backend registers the operators that it has:

```python
@supports("npu", Conv2D)
def any_float(op):
    return op.data.type.element_type == f32
```

Calls of composite functions (`relay-merge-composite`) belong to the backend that their name begins with, `npu.…`. The
pass notes the backend at operators and calls, in the attribute `relay.compiler`; `relay-merge-compiler-regions` and
`relay-partition-graph` go on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

from xrelay.dialects.relay.constant import Constant
from xrelay.dialects.relay.core import LanguageOp, RelayOp
from xrelay.lowering.graph.base import RelayPass, functions
from xrelay.lowering.graph.outline import COMPOSITE, function_attr, open_functions

TARGET = "relay.compiler"
"""The backend of an operator or call."""

Support = Callable[[Any], bool]

_SUPPORTED: dict[str, dict[type[Operation], Support]] = {}


def supports(backend: str, *operators: type[RelayOp]) -> Callable[[Support], Support]:
    """Decorator: register the function that tells whether a backend has an operator, for these classes."""

    def register(support: Support) -> Support:
        _SUPPORTED.setdefault(backend, {}).update(dict.fromkeys(operators, support))
        return support

    return register


@dataclass(frozen=True)
class AnnotateTarget(RelayPass):
    """Notes the first of the targets that has an operator; what is noted already stays."""

    name = "relay-annotate-target"

    targets: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        composites = {f.sym_name.data: function_attr(f, COMPOSITE) for f in functions(op)}
        for function in open_functions(op):
            for inner in function.body.walk():
                if TARGET in inner.attributes:
                    continue
                target = next((t for t in self.targets if _has(t, inner, composites)), None)
                if target is not None:
                    inner.attributes[TARGET] = StringAttr(target)


def target_of(op: Operation) -> str | None:
    """The backend noted at an operator."""
    noted = op.attributes.get(TARGET)
    return noted.data if isinstance(noted, StringAttr) else None


def _has(target: str, op: Operation, composites: dict[str, str | None]) -> bool:
    if isinstance(op, CallOp):
        return (composites.get(op.callee.string_value()) or "").startswith(f"{target}.")
    if not isinstance(op, RelayOp) or isinstance(op, Constant | LanguageOp) or op.regions:
        return False
    support = _SUPPORTED.get(target, {}).get(type(op))
    return support is not None and is_side_effect_free(op) and support(op)
