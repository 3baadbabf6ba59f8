"""Measure a model or a compiled file, if wanted beside onnxruntime.

Both run on the same inputs, in turns. The first calls are not counted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from xrelay.commands.models import add_compile_options, add_input_options, gather_inputs, is_artifact, load_or_compile
from xrelay.commands.tables import console, duration, print_table
from xrelay.commands.timing import Timing, measure
from xrelay.errors import XRelayError


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a compiled file (.xr, .so) or a model (.onnx, .mlir)")
    parser.add_argument("--repeat", type=positive, metavar="N", help="calls to measure (default: a second's worth)")
    parser.add_argument("--warmup", type=positive, default=3, metavar="N", help="calls before them (default: 3)")
    parser.add_argument("--compare", choices=["onnxruntime"], help="measure this engine too, on the same .onnx model")
    add_input_options(parser)
    add_compile_options(parser)


def execute(args: argparse.Namespace) -> None:
    model = load_or_compile(args)
    seed = 0 if args.random is None else args.random
    inputs = gather_inputs(model.signature.inputs, args.input, seed, dict(args.shape))
    calls: dict[str, Callable[[], Any]] = {"xrelay": lambda: model.run(inputs)}
    if args.compare:
        calls["onnxruntime"] = onnxruntime_call(args.file, inputs, args.num_threads)
    difference = _largest_difference([call() for call in calls.values()])
    timings = measure(calls, args.repeat, args.warmup)
    print_table(
        f"{args.file}",
        ("engine", "median", "min", "p95", "runs/s", "time of xrelay"),
        [row(name, timing, timings["xrelay"]) for name, timing in timings.items()],
    )
    if args.compare:
        console().print(f"largest difference of the outputs: {difference:.3g}", markup=False)


def row(name: str, timing: Timing, ours: Timing) -> tuple[str, ...]:
    times = (duration(t) for t in (timing.median, timing.minimum, timing.p95))
    return name, *times, f"{1 / timing.median:.1f}", f"{ours.median / timing.median:.2f}×"


def onnxruntime_call(path: str, inputs: dict[str, np.ndarray], num_threads: int | None) -> Callable[[], Any]:
    """A call of the same model in onnxruntime. Raises XRelayError where it is not installed or the file is no .onnx."""
    if is_artifact(path) or not path.endswith(".onnx"):
        raise XRelayError(f"--compare onnxruntime needs the .onnx model, {path} is something else")
    try:
        import onnxruntime  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise XRelayError("onnxruntime is not installed: pip install onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = num_threads or 0
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, inputs)


def _largest_difference(results: list[Any]) -> float:
    """Over all outputs of all engines, against the first engine; infinite where shapes or NaNs differ."""
    first, *others = results
    largest = 0.0
    for other in others:
        for a, b in zip(first, other, strict=True):
            a, b = (np.asarray(x, np.float64) for x in (a, b))
            if a.shape != b.shape or not np.array_equal(np.isnan(a), np.isnan(b)):
                return float("inf")
            if a.size:
                largest = max(largest, float(np.nanmax(np.abs(a - b), initial=0.0)))
    return largest
