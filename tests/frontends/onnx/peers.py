"""Comparing with onnxruntime and the ONNX reference."""

from __future__ import annotations

import numpy as np
import onnxruntime
from onnx.reference import ReferenceEvaluator

from .models import run

RNG = np.random.default_rng(7)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def check(proto, feeds, reference: str = "onnxruntime", tolerance: float = 2e-5) -> None:
    """The outputs are those of the peer: same dtypes and shapes, floats within 2e-5 (float32 sums in another order)."""
    if reference == "onnxruntime":
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
        expected = session.run(None, feeds)
    else:
        expected = ReferenceEvaluator(proto).run(None, feeds)
    for got, want in zip(run(proto, feeds), expected, strict=True):
        assert got.dtype == want.dtype
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


X = {"x": floats(2, 3, 4)}
IMAGE = {"x": floats(1, 4, 9, 10)}
