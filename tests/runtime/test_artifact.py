"""The file of a compiled model: it reads back, and nothing of a damaged or foreign one is used."""

from __future__ import annotations

import dataclasses
import json
import os
import stat

import numpy as np
import pytest

from tests.runtime.utils import host_target, make_artifact, scale_artifact, scale_reference, slices_artifact
from xrelay.errors import ArtifactError
from xrelay.runtime import Artifact, CompiledModel, Metadata, Target, TensorSpec, load
from xrelay.runtime.artifact import HEADER_BYTES, MAGIC, PAGE
from xrelay.runtime.host import _cpuinfo_features, check_target, host_features


@pytest.fixture
def path(tmp_path):
    return scale_artifact(100).save(tmp_path / "model.xr")


def test_reads_back_what_was_saved(path):
    saved, loaded = scale_artifact(100), Artifact.load(path)
    assert loaded.metadata == saved.metadata
    assert loaded.object_code == saved.object_code
    np.testing.assert_array_equal(loaded.constants, saved.constants)


def test_constants_are_mapped_not_read(path):
    constants = Artifact.load(path).constants
    assert isinstance(constants.base, np.memmap)
    assert constants.ctypes.data % 64 == 0
    assert not constants.flags.writeable


def test_a_loaded_model_runs(path):
    x, y = np.random.default_rng(0).standard_normal((2, 100), np.float32)
    with load(path) as model:
        np.testing.assert_array_equal(model.run(x, y)[0], scale_reference(x, y))


def test_saving_over_a_file_in_use_leaves_its_readers_alone(path):
    x, y = np.ones((2, 100), np.float32)
    with load(path) as model:
        scale_artifact(50).save(path)
        np.testing.assert_array_equal(model.run(x, y)[0], scale_reference(x, y))
        assert model.save(path) == path
    assert Artifact.load(path).metadata.signature == scale_artifact(100).metadata.signature
    assert os.listdir(path.parent) == ["model.xr"]


def test_the_file_has_the_usual_permissions(path, tmp_path):
    (tmp_path / "other").write_text("")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_saving_where_there_is_no_folder(tmp_path):
    with pytest.raises(ArtifactError, match=r"nowhere/model\.xr: cannot be written: No such file"):
        scale_artifact(100).save(tmp_path / "nowhere" / "model.xr")


def test_every_flipped_bit_is_found(path, tmp_path):
    content = path.read_bytes()
    constants_start = len(content) - 400
    rng = np.random.default_rng(1)
    positions = {*range(HEADER_BYTES), *range(constants_start - 8, constants_start + 8), len(content) - 1}
    positions |= set(rng.integers(0, len(content), 300).tolist())
    damaged = tmp_path / "damaged.xr"
    for position in sorted(positions):
        flipped = bytearray(content)
        flipped[position] ^= 1 << int(rng.integers(8))
        damaged.write_bytes(flipped)
        with pytest.raises(ArtifactError, match=r"damaged\.xr: "):
            Artifact.load(damaged)


def test_every_cut_is_found(path, tmp_path):
    content = path.read_bytes()
    damaged = tmp_path / "damaged.xr"
    lengths = {*range(0, HEADER_BYTES + 4), *range(HEADER_BYTES, len(content), 97), PAGE, len(content) - 1}
    for length in sorted(lengths):
        damaged.write_bytes(content[:length])
        with pytest.raises(ArtifactError, match=r"truncated|not a compiled model"):
            load(damaged)
    damaged.write_bytes(content + b"\0")
    with pytest.raises(ArtifactError, match="followed by foreign bytes"):
        load(damaged)


def test_random_bytes_after_the_magic(tmp_path):
    rng = np.random.default_rng(2)
    for size in rng.integers(0, 500, 100):
        (tmp_path / "noise.xr").write_bytes(MAGIC + rng.bytes(int(size)))
        with pytest.raises(ArtifactError):
            load(tmp_path / "noise.xr")


def test_another_format_is_named(path):
    content = bytearray(path.read_bytes())
    content[len(MAGIC)] = 7
    path.write_bytes(content)
    with pytest.raises(ArtifactError, match="format 7, but this xrelay reads format 1; compile the model again"):
        load(path)


