"""The networks of the onnx package, with random weights, give what onnxruntime gives."""

from __future__ import annotations

import pytest

import xrelay
from tests.models.networks import LIGHT, assert_outputs_close, image, light_network, reference

NAMES = sorted(path.stem.removeprefix("light_") for path in LIGHT.glob("*.onnx"))
FAST = ("squeezenet", "shufflenet", "inception_v1")


def check(name: str, opt_level: int) -> None:
    network = light_network(name)
    inputs = image(network)
    expected = reference(network, inputs)
    with xrelay.compile(network, opt_level=opt_level, num_threads=2) as compiled:
        for _ in range(2):
            assert_outputs_close(compiled.run(inputs), expected)


@pytest.mark.parametrize("name", FAST)
def test_optimized(name):
    check(name, opt_level=3)


def test_not_optimized():
    check("squeezenet", opt_level=0)


@pytest.mark.slow
@pytest.mark.parametrize("opt_level", [0, 1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_all(name, opt_level):
    check(name, opt_level)
