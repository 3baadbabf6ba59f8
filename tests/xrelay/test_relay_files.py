"""A file of Relay text is a model like any other."""

from __future__ import annotations

import numpy as np
import pytest

import xrelay

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(3), float32]) -> (Tensor[(2, 3), float32], Tensor[(2, 3), float32]) {
  let %s = %x + %y;
  (%s, nn.relu(%s))
}
"""


def test_compile(tmp_path):
    path = tmp_path / "model.relay"
    path.write_text(TEXT)
    model = xrelay.compile(path)
    assert model.input_names == ("x", "y")
    x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    y = np.array([0.5, 0, -0.5], np.float32)
    total, positive = model.run({"x": x, "y": y})
    np.testing.assert_array_equal(total, x + y)
    np.testing.assert_array_equal(positive, np.maximum(x + y, 0))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TEXT.replace("let %s = %x", "let %s = %z").encode(), r"model\.relay:3"),
        (TEXT.replace("(3), float32", "(4), float32").encode(), r"model\.relay:3"),
        (b"\xff\xfe", "not UTF-8"),
        (None, "cannot read"),
    ],
)
def test_faults_say_where(tmp_path, content, message):
    path = tmp_path / "model.relay"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(xrelay.XRelayError, match=message):
        xrelay.compile(path)
