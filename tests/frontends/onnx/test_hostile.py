"""Damaged and hostile models: one located XRelayError each, soon, without a large allocation."""

from __future__ import annotations

import os

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from xrelay.errors import ModelError, UnsupportedError, XRelayError
from xrelay.frontends.onnx.importer import import_onnx

from .models import BOOL, F32, I64, info, model, node, tensor
from .refusal import HUGE, IMAGE, X, one, reject

# Files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"not a model", os.urandom(4096)])
def test_files_that_are_no_models(data):
    reject(data, error=ModelError)


def test_truncated_file(tmp_path):
    whole = one("Add", ["x", "w"], [tensor("w", np.ones((2, 3)), np.float32)]).SerializeToString()
    for length in range(0, len(whole), 7):
        path = tmp_path / "model.onnx"
        path.write_bytes(whole[:length])
        try:
            import_onnx(path)
        except XRelayError:
            continue


def test_missing_file(tmp_path):
    reject(tmp_path / "none.onnx", "none.onnx", error=ModelError)
    reject(str(tmp_path), error=ModelError)


@pytest.mark.parametrize("opset", [1, 6, onnx.defs.onnx_opset_version() + 1, 10**9, 0, -3])
def test_opset_is_not_guessed(opset):
    reject(model([node("Relu", ["x"], ["y"])], [X], ["y"], opset=opset), "opset", error=UnsupportedError)


def test_no_opset_of_the_default_domain():
    proto = one("Relu", ["x"])
    del proto.opset_import[:]
    reject(proto, "opset", error=ModelError)
    proto.opset_import.append(helper.make_opsetid("other", 1))
    reject(proto, "opset", error=ModelError)


# Structure ---------------------------------------------------------------------------------------------------------


def test_cycle_names_its_nodes():
    nodes = [node("Add", ["x", "q"], ["p"], name="ring_a"), node("Mul", ["p", "x"], ["q"], name="ring_b")]
    reject(model(nodes, [X], ["q"]), "ring_a", "ring_b", "cycle", error=ModelError)


def test_missing_input_names_node_and_value():
    reject(one("Relu", ["nowhere"]), "the_node", "nowhere", error=ModelError)
    reject(model([], [X], ["nowhere"]), "nowhere", error=ModelError)


@pytest.mark.parametrize(
    "proto",
    [
        model([node("Relu", ["x"], ["y"], name="a"), node("Abs", ["x"], ["y"], name="b")], [X], ["y"]),
        model([node("Relu", ["x"], ["x"], name="b")], [X], ["x"]),
        model([node("Relu", ["x"], ["w"], name="b")], [X], ["w"], [tensor("w", 1.0, np.float32)]),
    ],
)
def test_names_are_defined_once(proto):
    reject(proto, "node 'b'", "already defined", error=ModelError)


def test_duplicate_inputs_and_initializers():
    reject(model([node("Relu", ["x"], ["y"])], [X, X], ["y"]), "x", error=ModelError)
    w = tensor("w", 1.0, np.float32)
    reject(model([node("Add", ["x", "w"], ["y"])], [X], ["y"], [w, w]), "w", error=ModelError)


def test_too_few_and_too_many_inputs():
    reject(one("Add", ["x"]), "the_node", "Add", error=ModelError)
    reject(one("Relu", ["x", "x"]), "the_node", error=ModelError)
    reject(one("Add", ["x", ""]), "the_node", error=ModelError)
    reject(one("Conv", []), "the_node", error=ModelError)


def test_too_many_outputs():
    reject(model([node("Relu", ["x"], ["y", "z"], name="the_node")], [X], ["y"]), "the_node", error=ModelError)


def test_deep_nesting():
    outputs = [onnx.ValueInfoProto(name="o")]
    leaf = graph = helper.make_graph([node("Identity", ["x"], ["o"])], "leaf", [], outputs)
    for _ in range(20):
        choice = node("If", ["c"], ["o"], then_branch=graph, else_branch=leaf)
        graph = helper.make_graph([choice], "level", [], outputs)
    reject(model(graph.node, [X, info("c", BOOL, [])], ["o"]), "deep", error=ModelError)


def test_functions_that_explode():
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    functions = [helper.make_function("local", "F0", ["a"], ["b"], [node("Relu", ["a"], ["b"])], opsets)]
    for i in range(1, 30):
        calls = [node(f"F{i - 1}", ["a" if j == 0 else f"t{j}"], [f"t{j + 1}"], domain="local") for j in range(10)]
        functions.append(helper.make_function("local", f"F{i}", ["a"], ["t10"], calls, opsets))
    call = node("F29", ["x"], ["y"], domain="local")
    reject(model([call], [X], ["y"], functions=functions, domains={"local": 1}), "nodes", error=ModelError)


def test_function_that_calls_itself():
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    functions = [
        helper.make_function("local", "Ping", ["a"], ["b"], [node("Pong", ["a"], ["b"], domain="local")], opsets),
        helper.make_function("local", "Pong", ["a"], ["b"], [node("Ping", ["a"], ["b"], domain="local")], opsets),
    ]
    proto = model([node("Ping", ["x"], ["y"], domain="local")], [X], ["y"], functions=functions, domains={"local": 1})
    reject(proto, "Ping", "Pong", error=ModelError)


