"""Programs and expressions as Relay text, which `parse` reads back to the same.

Every node that is more than a leaf gets a line, `%3 = …;`, where it is first needed; values of `let` and results of
blocks stand without a number unless they are used elsewhere too. Later uses write the number: a node is computed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from xrelay.errors import UnsupportedError
from xrelay.frontends.relay_text.expr import (
    Call,
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
    Program,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    TypeData,
    Var,
)
from xrelay.frontends.relay_text.literals import DTYPES, number_text, scalar_text
from xrelay.frontends.relay_text.metadata import MODULE_ATTRS, MetadataWriter
from xrelay.frontends.relay_text.names import attribute_name, bare_name, global_name, local_name
from xrelay.frontends.relay_text.traversal import Walk, children, free_vars, nodes, run
from xrelay.frontends.relay_text.types import Type, type_text

HEADER = '#[version = "0.0.5"]\n'
MAX_INDENT = 40
"""Deeper blocks are indented no further: the text of a program stays linear in its size."""

Annotate = Callable[[Expr], str]


def program_text(
    program: Program, show_meta_data: bool = True, annotate: Annotate | None = None, header: bool = True
) -> str:
    """The program as text: types and functions, sorted by name, then the metadata.

    Without `show_meta_data` the constants that have no literal are left out, and the text cannot be read back.
    `annotate` gives the comment behind an expression; without it, that is the type, where it is known.
    Raises UnsupportedError for an attribute that has no text form.
    """
    printer = _Printer(annotate)
    for _, definition in sorted(program.type_definitions.items()):
        printer.type_definition(definition)
    for name, function in sorted(program.functions.items()):
        printer.definition(name, function)
    if program.attrs:
        printer.metadata.entries[MODULE_ATTRS] = program.attrs
    return printer.text(show_meta_data, header)


def expr_text(
    expr: Expr, show_meta_data: bool = True, annotate: Annotate | None = None, header: bool = False
) -> str:
    """The expression as text that `parse_expr` reads; free variables are declared first. Else as `program_text`."""
    printer = _Printer(annotate)
    printer.whole_expression(expr)
    return printer.text(show_meta_data, header)


class _Printer:
    def __init__(self, annotate: Annotate | None):
        self.metadata = MetadataWriter()
        self._annotate = annotate
        self._lines: list[str] = []
        self._depth = 0
        self._numbers: dict[Expr, str] = {}
        """Node → `%0`, of those that have a line."""
        self._names: dict[Var, str] = {}
        self._taken: set[str] = set()
        self._last_number: Counter[str] = Counter()
        """The number behind the last name of a stem: searching from 0 would be quadratic."""
        self._uses: Counter[Expr] = Counter()

    def text(self, show_meta_data: bool, header: bool) -> str:
        body = "\n".join(self._lines).strip("\n") + "\n"
        text = (HEADER if header else "") + body
        if not self.metadata.entries:
            return text
        return f"{text}\n{self.metadata.text()}" if show_meta_data else text

    # Definitions -----------------------------------------------------------------------------------------------------

    def type_definition(self, definition: TypeData) -> None:
        params = _type_params(definition.type_vars)
        name = bare_name(definition.header.name)
        if not definition.constructors:
            self._lines += [f"extern type {name}{params}", ""]
            return
        self._lines.append(f"type {name}{params} {{")
        for constructor in definition.constructors:
            inputs = f"({', '.join(map(type_text, constructor.inputs))})" if constructor.inputs else ""
            self._lines.append(f"  {bare_name(constructor.name_hint)}{inputs},")
        self._lines += ["}", ""]

    def definition(self, name: str, function: Function) -> None:
        self._enter(function)
        run(self._function(function, f"def {global_name(name)}", "", free_vars(function)))
        self._lines.append("")

    def whole_expression(self, expr: Expr) -> None:
        self._enter(expr)
        self._declare(free_vars(expr))
        run(self._result(expr))

    def _enter(self, root: Expr) -> None:
        """Starts a definition: names are unique within it, numbers and counts of uses are its own."""
        self._numbers.clear()
        self._names.clear()
        self._taken.clear()
        self._last_number.clear()
        self._uses = Counter(child for node in nodes(root) for child in children(node))
        self._uses[root] += 1

    def _declare(self, variables: Iterable[Var]) -> None:
        for var in variables:
            self._line(f"free_var {self._annotated(var)};")

    # Lines -----------------------------------------------------------------------------------------------------------

    def _line(self, text: str) -> None:
        self._lines.append("  " * min(self._depth, MAX_INDENT) + text)

    def _indented(self, expr: Expr) -> Walk[None]:
        self._depth += 1
        yield self._result(expr)
        self._depth -= 1

    def _result(self, expr: Expr) -> Walk[None]:
        """The lines of a block: bindings, then the result."""
        if self._is_shared(expr):
            self._line((yield self._value(expr)))
        else:
            yield self._statements(expr)

    def _statements(self, expr: Expr) -> Walk[None]:
        """The lines of a block whose result (or first `let`) has no line yet."""
        while isinstance(expr, Let):
            var, value = expr.var, expr.value
            is_named = var.name_hint or var.type_annotation is not None or self._uses[var]
            head = f"let {self._annotated(var)} = " if is_named else ""
            # A recursive function stands behind its `let` even if it is shared: its variable is not known before.
            if self._is_shared(value) and isinstance(value, Function) and var in free_vars(value):
                yield self._form(value, head, ";")
            else:
                yield self._compound(value, head, ";")
            expr = expr.body
            if self._is_shared(expr):
                break
        yield self._compound(expr, "", "")

    def _is_shared(self, expr: Expr) -> bool:
        return self._uses[expr] > 1 and not isinstance(expr, (Var, Constant, GlobalVar, Op, Constructor))

    def _value(self, expr: Expr) -> Walk[str]:
        """The text of an operand: of a leaf itself, else the number of its line, which is written now if it is new."""
        leaf = self._leaf(expr)
        if leaf is not None:
            return leaf
        if expr not in self._numbers:
            yield self._form(expr, None, ";")
        return self._numbers[expr]

    def _values(self, exprs: Iterable[Expr]) -> Walk[list[str]]:
        texts = []
        for expr in exprs:
            leaf = self._leaf(expr)
            texts.append(leaf if leaf is not None else (yield self._value(expr)))
        return texts

    def _compound(self, expr: Expr, head: str, tail: str) -> Walk[None]:
        """A line `head expr tail`; the expression gets a line of its own before if it is used elsewhere too."""
        if self._leaf(expr) is not None or self._is_shared(expr):
            self._line(f"{head}{yield self._value(expr)}{tail}")
        else:
            yield self._form(expr, head, tail)

    # Expressions -----------------------------------------------------------------------------------------------------

    def _head(self, expr: Expr, head: str | None) -> str:
        """The given text, or `%n = ` with the next number. Asked for when the lines of the operands are written."""
        if head is not None:
            return head
        self._numbers[expr] = f"%{len(self._numbers)}"
        return f"{self._numbers[expr]} = "

    def _form(self, expr: Expr, head: str | None, tail: str) -> Walk[None]:
        """The lines of an expression that is no leaf."""
        tail = f"{self._comment(expr)}{tail}"
        match expr:
            case Call():
                text = yield self._call(expr)
            case Tuple():
                fields = yield self._values(expr.fields)
                text = f"({fields[0]},)" if len(fields) == 1 else f"({', '.join(fields)})"
            case TupleGetItem():
                text = f"{yield self._value(expr.tuple_value)}.{expr.index}"
            case RefCreate():
                text = f"ref({yield self._value(expr.value)})"
            case RefRead():
                text = f"ref_read({yield self._value(expr.ref)})"
            case RefWrite():
                text = f"ref_write({', '.join((yield self._values((expr.ref, expr.value))))})"
            case Function():
                return (yield self._function(expr, f"{self._head(expr, head)}fn ", tail))
            case If():
                return (yield self._if(expr, head, tail))
            case Match():
                return (yield self._match(expr, head, tail))
            case Let():
                return (yield self._nested_block(expr, head, tail))
            case _:
                raise UnsupportedError(f"an expression of type {type(expr).__name__} has no text form")
        self._line(f"{self._head(expr, head)}{text}{tail}")

    def _call(self, call: Call) -> Walk[str]:
        op = yield self._value(call.op)
        if isinstance(call.op, Call) and call.op not in self._numbers:
            op = f"{op}()"  # what `Nil` gives is called, not the constructor
        args = yield self._values(call.args)
        attrs = yield self._attrs(call.attrs)
        return f"{op}({', '.join([*args, *attrs])})"

    def _nested_block(self, expr: Expr, head: str | None, tail: str) -> Walk[None]:
        self._line(f"{self._head(expr, head)}{{")
        self._depth += 1
        yield self._statements(expr)
        self._depth -= 1
        self._line(f"}}{tail}")

    def _if(self, expr: If, head: str | None, tail: str) -> Walk[None]:
        cond = yield self._value(expr.cond)
        self._line(f"{self._head(expr, head)}if ({cond}) {{")
        yield self._indented(expr.true_branch)
        self._line("} else {")
        yield self._indented(expr.false_branch)
        self._line(f"}}{tail}")

    def _match(self, expr: Match, head: str | None, tail: str) -> Walk[None]:
        data = yield self._value(expr.data)
        self._line(f"{self._head(expr, head)}match{'' if expr.complete else '?'} ({data}) {{")
        self._depth += 1
        for clause in expr.clauses:
            self._line(f"{self._pattern(clause.lhs)} => {{")
            yield self._indented(clause.rhs)
            self._line("},")
        self._depth -= 1
        self._line(f"}}{tail}")

    def _function(self, function: Function, head: str, tail: str, free: Iterable[Var] = ()) -> Walk[None]:
        attrs = yield self._attrs(function.attrs)
        params = ", ".join([*map(self._typed, function.params), *attrs])
        result = "" if function.ret_type is None else f" -> {type_text(function.ret_type)}"
        self._line(f"{head}{_type_params(function.type_params)}({params}){result} {{")
        self._depth += 1
        self._declare(free)
        yield self._result(function.body)
        self._depth -= 1
        self._line(f"}}{tail}")

    def _pattern(self, pattern: Pattern) -> str:
        match pattern:
            case PatternVar():
                return self._typed(pattern.var)
            case PatternConstructor():
                inner = f"({', '.join(map(self._pattern, pattern.patterns))})" if pattern.patterns else ""
                return f"{bare_name(pattern.constructor.name_hint)}{inner}"
            case PatternTuple():
                fields = list(map(self._pattern, pattern.patterns))
                return f"({fields[0]},)" if len(fields) == 1 else f"({', '.join(fields)})"
            case PatternWildcard():
                return "_"
        raise AssertionError(pattern)

    # Leaves ----------------------------------------------------------------------------------------------------------

    def _leaf(self, expr: Expr) -> str | None:
        """The text of an expression that needs no line, None for another."""
        match expr:
            case Var():
                return self._name(expr)
            case Op():
                return expr.name
            case GlobalVar():
                return global_name(expr.name_hint)
            case Constructor():
                return bare_name(expr.name_hint)
            case Constant():
                return f"{self._constant(expr)}{self._comment(expr)}"
            case Tuple(fields=()):
                return f"(){self._comment(expr)}"
            case Call(op=Constructor(name_hint=name, inputs=()), args=()) if not (expr.attrs or self._is_shared(expr)):
                return bare_name(name)
        return None

    def _constant(self, constant: Constant) -> str:
        array = constant.data
        literal = scalar_text(array) if array.shape == () and array.dtype.name in DTYPES else None
        return literal or self.metadata.constant(constant)

    def _typed(self, var: Var) -> str:
        """A variable where it is bound to a value that is not beside it: with its type."""
        return self._annotated(var) + (self._comment(var) if var.type_annotation is None else "")

    def _annotated(self, var: Var) -> str:
        """A variable with the type that is given for it."""
        return self._name(var) + ("" if var.type_annotation is None else f": {type_text(var.type_annotation)}")

    def _name(self, var: Var) -> str:
        if var not in self._names:
            stem = var.name_hint or "v"
            name = stem
            while name in self._taken:
                self._last_number[stem] += 1
                name = f"{stem}{self._last_number[stem]}"
            self._taken.add(name)
            self._names[var] = local_name(name)
        return self._names[var]

    def _comment(self, expr: Expr) -> str:
        if self._annotate is not None:
            text = self._annotate(expr)
        else:
            text = f"ty={type_text(expr.checked_type)}" if isinstance(expr.checked_type, Type) else ""
        return f" /* {text.replace('*/', '* /').replace('/*', '/ *')} */" if text else ""

    # Attributes ------------------------------------------------------------------------------------------------------

    def _attrs(self, attrs: Mapping[str, Any]) -> Walk[list[str]]:
        texts = []
        for key, value in attrs.items():
            text = (yield self._value(value)) if isinstance(value, Expr) else self._attribute(value)
            texts.append(f"{attribute_name(key)}={text}")
        return texts

    def _attribute(self, value: Any) -> str:
        """A value of an attribute. Raises UnsupportedError for one that neither text nor metadata can hold."""
        match value:
            case np.generic():
                return self._attribute(value.item())
            case None | bool():
                return str(value)
            case int() | float():
                return number_text(value)
            case str():
                return self.metadata.value("String", value) if '"' in value or "\n" in value else f'"{value}"'
            case list() | tuple():
                return f"[{', '.join(map(self._attribute, value))}]"
            case dict():
                return self.metadata.value("Map", value)
            case Constant():
                return self.metadata.constant(value)
            case np.ndarray():
                return self.metadata.value("Array", value)
        raise UnsupportedError(f"an attribute of type {type(value).__name__} has no text form: {value!r}")


def _type_params(type_vars: Iterable[Any]) -> str:
    names = ", ".join(bare_name(var.name) for var in type_vars)
    return f"[{names}]" if names else ""
