"""Text into tokens."""

from __future__ import annotations

import pytest

from xrelay.errors import RelayParseError
from xrelay.frontends.relay_text.diagnostics import Diagnostics, Source
from xrelay.frontends.relay_text.lexer import tokenize


def tokens(text):
    """(kind, text) of all but the end."""
    diagnostics = Diagnostics(Source(text, "test"))
    found, _ = tokenize(text, 0, diagnostics)
    diagnostics.check()
    assert found[-1].kind == "end"
    return [(token.kind, token.text) for token in found[:-1]]


def kinds(text):
    return [kind for kind, _ in tokens(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *(("%x", "local"), ("%x_1", "local"), ("%a/b", "local"), ("%/a/b", "local"), ('%"a.b \\" c"', "local")),
        *(("%inff", "local"), ("%meta", "local"), ("%0", "graph"), ("%12", "graph"), ("@main", "global")),
        *(('@"my f"', "global"), ('$"my type"', "quoted"), ("nn.conv2d", "name"), ("_", "name"), ("inff16", "name")),
        *(("42", "number"), ("42i64", "number"), ("1.5f", "number"), ("1e-3f", "number"), ("1E+1f", "number")),
        *((".0", "projection"), (".12", "projection"), ('"a\\n"', "string"), ("meta[relay.Constant][0]", "meta")),
        *((word, word) for word in ("let", "fn", "def", "if", "else", "type", "match", "extern", "free_var")),
        *((word, word) for word in ("ref", "ref_read", "ref_write", "=>", "->", "==", "!=", "<=", ">=", "?")),
    ],
)
def test_one_token(text, kind):
    assert tokens(text) == [(kind, text)]
    assert tokens(f" {text}\r\n\t") == [(kind, text)]


def test_words_that_contain_keywords_are_names():
    assert kinds("lets fnord reference") == ["name"] * 3


def test_marks_need_no_blanks():
    assert kinds("%x+1f-2*%y/%z<=3!=%0") == [
        *("local", "+", "number", "-", "number", "*", "local", "/", "local", "<=", "number", "!=", "graph"),
    ]
    assert kinds("1-2") == ["number", "-", "number"]
    assert kinds("1e3-2") == ["number", "-", "number"]
    assert kinds("axis=-1") == ["name", "=", "-", "number"]


def test_slashes():
    assert [text for _, text in tokens("%a/b /%c/2/ @d/e")] == ["%a/b", "/", "%c", "/", "2", "/", "@d/e"]


def test_projections():
    assert kinds("%x.0.1") == ["local", "projection", "projection"]


def test_comments():
    assert kinds("%x // %y\n%z") == ["local", "local"]
    assert kinds("%x /* a /* b */ %y */ %z") == ["local", "local"]
    assert kinds("%x/**/%y") == ["local", "local"]
    assert kinds("/* ty=Tensor[(1), float32] span=a:1:2 */") == []


def test_metadata_end_the_text():
    text = "%x #[metadata] {%y"
    found, start = tokenize(text, 0, Diagnostics(Source(text, "test")))
    assert [token.kind for token in found] == ["local", "end"]
    assert text[start:] == " {%y"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%x ~ %y", "test:1:4: unexpected `~`"),
        ("%x\n  /* %y", "test:2:3: the comment has no end"),
        ('"abc\n%x', "test:1:1: the string has no end"),
        ("% x", "test:1:1: unexpected `%`: expected a name or a number"),
        ("@1", "test:1:1: unexpected `@`: expected a name"),
        ("#[foo]", "test:1:1: unexpected `#`"),
    ],
)
def test_faults(text, message):
    with pytest.raises(RelayParseError, match="test:") as error:
        tokens(text)
    assert str(error.value).startswith(message)


def test_faults_are_collected_and_the_rest_is_read():
    text = "%x ~ %y ^^ %z"
    diagnostics = Diagnostics(Source(text, "test"))
    found, _ = tokenize(text, 0, diagnostics)
    assert [token.text for token in found[:-1]] == ["%x", "%y", "%z"]
    assert [(fault.offset, fault.length) for fault in diagnostics.faults] == [(3, 1), (8, 2)]
