"""A small network through every way to compile, keep and run a model."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import xrelay
from tests.models.networks import assert_outputs_close, image, reference, small_network

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@pytest.fixture(scope="module")
def network():
    return small_network()


@pytest.fixture(scope="module")
def inputs(network):
    return image(network)


@pytest.fixture(scope="module")
def expected(network, inputs):
    return reference(network, inputs)


@pytest.fixture(scope="module")
def compiled(network):
    return xrelay.compile(network)


@pytest.mark.parametrize("opt_level", [0, 1, 2, 3])
@pytest.mark.parametrize("num_threads", [1, 2])
def test_opt_levels_and_threads(network, inputs, expected, opt_level, num_threads):
    with xrelay.compile(network, opt_level=opt_level, num_threads=num_threads) as compiled:
        assert_outputs_close(compiled.run(inputs), expected)


def test_results_do_not_depend_on_threads(network, inputs):
    results = [xrelay.compile(network, num_threads=num_threads).run(inputs) for num_threads in (1, 2, 3)]
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            np.testing.assert_array_equal(one, other)


def test_into_given_arrays(compiled, inputs, expected):
    out = [np.empty_like(value) for value in expected]
    for _ in range(2):
        assert all(given is result for given, result in zip(out, compiled.run(inputs, out=out), strict=True))
        assert_outputs_close(out, expected)


def test_the_inputs_stay(compiled, inputs):
    before = {name: value.copy() for name, value in inputs.items()}
    compiled.run(inputs)
    for name, value in inputs.items():
        np.testing.assert_array_equal(value, before[name])


def test_saved_and_loaded(compiled, inputs, expected, tmp_path):
    loaded = xrelay.load(compiled.save(tmp_path / "small.xrelay"))
    assert loaded.input_names == compiled.input_names
    assert_outputs_close(loaded.run(inputs), expected)


@pytest.mark.skipif(CC is None, reason="needs a C compiler")
def test_exported_library(compiled, inputs, expected, tmp_path):
    loaded = xrelay.load(compiled.export_library(tmp_path / "small.so"))
    assert_outputs_close(loaded.run(inputs), expected)
