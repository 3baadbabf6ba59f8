"""`relay-to-a-normal-form`: every intermediate value has a name.

```mlir
%0 = relay.exp %x : …                  %0 = relay.exp %x : …
%1 = relay.add %0, %x : …              %1 = relay.let "x" = %0 : …
                                       %2 = relay.add %1, %x : …
                                       %3 = relay.let "x_1" = %2 : …
```

Values keep their places: the block of an operation is the innermost one around all its uses where the operation was
written so, and effects stay in order.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp

from xrelay.dialects.relay.reference import Let
from xrelay.lowering.graph.base import FunctionPass
from xrelay.lowering.language.names import LetNames, is_atom


@dataclass(frozen=True)
class ToANormalForm(FunctionPass):
    """Names the results of all operations. Parameters, constants and global functions are names themselves."""

    name = "relay-to-a-normal-form"
    opt_level = 1

    def apply_to_function(self, function: FuncOp) -> None:
        names = LetNames(function)
        for op in list(function.body.walk()):
            for result in reversed(op.results):
                users = [use.operation for use in result.uses]
                if not is_atom(result) and not (users and all(isinstance(user, Let) for user in users)):
                    names.bind(result)
