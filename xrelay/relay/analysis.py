"""Questions about expressions and modules."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xrelay.errors import InputError
from xrelay.frontends.relay_text import traversal
from xrelay.frontends.relay_text.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    Let,
    Match,
    Op,
    Pattern,
    Tuple,
    Var,
)
from xrelay.frontends.relay_text.traversal import free_vars, pattern_vars
from xrelay.frontends.relay_text.types import FuncType, RefType, TensorType, TupleType, Type, TypeCall, TypeVar
from xrelay.relay.functors import children

__all__ = [
    "all_dtypes",
    "all_type_vars",
    "all_vars",
    "bound_type_vars",
    "bound_vars",
    "check_constant",
    "extract_fused_functions",
    "free_type_vars",
    "free_vars",
    "get_total_mac_number",
    "list_op_freqs",
    "post_order_visit",
    "unmatched_cases",
    "well_formed",
]


def post_order_visit(expr: Expr, fvisit: Callable[[Expr], Any]) -> None:
    """Call `fvisit` with every expression inside of `expr`, once, after its parts; with `expr` itself last."""
    for part in post_order(expr):
        fvisit(part)


def post_order(expr: Expr) -> Iterator[Expr]:
    """The expressions that `expr` is made of, each once and after its parts."""
    found = {expr}
    stack = [(expr, iter(children(expr)))]
    while stack:
        part, rest = stack[-1]
        for child in rest:
            if child not in found:
                found.add(child)
                stack.append((child, iter(children(child))))
                break
        else:
            stack.pop()
            yield part


# Variables -----------------------------------------------------------------------------------------------------------


def all_vars(expr: Expr) -> list[Var]:
    """All local variables, bound ones too, in the order in which they are met."""
    return [part for part in post_order(expr) if isinstance(part, Var)]


def bound_vars(expr: Expr) -> list[Var]:
    """The variables that functions, lets and patterns inside of `expr` bind, outer ones first."""
    found = [var for part in traversal.nodes(expr) for var in traversal.bound_vars(part)]
    return list(dict.fromkeys(found))


def all_type_vars(expr: Expr) -> list[TypeVar]:
    """The type variables that the types written in `expr` name."""
    found = (var for part in post_order(expr) for written in _written_types(part) for var in _type_vars(written))
    return list(dict.fromkeys(found))


def bound_type_vars(expr: Expr) -> list[TypeVar]:
    """The type parameters of the functions inside of `expr`, and of the function types."""
    bound: list[TypeVar] = []
    for part in post_order(expr):
        if isinstance(part, Function):
            bound += part.type_params
        for written in _written_types(part):
            bound += [v for t in _types_inside(written) if isinstance(t, FuncType) for v in t.type_params]
    return list(dict.fromkeys(bound))


def free_type_vars(expr: Expr) -> list[TypeVar]:
    """The type variables that nothing inside of `expr` binds."""
    bound = set(bound_type_vars(expr))
    return [var for var in all_type_vars(expr) if var not in bound]


def all_dtypes(expr: Expr) -> set[str]:
    """The dtypes of constants, of the types that are written, and of those that inference found."""
    found: set[str] = set()
    for part in post_order(expr):
        if isinstance(part, Constant):
            found.add(str(part.data.dtype))
        types = [*_written_types(part), part.checked_type]
        found |= {t.dtype for written in types if written for t in _types_inside(written) if isinstance(t, TensorType)}
    return found


def _written_types(expr: Expr) -> list[Type]:
    match expr:
        case Var(type_annotation=Type() as written):
            return [written]
        case Function():
            return [*expr.type_params, *([expr.ret_type] if expr.ret_type else [])]
        case Call():
            return list(expr.type_args)
    return []


def _type_vars(root: Type) -> Iterator[TypeVar]:
    return (t for t in _types_inside(root) if isinstance(t, TypeVar))


def _types_inside(root: Type) -> Iterator[Type]:
    """A type and the types it is made of."""
    stack = [root]
    while stack:
        current = stack.pop()
        yield current
        match current:
            case TupleType():
                stack += reversed(current.fields)
            case FuncType():
                stack += [current.ret_type, *reversed(current.arg_types), *reversed(current.type_params)]
            case RefType():
                stack.append(current.value)
            case TypeCall():
                stack += reversed(current.args)


# Form ----------------------------------------------------------------------------------------------------------------


def check_constant(expr: Expr) -> bool:
    """Whether an expression is made of constants: one, or a tuple or construction of them."""
    return all(isinstance(part, Constant | Tuple | Constructor) or _constructs(part) for part in post_order(expr))


def _constructs(expr: Expr) -> bool:
    return isinstance(expr, Call) and isinstance(expr.op, Constructor)


def well_formed(expr: Any) -> bool:
    """Whether every variable is bound at one place and used only in its scope. Takes an expression or a module."""
    functions = _functions(expr)
    counts = Counter(var for function in functions for var in bound_vars(function))
    return max(counts.values(), default=1) == 1 and all(map(_scopes_hold, functions))


def _scopes_hold(root: Expr) -> bool:
    bound, binders = set(bound_vars(root)), dict[Var, Any]()
    in_scope, numbers = set[Var](), itertools.count()
    open_scopes: dict[int, None] = {}
    checked: dict[Expr, int] = {}  # the scope in which it was checked: it holds as long as that scope is open
    steps: list[_Step] = [root, _Enter((), root)]
    while steps:
        step = steps.pop()
        match step:
            case _Enter():
                if any(binders.setdefault(var, step.binder) is not step.binder for var in step.variables):
                    return False
                in_scope.update(step.variables)
                open_scopes[next(numbers)] = None
            case _Leave():
                in_scope.difference_update(step.variables)
                open_scopes.popitem()
            case Var():
                if step in bound and step not in in_scope:
                    return False
            case Expr():
                if checked.get(step) not in open_scopes:
                    checked[step] = next(reversed(open_scopes))
                    steps += reversed(_steps(step))
    return True


@dataclass(frozen=True)
class _Enter:
    """The scope of some variables opens; `binder` is what binds them."""

    variables: Sequence[Var]
    binder: Any


@dataclass(frozen=True)
class _Leave:
    variables: Sequence[Var]


_Step = Expr | _Enter | _Leave


def _steps(expr: Expr) -> list[_Step]:
    """The parts of an expression and the scopes they stand in, in order."""
    match expr:
        case Function():
            return [_Enter(expr.params, expr), expr.body, _Leave(expr.params)]
        case Let(value=Function()):
            return [_Enter([expr.var], expr), expr.value, expr.body, _Leave([expr.var])]
        case Let():
            return [expr.value, _Enter([expr.var], expr), expr.body, _Leave([expr.var])]
        case Match():
            steps: list[_Step] = [expr.data]
            for clause in expr.clauses:
                variables = pattern_vars(clause)
                steps += [_Enter(variables, clause), clause.rhs, _Leave(variables)]
            return steps
    return list(children(expr))


def unmatched_cases(match: Match, mod: Any = None) -> list[Pattern]:
    """The patterns of values that no clause takes; `mod` has the definitions of the types."""
    from xrelay.frontends.relay_text.patterns import unmatched_cases as find

    return list(find(match, mod.program.type_definitions if mod is not None else {}))


# Modules and costs ---------------------------------------------------------------------------------------------------


def list_op_freqs(mod: Any) -> dict[str, int]:
    """How often each operator is called, by its name; in a module or an expression."""
    return dict(Counter(part.op.name for part in _parts(mod) if isinstance(part, Call) and isinstance(part.op, Op)))


def extract_fused_functions(mod: Any) -> dict[str, Function]:
    """The kernels of a module that FuseOps has seen, by name."""
    return {name: f for name, f in mod.program.functions.items() if f.attrs.get("Primitive")}


def get_total_mac_number(expr: Any) -> int:
    """Multiply-accumulates of convolutions and matrix products, in a module or an expression with inferred types.

    Raises:
        InputError: a size is not known.
    """
    return sum(_macs(part) for part in _parts(expr) if isinstance(part, Call) and isinstance(part.op, Op))


def _macs(call: Call) -> int:
    name = call.op.name  # type: ignore[attr-defined]
    if name not in _CONTRACTED:
        return 0
    weight, result = call.args[1].checked_type, call.checked_type
    if not isinstance(weight, TensorType) or not isinstance(result, TensorType):
        raise InputError(f"get_total_mac_number: {name} has no inferred type; run relay.transform.InferType first")
    sizes = (*result.shape, *_CONTRACTED[name](call, weight.shape))
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) < len(sizes):
        raise InputError(f"get_total_mac_number: {name} of type {result} has unknown sizes")
    return math.prod(known)


def _convolved(layout: str) -> Callable[[Call, tuple], list]:
    """The sizes of a convolution's reduction: input channels of a group, and the window."""
    return lambda call, shape: [
        size for axis, size in zip(call.attrs.get("kernel_layout", layout), shape, strict=True) if axis != "O"
    ]


_CONTRACTED: dict[str, Callable[[Call, tuple], list]] = {
    "nn.conv1d": _convolved("OIW"),
    "nn.conv2d": _convolved("OIHW"),
    "nn.conv3d": _convolved("OIDHW"),
    "nn.dense": lambda call, shape: [shape[1]],
    "nn.matmul": lambda call, shape: [shape[1 if call.attrs.get("transpose_b") else 0]],
    "nn.batch_matmul": lambda call, shape: [shape[2 if call.attrs.get("transpose_b") else 1]],
}


def _parts(expr_or_mod: Any) -> Iterator[Expr]:
    return (part for function in _functions(expr_or_mod) for part in post_order(function))


def _functions(expr_or_mod: Any) -> list[Expr]:
    """An expression, or the functions of a module."""
    return [expr_or_mod] if isinstance(expr_or_mod, Expr) else list(expr_or_mod.program.functions.values())
