"""Programs of one expression form each, and the way from text to a typed program."""

from __future__ import annotations

from xrelay.frontends.relay_text.annotations import write_types
from xrelay.frontends.relay_text.expr import Program
from xrelay.frontends.relay_text.infer import infer_types
from xrelay.frontends.relay_text.parser import parse
from xrelay.frontends.relay_text.prelude import prelude


def typed(text: str, with_prelude: bool = False) -> Program:
    """The program of a text, with all types written."""
    program = parse(f'#[version = "0.0.5"]\n{text}', init_module=prelude() if with_prelude else None)
    return write_types(infer_types(program))


FORMS = {
    "operator": "def @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x + %x) }",
    "attributes": (
        'def @main(%x: Tensor[(2, 3), float32]) { sum(%x, axis=[1], keepdims=True) + cast(1, dtype="float32") }'
    ),
    "constants": "def @main() { (1, 2i64, 1.5f, 2.5f64, 3f16, True, nanf, -inff) }",
    "shared node": "def @main(%x: float32) { %0 = exp(%x); %1 = %0 + %0; %1 * %0 }",
    "tuples": "def @main(%t: (float32, (int32, bool))) { (%t.1.0, (), (%t.0,)) }",
    "operator of a tuple": "def @main(%x: Tensor[(2), float32]) { concatenate((%x, %x)) }",
    "operator of a tuple value": "def @main(%t: (Tensor[(2), float32], Tensor[(3), float32])) { concatenate(%t) }",
    "operator of a tuple's fields": (
        "def @main(%t: (Tensor[(2), float32], Tensor[(3), float32])) { concatenate((%t.0, %t.1)) }"
    ),
    "several results": "def @main(%x: Tensor[(4), float32]) { %0 = split(%x, indices_or_sections=2); %0.0 + %0.1 }",
    "tuple of several results": "def @main(%x: Tensor[(4), float32]) { split(%x, indices_or_sections=2) }",
    "fields of several results": (
        "def @main(%x: Tensor[(4), float32]) { %0 = split(%x, indices_or_sections=2); (%0.0, %0.1) }"
    ),
    "results into a tuple": (
        "def @main(%x: Tensor[(4), float32]) { concatenate(split(%x, indices_or_sections=2)) }"
    ),
    "let": "def @main(%x: float32) { let %y = exp(%x); let %z = %y * %y; %z - %y }",
    "let of a wider type": "def @main(%x: Tensor[(2), float32]) { let %y: Tensor[(?), float32] = %x; %y }",
    "if": "def @main(%x: float32, %c: bool) { if (%c) { exp(%x) } else { %x } }",
    "shared by branches": (
        "def @main(%x: float32, %c: bool) { %0 = exp(%x); if (%c) { %0 + 1f } else { if (%c) { %0 } else { %x } } }"
    ),
    "if of sizes": (
        "def @main(%x: Tensor[(2), float32], %y: Tensor[(?), float32], %c: bool) { if (%c) { %x } else { %y } }"
    ),
    "function": "def @main(%x: float32) { fn (%y: float32) { %x + %y } }",
    "call of a function": "def @main(%x: float32) { (fn (%y: float32) { %x + %y })(%x) }",
    "curried": "def @main(%x: float32) { (fn (%y: float32) { fn (%z: float32) { %y - %z } })(%x)(1f) }",
    "recursive function": (
        "def @main(%n: int32) { let %f = fn (%i: int32) -> int32 { if (%i == 0) { 0 } else { %f(%i - 1) } }; %f(%n) }"
    ),
    "function attributes": 'def @main(%x: float32) { fn (%y: float32, Compiler="ccompiler", Depth=3) { %y } }',
    "global attributes": 'def @main(%x: float32, global_symbol="other") { %x }',
    "kernel": "def @main(%x: float32) { @k(%x) } def @k(%x: float32, Primitive=1) { exp(%x) }",
    "kernel of unit": "def @main(%x: float32) { @k(%x) } def @k(%x: float32, Primitive=1) { match (%x) { _ => () } }",
    "kernel of a tuple": (
        "def @main(%x: float32) { %0 = @k(%x); %0.0 + %0.1 } def @k(%x: float32, Primitive=1) { (exp(%x), log(%x)) }"
    ),
    "globals": "def @main(%x: float32) { @f(@f(%x)) } def @f(%x: float32) { %x * 2f }",
    "global as a value": (
        "def @main(%x: float32) { @twice(@f) } def @f(%x: float32) { %x } "
        "def @twice(%f: fn (float32) -> float32) { fn (%x: float32) { %f(%f(%x)) } }"
    ),
    "mutual recursion": (
        "def @main(%n: int32) -> bool { @even(%n) } "
        "def @even(%n: int32) -> bool { if (%n == 0) { True } else { @odd(%n - 1) } } "
        "def @odd(%n: int32) -> bool { if (%n == 0) { False } else { @even(%n - 1) } }"
    ),
    "call with more sizes": (
        "def @main(%x: Tensor[(2), float32]) { @f(%x) } def @f(%x: Tensor[(?), float32]) { exp(%x) }"
    ),
    "references": "def @main(%x: float32) { let %r = ref(%x); ref_write(%r, ref_read(%r) + 1f); ref_read(%r) }",
    "generic function": "def @main(%x: float32) { (@id(%x), @id(1)) } def @id[A](%x: A) -> A { %x }",
    "generic as a value": (
        "def @main(%x: float32) { @apply(@id, %x) } def @id[A](%x: A) -> A { %x } "
        "def @apply(%f: fn (float32) -> float32, %x: float32) { %f(%x) }"
    ),
    "local generic function": "def @main(%x: float32) { let %id = fn [A](%y: A) -> A { %y }; (%id(%x), %id(1)) }",
    "generic named": "def @main(%x: float32) { let %f = @id; (%f(%x), %f(1)) } def @id[A](%x: A) -> A { %x }",
}

DATA_TYPES = {
    "constructors": "def @main(%x: float32) { (Cons(%x, Nil), Some(1), Rose(1, Nil), S(S(Z))) }",
    "constructor as a value": "def @main(%x: float32) { @foldr(Cons, Nil, Cons(%x, Nil)) }",
    "constructor named": "def @main(%x: float32) { let %c = Cons; (%c(%x, Nil), %c(1, Nil)) }",
    "match": "def @main(%l: List[int32]) { match (%l) { Cons(%h, _) => %h, Nil => 0 } }",
    "partial match": "def @main(%l: List[int32]) { match? (%l) { Cons(%h, _) => %h } }",
    "nested patterns": (
        "def @main(%p: (List[int32], Option[int32])) { match (%p) {"
        " (Cons(%a, Cons(%b, _)), Some(%c)) => %a + %b + %c, (Cons(%a, Nil), _) => %a, _ => 0 } }"
    ),
    "match on a tuple": "def @main(%x: int32) { match ((%x, 1)) { (%a, %b) => %a + %b } }",
    "used in two clauses": (
        "def @main(%l: List[int32], %x: int32) { %0 = %x * %x; match (%l) { Cons(%h, _) => %h + %0, Nil => %0 } }"
    ),
    "fold": "def @main(%l: List[int32]) { @foldl(fn (%a: int32, %b: int32) { %a + %b }, 0, @map(@one, %l)) } "
    "def @one(%x: int32) { 1 }",
}
"""With the prelude."""
