"""`relay.build` and what belongs to it: binding parameters, optimizing, the library that comes out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from xrelay.errors import InputError, UnsupportedError
from xrelay.frontends.relay_text.expr import Function
from xrelay.relay.expr import bind, const
from xrelay.relay.module import Module

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp

    from xrelay.lowering.target import Target
    from xrelay.runtime.model import CompiledModel

Params = Mapping[str, Any]
"""Arrays by the names of the inputs that they are the values of."""


class Library:
    """A compiled module, as `relay.build` returns it: `lib["default"](device)`, `lib.export_library(path)`."""

    def __init__(self, module: CompiledModel, params: dict[str, np.ndarray]):
        self.module = module
        self._params = params

    def __getitem__(self, name: str) -> Any:
        return self.module[name]

    def export_library(self, file_name: str | os.PathLike[str], cc: str | None = None) -> Path:
        """Write a shared library, which `xrelay.load` and `runtime.load_module` read; see `CompiledModel`."""
        return self.module.export_library(file_name, cc)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write one file that needs no C compiler; see `CompiledModel`."""
        return self.module.save(path)

    def get_params(self) -> dict[str, np.ndarray]:
        """The parameters that were given. They are part of the library, so that running it needs none of them."""
        return dict(self._params)

    def get_lib(self) -> CompiledModel:
        """The compiled model itself."""
        return self.module


def build(
    ir_mod: Module | ModuleOp | Function,
    target: str | Target = "llvm",
    target_host: str | Target | None = None,
    params: Params | None = None,
    mod_name: str = "default",
) -> Library:
    """Compile a module for a machine, by the opt level and the disabled passes of the current `PassContext`.

    Inputs of @main that `params` names become constants; names that are no inputs are passed over, since a pass may
    have removed the input. `target_host` may only repeat the target, and the one module of a library is "default".

    Raises:
        InputError: a parameter's dtype or shape is not that of its input.
        XRelayError: the module cannot be compiled.
    """
    from xrelay import compiler
    from xrelay.runtime.model import CompiledModel
    from xrelay.transform import PassContext

    if mod_name != "default":
        raise UnsupportedError(f"mod_name is {mod_name!r}; the module of a library is called 'default'")
    if target_host not in (None, target):
        raise UnsupportedError(f"target_host is {target_host}; there is one machine, the target {target}")
    module = bind_params(compiler.read_model(_as_module(ir_mod)), params or {})
    artifact = compiler.build(module, target, _opt_level(), disabled=PassContext.current().disabled_pass)
    return Library(CompiledModel(artifact), {name: np.asarray(value) for name, value in (params or {}).items()})


def optimize(
    mod: Module | ModuleOp | Function, target: str | Target = "llvm", params: Params | None = None
) -> tuple[Module, dict[str, np.ndarray]]:
    """The module after the passes that `build` runs before it generates code, and the parameters still open: none."""
    from xdsl.context import Context

    from xrelay.compiler import read_model
    from xrelay.lowering.pipelines import graph_passes
    from xrelay.transform import PassContext

    module = bind_params(read_model(_as_module(mod)), params or {})
    for pass_ in graph_passes(_opt_level(), str(target)):
        if type(pass_).__name__ not in PassContext.current().disabled_pass:
            pass_.apply(Context(), module)
    return Module.from_ir(module), {}


def _opt_level() -> int:
    """The opt level of the current `PassContext`; those above the compiler's highest one are for single passes."""
    from xrelay.lowering.pipelines import MAX_OPT_LEVEL
    from xrelay.transform import PassContext

    return min(PassContext.current().opt_level, MAX_OPT_LEVEL)


def bind_params_by_name(func: Function, params: Params) -> Function:
    """A function with constants in place of the parameters that `params` names; others of its names are passed over.

    Raises:
        InputError: two parameters have a name that `params` has.
    """
    names = [param.name_hint for param in func.params]
    for name in params:
        if names.count(name) > 1:
            raise InputError(f"bind_params_by_name: {names.count(name)} parameters are called {name!r}")
    bound = {param: const(params[param.name_hint]) for param in func.params if param.name_hint in params}
    function = bind(func, bound)
    assert isinstance(function, Function)
    return function


def bind_params(module: ModuleOp, params: Params) -> ModuleOp:
    """Put constants in place of the inputs of @main that `params` names, in place; the module."""
    from xdsl.dialects.builtin import ArrayAttr, FunctionType, StringAttr

    from xrelay.compiler import main_function, signature

    main = main_function(module)
    inputs, _ = signature(main)
    kept = [i for i, spec in enumerate(inputs) if spec.name not in params]
    for i in reversed([i for i in range(len(inputs)) if i not in kept]):
        _bind_argument(main, i, inputs[i].name, np.asarray(params[inputs[i].name]))
    main.attributes["relay.input_names"] = ArrayAttr([StringAttr(inputs[i].name) for i in kept])
    main.function_type = FunctionType.from_lists(list(main.body.block.arg_types), list(main.function_type.outputs))
    return module


def _bind_argument(main: FuncOp, index: int, name: str, value: np.ndarray) -> None:
    from xrelay.dialects.relay.constant import Constant
    from xrelay.dialects.relay.types import compatible

    block, argument = main.body.block, main.args[index]
    constant = Constant.of(value, name)
    if not compatible(argument.type, constant.result.type):
        raise InputError(f"parameter {name!r} is a {constant.result.type}, its input a {argument.type}")
    block.insert_op_before(constant, block.first_op) if block.first_op else block.add_op(constant)
    argument.replace_all_uses_with(constant.result)
    block.erase_arg(argument)


def _as_module(model: Any) -> Any:
    return Module.from_expr(model) if isinstance(model, Function) else model
