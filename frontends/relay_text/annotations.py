"""Writing down the types that inference has found."""

from __future__ import annotations

from xrelay.frontends.relay_text.expr import Function, Program
from xrelay.frontends.relay_text.traversal import bound_vars, nodes
from xrelay.frontends.relay_text.types import FuncType, Hole, Type
from xrelay.frontends.relay_text.unify import parts


def write_types(program: Program) -> Program:
    """The program, with the types of all variables and results of functions written, where inference has found them."""
    for function in program.functions.values():
        for node in nodes(function):
            for var in bound_vars(node):
                if _is_open(var.type_annotation):
                    var.type_annotation = var.checked_type
            if isinstance(node, Function) and _is_open(node.ret_type) and isinstance(node.checked_type, FuncType):
                node.ret_type = node.checked_type.ret_type
    return program


def _is_open(value: Type | None) -> bool:
    """Whether a type is not written, or not all of it."""
    return value is None or any(isinstance(part, Hole) for part in parts(value))
