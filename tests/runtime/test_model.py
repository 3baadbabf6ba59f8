"""Calls of a compiled model: which arguments are taken, how the others are refused."""

from __future__ import annotations

import gc
import weakref

import ml_dtypes
import numpy as np
import pytest

from tests.runtime.utils import FAILURE, copy_model, scale_artifact, scale_model, scale_reference
from xrelay.errors import ExecutionError, InputError, XRelayError
from xrelay.runtime import CompiledModel

SIZE = 6


@pytest.fixture(scope="module")
def model():
    with scale_model(SIZE) as model:
        yield model


@pytest.fixture
def x():
    return np.linspace(-1, 1, SIZE, dtype=np.float32)


@pytest.fixture
def y():
    return np.arange(SIZE, dtype=np.float32)


def test_the_ways_to_give_inputs(model, x, y):
    expected = scale_reference(x, y)
    for outputs in (
        model.run({"x": x, "y": y}),
        model.run({"y": y, "x": x}),
        model.run([x, y]),
        model.run((x, y)),
        model.run(x, y),
        model(x, y),
        model(x=x, y=y),
        model["default"]("cpu(0)").run(x, y),
    ):
        assert [type(output) for output in outputs] == [np.ndarray]
        np.testing.assert_array_equal(outputs[0], expected)


def test_what_a_model_says_of_itself(model):
    assert model.input_names == ("x", "y")
    assert model.output_names == ("out",)
    assert str(model.signature) == "(x: float32[6], y: float32[6]) -> (out: float32[6])"
    assert repr(model) == f"CompiledModel({model.signature}, num_threads=2)"


def test_outputs_are_new_arrays(model, x, y):
    first, second = model.run(x, y)[0], model.run(x, y)[0]
    assert not np.may_share_memory(first, second)
    assert first.ctypes.data % 64 == 0
    assert first.flags.writeable


def test_any_layout_in_memory_is_taken(model, x, y):
    expected = scale_reference(x, y)
    frozen = x.copy()
    frozen.flags.writeable = False
    raw = np.zeros(x.nbytes + 1, np.uint8)
    raw[1:] = x.view(np.uint8)
    for same in (
        np.repeat(x, 2)[::2],
        x[::-1].copy()[::-1],
        x.astype(">f4"),
        frozen,
        raw[1:].view(np.float32),
        np.stack([x, y], axis=1)[:, 0],
        x.view(np.recarray),
    ):
        np.testing.assert_array_equal(model.run(same, y)[0], expected)


def test_fortran_order():
    value = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    with copy_model("float32", (3, 4)) as model:
        np.testing.assert_array_equal(model.run(value)[0], value)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1), (3,)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64", "bfloat16"])
def test_dtypes_and_shapes(dtype, shape):
    value = np.ones(shape, dtype=ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    with copy_model(dtype, shape) as model:
        (out,) = model.run(value)
    assert (out.dtype, out.shape) == (value.dtype, shape)
    np.testing.assert_array_equal(out, value)


def test_numpy_scalars_are_taken():
    with copy_model("float32", ()) as model:
        assert model.run(np.float32(2.5))[0] == 2.5


class HasArray:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


def test_array_protocols(model, x, y):
    np.testing.assert_array_equal(model.run(HasArray(x), y)[0], scale_reference(x, y))


def test_torch_tensors(model, x, y):
    torch = pytest.importorskip("torch")
    expected = scale_reference(x, y)
    np.testing.assert_array_equal(model.run(torch.from_numpy(x), torch.from_numpy(y))[0], expected)
    strided = torch.from_numpy(np.repeat(x, 2))[::2]
    np.testing.assert_array_equal(model.run({"x": strided, "y": y})[0], expected)
    with pytest.raises(InputError, match=r"input 'x': the torch\.Tensor cannot be read as an array: .*gradient"):
        model.run(torch.from_numpy(x).requires_grad_(), y)
    with pytest.raises(InputError, match=r"given float64\[6\]; convert it with"):
        model.run(torch.zeros(SIZE, dtype=torch.float64), y)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (lambda x: ({"x": x},), r"input 'y' is missing; the model takes x: float32\[6\], y: float32\[6\]"),
        (lambda x: ({"x": x, "y": x, "zz": x},), "unknown input 'zz'; the model takes"),
        (lambda x: ({"x": x, "yy": x},), "unknown input 'yy', did you mean 'y'\\?; input 'y' is missing"),
        (lambda x: ({"x": x, 3: x},), "unknown input 3; input 'y' is missing"),
        (lambda x: (x,), "1 inputs given, the model takes 2"),
        (lambda x: (x, x, x), "3 inputs given, the model takes 2"),
        (lambda x: (), "0 inputs given, the model takes 2"),
        (
            lambda x: (x.astype(np.float64), x),
            r"input 'x' is float32\[6\], given float64\[6\]; convert it with .astype\('float32'\)",
        ),
        (lambda x: (x.astype(np.complex64), x), r"given complex64\[6\]"),
        (lambda x: (np.array([None] * SIZE), x), r"given object\[6\]"),
        (lambda x: (x[:5], x), r"input 'x' is float32\[6\], given float32\[5\]"),
        (lambda x: (x, x[None]), r"input 'y' is .*given float32\[1, 6\] \(rank 1 wanted, rank 2 given\)"),
        (lambda x: (x, np.float32(1)), r"given float32\[\] \(rank 1 wanted, rank 0 given\)"),
        (lambda x: (x.tolist(), x), r"input 'x' is float32\[6\], given a list; make it an array: np.asarray"),
        (lambda x: (x, None), "input 'y' is .*given a NoneType"),
        (lambda x: ("x", "y"), "given a str"),
    ],
)
def test_wrong_inputs_are_refused(model, x, inputs, message):
    with pytest.raises(InputError, match=message):
        model.run(*inputs(x))


