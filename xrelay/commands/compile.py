"""Compile a model into one file that `xrelay run` and `xrelay.load` take.

The suffix says which: `.so` (`.dylib`) is a shared library with a C interface, anything else xrelay's own file.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from xrelay.commands.models import add_compile_options, compile_model
from xrelay.commands.tables import console, duration, print_table, size


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="MODEL", help="a model: .onnx, .relay, or .mlir of the relay level")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help=".xr, or .so for a shared library")
    parser.add_argument("--time", action="store_true", help="print how long each phase took")
    add_compile_options(parser)


def execute(args: argparse.Namespace) -> None:
    output = Path(args.output)
    if not output.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {output.parent} to write {output.name} into")
    model, phases = compile_model(args)
    if output.suffix in {".so", ".dylib"}:
        model.export_library(output)
    else:
        model.save(output)
    if args.time:
        total = sum(phases.seconds.values())
        rows = [(phase, duration(seconds)) for phase, seconds in phases.seconds.items()]
        print_table(f"{Path(args.file).name}", ("phase", "time"), [*rows, ("total", duration(total))])
    console().print(f"{output}: {size(output.stat().st_size)}", markup=False)
