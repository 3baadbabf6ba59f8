"""Expressions. Rules that hold expressions are walks (see traversal.py), so that text may be nested at any depth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import accumulate
from typing import Any

from xrelay.frontends.relay_text.expr import (
    Call,
    Clause,
    Expr,
    Function,
    If,
    Let,
    Match,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Span,
    Tuple,
    TupleGetItem,
    Var,
)
from xrelay.frontends.relay_text.leaf_parser import LeafParser
from xrelay.frontends.relay_text.lexer import Token
from xrelay.frontends.relay_text.traversal import Walk
from xrelay.frontends.relay_text.type_parser import Unparsable

INFIX: Mapping[str, tuple[int, str]] = {
    "*": (12, "multiply"),
    "/": (12, "divide"),
    "+": (10, "add"),
    "-": (10, "subtract"),
    "<": (8, "less"),
    "<=": (8, "less_equal"),
    ">": (8, "greater"),
    ">=": (8, "greater_equal"),
    "==": (7, "equal"),
    "!=": (7, "not_equal"),
}
"""Mark → how tightly it binds, and the operator. All are left associative."""
REF_FORMS: Mapping[str, tuple[int, Callable[..., Expr]]] = {
    "ref": (1, RefCreate),
    "ref_read": (1, RefRead),
    "ref_write": (2, RefWrite),
}
"""Keyword → the number of its arguments, and the expression."""
_POSTFIX = frozenset({"(", "projection"})
DEFINITIONS = frozenset({"def", "type", "extern"})
_ENDS = DEFINITIONS | {"end"}


class ExprParser(LeafParser):
    """Reads expressions."""

    # Blocks ----------------------------------------------------------------------------------------------------------

    def _block(self, end: str) -> Walk[Expr]:
        """Statements and the result, up to `end`, which stays. A fault in a statement costs only that statement."""
        outer = len(self._in_scope)
        lets: list[tuple[Var, Expr, Span]] = []
        result: Expr | None = None
        try:
            while result is None:
                start, mark = self.position, len(self._in_scope)
                try:
                    result = yield self._statement(end, lets)
                except Unparsable:
                    self._unbind(mark)
                    if self._skip_statement(start):
                        self._bind_unread(start)
                    elif self.token.kind == end:
                        result = Tuple(())
                    else:
                        raise
        finally:
            self._unbind(outer)
        for var, value, span in reversed(lets):
            result = Let(var, value, result, span)
        return result

    def _statement(self, end: str, lets: list[tuple[Var, Expr, Span]]) -> Walk[Expr | None]:
        """Reads a statement with its `;` and gives None, or gives the result of the block."""
        token = self.token
        if token.kind == "let":
            lets.append((yield self._let()))
            return None
        if token.kind == "graph" and self.following.kind == "=":
            self._next()
            self._next()
            self._graph[token.text] = yield self._expression()
            self._expect(";", f"behind the value of {token.text}")
            return None
        if token.kind == "free_var":
            self._next()
            self._bind(self._typed_variable("a free variable"))
            self._expect(";", "behind a free variable")
            return None
        span = self._span()
        value = yield self._expression()
        if self._accept(";"):
            lets.append((Var("", span=span), value, span))
            return None
        if self.token.kind != end:
            self._abort(f"expected `;` or {'the end of the text' if end == 'end' else f'`{end}`'}, found {self.token}")
        return value

    def _let(self) -> Walk[tuple[Var, Expr, Span]]:
        span = self._span(self._next())
        var = self._typed_variable("the variable of a `let`")
        self._expect("=", f"and a value for %{var.name_hint}")
        recursive = self.token.kind == "fn"
        if recursive:
            self._bind(var)
        value = yield self._expression()
        if not recursive:
            self._bind(var)
        self._expect(";", f"behind the value of %{var.name_hint}")
        return var, value, span

    def _skip_statement(self, start: int) -> bool:
        """Goes behind the `;` of the statement that began at `start` and holds a fault here; False if there is none.

        Then the current token is the `}` of the block, the next definition, or the end.
        """
        outer = self._brace_depths[start]
        for position in range(self.position, len(self._tokens)):
            kind, depth = self._tokens[position].kind, self._brace_depths[position]
            if kind in _ENDS or (depth == outer and kind in (";", "}")):
                self._seek(position)
                return self._accept(";")
        return False

    @cached_property
    def _brace_depths(self) -> list[int]:
        """How many braces are open before each token."""
        steps = ({"{": 1, "}": -1}.get(token.kind, 0) for token in self._tokens)
        return list(accumulate(steps, initial=0))

    def _bind_unread(self, start: int) -> None:
        """Binds what the statement at `start` would have bound, so that its uses are no further faults."""
        token = self._tokens[start]
        if token.kind in ("let", "free_var"):
            token = self._tokens[start + 1]
        if token.kind == "local":
            self._bind(Var(token.text[1:]))
        elif token.kind == "graph":
            self._graph[token.text] = Var("")

    # Operators -------------------------------------------------------------------------------------------------------

    def _expression(self) -> Walk[Expr]:
        """Operands with infix operators between them."""
        operands = [self._leaf() if self._at_lone_leaf() else (yield self._operand())]
        pending: list[tuple[int, str, Token]] = []
        while (infix := INFIX.get(self.token.kind)) is not None:
            while pending and pending[-1][0] >= infix[0]:
                self._reduce(operands, pending)
            pending.append((*infix, self._next()))
            operands.append(self._leaf() if self._at_lone_leaf() else (yield self._operand()))
        while pending:
            self._reduce(operands, pending)
        return operands[0]

    def _reduce(self, operands: list[Expr], pending: list[tuple[int, str, Token]]) -> None:
        _, name, token = pending.pop()
        rhs, lhs = operands.pop(), operands.pop()
        span = self._span(token)
        operands.append(Call(Op(name, span), [lhs, rhs], span=span))

    def _at_lone_leaf(self) -> bool:
        return self.token.kind in ("local", "graph", "number", "meta") and self.following.kind not in _POSTFIX

    def _operand(self) -> Walk[Expr]:
        """An atom with what stands behind it: calls and projections."""
        token = self.token
        match token.kind:
            case "fn":
                return (yield self._function(self._span(self._next())))
            case "if":
                return (yield self._if())
            case "match":
                return (yield self._match())
            case "(":
                expr = yield self._parenthesized()
            case "{":
                self._next()
                expr = yield self._block("}")
                self._expect("}", "behind the result of the block")
                return expr
            case "ref" | "ref_read" | "ref_write":
                expr = yield self._reference()
            case _:
                expr = self._leaf()
        while self.token.kind in _POSTFIX:
            if self.token.kind == "(":
                expr = yield self._call(expr, self._span(token))
            else:
                projection = self._next()
                index = self._checked(lambda digits=projection.text[1:]: int(digits), projection)
                expr = TupleGetItem(expr, index, self._span(projection))
        return expr

    def _parenthesized(self) -> Walk[Expr]:
        """A group, a tuple, or a block in parentheses."""
        span = self._span(self._next())
        if self.token.kind == "let" or (self.token.kind == "graph" and self.following.kind == "="):
            block = yield self._block(")")
            self._expect(")", "behind the result of the block")
            return block
        fields: list[Expr] = []
        while self.token.kind != ")":
            fields.append((yield self._expression()))
            if len(fields) == 1 and self._accept(")"):
                return fields[0]
            if not self._accept(","):
                break
        self._expect(")", "or `,` behind a field of the tuple")
        return Tuple(fields, span)

    def _reference(self) -> Walk[Expr]:
        token = self._next()
        count, make = REF_FORMS[token.kind]
        self._expect("(", f"behind `{token.kind}`")
        args: list[Expr] = []
        while self.token.kind != ")":
            args.append((yield self._expression()))
            if not self._accept(","):
                break
        self._expect(")", f"behind the arguments of `{token.kind}`")
        if len(args) != count:
            self._abort(f"`{token.kind}` takes {count} argument{'s' * (count > 1)}, not {len(args)}", token)
        return make(*args, span=self._span(token))

    def _call(self, op: Expr, span: Span) -> Walk[Expr]:
        """The arguments and attributes behind what is called, which begins at `span`."""
        self._next()
        args: list[Expr] = []
        attrs: dict[str, Any] = {}
        while self.token.kind != ")":
            if self._at_attribute():
                self._attribute(attrs)
            elif self.token.kind == "meta" and self.token.text.replace(" ", "").startswith("meta[attrs."):
                self._attribute_object(attrs)
            else:
                if attrs:
                    self._fault("an argument behind an attribute: expected the attributes behind all arguments")
                args.append((yield self._expression()))
            if not self._accept(","):
                break
        self._expect(")", "or `,` behind an argument")
        attrs.pop("attrs_type_key", None)  # Relay's name of a C++ class: attributes are a dictionary here
        return Call(op, args, attrs, span=span)

    # Control ---------------------------------------------------------------------------------------------------------

    def _if(self) -> Walk[Expr]:
        span = self._span(self._next())
        self._expect("(", "before the condition")
        cond = yield self._expression()
        self._expect(")", "behind the condition")
        self._expect("{", "before the true branch")
        true_branch = yield self._block("}")
        self._expect("}", "behind the true branch")
        self._expect("else", "and the false branch: an `if` always has both")
        self._expect("{", "before the false branch")
        false_branch = yield self._block("}")
        self._expect("}", "behind the false branch")
        return If(cond, true_branch, false_branch, span)

    def _match(self) -> Walk[Expr]:
        span = self._span(self._next())
        complete = not self._accept("?")
        data = yield self._operand()
        self._expect("{", "before the clauses")
        clauses: list[Clause] = []
        while self.token.kind != "}":
            clauses.append((yield self._clause()))
            behind_block = self._tokens[self.position - 1].kind == "}"
            if not self._accept(",") and not behind_block:
                break
        self._expect("}", "or `,` behind a clause")
        return Match(data, clauses, complete, span)

    def _clause(self) -> Walk[Clause]:
        outer = len(self._in_scope)
        try:
            pattern = self._pattern()
            self._expect("=>", "behind a pattern")
            rhs = yield self._expression()
        finally:
            self._unbind(outer)
        return Clause(pattern, rhs)

    # Functions -------------------------------------------------------------------------------------------------------

    def _function(self, span: Span) -> Walk[Function]:
        """From the type parameters on; `fn` or `def @name` is left behind."""
        outer, outer_types = len(self._in_scope), len(self._type_params)
        try:
            type_params = self._optional_type_params()
            self._expect("(", "before the parameters")
            params, attrs = self._parameters()
            ret_type = self._type() if self._accept("->") else None
            self._expect("{", "before the body of the function")
            body = yield self._block("}")
            self._expect("}", "behind the body of the function")
        finally:
            self._unbind(outer)
            del self._type_params[outer_types:]
        return Function(params, body, ret_type, type_params, attrs, span)
