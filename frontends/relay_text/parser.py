"""Relay text into programs and expressions. Nothing is inferred: `checked_type` stays open.

A text is read to its end, past its faults; they are raised together. docs/relay_text.md describes the format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xrelay.frontends.relay_text.diagnostics import Diagnostics, Source
from xrelay.frontends.relay_text.expr import Constructor, Expr, Function, GlobalVar, Program, TypeData, Var
from xrelay.frontends.relay_text.expr_parser import DEFINITIONS, ExprParser
from xrelay.frontends.relay_text.lexer import Token, tokenize
from xrelay.frontends.relay_text.metadata import Metadata
from xrelay.frontends.relay_text.traversal import free_vars, run
from xrelay.frontends.relay_text.type_parser import Unparsable
from xrelay.frontends.relay_text.types import GlobalTypeVar, Type

VERSION = "0.0.5"
OLD_VERSION = "v0.0"
_HEADER = re.compile(r'\s*(?://[^\n]*\n\s*)*(?:#\[\s*version\s*=\s*"(?P<version>[^"\n]*)"\s*\]|(?P<old>v\d[\w.]*))')


def parse(
    text: str,
    source_name: str = "from_string",
    init_module: Program | None = None,
    init_meta_table: Mapping[str, Sequence[Any]] | None = None,
) -> Program:
    """The program of a text that begins with `#[version = "0.0.5"]` or `v0.0`.

    `init_module` brings definitions that the text may use and that are part of the result; `init_meta_table` stands for
    the text's metadata section. A text that is one expression gives it as `@main`, a function of its free variables.
    Raises RelayParseError with all faults.
    """
    parser = _parser(text, source_name, init_module, init_meta_table, header_needed=True)
    program = parser.program(init_module)
    parser.finish()
    return program


def parse_expr(text: str, init_module: Program | None = None) -> Expr:
    """The expression of a text; the header may be left out. `init_module` brings the definitions that the text may use.

    Raises RelayParseError with all faults.
    """
    parser = _parser(text, "from_string", init_module, None, header_needed=False)
    expr = parser.whole_expression()
    parser.finish()
    return expr


def _parser(
    text: str,
    source_name: str,
    init_module: Program | None,
    meta_table: Mapping[str, Sequence[Any]] | None,
    header_needed: bool,
) -> _ModuleParser:
    """The parser behind the header."""
    diagnostics = Diagnostics(Source(text, source_name))
    header = _HEADER.match(text)
    expected = f'expected `#[version = "{VERSION}"]`'
    if header is None:
        if header_needed:
            start = len(text) - len(text.lstrip())
            diagnostics.add(start, 1, f"the text has no header: {expected} in the first line")
    elif header["version"] not in (None, VERSION) or header["old"] not in (None, OLD_VERSION):
        kind = "version" if header["old"] is None else "old"
        found = header[kind]
        diagnostics.add(header.start(kind), len(found), f"version {found} of the format is unknown: {expected}")
    tokens, metadata_start = tokenize(text, header.end() if header else 0, diagnostics)
    metadata = Metadata(meta_table or {})
    if metadata_start is not None:
        try:
            metadata = Metadata.read(text[metadata_start:])
        except ValueError as error:
            diagnostics.add(tokens[-1].start, len("#[metadata]"), str(error))
    return _ModuleParser(tokens, diagnostics, metadata, init_module, is_old=bool(header and header["old"]))


class _ModuleParser(ExprParser):
    """Reads definitions."""

    def __init__(
        self,
        tokens: list[Token],
        diagnostics: Diagnostics,
        metadata: Metadata,
        init_module: Program | None,
        is_old: bool,
    ):
        super().__init__(tokens, diagnostics, metadata)
        self._is_old = is_old
        self._weights: dict[str, Var] | None = None
        """The undefined globals of the `@main` of an old text: parameters that it does not list."""
        if init_module is not None:
            self._defined.update(init_module.functions)
            self._globals.update(init_module.global_vars)
            for definition in init_module.type_definitions.values():
                self._type_names[definition.header.name] = definition.header
                self._constructors.update((c.name_hint, c) for c in definition.constructors)

    def finish(self) -> None:
        """Raises RelayParseError if the text has a fault."""
        self._diagnostics.check()

    def whole_expression(self) -> Expr:
        """The expression that the text is."""
        try:
            return run(self._block("end"))
        except Unparsable:
            return Var("")  # the fault is noted

    def program(self, base: Program | None) -> Program:
        """The definitions of the text, behind those of `base`."""
        functions = dict(base.functions) if base else {}
        types = dict(base.type_definitions) if base else {}
        starts = self._definition_starts()
        self._announce(starts)
        for start in starts:
            if self._tokens[start].kind != "def":
                self._definition(start, lambda: self._type_definition(types))
        for start in starts:
            if self._tokens[start].kind == "def":
                self._definition(start, lambda: self._function_definition(functions))
        if not starts and self.token.kind != "end":
            functions["main"] = self._main_of_expression()
        attrs = dict(base.attrs) if base else {}
        attrs |= self._checked(lambda: self._metadata.module_attrs, self._tokens[-1])
        program = Program(functions, types, attrs)
        program.global_vars = {name: self._global_var(name) for name in functions}
        return program

    def _main_of_expression(self) -> Function:
        expr = self.whole_expression()
        return expr if isinstance(expr, Function) else Function(free_vars(expr), expr, span=expr.span)

    def _definition_starts(self) -> list[int]:
        """Where the definitions begin. Their keywords stand nowhere else: a fault in one leaves the next one whole."""
        starts = [i for i, token in enumerate(self._tokens) if token.kind in DEFINITIONS]
        return [i for i in starts if self._tokens[i].kind != "type" or self._tokens[i - 1].kind != "extern"]

    def _announce(self, starts: list[int]) -> None:
        """Makes the names of all definitions known, as they may use each other in any order."""
        for start in starts:
            token = self._tokens[start + 1]
            if token.kind == "type":  # behind `extern`
                token = self._tokens[start + 2]
            if token.kind == "global":
                self._announce_name(self._defined, "function", token)
            elif token.kind in ("name", "quoted"):
                name = self._announce_name(self._type_names.keys(), "type", token)
                self._type_names.setdefault(name, GlobalTypeVar(name))

    def _announce_name(self, known: Any, what: str, token: Token) -> str:
        name = self._name_of(token)
        if name in known:
            self._fault(f"there is another {what} {token.text}: expected a name that is not taken", token)
        if isinstance(known, set):
            known.add(name)
        return name

    def _definition(self, start: int, read: Callable[[], None]) -> None:
        self._seek(start)
        try:
            read()
            if self.token.kind not in DEFINITIONS and self.token.kind != "end":
                self._fault(f"expected `def`, `type`, `extern type` or the end of the text, found {self.token}")
        except Unparsable:
            pass  # the fault is noted

    # Functions -------------------------------------------------------------------------------------------------------

    def _function_definition(self, functions: dict[str, Function]) -> None:
        span = self._span(self._next())
        token = self._next()
        if token.kind != "global":
            self._abort(f"expected `@` and the name of the function, found {token}", token)
        name = self._name_of(token)
        self._weights = {} if self._is_old and name == "main" else None
        function = run(self._function(span))
        if self._weights:
            function.params += tuple(self._weights.values())
        functions[name] = function

    def _global_var(self, name: str) -> GlobalVar:
        return self._globals.setdefault(name, GlobalVar(name))

    def _global(self) -> Expr:
        """In the `@main` of an old text, `@weight` is a parameter that the list leaves out."""
        name = self._name_of(self.token)
        if self._weights is None or name in self._defined or self.following.kind == "(":
            return super()._global()
        return self._weights.setdefault(name, Var(name, span=self._span(self._next())))

    # Types -----------------------------------------------------------------------------------------------------------

    def _type_definition(self, types: dict[str, TypeData]) -> None:
        is_extern = self._next().kind == "extern"
        if is_extern:
            self._expect("type", "behind `extern`")
        name = self._bare_name("a type")
        type_vars = self._optional_type_params()
        header = self._type_names[name]
        constructors: list[Constructor] = []
        try:
            if is_extern:
                self._accept(";")
            else:
                self._expect("{", "before the constructors")
                self._list(lambda: self._constructor(header, constructors), "}", "constructors")
        finally:
            self._type_params.clear()
        types[name] = TypeData(header, type_vars, tuple(constructors))

    def _constructor(self, header: GlobalTypeVar, constructors: list[Constructor]) -> None:
        token = self.token
        name = self._bare_name("a constructor")
        inputs: list[Type] = self._list(self._type, ")", "types") if self._accept("(") else []
        constructor = Constructor(name, inputs, header, tag=len(constructors))
        if name in self._constructors:
            other = self._constructors[name].belong_to.name
            self._fault(f"there is another constructor {name}, of {other}: expected a name that is not taken", token)
        self._constructors[name] = constructor
        constructors.append(constructor)