def test_in_order_and_by_name_at_once(model, x, y):
    with pytest.raises(XRelayError, match="in order or by name, not both"):
        model(x, y=y)


def test_out(model, x, y):
    out = np.empty(SIZE, np.float32)
    assert model.run(x, y, out=[out])[0] is out
    np.testing.assert_array_equal(out, scale_reference(x, y))
    assert model.run(y, x, out=out)[0] is out
    np.testing.assert_array_equal(out, scale_reference(y, x))


def test_out_may_overlap_an_input(model, x, y):
    expected = scale_reference(x, y)
    memory = np.zeros(SIZE + 2, np.float32)
    memory[:SIZE] = y
    model.run(x, memory[:SIZE], out=memory[2:])
    np.testing.assert_array_equal(memory[2:], expected)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ([], "0 arrays in `out`, the model has 1 outputs"),
        ([np.empty(SIZE)], r"output 'out' is float32\[6\], the array for it is float64\[6\]"),
        ([np.empty(SIZE + 1, np.float32)], r"the array for it is float32\[7\]"),
        ([np.empty(SIZE, ">f4")], "output 'out' is float32"),
        ([np.empty(2 * SIZE, np.float32)[::2]], "must be C-contiguous, aligned and writeable"),
        ([np.broadcast_to(np.float32(0), SIZE)], "must be C-contiguous, aligned and writeable"),
        ([[0.0] * SIZE], "is a list, expected a NumPy array"),
    ],
)
def test_wrong_out_is_refused(model, x, y, out, message):
    with pytest.raises(InputError, match=message):
        model.run(x, y, out=out)


def test_a_failed_run_raises_the_message_and_the_model_lives_on(model, x, y):
    bad = x.copy()
    bad[3] = -2e30
    for _ in range(3):
        with pytest.raises(ExecutionError) as error:
            model.run(bad, y)
        assert str(error.value) == FAILURE
        np.testing.assert_array_equal(model.run(x, y)[0], scale_reference(x, y))


def test_messages_of_statuses(model):
    assert model.metadata.message(-1) == "not enough memory for the intermediate tensors"
    assert "unknown status 9" in model.metadata.message(9)


def test_closed_and_forgotten_models_let_go_of_everything(x, y):
    artifact = scale_artifact(SIZE)
    model = CompiledModel(artifact, 2)
    model.run(x, y)
    engine = weakref.ref(model._open_handle().engine)
    model.close()
    model.close()
    assert engine() is None
    assert "closed" in repr(model)
    with pytest.raises(XRelayError, match="the model is closed"):
        model.run(x, y)

    model = CompiledModel(artifact, 2)
    engine = weakref.ref(model._open_handle().engine)
    del model
    gc.collect()
    assert engine() is None


def test_arenas_are_used_again(model, x, y):
    for _ in range(5):
        model.run(x, y)
    assert len(model._arenas._free) == 1
