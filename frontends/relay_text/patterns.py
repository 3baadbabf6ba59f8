"""Which values no clause of a match takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from xrelay.frontends.relay_text.expr import (
    Constructor,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternWildcard,
    TypeData,
)

Row = Sequence[Pattern]
WILDCARD = PatternWildcard()


def unmatched_cases(match: Match, definitions: Mapping[str, TypeData]) -> Iterator[Pattern]:
    """Patterns of values that no clause takes; none if the match is exhaustive. Found as they are asked for."""
    return (case for (case,) in _missing([[clause.lhs] for clause in match.clauses], 1, definitions))


def _missing(rows: Sequence[Row], width: int, definitions: Mapping[str, TypeData]) -> Iterator[list[Pattern]]:
    """Rows of `width` patterns that no row takes. Each way to make a value of the first column is looked at alone."""
    if width == 0:
        if not rows:
            yield []
        return
    for arity, fields, make in _ways([row[0] for row in rows], definitions):
        narrowed = [[*inner, *row[1:]] for row in rows if (inner := fields(row[0])) is not None]
        for case in _missing(narrowed, arity + width - 1, definitions):
            yield [make(tuple(case[:arity])), *case[arity:]]


Way = tuple[int, Callable[[Pattern], Row | None], Callable[[tuple[Pattern, ...]], Pattern]]
"""How a value can be made: of how many fields, their patterns in a pattern (None: it takes no such value), and back."""


def _ways(column: Row, definitions: Mapping[str, TypeData]) -> list[Way]:
    for pattern in column:
        if isinstance(pattern, PatternTuple):
            return [_tuple_way(len(pattern.patterns))]
        if isinstance(pattern, PatternConstructor):
            definition = definitions[pattern.constructor.belong_to.name]
            return [_constructor_way(constructor) for constructor in definition.constructors]
    return [(0, lambda _: (), lambda _: WILDCARD)]


def _tuple_way(arity: int) -> Way:
    def fields(pattern: Pattern) -> Row:
        return pattern.patterns if isinstance(pattern, PatternTuple) else (WILDCARD,) * arity

    return arity, fields, PatternTuple


def _constructor_way(constructor: Constructor) -> Way:
    arity = len(constructor.inputs)

    def fields(pattern: Pattern) -> Row | None:
        if not isinstance(pattern, PatternConstructor):
            return (WILDCARD,) * arity
        return pattern.patterns if pattern.constructor.name_hint == constructor.name_hint else None

    return arity, fields, lambda patterns: PatternConstructor(constructor, patterns)


def pattern_text(pattern: Pattern) -> str:
    """`Cons(_, Nil)`; variables are not named."""
    match pattern:
        case PatternConstructor(constructor, ()):
            return constructor.name_hint
        case PatternConstructor(constructor, patterns):
            return f"{constructor.name_hint}({', '.join(map(pattern_text, patterns))})"
        case PatternTuple(patterns):
            return f"({', '.join(map(pattern_text, patterns))}{',' * (len(patterns) == 1)})"
    return "_"
