"""What type inference knows while it walks over a program: types found, types expected, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from xrelay.errors import TypeInferenceError
from xrelay.frontends.relay_text.expr import Call, Constructor, Expr, Function, GlobalVar, Let, Op, Program, Span, Var
from xrelay.frontends.relay_text.kinds import kind_faults
from xrelay.frontends.relay_text.names import global_name, local_name
from xrelay.frontends.relay_text.types import FuncType, Hole, TensorType, Type
from xrelay.frontends.relay_text.unify import FAULTY, Substitution, UnificationError, free_type_vars, parts


@dataclass(frozen=True)
class Fault:
    """What is wrong, and where."""

    span: Span | None
    function: str
    message: str

    def __str__(self) -> str:
        place = [str(self.span)] if self.span else [f"in {self.function}"] if self.function else []
        return ": ".join([*place, self.message])


@dataclass
class Scope:
    """What is known inside of one global function."""

    name: str
    open: bool = False
    """Whether variables may be free."""
    types: dict[int, Type] = field(default_factory=dict)
    """Of the expressions that have been visited, by id."""
    variables: dict[int, Type] = field(default_factory=dict)
    """Of the variables that are bound, by id."""
    type_vars: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Waiting:
    """A hole must be filled first."""

    hole: Hole


class Constraints:
    """The types of a program as far as they are known, and its faults."""

    def __init__(self, program: Program):
        self.program = program
        self.types = Substitution()
        self.scope = Scope("")
        self.faults: list[Fault] = []
        self.found: list[tuple[Expr, Type]] = []
        """All that was visited, a part before the whole."""
        self._bound: list[tuple[Var, Type, tuple[str, ...]]] = []
        """The variables, and the type variables that their types may hold."""
        self._signatures: dict[int, FuncType] = {}
        self._awaited: set[Hole] = set()
        """The types of expressions that waited: what is left of them is a consequence."""

    def fault(self, expr: Expr, message: str) -> Type:
        """Notes a fault; gives the type of an expression that has one."""
        self.faults.append(Fault(expr.span, self.scope.name, message))
        return FAULTY

    # Types that are found ---------------------------------------------------------------------------------------------

    def expect(self, expr: Expr, found: Type, expected: Type, what: str) -> Type:
        """The type that both are; `expected` where they are none, which is a fault of `expr`."""
        try:
            return self.types.unify(found, expected)
        except UnificationError as reason:
            found, expected = self.types.resolve(found), self.types.resolve(expected)
            self.fault(expr, f"{what} has type {found}, not {expected} ({reason})")
            return expected

    def solve(self, expr: Expr, attempt: Callable[[], Type | Waiting], result: Hole | None = None) -> Type:
        """The type that `attempt` gives; where it has to wait, a hole that is filled later."""
        found = attempt()
        if not isinstance(found, Waiting):
            return found if result is None else self.expect(expr, found, result, short_text(expr))
        target, scope = result or Hole(), self.scope

        def again() -> None:
            self.scope = scope
            self.solve(expr, attempt, target)

        self.types.watch(found.hole, again)
        self._awaited.add(target)
        return target

    def bind(self, var: Var, value: Type) -> None:
        self.scope.variables[id(var)] = value
        self._bound.append((var, value, tuple(self.scope.type_vars)))

    # Types that are written -------------------------------------------------------------------------------------------

    def written(self, expr: Expr, value: Type | None) -> Type:
        """A type annotation; a hole where there is none."""
        if value is None:
            return Hole()
        faults = list(kind_faults(value, self.program.type_definitions, self.scope.type_vars))
        for message in faults:
            self.fault(expr, message)
        return FAULTY if faults else value

    def signature(self, function: Function) -> FuncType:
        """The type that a function declares, with holes for what it does not."""
        known = self._signatures.get(id(function))
        if known is None:
            outer = list(self.scope.type_vars)
            for param in function.type_params:
                if param.name in self.scope.type_vars:
                    self.fault(function, f"the type parameter {param.name} is declared twice")
                self.scope.type_vars.append(param.name)
            args = [self.written(param, param.type_annotation) for param in function.params]
            known = FuncType(tuple(args), self.written(function, function.ret_type), function.type_params)
            self.scope.type_vars = outer
            self._signatures[id(function)] = known
        return known

    # The end ----------------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Decides what waited, and writes all types. Raises TypeInferenceError, listing every fault."""
        while self.types.woken:
            self.types.woken.pop()()
        bound = ((var, value) for var, value, _ in self._bound)
        found = [(expr, self.types.resolve(value)) for expr, value in (*bound, *self.found)]
        if not self.faults:
            self._check_complete(found)
        if self.faults:
            count = [f"{len(self.faults)} type errors"] if len(self.faults) > 1 else []
            raise TypeInferenceError("\n".join([*count, *map(str, self.faults)]))
        for expr, value in found:
            expr.checked_type = value

    def _check_complete(self, found: Sequence[tuple[Expr, Type]]) -> None:
        """No hole is left, and no type holds a type variable outside of the function that declares it."""
        self._check_holes(found, {hole for hole in map(self.types.head, self._awaited) if isinstance(hole, Hole)})
        if not self.faults:
            self._check_holes(found, set())  # expressions that wait for each other
        for var, value, type_vars in self._bound:
            outside = free_type_vars(self.types.resolve(value)) - set(type_vars)
            if outside:
                names = ", ".join(sorted(outside))
                self.fault(var, f"the type of {short_text(var)} would hold {names}, of a generic function further in")

    def _check_holes(self, found: Iterable[tuple[Expr, Type]], told: set[Hole]) -> None:
        """Each hole is told once, at the first expression whose type it is in."""
        for expr, value in found:
            if isinstance(value, TensorType):
                continue
            holes = {part for part in parts(value) if isinstance(part, Hole)}
            if holes - told:
                told |= holes
                self.fault(expr, f"the type of {short_text(expr)} cannot be inferred, only {value}: write it")


def place(expr: Expr, around: Expr) -> Expr:
    """Where a wrong value is told: at the end of a chain of lets; `around` for a name, whose span is its definition."""
    while isinstance(expr, Let):
        expr = expr.body
    return around if isinstance(expr, (Var, GlobalVar, Constructor)) or expr.span is None else expr


def short_text(expr: Expr) -> str:
    """What an expression is called in a message."""
    match expr:
        case Var():
            return local_name(expr.name_hint)
        case GlobalVar():
            return global_name(expr.name_hint)
        case Constructor():
            return expr.name_hint
        case Op():
            return expr.name
        case Call(op=Op() | GlobalVar() | Var() | Constructor() as callee):
            return f"{short_text(callee)}(…)"
    return f"the {type(expr).__name__.lower()}"
