"""The `relay` dialect: what a model computes, on tensors, as values only."""

from __future__ import annotations

from xdsl.ir import Dialect, Operation

from xrelay.dialects.relay import (
    activation,
    adt,
    control,
    convolution,
    creation,
    elementwise,
    image,
    indexing,
    language,
    linear,
    match,
    normalization,
    pooling,
    reduce,
    reference,
    shape,
    transform,
    unary,
)
from xrelay.dialects.relay.constant import Constant, ConstantResources, TensorAttr
from xrelay.dialects.relay.core import RelayOp
from xrelay.dialects.relay.language_types import AdtType, ForallType, RefType, TypeVarType

FAMILIES = (
    elementwise,
    unary,
    activation,
    creation,
    control,
    convolution,
    linear,
    pooling,
    normalization,
    reduce,
    shape,
    transform,
    indexing,
    image,
)
"""The modules that define operators; every concrete `RelayOp` in them belongs to the dialect."""

COMPUTED = tuple(family.__name__.rpartition(".")[2] for family in FAMILIES if family is not control)
"""Names of the families whose operators compute tensors: modules of these names hold their meanings and lowerings."""

LANGUAGE = (language, reference, adt, match)
"""The same for the operators that are expressions of a programming language."""

ATTRIBUTES = (
    TensorAttr,
    RefType,
    TypeVarType,
    AdtType,
    ForallType,
    adt.ConstructorAttr,
    match.WildcardPattern,
    match.VariablePattern,
    match.ConstructorPattern,
    match.TuplePattern,
)


def _operators() -> list[type[Operation]]:
    found = [
        member
        for family in (*FAMILIES, *LANGUAGE)
        for member in vars(family).values()
        if isinstance(member, type)
        and issubclass(member, RelayOp)
        and "name" in vars(member)
        and member.__module__ == family.__name__
    ]
    return [Constant, *found]


def dialect() -> Dialect:
    """A fresh `relay` dialect (it owns the resources of the files parsed with it)."""
    return Dialect("relay", _operators(), list(ATTRIBUTES), [ConstantResources()])


Relay = dialect()
