"""What the commands share: options of the compilation, a compiled model from a file of either kind, its inputs."""

from __future__ import annotations

import argparse
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import xrelay
from xrelay.commands.progress import Phases, watch
from xrelay.errors import InputError

ARTIFACT_SUFFIXES = {".xr", ".so", ".dylib"}
"""Files that xrelay wrote; anything else is a model to compile."""


def parse_shape(text: str) -> tuple[str, tuple[int, ...]]:
    """`name=1,3,224,224` → ("name", (1, 3, 224, 224)); `name=` is a scalar's shape."""
    name, equals, sizes = text.rpartition("=")
    try:
        shape = tuple(int(size) for size in sizes.split(",")) if sizes else ()
    except ValueError:
        shape = (-1,)
    if not (equals and name) or any(size < 0 for size in shape):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=SIZE,SIZE,…")
    return name, shape


def add_compile_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("compilation (of a model; a compiled file has been through it)")
    group.add_argument("--opt-level", type=int, choices=range(4), default=3, help="0 to 3 (default: 3)")
    group.add_argument("--num-threads", type=int, metavar="N", help="threads of the model (default: all cores)")
    group.add_argument("--target", default="llvm", help="what to compile for (default: llvm, this machine)")
    group.add_argument(
        "--shape",
        type=parse_shape,
        action="append",
        default=[],
        metavar="NAME=1,3,224,224",
        help="the shape of an input whose sizes the model leaves open; once per input",
    )


def compile_model(args: argparse.Namespace) -> tuple[Any, Phases]:
    """The compiled model of `args.file` and how long each phase took. A terminal shows the phases while they run."""
    with watch(f"compiling {Path(args.file).name}") as phases:
        model = xrelay.compile(
            args.file,
            target=args.target,
            shapes=dict(args.shape) or None,
            opt_level=args.opt_level,
            num_threads=args.num_threads,
            progress=phases,
        )
    return model, phases


def is_artifact(path: str) -> bool:
    return Path(path).suffix in ARTIFACT_SUFFIXES


def load_or_compile(args: argparse.Namespace) -> Any:
    """The compiled model of `args.file`, whichever of the two it holds."""
    if is_artifact(args.file):
        return xrelay.load(args.file, num_threads=args.num_threads)
    return compile_model(args)[0]


def add_input_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE.npy|FILE.npz",
        help="an input's value, or an archive of several under their names",
    )
    parser.add_argument("--random", type=int, metavar="SEED", help="random values for the inputs that are not given")


def gather_inputs(
    signature: Sequence[Any], files: Sequence[str], seed: int | None, shapes: Mapping[str, Sequence[int]]
) -> dict[str, np.ndarray]:
    """A value for each input of the signature: from the files, else random ones of this seed.

    Raises InputError for an input without a value, for a value without an input, and for files that are neither.
    """
    given: dict[str, np.ndarray] = {}
    for file in files:
        given.update(_read(file))
    names = [spec.name for spec in signature]
    unknown = sorted(given.keys() - set(names))
    if unknown:
        raise InputError(f"no input is called {', '.join(unknown)}; the model has {', '.join(names) or 'none'}")
    missing = [spec for spec in signature if spec.name not in given]
    if missing and seed is None:
        listed = ", ".join(spec.name for spec in missing)
        raise InputError(f"no value for {listed}: give --input NAME=FILE.npy or --random SEED")
    rng = np.random.default_rng(seed)
    return given | {spec.name: _random(spec, rng, shapes.get(spec.name)) for spec in missing}


def _read(text: str) -> dict[str, np.ndarray]:
    name, _, path = text.rpartition("=")
    if not name and not path.endswith(".npz"):
        raise InputError(f"--input {text}: which input is it? Write NAME={text}")
    try:
        loaded = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} is not a NumPy file of plain numbers: {error}") from error
    if isinstance(loaded, np.ndarray):
        return {name: loaded}
    with loaded:
        arrays = {key: loaded[key] for key in loaded.files}
    if not name:
        return arrays
    if len(arrays) != 1:
        raise InputError(f"--input {text}: {path} holds {len(arrays)} arrays; leave the name out to use theirs")
    return {name: next(iter(arrays.values()))}


def _random(spec: Any, rng: np.random.Generator, shape: Sequence[int] | None) -> np.ndarray:
    """Normal floats; integers of 0 and 1, which are valid as ids, masks and sizes alike."""
    shape = tuple(spec.shape if shape is None else shape)
    if not all(isinstance(size, int) and size >= 0 for size in shape):
        raise InputError(f"input {spec.name} has open sizes {shape}: give --shape {spec.name}=…")
    dtype = spec.numpy_dtype
    if dtype.kind in "iub":
        return rng.integers(0, 2, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)
