"""Asserting that a model is refused."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from xrelay.errors import XRelayError
from xrelay.frontends.onnx.importer import import_onnx

from .models import F32, info, model, node

X = info("x", F32, [2, 3])
HUGE = 10**12


def reject(proto, *mentions: str, error: type[XRelayError] = XRelayError) -> None:
    """Import must fail with this error, naming all the mentions, within a second and 64 MiB."""
    tracemalloc.start()
    start = time.perf_counter()
    with pytest.raises(error) as caught:
        import_onnx(proto)
    seconds = time.perf_counter() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seconds < 2
    assert peak < 1 << 26
    for mention in mentions:
        assert mention in str(caught.value)


def one(op_type: str, inputs, initializers=(), opset: int = 17, **attributes):
    return model([node(op_type, inputs, ["y"], name="the_node", **attributes)], [X], ["y"], initializers, opset=opset)


IMAGE = info("x", F32, [1, 2, 8, 8])
