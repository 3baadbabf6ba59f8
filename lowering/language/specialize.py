"""Generic functions of a module become functions at the types that the program uses them at."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from xrelay.dialects.relay.adt import ConstructorOp
from xrelay.dialects.relay.language import TYPE_PARAMS, Fn, Global, Instantiate, type_params
from xrelay.errors import UnsupportedError
from xrelay.lowering.graph.base import unique_name
from xrelay.lowering.language.copies import copy_operation

MAX_COPIES = 10_000
"""Copies of functions that a program may need; more are taken for a recursion at ever other types."""


def specialize(module: ModuleOp) -> None:
    """Copy each generic function of the module for all types that it is used at, and drop it.

    Raises UnsupportedError for a generic `relay.fn`, and for a function that needs itself at ever other types.
    """
    _Specializer(module).run()


class _Specializer:
    def __init__(self, module: ModuleOp):
        self._module = module
        self._functions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}
        self._taken = set(self._functions)
        self._copies: dict[tuple[str, ArrayAttr], str] = {}
        self._pending: list[FuncOp] = []

    def run(self) -> None:
        generic = [function for function in self._functions.values() if type_params(function)]
        self._pending = [function for function in self._functions.values() if not type_params(function)]
        while self._pending:
            for op in list(self._pending.pop().walk()):
                self._specialize(op)
        for function in generic:
            self._module.body.block.erase_op(function)

    def _specialize(self, op: Operation) -> None:
        if isinstance(op, Global) and op.type_args:
            self._replace(op, Global.of(self._copy(op.function.string_value(), op.type_args.data), op.result.type))
        elif isinstance(op, Instantiate):
            made = op.function.owner
            if isinstance(made, Global):
                name = self._copy(made.function.string_value(), op.type_args.data)
                self._replace(op, Global.of(name, op.result.type))
            elif isinstance(made, ConstructorOp):
                self._replace(op, ConstructorOp.of(made.constructor.data, op.result.type))
            if isinstance(made, Global | ConstructorOp) and not made.result.uses:
                made.detach()
                made.erase()
        elif isinstance(op, Fn) and op.type_params:
            raise UnsupportedError(
                "a generic function inside of another one cannot be copied for its types; make it one of the module"
            )

    def _replace(self, old: Instantiate | Global, new: Global | ConstructorOp) -> None:
        block = old.parent
        assert block is not None
        new.location = old.location
        new.result.name_hint = old.result.name_hint
        block.insert_op_before(new, old)
        old.result.replace_all_uses_with(new.result)
        block.erase_op(old)

    def _copy(self, name: str, type_args: Sequence[Attribute]) -> str:
        """The name of a generic function's copy at these types."""
        key = name, ArrayAttr(type_args)
        if key not in self._copies:
            if len(self._copies) == MAX_COPIES:
                raise UnsupportedError(f"@{name} needs itself at more types than can be copied")
            function = self._functions[name]
            copy = copy_operation(function, {}, dict(zip(type_params(function), type_args, strict=True)))
            assert isinstance(copy, FuncOp)
            self._copies[key] = unique_name(name, self._taken)
            copy.sym_name, copy.sym_visibility = StringAttr(self._copies[key]), StringAttr("private")
            del copy.attributes[TYPE_PARAMS]
            self._module.body.block.add_op(copy)
            self._pending.append(copy)
        return self._copies[key]
