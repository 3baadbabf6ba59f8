"""Copies of operations at other operands and types: a generic function at the types of a call."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xrelay.dialects.relay.language import Fn
from xrelay.dialects.relay.language_types import substitute

Types = Mapping[str, Attribute]
"""Type variable → the type that is put for it."""


def copy_operation(op: Operation, values: dict[SSAValue, SSAValue], types: Types) -> Operation:
    """A copy that reads the values that are put for its operands; its own results are added to `values`."""
    if isinstance(op, Fn):
        types = {name: t for name, t in types.items() if name not in op.type_params}
        result_types = [_put(op.result.type, types)]
    else:
        result_types = [_put(result_type, types) for result_type in op.result_types]
    copy = op.create(
        operands=[values.get(operand, operand) for operand in op.operands],
        result_types=result_types,
        properties={name: _put(value, types) for name, value in op.properties.items()},
        attributes=op.attributes,
        regions=[_copy_region(region, values, types) for region in op.regions],
    )
    copy.location = op.location
    _follow(op.results, copy.results, values)
    return copy


def _copy_region(region: Region, values: dict[SSAValue, SSAValue], types: Types) -> Region:
    copies = []
    for block in region.blocks:
        copy = Block(arg_types=[_put(arg_type, types) for arg_type in block.arg_types])
        _follow(block.args, copy.args, values)
        copy.add_ops([copy_operation(op, values, types) for op in block.ops])
        copies.append(copy)
    return Region(copies)


def _follow(old_values, new_values, values: dict[SSAValue, SSAValue]) -> None:
    for old, new in zip(old_values, new_values, strict=True):
        new.name_hint = old.name_hint
        values[old] = new


def _put(attribute: Attribute, types: Types) -> Attribute:
    if isinstance(attribute, ArrayAttr):
        return ArrayAttr(_put(item, types) for item in attribute)
    return substitute(attribute, types)
