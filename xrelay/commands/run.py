"""Run a model, or a compiled file, on inputs from NumPy files or on random ones."""

from __future__ import annotations

import argparse
import zipfile
from collections.abc import Mapping

import numpy as np

from xrelay.commands.models import add_compile_options, add_input_options, gather_inputs, load_or_compile
from xrelay.commands.tables import print_table, shape


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a compiled file (.xr, .so) or a model (.onnx, .mlir)")
    parser.add_argument("-o", "--output", metavar="OUT.npz", help="write the outputs here, under their names")
    add_input_options(parser)
    add_compile_options(parser)


def execute(args: argparse.Namespace) -> None:
    model = load_or_compile(args)
    inputs = gather_inputs(model.signature.inputs, args.input, args.random, dict(args.shape))
    outputs = dict(zip(model.output_names, model.run(inputs), strict=True))
    print_table(
        "outputs",
        ("name", "dtype", "shape", "min", "max", "first values"),
        [(name, array.dtype, shape(array.shape), *_summary(array)) for name, array in outputs.items()],
    )
    if args.output:
        save_arrays(args.output, outputs)


def save_arrays(path: str, arrays: Mapping[str, np.ndarray]) -> None:
    """An .npz archive. `numpy.savez` takes names as keyword arguments and so cannot write an array called "file"."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)


def _summary(array: np.ndarray) -> tuple[str, str, str]:
    if array.size == 0:
        return "–", "–", "empty"
    values = array.astype(np.float64)
    first = ", ".join(f"{value:.5g}" for value in values.reshape(-1)[:5])
    return f"{values.min():.5g}", f"{values.max():.5g}", first + (", …" if array.size > 5 else "")