# Tensors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "w",
    [
        TensorProto(name="w", data_type=F32, dims=[2, 3], raw_data=b"\0" * 20),
        TensorProto(name="w", data_type=F32, dims=[2, 3], raw_data=b"\0" * 2048),
        TensorProto(name="w", data_type=F32, dims=[2, 3], float_data=[1.0]),
        TensorProto(name="w", data_type=F32, dims=[-2, 3], raw_data=b""),
        TensorProto(name="w", data_type=F32, dims=[HUGE], raw_data=b""),
        TensorProto(name="w", data_type=F32, dims=[2**62, 2**62], raw_data=b""),
        TensorProto(name="w", data_type=F32, dims=[1] * 1000, raw_data=b"\0" * 4),
        TensorProto(name="w", data_type=0, dims=[1], raw_data=b"\0" * 4),
        TensorProto(name="w", data_type=999, dims=[1], raw_data=b"\0" * 4),
        TensorProto(name="w", data_type=TensorProto.INT8, dims=[1], int32_data=[300]),
        TensorProto(name="w", data_type=TensorProto.STRING, dims=[1], string_data=[b"a"]),
        TensorProto(name="w", data_type=TensorProto.INT4, dims=[2], raw_data=b"\0"),
    ],
)
def test_initializers_that_do_not_fit(w):
    reject(one("Add", ["x", "w"], [w]), "'w'")


def external(location: str, **entries: object) -> onnx.ModelProto:
    w = TensorProto(name="w", data_type=F32, dims=[3], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        w.external_data.add(key=key, value=str(value))
    return one("Add", ["x", "w"], [w])


@pytest.mark.parametrize(
    ("location", "entries"),
    [
        ("../secret.bin", {}),
        ("sub/../../secret.bin", {}),
        ("link.bin", {}),
        ("loop.bin", {}),
        ("linked/secret.bin", {}),
        ("none.bin", {}),
        ("", {}),
        (".", {}),
        ("a\0b", {}),
        ("n" * 5000, {}),
        ("short.bin", {}),
        ("w.bin", {"offset": 4}),
        ("w.bin", {"offset": -4}),
        ("w.bin", {"offset": "x"}),
        ("w.bin", {"offset": "9" * 30}),
        ("w.bin", {"length": 4}),
        ("w.bin", {"length": HUGE}),
    ],
)
def test_external_data_stays_inside(tmp_path, location, entries):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret.bin").write_bytes(b"\0" * 12)
    (home / "short.bin").write_bytes(b"\0" * 8)
    (home / "w.bin").write_bytes(b"\0" * 12)
    (home / "link.bin").symlink_to(tmp_path / "secret.bin")
    (home / "loop.bin").symlink_to(home / "loop.bin")
    (home / "linked").symlink_to(tmp_path)
    path = home / "model.onnx"
    path.write_bytes(external(location, **entries).SerializeToString())
    reject(path, "'w'", error=ModelError)


def test_absolute_external_data(tmp_path):
    (tmp_path / "w.bin").write_bytes(b"\0" * 12)
    path = tmp_path / "model.onnx"
    path.write_bytes(external(str(tmp_path / "w.bin")).SerializeToString())
    reject(path, "'w'", error=ModelError)


def test_external_data_without_a_folder():
    reject(external("w.bin").SerializeToString(), "'w'", "path", error=UnsupportedError)


# Bytes -------------------------------------------------------------------------------------------------------------


def test_flipped_bytes_never_crash():
    """One byte changed anywhere: the model is imported or refused, nothing else."""
    nodes = [
        node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1], name="conv"),
        node("Shape", ["c"], ["s"]),
        node("Reshape", ["c", "t"], ["r"]),
        node("Softmax", ["r"], ["y"], axis=1),
    ]
    inits = [tensor("w", np.ones((1, 2, 1, 1)), np.float32), tensor("t", [1, -1], np.int64)]
    whole = model(nodes, [IMAGE], ["y", "s"], inits).SerializeToString()
    rng = np.random.default_rng(0)
    for _ in range(400):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] = rng.integers(256)
        try:
            import_onnx(bytes(damaged)).verify()
        except XRelayError:
            continue


def test_sparse_tensor_of_absurd_size():
    values, indices = tensor("w", [1.0], np.float32), tensor("i", [0], np.int64)
    proto = one("Add", ["x", "w"])
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [2**31]))
    reject(proto, "'w'", error=UnsupportedError)


def test_loops_that_explode():
    declared = [info("i", I64, []), info("c", BOOL, []), info("v", F32, [2, 3])]
    outputs = [info("c", BOOL, []), info("w", F32, [2, 3])]
    body = helper.make_graph([node("Exp", ["v"], ["w"])], "body", declared, outputs)
    for _ in range(4):
        body = helper.make_graph([node("Loop", ["m", "", "v"], ["w"], body=body)], "outer", declared, outputs)
    proto = model([node("Loop", ["m", "", "x"], ["y"], body=body)], [X], ["y"], [tensor("m", 1000, np.int64)])
    with pytest.raises(UnsupportedError, match="turns"):
        import_onnx(proto)
