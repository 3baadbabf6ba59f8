"""Random programs of the Relay language, well-scoped but not well-typed, with shared nodes and names of any kind."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import strategies as st

from xrelay.frontends.relay_text import expr as e
from xrelay.frontends.relay_text.types import (
    ANY,
    UNIT,
    FuncType,
    GlobalTypeVar,
    Hole,
    RefType,
    TensorType,
    TupleType,
    TypeCall,
    TypeVar,
)

LIST = GlobalTypeVar("List")
CONS = e.Constructor("Cons", [TypeVar("A"), TypeCall(LIST, (TypeVar("A"),))], LIST, 0)
NIL = e.Constructor("Nil", [], LIST, 1)
WEIRD = GlobalTypeVar("my type")
ONLY = e.Constructor("let", [TensorType((), "bool")], WEIRD, 0)
TYPES = {
    "List": e.TypeData(LIST, (TypeVar("A"),), (CONS, NIL)),
    "my type": e.TypeData(WEIRD, (), (ONLY,)),
    "Storage": e.TypeData(GlobalTypeVar("Storage"), (), ()),
}
NAMES = [
    *("x", "x", "x1", "y", "", "_", "0", "dense.weight", "input:0"),
    *("a/b", "/a", "inff", "meta", "let", 'a"b', "naïve"),
]
DTYPES = [
    *(f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "bool"),
]
ATTRIBUTES = [
    *(0, -3, 2**40, True, None, 0.1, -0.0, 1e-45, float("inf"), float("nan")),
    *("", "NCHW", 'say "hi"', "two\nlines", "back\\slash", [], [1, [2.5, None]], {"a": [1, 2.5]}),
]


class Builder:
    """Makes expressions; `random` decides what."""

    def __init__(self, random: Random):
        self.random = random
        self.generic = 0
        """How many generic functions are around."""
        self.nodes: list[e.Expr] = []
        """Closed nodes, which may be used again anywhere."""

    def program(self) -> e.Program:
        names = ["main", "f", "my.f"][: self.random.randint(1, 3)]
        attrs = {"author": "me", "levels": [1, 0.5]} if self.random.random() < 0.3 else {}
        return e.Program({name: self.definition() for name in names}, TYPES, attrs)

    def definition(self) -> e.Function:
        """A function; nodes are shared within it only."""
        self.nodes = []
        return self.function([], 4)

    def expr(self, scope: list[e.Var], depth: int) -> e.Expr:
        if self.nodes and self.random.random() < 0.15:
            return self.random.choice(self.nodes)
        if depth == 0:
            return self.leaf(scope)
        compound = [self.call, self.call, self.tuple, self.let, self.let, self.control, self.match, self.reference]
        node = self.random.choice(compound)(scope, depth - 1) if self.random.random() < 0.9 else self.leaf(scope)
        if not scope and not self.generic:
            self.nodes.append(node)
        return node

    def exprs(self, scope, depth):
        return [self.expr(scope, depth) for _ in range(self.random.randint(0, 3))]

    def leaf(self, scope):
        if scope and self.random.random() < 0.5:
            return self.random.choice(scope)
        leaves = [e.Op("nn.relu"), e.GlobalVar("f"), CONS, e.Call(NIL, [])]
        return self.random.choice([*leaves, self.constant(), self.constant()])

    def constant(self):
        dtype = np.dtype(self.random.choice(DTYPES))
        shape = self.random.choice([(), (), (), (2,), (0, 3)])
        data = self.random.randbytes(int(np.prod(shape)) * dtype.itemsize)
        if dtype.kind == "b":
            data = bytes(byte & 1 for byte in data)
        return e.Constant(np.frombuffer(data, dtype).reshape(shape))

    def call(self, scope, depth):
        op = self.random.choice([e.Op("add"), e.Op("nn.conv2d"), CONS, self.expr(scope, depth)])
        args = self.exprs(scope, depth) or [self.leaf(scope)]
        keys = self.random.sample(["axis", "relay.flag", "type", "a b"], self.random.randint(0, 2))
        attrs = {key: self.random.choice(ATTRIBUTES) for key in keys}
        if self.random.random() < 0.1:
            attrs["start"] = e.Constant(np.array([1.5, -2], np.float32))
        return e.Call(op, args, attrs)

    def tuple(self, scope, depth):
        fields = e.Tuple(self.exprs(scope, depth))
        return self.random.choice([fields, e.TupleGetItem(fields, self.random.randint(0, 2))])

    def let(self, scope, depth):
        var = self.var()
        recursive = self.random.random() < 0.3
        value = self.function([*scope, var], depth) if recursive else self.expr(scope, depth)
        return e.Let(var, value, self.expr([*scope, var], depth))

    def control(self, scope, depth):
        if self.random.random() < 0.5:
            return self.function(scope, depth)
        return e.If(*(self.expr(scope, depth) for _ in range(3)))

    def match(self, scope, depth):
        clauses = []
        for _ in range(self.random.randint(0, 2)):
            bound: list[e.Var] = []
            pattern = self.pattern(bound, 2)
            clauses.append(e.Clause(pattern, self.expr([*scope, *bound], depth)))
        return e.Match(self.expr(scope, depth), clauses, self.random.random() < 0.5)

    def pattern(self, bound, depth):
        kind = self.random.randint(0, 3 if depth else 1)
        if kind == 0:
            return e.PatternWildcard()
        if kind == 1:
            bound.append(self.var())
            return e.PatternVar(bound[-1])
        inner = tuple(self.pattern(bound, depth - 1) for _ in range(2 if kind == 2 else self.random.randint(0, 2)))
        return e.PatternConstructor(CONS, inner) if kind == 2 else e.PatternTuple(inner)

    def reference(self, scope, depth):
        value = self.expr(scope, depth)
        return self.random.choice([e.RefCreate(value), e.RefRead(value), e.RefWrite(self.leaf(scope), value)])

    def function(self, scope, depth):
        type_params = [TypeVar("A")] if not self.generic and self.random.random() < 0.3 else []
        self.generic += len(type_params)
        params = [self.var() for _ in range(self.random.randint(0, 2))]
        attrs = {"Primitive": 1} if self.random.random() < 0.3 else {}
        ret_type = self.type(2) if self.random.random() < 0.5 else None
        body = self.expr([*scope, *params], max(depth - 1, 0))
        self.generic -= len(type_params)
        return e.Function(params, body, ret_type, type_params, attrs)

    def var(self):
        return e.Var(self.random.choice(NAMES), self.type(2) if self.random.random() < 0.4 else None)

    def type(self, depth):
        kind = self.random.randint(0, 6 if depth else 2)
        if kind == 0:
            return TensorType(self.random.choice([(), (2, 3), (ANY, 1), (5,)]), self.random.choice(DTYPES))
        if kind == 1:
            named = [TypeCall(WEIRD), TypeCall(GlobalTypeVar("Storage"))]
            return self.random.choice([*named, *[TypeVar("A")] * self.generic])
        if kind == 2:
            return Hole()
        inner = tuple(self.type(depth - 1) for _ in range(self.random.randint(0, 2)))
        if kind == 3:
            return TupleType(inner)
        if kind == 4:
            return RefType(self.type(depth - 1))
        if kind == 5:
            return TypeCall(LIST, (self.type(depth - 1),))
        generic = (TypeVar("B"),) if self.random.random() < 0.5 else ()
        return FuncType(inner, generic[0] if generic else UNIT, generic)


def programs() -> st.SearchStrategy[e.Program]:
    return st.randoms(use_true_random=False).map(lambda random: Builder(random).program())
