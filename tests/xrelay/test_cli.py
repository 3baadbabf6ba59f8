"""The commands of `xrelay` on tiny models, against values from NumPy."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from xrelay import cli
from xrelay.commands import models, run
from xrelay.runtime.metadata import TensorSpec

WEIGHT = np.array([[1, 2, 0], [0, 1, -1]], np.float32)
X = np.array([[1, -2]], np.float32)


def save_model(path, batch: int | str = 1):
    """y = relu(x · WEIGHT), z = x · WEIGHT."""
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["z"]), helper.make_node("Relu", ["z"], ["y"])],
        "tiny",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 2])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, 3]) for name in ("y", "z")],
        [numpy_helper.from_array(WEIGHT, "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)
    return path


@pytest.fixture
def model(tmp_path):
    return save_model(tmp_path / "tiny.onnx")


def command(*arguments) -> int:
    return cli.main([str(argument) for argument in arguments])


@pytest.mark.parametrize("name", ["tiny.xr", "tiny.so"])
def test_compile_then_run(model, tmp_path, name, capsys):
    np.save(tmp_path / "x.npy", X)
    assert command("compile", model, "-o", tmp_path / name, "--time") == 0
    assert "total" in capsys.readouterr().out
    assert command("run", tmp_path / name, "--input", f"x={tmp_path / 'x.npy'}", "-o", tmp_path / "out.npz") == 0
    out = np.load(tmp_path / "out.npz")
    np.testing.assert_allclose(out["z"], X @ WEIGHT)
    np.testing.assert_allclose(out["y"], np.maximum(X @ WEIGHT, 0))


def test_run_a_model_with_open_sizes(tmp_path):
    path = save_model(tmp_path / "open.onnx", batch="n")
    np.savez(tmp_path / "in.npz", x=np.concatenate([X, 2 * X]))
    out = tmp_path / "out.npz"
    assert command("run", path, "--shape", "x=2,2", "--input", tmp_path / "in.npz", "-o", out) == 0
    np.testing.assert_allclose(np.load(out)["z"], np.concatenate([X, 2 * X]) @ WEIGHT)


def test_random_inputs_depend_on_the_seed_only(model, tmp_path):
    outputs = []
    for seed in (1, 1, 2):
        assert command("run", model, "--random", seed, "-o", tmp_path / "out.npz") == 0
        outputs.append(np.load(tmp_path / "out.npz")["z"])
    assert (outputs[0] == outputs[1]).all()
    assert (outputs[0] != outputs[2]).any()


def test_bench_beside_onnxruntime(model, capsys):
    pytest.importorskip("onnxruntime")
    assert command("bench", model, "--repeat", 3, "--compare", "onnxruntime", "--num-threads", 1) == 0
    out = capsys.readouterr().out
    assert "xrelay" in out
    assert "onnxruntime" in out
    assert "largest difference" in out


def test_inspect(model, tmp_path, capsys):
    assert command("inspect", model) == 0
    out = capsys.readouterr().out
    assert "relay.nn.relu" in out
    assert "kernels" in out
    assert command("compile", model, "-o", tmp_path / "tiny.xr") == 0
    capsys.readouterr()
    assert command("inspect", tmp_path / "tiny.xr") == 0
    assert "float32" in capsys.readouterr().out


def test_missing_input_is_one_message(model, capsys):
    assert command("run", model) == 1
    captured = capsys.readouterr()
    assert captured.err == "xrelay run: no value for x: give --input NAME=FILE.npy or --random SEED\n"


def test_unreadable_model_is_one_message(tmp_path, capsys):
    (tmp_path / "broken.onnx").write_bytes(b"\xff\xfe no model")
    assert command("inspect", tmp_path / "broken.onnx") == 1
    err = capsys.readouterr().err
    assert err.startswith("xrelay inspect: ")
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [("inspect", "none.onnx"), ("compile", "none.onnx", "-o", "none.xr")])
def test_missing_file_is_one_message(tmp_path, arguments, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command(*arguments) == 1
    err = capsys.readouterr().err
    assert "none.onnx" in err
    assert "Traceback" not in err


def test_missing_folder_is_found_before_compiling(model, tmp_path, capsys):
    assert command("compile", model, "-o", tmp_path / "nowhere" / "tiny.xr") == 1
    assert "nowhere" in capsys.readouterr().err


def test_a_fault_of_ours_asks_for_a_report(model, capsys, monkeypatch):
    monkeypatch.setattr(models.xrelay, "compile", lambda *_, **__: 1 / 0, raising=False)
    assert command("inspect", model) == 2
    err = capsys.readouterr().err
    assert "ZeroDivisionError" in err
    assert "Please report it" in err


# Without a compilation ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"), [("x=1,3,8,8", ("x", (1, 3, 8, 8))), ("a=b=2", ("a=b", (2,))), ("scalar=", ("scalar", ()))]
)
def test_parse_shape(text, expected):
    assert models.parse_shape(text) == expected


@pytest.mark.parametrize("text", ["x", "=1,2", "x=1,-2", "x=1,a", "x=1,,2"])
def test_wrong_shape_is_refused(text, capsys):
    with pytest.raises(SystemExit, match="2"):
        command("run", "m.onnx", "--shape", text)
    assert "NAME=SIZE,SIZE" in capsys.readouterr().err


SIGNATURE = (TensorSpec("x", "float32", (2, 3)), TensorSpec("ids", "int64", (4,)))


def test_inputs_come_from_files_and_chance(tmp_path):
    np.savez(tmp_path / "some.npz", x=np.ones((2, 3), np.float32))
    inputs = models.gather_inputs(SIGNATURE, [str(tmp_path / "some.npz")], 3, {})
    assert (inputs["x"] == 1).all()
    assert inputs["ids"].shape == (4,)
    assert set(inputs["ids"]) <= {0, 1}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["{}/y.npy"], "which input"),
        (["y={}/y.npy"], "no input is called y; the model has x, ids"),
        (["x={}/pickle.npy"], "not a NumPy file"),
        (["x={}/text.npy"], "not a NumPy file"),
        (["x={}/two.npz"], "holds 2 arrays"),
    ],
)
def test_wrong_input_files(tmp_path, files, message):
    np.save(tmp_path / "y.npy", np.ones(3))
    np.save(tmp_path / "pickle.npy", np.array([{}]), allow_pickle=True)
    (tmp_path / "text.npy").write_text("hello")
    np.savez(tmp_path / "two.npz", a=1, b=2)
    with pytest.raises(models.InputError, match=message):
        models.gather_inputs(SIGNATURE, [f.format(tmp_path) for f in files], 0, {})


def test_saved_arrays_may_have_any_name(tmp_path):
    arrays = {"file": np.arange(3), "block/conv:0": np.ones((2, 2)), "scalar": np.float32(2)}
    run.save_arrays(str(tmp_path / "o.npz"), arrays)
    loaded = np.load(tmp_path / "o.npz")
    assert set(loaded.files) == set(arrays)
    assert all((loaded[name] == value).all() for name, value in arrays.items())
