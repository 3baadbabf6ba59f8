"""Making two types one: what the holes of a program stand for.

Sizes follow Relay: an unknown size and any other make an unknown one. So a hole may be given a wider type later; what
it stands for is read when all is known (`Substitution.resolve`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from xrelay.frontends.relay_text.types import (
    ANY,
    Dim,
    FuncType,
    Hole,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)


class UnificationError(Exception):
    """Two types that cannot be one; the message says why."""


class _Faulty(Type):
    """The type of an expression that has a fault: it fits everything, so that one fault is told once."""


FAULTY = _Faulty()


class Substitution:
    """What each hole stands for, as far as it is known."""

    def __init__(self) -> None:
        self._bound: dict[Hole, Type] = {}
        self._watchers: dict[Hole, list[Callable[[], None]]] = {}
        self.woken: list[Callable[[], None]] = []
        """The watchers whose hole has been filled."""

    # Reading ----------------------------------------------------------------------------------------------------------

    def head(self, value: Type) -> Type:
        """The type itself, or what the hole stands for; inside, holes may be left."""
        return self._follow(value)[1]

    def _follow(self, value: Type) -> tuple[Hole | None, Type]:
        """The last hole of a chain of them, if there is one, and what it stands for."""
        hole = None
        while isinstance(value, Hole):
            hole = value
            if hole not in self._bound:
                break
            value = self._bound[hole]
        return hole, value

    def resolve(self, value: Type) -> Type:
        """The type with every hole filled that is known."""
        value = self.head(value)
        return value if isinstance(value, TensorType) else map_type(value, self.resolve)

    def first_hole(self, value: Type) -> Hole | None:
        """A hole of the type that is not filled."""
        value = self.resolve(value)
        if isinstance(value, TensorType):
            return None
        return next((part for part in parts(value) if isinstance(part, Hole)), None)

    def watch(self, hole: Hole, action: Callable[[], None]) -> None:
        """Puts `action` into `woken` when the hole is filled."""
        last, _ = self._follow(hole)
        self._watchers.setdefault(last or hole, []).append(action)

    # Unifying ---------------------------------------------------------------------------------------------------------

    def unify(self, a: Type, b: Type) -> Type:
        """The type that both are. Raises UnificationError where there is none."""
        hole_a, a = self._follow(a)
        hole_b, b = self._follow(b)
        if a is b:
            return a
        if isinstance(a, Hole):
            return self._fill(a, hole_b or b)
        if isinstance(b, Hole):
            return self._fill(b, hole_a or a)
        merged = self._merge(a, b)
        if hole_a is not None:
            self._bound[hole_a] = merged
        if hole_b is not None:
            self._bound[hole_b] = merged if hole_a is None else hole_a
        return merged

    def _fill(self, hole: Hole, value: Type) -> Type:
        known = self.head(value)
        if not isinstance(known, TensorType) and any(part is hole for part in parts(self.resolve(known))):
            raise UnificationError("the type would hold itself")
        self._bound[hole] = value
        waiting = self._watchers.pop(hole, [])
        if isinstance(known, Hole):
            self._watchers.setdefault(known, []).extend(waiting)
        else:
            self.woken += waiting
        return known

    def _merge(self, a: Type, b: Type) -> Type:
        match a, b:
            case _Faulty(), _:
                return b
            case _, _Faulty():
                return a
            case TensorType(), TensorType():
                return merge_tensors(a, b)
            case TupleType(), TupleType():
                self._same_number(a.fields, b.fields, "fields")
                return TupleType(self._unify_all(a.fields, b.fields))
            case FuncType(), FuncType():
                return self._merge_functions(a, b)
            case RefType(), RefType():
                return RefType(self.unify(a.value, b.value))
            case TypeCall(), TypeCall() if a.func == b.func:
                self._same_number(a.args, b.args, "type arguments")
                return TypeCall(a.func, self._unify_all(a.args, b.args))
        if a == b:
            return a
        raise UnificationError(f"{self.resolve(a)} is not {self.resolve(b)}")

    def _merge_functions(self, a: FuncType, b: FuncType) -> FuncType:
        """Generic functions of as many parameters are compared under one name; else both are used at some types."""
        if a.type_params and len(a.type_params) == len(b.type_params):
            b, params = substitute_params(self._resolved(b), a.type_params), a.type_params
        else:
            a, b, params = self.instantiate(a), self.instantiate(b), ()
        self._same_number(a.arg_types, b.arg_types, "parameters")
        return FuncType(self._unify_all(a.arg_types, b.arg_types), self.unify(a.ret_type, b.ret_type), params)

    def _unify_all(self, a: Sequence[Type], b: Sequence[Type]) -> tuple[Type, ...]:
        return tuple(self.unify(x, y) for x, y in zip(a, b, strict=True))

    @staticmethod
    def _same_number(a: Sequence[Type], b: Sequence[Type], what: str) -> None:
        if len(a) != len(b):
            raise UnificationError(f"{len(a)} {what} are not {len(b)}")

    def instantiate(self, function: FuncType, type_args: Sequence[Type] = ()) -> FuncType:
        """A generic function at some types: those given, else at holes."""
        if not function.type_params:
            return function
        return substitute_params(self._resolved(function), type_args or [Hole() for _ in function.type_params])

    def _resolved(self, function: FuncType) -> FuncType:
        """Holes may stand for the type variables that are to be replaced."""
        return self.resolve(function)  # type: ignore[return-value]


def merge_tensors(a: TensorType, b: TensorType) -> TensorType:
    if a == b:
        return a
    if a.dtype != b.dtype:
        raise UnificationError(f"{a.dtype} is not {b.dtype}")
    if len(a.shape) != len(b.shape):
        raise UnificationError(f"rank {len(a.shape)} is not {len(b.shape)}")
    return TensorType(tuple(map(_merge_sizes, a.shape, b.shape)), a.dtype)


def _merge_sizes(a: Dim, b: Dim) -> Dim:
    if a is ANY or b is ANY:
        return ANY
    if a != b:
        raise UnificationError(f"size {a} is not {b}")
    return a


# Walks over types ----------------------------------------------------------------------------------------------------


def map_type(value: Type, change: Callable[[Type], Type]) -> Type:
    """The type with its direct parts changed; itself, if none of them is."""
    match value:
        case TupleType(fields):
            changed = tuple(map(change, fields))
            return value if _same(changed, fields) else TupleType(changed)
        case FuncType(arg_types, ret_type, type_params):
            *args, ret = map(change, (*arg_types, ret_type))
            return value if _same((*args, ret), (*arg_types, ret_type)) else FuncType(tuple(args), ret, type_params)
        case RefType(held):
            changed_held = change(held)
            return value if changed_held is held else RefType(changed_held)
        case TypeCall(func, args):
            changed = tuple(map(change, args))
            return value if _same(changed, args) else TypeCall(func, changed)
    return value


def _same(a: Sequence[Type], b: Sequence[Type]) -> bool:
    return all(x is y for x, y in zip(a, b, strict=True))


def parts(value: Type) -> Iterator[Type]:
    """The type and all types in it; the type parameters of a generic function are none."""
    stack = [value]
    while stack:
        part = stack.pop()
        yield part
        match part:
            case TupleType(inner) | TypeCall(_, inner):
                stack += inner
            case FuncType(arg_types, ret_type):
                stack += (*arg_types, ret_type)
            case RefType(held):
                stack.append(held)


def substitute(value: Type, mapping: Mapping[str, Type]) -> Type:
    """The type with type variables replaced, by name."""
    if isinstance(value, TypeVar):
        return mapping.get(value.name, value)
    if isinstance(value, FuncType) and value.type_params:
        hidden = {param.name for param in value.type_params}
        mapping = {name: target for name, target in mapping.items() if name not in hidden}
    return map_type(value, lambda part: substitute(part, mapping))


def substitute_params(function: FuncType, types: Sequence[Type]) -> FuncType:
    """The body of a generic function type, its parameters replaced by as many types."""
    mapping = {param.name: target for param, target in zip(function.type_params, types, strict=True)}
    return FuncType(
        tuple(substitute(arg, mapping) for arg in function.arg_types), substitute(function.ret_type, mapping)
    )


def free_type_vars(value: Type) -> set[str]:
    """The names of the type variables that no generic function in the type declares."""
    if isinstance(value, TypeVar):
        return {value.name}
    found: set[str] = set()

    def note(part: Type) -> Type:
        found.update(free_type_vars(part))
        return part

    map_type(value, note)
    return found - {param.name for param in value.type_params} if isinstance(value, FuncType) else found
