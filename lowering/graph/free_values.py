"""The values that a function uses and does not define."""

from __future__ import annotations

from xdsl.ir import SSAValue

from xrelay.dialects.relay.language import Fn


def free_values(fn: Fn) -> list[SSAValue]:
    """The values from around `fn` that it uses, in the order of their first use."""
    inside: set[SSAValue] = set()
    free: dict[SSAValue, None] = {}
    blocks = [fn.body.block]
    while blocks:
        block = blocks.pop()
        inside.update(block.args)
        nested = []
        for op in block.ops:
            free |= dict.fromkeys(operand for operand in op.operands if operand not in inside)
            inside.update(op.results)
            nested += [inner for region in op.regions for inner in region.blocks]
        blocks += reversed(nested)
    return [value for value in free if value not in inside]
