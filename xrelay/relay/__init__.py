"""Relay from Python, by the names that its users know.

`relay.var`, `relay.nn.conv2d`, `relay.Function` … build expressions, `relay.Module` holds them, `relay.transform` has
the passes, `relay.build` compiles, `relay.create_executor` runs. What is not an expression is loaded when it is used.
"""

from __future__ import annotations

import importlib
from typing import Any as _Object

from xrelay.frontends.relay_text.expr import (
    Call,
    Clause,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Op,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    RefCreate,
    RefRead,
    RefWrite,
    Span,
    Tuple,
    TupleGetItem,
    TypeData,
    Var,
)
from xrelay.frontends.relay_text.types import (
    Any,
    FuncType,
    GlobalTypeVar,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
    scalar_type,
)
from xrelay.frontends.relay_text.types import Hole as IncompleteType
from xrelay.relay.expr import bind, const, var

__all__ = [
    "Any",
    "Call",
    "Clause",
    "Constant",
    "Constructor",
    "Expr",
    "FuncType",
    "Function",
    "GlobalTypeVar",
    "GlobalVar",
    "If",
    "IncompleteType",
    "Let",
    "Match",
    "Op",
    "Pattern",
    "PatternConstructor",
    "PatternTuple",
    "PatternVar",
    "PatternWildcard",
    "RefCreate",
    "RefRead",
    "RefType",
    "RefWrite",
    "Span",
    "TensorType",
    "Tuple",
    "TupleGetItem",
    "TupleType",
    "Type",
    "TypeCall",
    "TypeData",
    "TypeVar",
    "Var",
    "bind",
    "const",
    "scalar_type",
    "var",
]

_LAZY = {
    "ExprFunctor": "xrelay.relay.functors",
    "ExprMutator": "xrelay.relay.functors",
    "ExprVisitor": "xrelay.relay.functors",
    "IRModule": "xrelay.relay.module",
    "MixedModeMutator": "xrelay.relay.functors",
    "Module": "xrelay.relay.module",
    "ScopeBuilder": "xrelay.relay.scope_builder",
    "assert_structural_equal": "xrelay.relay.structural",
    "bind_params_by_name": "xrelay.relay.build_module",
    "build": "xrelay.relay.build_module",
    "create_executor": "xrelay.relay.executor",
    "fromtext": "xrelay.relay.text",
    "optimize": "xrelay.relay.build_module",
    "parse": "xrelay.relay.text",
    "parse_expr": "xrelay.relay.text",
    "structural_equal": "xrelay.relay.structural",
    "structural_hash": "xrelay.relay.structural",
}
_MODULES = {"analysis", "dataflow_pattern", "frontend", "loops", "op", "testing", "transform"}


def __getattr__(name: str) -> _Object:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from xrelay.relay.op.generate import ROOT

    return getattr(ROOT, name)


def __dir__() -> list[str]:
    from xrelay.relay.op.generate import ROOT

    return sorted({*__all__, *_LAZY, *_MODULES, *dir(ROOT)})
