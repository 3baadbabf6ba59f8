"""Faults of texts: each is shown once, with its place; nothing but RelayParseError ever comes out."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frontends.relay_text.random_programs import Builder
from tests.frontends.relay_text.texts import VERSION, fault, faults
from xrelay.errors import RelayParseError
from xrelay.frontends.relay_text.diagnostics import Diagnostics, Source
from xrelay.frontends.relay_text.lexer import tokenize
from xrelay.frontends.relay_text.parser import parse, parse_expr
from xrelay.frontends.relay_text.printer import program_text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected an expression, found the end of the text"),
        ("(1, 2", "expected `)` or `,` behind a field of the tuple, found the end of the text"),
        ("1 2", "expected `;` or the end of the text, found `2`"),
        ("exp(1 2)", "expected `)` or `,` behind an argument, found `2`"),
        ("fn (%a, %a) { 1 }", "the function has another parameter %a"),
        ("fn (a) { 1 }", "expected a parameter, `%name`, found `a`"),
        ("let x = 1; 2", "expected the variable of a `let`, `%name`, found `x`"),
        ("let %x 1; 2", "expected `=` and a value for %x, found `1`"),
        ("match (1) { 1 => 2 }", "expected a pattern: `_`, `%name`, a constructor or a tuple, found `1`"),
        ("match (1) { " + "(" * 1000, "patterns are nested more than 100 deep"),
        ("exp(1, a=" + "[" * 1000, "values are nested more than 100 deep"),
        ("_", "expected an expression, found `_`"),
        ("(1,)." + "9" * 5000, "Exceeds the limit"),
        ("1\n#[metadata]\n{", "the metadata are not JSON"),
        ("1\n#[metadata]\n" + "[" * 100_000, "the metadata are not JSON"),
        ("1\n#[metadata]\n[]", "the metadata must be a JSON object"),
        ('1\n#[metadata]\n{"root": 1, "nodes": []}', "TVM's node-graph form, which xrelay does not read"),
    ],
)
def test_faults(text, message):
    assert message in fault(text)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"dtype": "float32", "shape": [2], "data": "AACAPw=="}, "float32 constant of shape (2,) cannot have 4 bytes"),
        ({"dtype": "float32", "shape": [2**62], "data": ""}, "cannot have 0 bytes"),
        ({"dtype": "float32", "shape": [-1], "data": ""}, "must be a list of sizes"),
        ({"dtype": "object", "shape": [1], "data": "AACAPwAAAEA="}, "there are no constants of dtype object"),
        ({"dtype": "int8", "shape": [1], "data": "?"}, "must be base64"),
        ({"dtype": "int8", "shape": [1], "data": 3}, "must be base64"),
        (3, 'must be {"dtype"'),
    ],
)
def test_faults_in_metadata(entry, message):
    text = "meta[relay.Constant][0]\n#[metadata]\n" + json.dumps({"relay.Constant": [entry]})
    assert message in fault(text)


def test_a_text_of_something_else():
    assert "expected `def`, `type`, `extern type` or the end of the text" in faults(VERSION + "def @f() { 1 } }")[0]
    assert "expected `@` and the name of the function" in fault(VERSION + "def f() { 1 }", parse)


def test_there_is_an_end_to_faults():
    with pytest.raises(RelayParseError) as error:
        parse_expr("".join(f"let %x{i} = %y{i};\n" for i in range(100)) + "1")
    lines = str(error.value).splitlines()
    assert (len(lines), lines[-1]) == (3 * 20 + 1, "there may be more")


def test_long_lines_are_cut():
    with pytest.raises(RelayParseError) as error:
        parse_expr("exp(" * 1000 + "%y" + ")" * 1000)
    _, line, caret = str(error.value).splitlines()
    assert len(line) < 110
    assert line[caret.index("^") :].startswith("%y")


def test_spans():
    read = parse(VERSION + "def @main(%x) {\n  exp(%x)\n}", "net.rly").functions["main"]
    assert (str(read.body.span), str(read.params[0].span)) == ("net.rly:3:3", "net.rly:2:11")


@pytest.mark.parametrize(
    "before", ["exp(", "let %x = {", "(", "{", "(1,", "if (1) {", "fn () {", "match (1) { _ => {", "/*"]
)
def test_deep_texts_that_break_off(before):
    assert faults(before * 5_000 + "~", parse_expr)


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_damaged_texts(random):
    """Programs with a few tokens taken out, put in and exchanged."""
    text = program_text(Builder(random).program())
    tokens, _ = tokenize(text, len(VERSION), Diagnostics(Source(text, "")))
    words = [token.text for token in tokens[:-1]]
    for _ in range(random.randint(1, 4)):
        start = random.randrange(len(words))
        replacement = random.sample([*words, *"{}()[]=;-~", "let", "def", "extern", "meta[String][0]", "/*"], 1)
        words[start : start + random.randint(0, 1)] = random.choice([replacement, []])
    with suppress(RelayParseError):
        parse(VERSION + " ".join(words))
