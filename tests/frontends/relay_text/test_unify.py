"""Making two types one."""

from __future__ import annotations

import itertools

import pytest

from xrelay.frontends.relay_text.types import (
    UNIT,
    Any,
    FuncType,
    GlobalTypeVar,
    Hole,
    RefType,
    TensorType,
    TupleType,
    TypeVar,
    scalar_type,
)
from xrelay.frontends.relay_text.unify import (
    FAULTY,
    Substitution,
    UnificationError,
    free_type_vars,
    map_type,
    substitute,
)

INT, FLOAT = scalar_type("int32"), scalar_type("float32")
A, B = TypeVar("A"), TypeVar("B")
List = GlobalTypeVar("List")


@pytest.fixture
def types():
    return Substitution()


def test_holes_stand_for_what_they_meet(types):
    a, b = Hole(), Hole()
    types.unify(TupleType((a, INT)), TupleType((FLOAT, b)))
    assert types.resolve(TupleType((a, b))) == TupleType((FLOAT, INT))


def test_a_chain_of_holes_is_one_hole(types):
    holes = [Hole() for _ in range(5)]
    for a, b in itertools.pairwise(holes):
        types.unify(a, b)
    types.unify(holes[2], List(INT))
    assert [types.resolve(hole) for hole in holes] == [List(INT)] * 5


@pytest.mark.parametrize(
    ("a", "b", "merged"),
    [
        (TensorType((2, 3)), TensorType((2, 3)), TensorType((2, 3))),
        (TensorType((2, Any())), TensorType((2, 3)), TensorType((2, Any()))),
        (TensorType((Any(), 3)), TensorType((2, Any())), TensorType((Any(), Any()))),
        (RefType(TensorType((2,))), RefType(TensorType((Any(),))), RefType(TensorType((Any(),)))),
    ],
)
def test_an_unknown_size_stays_unknown(types, a, b, merged):
    assert types.unify(a, b) == merged
    assert types.unify(b, a) == merged


def test_a_hole_widens_with_what_it_meets_later(types):
    a, b = Hole(), Hole()
    types.unify(a, b)
    types.unify(a, TensorType((2, 3)))
    types.unify(b, TensorType((2, Any())))
    assert types.resolve(a) == types.resolve(b) == TensorType((2, Any()))


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        (TensorType((2, 3)), TensorType((2, 4)), "size 3 is not 4"),
        (TensorType((2, 3)), TensorType((2,)), "rank 2 is not 1"),
        (INT, FLOAT, "int32 is not float32"),
        (UNIT, INT, r"\(\) is not int32"),
        (TupleType((INT,)), TupleType((INT, INT)), "1 fields are not 2"),
        (FuncType((INT,), INT), FuncType((), INT), "1 parameters are not 0"),
        (List(INT), List(FLOAT), "int32 is not float32"),
        (List(INT), GlobalTypeVar("Option")(INT), r"List\[int32\] is not Option\[int32\]"),
        (A, INT, "A is not int32"),
        (A, B, "A is not B"),
        (FuncType((A,), A, (A,)), FuncType((INT,), FLOAT), "int32 is not float32"),
        (FuncType((A,), A, (A,)), FuncType((B,), INT, (B,)), "A is not int32"),
    ],
)
def test_types_that_differ(types, a, b, reason):
    with pytest.raises(UnificationError, match=reason):
        types.unify(a, b)


def test_a_type_cannot_hold_itself(types):
    hole = Hole()
    with pytest.raises(UnificationError, match="hold itself"):
        types.unify(hole, List(hole))


def test_generic_functions_are_used_at_some_types(types):
    identity = FuncType((A,), A, (A,))
    assert types.unify(identity, FuncType((INT,), INT)) == FuncType((INT,), INT)
    assert types.unify(identity, FuncType((B,), B, (B,))) == identity
    at_float = types.instantiate(identity, [FLOAT])
    assert at_float == FuncType((FLOAT,), FLOAT)
    first, second = types.instantiate(identity), types.instantiate(identity)
    assert first.arg_types[0] is not second.arg_types[0]


def test_instances_see_what_holes_stand_for(types):
    result = Hole()
    generic = FuncType((A,), result, (A,))
    types.unify(result, List(A))
    assert types.instantiate(generic, [INT]) == FuncType((INT,), List(INT))


def test_a_fault_fits_everything(types):
    hole = Hole()
    assert types.unify(FAULTY, INT) == INT
    assert types.unify(INT, FAULTY) == INT
    types.unify(hole, FAULTY)
    assert types.unify(hole, FLOAT) == FLOAT


def test_watchers_wake_when_the_hole_is_filled(types):
    a, b, seen = Hole(), Hole(), []
    types.watch(a, lambda: seen.append("a"))
    types.unify(a, b)
    assert not types.woken
    types.unify(b, INT)
    for action in types.woken:
        action()
    assert seen == ["a"]


def test_substitution_respects_inner_parameters():
    inner = FuncType((A,), B, (A,))
    assert substitute(TupleType((A, inner)), {"A": INT, "B": FLOAT}) == TupleType((INT, FuncType((A,), FLOAT, (A,))))
    assert free_type_vars(TupleType((inner, List(B)))) == {"B"}


def test_unchanged_types_are_kept():
    value = FuncType((List(A), RefType(UNIT)), TupleType((INT, A)))
    assert map_type(value, lambda part: part) is value
    assert substitute(value, {"B": INT}) is value
