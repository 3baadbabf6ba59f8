"""`relay.Module`: the functions and types of a program, as expressions and as a module of the dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from xrelay.errors import InputError
from xrelay.frontends.relay_text.expr import Expr, Function, GlobalVar, Program, TypeData
from xrelay.frontends.relay_text.types import GlobalTypeVar
from xrelay.relay.analysis import free_type_vars, free_vars

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute


class Module:
    """A Relay module.

    It has two forms, each made from the other when it is first asked for: `program` holds expressions, which Python and
    text deal with; `ir` is an xDSL module of the `relay` dialect, which passes and the compiler deal with. The
    functions are changed through the methods of this class.
    """

    def __init__(
        self,
        functions: Mapping[GlobalVar | str, Function] | None = None,
        type_definitions: Mapping[GlobalTypeVar | str, TypeData] | None = None,
        attrs: Mapping[str, Any] | None = None,
    ):
        types = {_name(key): data for key, data in (type_definitions or {}).items()}
        self._program: Program | None = Program(None, types, attrs)
        self._ir: ModuleOp | None = None
        self._typed = False
        for key, function in (functions or {}).items():
            self[key] = function

    # The two forms ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_program(cls, program: Program) -> Module:
        """The module of a program, which it takes over."""
        module = cls()
        module._program = program
        return module

    @classmethod
    def from_ir(cls, ir: ModuleOp) -> Module:
        """The module of a module of the dialect, which it takes over."""
        module = cls()
        module._program, module._ir, module._typed = None, ir, True
        return module

    @classmethod
    def from_expr(
        cls,
        expr: Expr,
        functions: Mapping[GlobalVar | str, Function] | None = None,
        type_defs: Mapping[GlobalTypeVar | str, TypeData] | None = None,
    ) -> Module:
        """The module whose @main is a function, or a function of the free variables of an expression.

        A function with the attribute `global_symbol` is called so instead of @main.
        """
        module = cls(functions, type_defs)
        if not isinstance(expr, Function):
            expr = Function(free_vars(expr), expr, type_params=free_type_vars(expr))
        module[str(expr.attrs.get("global_symbol", "main"))] = expr
        return module

    @property
    def program(self) -> Program:
        """The functions and type definitions as expressions."""
        if self._program is None:
            from xrelay.frontends.relay_text.from_dialect import to_program

            assert self._ir is not None
            self._program = to_program(self._ir)
        return self._program

    @property
    def ir(self) -> ModuleOp:
        """The module of the dialect; not to be changed, `ir.clone()` may be.

        Raises:
            TypeInferenceError: the program's types do not fit.
        """
        if self._ir is None:
            from xrelay.frontends.relay_text.to_dialect import to_module

            self._ir = to_module(self.infer_types().program)
        return self._ir

    def executable_ir(self) -> ModuleOp:
        """The `ir` for the compiler: where @main gives tuples of tensors, it gives their fields instead."""
        from xdsl.dialects.builtin import TensorType

        from xrelay.compiler import main_function

        results = main_function(self.ir).function_type.outputs.data
        if all(isinstance(result, TensorType) for result in results) or not all(map(_is_tensors, results)):
            return self.ir
        from xrelay.frontends.relay_text.to_dialect import to_module

        return to_module(self.infer_types().program, flatten_main=True)

    def infer_types(self) -> Module:
        """Find the types of all expressions; the module itself. Raises TypeInferenceError, which lists every fault."""
        if not self._typed:
            from xrelay.frontends.relay_text.infer import infer_types

            infer_types(self.program)
            self._typed = True
        return self

    # Functions and types ---------------------------------------------------------------------------------------------

    @property
    def functions(self) -> dict[GlobalVar, Function]:
        """The functions by their global variables."""
        return {self.program.global_vars[name]: function for name, function in self.program.functions.items()}

    @property
    def type_definitions(self) -> dict[GlobalTypeVar, TypeData]:
        """The type definitions by their names."""
        return {data.header: data for data in self.program.type_definitions.values()}

    @property
    def attrs(self) -> dict[str, Any]:
        return self.program.attrs

    def __getitem__(self, key: GlobalVar | GlobalTypeVar | str) -> Any:
        """A function, or a type definition, by its name or variable."""
        if isinstance(key, GlobalTypeVar):
            return _look_up("type", self.program.type_definitions, key.name)
        return _look_up("function", self.program.functions, _name(key))

    def __setitem__(self, key: GlobalVar | GlobalTypeVar | str, value: Any) -> None:
        program = self._changed()
        if isinstance(value, TypeData):
            program.type_definitions[_name(key)] = value
            return
        if not isinstance(value, Function):
            raise InputError(f"a module holds functions and type definitions, got {value!r}")
        name = _name(key)
        program.functions[name] = value
        if isinstance(key, GlobalVar):
            program.global_vars[name] = key
        else:
            program.global_vars.setdefault(name, GlobalVar(name))

    def __contains__(self, key: GlobalVar | GlobalTypeVar | str) -> bool:
        held = self.program.type_definitions if isinstance(key, GlobalTypeVar) else self.program.functions
        return _name(key) in held

    def __delitem__(self, key: GlobalVar | str) -> None:
        _look_up("function", self.program.functions, _name(key))
        del self._changed().functions[_name(key)]

    def get_global_var(self, name: str) -> GlobalVar:
        """The variable of a function. Raises InputError where there is none of this name."""
        _look_up("function", self.program.functions, name)
        return self.program.global_vars[name]

    def get_global_vars(self) -> list[GlobalVar]:
        return list(self.functions)

    def get_global_type_var(self, name: str) -> GlobalTypeVar:
        """The name of a type definition as a type. Raises InputError where there is none."""
        return _look_up("type", self.program.type_definitions, name).header

    def get_type(self, name: str) -> tuple[Any, ...]:
        """A type's name and its constructors: `List, Cons, Nil = mod.get_type("List")`."""
        data = _look_up("type", self.program.type_definitions, name)
        return data.header, *data.constructors

    def update(self, other: Module) -> None:
        """Take in the functions and types of another module; those of the same name are replaced."""
        program, more = self._changed(), other.program
        program.functions |= more.functions
        program.type_definitions |= more.type_definitions
        program.global_vars |= more.global_vars

    def update_func(self, var: GlobalVar, function: Function) -> None:
        """Replace a function, or add it."""
        self[var] = function

    def import_from_std(self, name: str) -> None:
        """Take in a file of the standard library: `mod.import_from_std("prelude.rly")`."""
        if name not in ("prelude.rly", "prelude"):
            raise InputError(f"the standard library has no {name!r}, it has prelude.rly")
        from xrelay.frontends.relay_text.prelude import prelude

        self.update(Module.from_program(prelude()))

    def clone(self) -> Module:
        """A module that can be changed without changing this one; it shares the functions themselves."""
        copy = Module.from_program(self._program_copy())
        copy._ir, copy._typed = self._ir, self._typed
        return copy

    def _program_copy(self) -> Program:
        copy = Program(self.program.functions, self.program.type_definitions, self.program.attrs)
        copy.global_vars = dict(self.program.global_vars)
        return copy

    def _changed(self) -> Program:
        """The program, to be changed: from here on it is the only form."""
        program, self._ir, self._typed = self.program, None, False
        return program

    # Text ------------------------------------------------------------------------------------------------------------

    def astext(self, show_meta_data: bool = True, annotate: Callable[[Expr], str] | None = None) -> str:
        """The module as Relay text; without `show_meta_data`, constants are left out, and it cannot be read back.

        `annotate` gives the comment behind an expression, by default its type.
        """
        from xrelay.frontends.relay_text.printer import program_text

        return program_text(self.program, show_meta_data=show_meta_data, annotate=annotate)

    def __str__(self) -> str:
        return self.astext(show_meta_data=False)

    def __repr__(self) -> str:
        return f"Module({', '.join(f'@{name}' for name in self.program.functions)})"


IRModule = Module


def _name(key: GlobalVar | GlobalTypeVar | str) -> str:
    match key:
        case str():
            return key
        case GlobalVar():
            return key.name_hint
        case GlobalTypeVar():
            return key.name
    raise InputError(f"a module's functions and types have names, got {key!r}")


def _is_tensors(value_type: Attribute) -> bool:
    """Whether a value of the type is a tensor, or tuples of them."""
    from xdsl.dialects.builtin import TensorType, TupleType

    if isinstance(value_type, TupleType):
        return all(map(_is_tensors, value_type.types))
    return isinstance(value_type, TensorType)


def _look_up(kind: str, held: Mapping[str, Any], name: str) -> Any:
    if name not in held:
        raise InputError(f"the module has no {kind} {name!r}; it has {', '.join(held) or 'none'}")
    return held[name]
