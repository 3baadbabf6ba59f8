"""`relay.create_executor`: run an expression or a module, compiled or interpreted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from xrelay.errors import InputError, UnsupportedError
from xrelay.frontends.relay_text.expr import Constant, Expr, Function, GlobalVar, Var
from xrelay.frontends.relay_text.types import TensorType, TupleType, Type
from xrelay.relay.expr import bind
from xrelay.relay.module import Module

KINDS = ("graph", "vm", "debug")


def create_executor(
    kind: str = "debug",
    mod: Module | None = None,
    device: Any = None,
    target: Any = "llvm",
    params: Mapping[str, Any] | None = None,
) -> Executor:
    """An executor of a module: "graph" and "vm" compile what they run, "debug" interprets it.

    Args:
        mod: the functions and types that expressions may use, and the @main that is run where no expression is given.
        device: as users of Relay give it; there is one CPU.
        target: the machine to compile for.
        params: values of inputs, by name; they are not given again when the function is called.

    Raises:
        InputError: there is no such kind of executor.
    """
    if kind not in KINDS:
        raise InputError(f"there is no executor {kind!r}; there are {', '.join(KINDS)}")
    module = Module() if mod is None else mod if isinstance(mod, Module) else Module.from_ir(mod)
    make = DebugExecutor if kind == "debug" else CompilingExecutor
    return make(kind, module, target, params or {})


class Executor(ABC):
    """Evaluates expressions in the context of a module."""

    def __init__(self, kind: str, mod: Module, target: Any, params: Mapping[str, Any]):
        self.kind, self.mod, self.target = kind, mod, target
        self._params = dict(params)

    def evaluate(self, expr: Expr | None = None, binds: Mapping[Var, Any] | None = None) -> Any:
        """The value of an expression: a Python function for a function, otherwise what it computes.

        Without an expression it is the module's @main. `binds` gives values to free variables. The Python function
        takes arrays, in order or by name, and tuples of arrays; it gives arrays, and tuples of them.

        Raises:
            TypeInferenceError: the expression's types do not fit.
            UnsupportedError: a compiling executor cannot compile it.
        """
        if expr is None or isinstance(expr, GlobalVar):
            return self._callable(self.mod[expr or "main"], self._module(expr))
        if binds:
            values = {var: value if isinstance(value, Expr) else Constant(value) for var, value in binds.items()}
            expr = bind(expr, values)
        if isinstance(expr, Function):
            return self._callable(expr, self._module(expr))
        thunk = Function([], expr)
        return self._callable(thunk, self._module(thunk))()

    def _module(self, main: Expr | None) -> Module:
        """The module with a function as its @main."""
        if main is None or (isinstance(main, GlobalVar) and main.name_hint == "main"):
            return self.mod
        module = self.mod.clone()
        module["main"] = self.mod[main] if isinstance(main, GlobalVar) else main
        return module

    def _callable(self, function: Function, module: Module) -> Callable[..., Any]:
        run = self.prepare(module)
        names = [param.name_hint for param in function.params]
        types = [param.checked_type or param.type_annotation for param in module.infer_types()["main"].params]

        def call(*args: Any, **named: Any) -> Any:
            values = _in_order(names, args, {**self._params, **named})
            return _result(run([_argument(v, t) for v, t in zip(values, types, strict=True)]))

        return call

    @abstractmethod
    def prepare(self, module: Module) -> Callable[[list[Any]], Any]:
        """What runs the module's @main on its arguments."""


class DebugExecutor(Executor):
    """Interprets by the meanings of the operators, in NumPy."""

    def prepare(self, module: Module) -> Callable[[list[Any]], Any]:
        from xrelay.interpreters.executor import run_module

        ir = module.ir

        def run(arguments: list[Any]) -> Any:
            results = run_module(ir, arguments)
            return results[0] if len(results) == 1 else tuple(results)

        return run


class CompilingExecutor(Executor):
    """Compiles @main for the target."""

    def prepare(self, module: Module) -> Callable[[list[Any]], Any]:
        from xrelay.compiler import compile

        try:
            model = compile(module, self.target)
        except UnsupportedError as error:
            raise UnsupportedError(
                f"the executor {self.kind!r} cannot compile this program ({error}); 'debug' interprets every program"
            ) from error
        if model.metadata.interface is not None:  # @main deals with more than tensors
            return lambda arguments: model.evaluate(*arguments)
        result_type = _main_result(module)
        return lambda arguments: _nested(result_type, iter(model.run(list(_flat(arguments)))))


def _main_result(module: Module) -> Type:
    """The type of what @main gives; several results are a tuple."""
    from xrelay.compiler import main_function
    from xrelay.frontends.relay_text.operators import from_dialect_type

    results = [from_dialect_type(t) for t in main_function(module.ir).function_type.outputs]
    return results[0] if len(results) == 1 else TupleType(tuple(results))


def _in_order(names: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """The arguments in the order of the parameters: those given by name, and the others in order."""
    rest = iter(args)
    missing = object()
    values = [named[name] if name in named else next(rest, missing) for name in names]
    lacking = [name for name, value in zip(names, values, strict=True) if value is missing]
    left = len(list(rest))
    if lacking or left:
        problem = f"{', '.join(lacking)} is missing" if lacking else f"{left} arguments are too many"
        raise InputError(f"the function takes ({', '.join(names)}): {problem}")
    return values


def _argument(value: Any, expected: Type | None) -> Any:
    """A value as arrays: a number gets the dtype that is expected."""
    if isinstance(value, Constant):
        return value.data
    if isinstance(value, list | tuple):
        fields = expected.fields if isinstance(expected, TupleType) else [None] * len(value)
        return tuple(_argument(field, t) for field, t in zip(value, fields, strict=True))
    if isinstance(value, bool | int | float) and isinstance(expected, TensorType):
        from xrelay.dialects.relay.types import dtype_of
        from xrelay.frontends.relay_text.operators import to_dialect_type

        return np.asarray(value, dtype_of(to_dialect_type(expected)))
    if hasattr(value, "__array__") or hasattr(value, "__dlpack__") or isinstance(value, bool | int | float):
        return np.asarray(value)
    return value


def _result(value: Any) -> Any:
    """Arrays that also answer to `numpy()`, and tuples of them; other values as they are."""
    from xrelay.runtime.graph_module import NDArray

    if isinstance(value, tuple):
        return tuple(map(_result, value))
    return np.asarray(value).view(NDArray) if isinstance(value, np.ndarray | np.generic) else value


def _flat(values: Sequence[Any]) -> Any:
    for value in values:
        if isinstance(value, tuple):
            yield from _flat(value)
        else:
            yield value


def _nested(shape: Type, outputs: Any) -> Any:
    """The outputs in the tuples that the result's type says."""
    return tuple(_nested(t, outputs) for t in shape.fields) if isinstance(shape, TupleType) else next(outputs)