@pytest.mark.parametrize("content", [b"", b"\x08", b"PK\x03\x04 a zip", b"def @main(%x) { %x }"])
def test_a_foreign_file_is_refused(content, tmp_path):
    (tmp_path / "foreign").write_bytes(content)
    with pytest.raises(ArtifactError, match=r"not a compiled model.*xrelay\.compile"):
        load(tmp_path / "foreign")


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(ArtifactError, match=r"missing\.xr: cannot be read: No such file"):
        load(tmp_path / "missing.xr")
    with pytest.raises(ArtifactError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_constants_must_be_what_the_metadata_says():
    artifact = scale_artifact(100)
    with pytest.raises(ArtifactError, match=r"constants are uint8\[399\], the metadata says uint8\[400\]"):
        dataclasses.replace(artifact, constants=artifact.constants[1:])


def test_misaligned_constants_are_moved():
    artifact = scale_artifact(100)
    shifted = np.concatenate([[0], artifact.constants]).astype(np.uint8)[1:]
    moved = dataclasses.replace(artifact, constants=shifted).constants
    assert moved.ctypes.data % 64 == 0
    np.testing.assert_array_equal(moved, artifact.constants)


METADATA = json.loads(scale_artifact(100).metadata.to_json())


def test_metadata_reads_back():
    metadata = dataclasses.replace(scale_artifact(100).metadata, messages=('a "quoted"\n\x00 é',))
    assert Metadata.from_json(metadata.to_json(), "m") == metadata


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 2, but this xrelay reads format 1"),
        ({"inputs": {}}, "field 'inputs' is {}, expected list"),
        ({"inputs": [1]}, "holds 1 where an object belongs"),
        ({"inputs": [{"name": "x", "dtype": "object", "shape": []}]}, "tensor 'x' has the unknown dtype 'object'"),
        ({"inputs": [{"name": "x", "dtype": "int8", "shape": [-1]}]}, "a dimension of tensor 'x' of -1"),
        ({"inputs": [{"name": "x", "dtype": "int8", "shape": [True]}]}, "a dimension of tensor 'x' of True"),
        ({"arena_bytes": 2**63}, "arena_bytes of 9223372036854775808"),
        ({"arena_bytes": "8"}, "field 'arena_bytes' is '8', expected int"),
        ({"target": {"triple": "t"}}, "field 'cpu' is None, expected str"),
        ({"messages": None}, "field 'messages' is None, expected list"),
    ],
)
def test_wrong_metadata_is_refused(change, message):
    with pytest.raises(ArtifactError, match=message):
        Metadata.from_json(json.dumps(METADATA | change), "model.xr")


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, b"\xff"])
def test_what_is_no_json_object_is_refused(text):
    with pytest.raises(ArtifactError, match=r"model\.xr: the metadata"):
        Metadata.from_json(text, "model.xr")


def test_code_for_another_machine_is_refused(tmp_path):
    for triple in ("riscv64-unknown-linux-gnu", "x86_64-pc-windows-msvc", "nonsense"):
        path = scale_artifact(4, Target(triple)).save(tmp_path / "other.xr")
        with pytest.raises(ArtifactError, match=f"other.xr: compiled for {triple}, but this machine is"):
            load(path)


def test_code_for_another_cpu_is_refused():
    lacking = [name for name, present in host_features().items() if not present][:2]
    triple = host_target().triple
    with pytest.raises(ArtifactError, match=rf"with {', '.join(lacking)}, which this one lacks"):
        check_target(Target(triple, "", ",".join(f"+{name}" for name in lacking)), "m")
    with pytest.raises(ArtifactError, match="compiled for the CPU 'i486' without a list of its features"):
        check_target(Target(triple, "i486"), "m")
    check_target(Target(triple, "x86-64"), "m")
    check_target(Target(triple, "", f"-{lacking[0]},+a-tuning-flag"), "m")


def test_cpuinfo_and_llvm_agree():
    by_llvm = host_features()
    for name, present in _cpuinfo_features().items():
        assert by_llvm.get(name, present) == present, name


def test_an_artifact_without_constants(tmp_path):
    path = slices_artifact(3).save(tmp_path / "model.xr")
    with load(path) as model:
        (out,) = model.run(out=[np.zeros((3, 2), np.int64)])
    np.testing.assert_array_equal(out[:, 0], 1)


def test_code_that_calls_what_is_not_there_is_refused():
    code = """
declare void @no_such_function()
define void @xrelay_main(ptr %frame, ptr %inputs, ptr %outputs, ptr %arena, ptr %constants) {
  call void @no_such_function()
  ret void
}
"""
    artifact = make_artifact(code, [], [TensorSpec("out", "int8", ())])
    with pytest.raises(ArtifactError, match="its code calls no_such_function, which this process does not have"):
        CompiledModel(artifact)
