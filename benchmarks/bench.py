"""xrelay beside onnxruntime on the same models, inputs and threads, called in turns: `make bench`.

    python benchmarks/bench.py [--num-threads N] [--repeat N] [--only TEXT] [--json FILE]

Prints medians and the ratio of both, and what does not depend on the machine: kernels and memory. A model that fails is
a row too.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import xrelay
from benchmarks.models import light_models, operator_models
from xrelay.commands.tables import console, duration, print_table, size
from xrelay.commands.timing import measure


def onnxruntime_session(model: onnx.ModelProto, num_threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = num_threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def bench(name: str, model: onnx.ModelProto, num_threads: int, repeat: int | None) -> dict[str, Any]:
    """One row: times in seconds, sizes in bytes; or the error that stopped it."""
    start = time.perf_counter()
    try:
        compiled = xrelay.compile(model, num_threads=num_threads)
        seconds = time.perf_counter() - start
        rng = np.random.default_rng(0)
        inputs = {s.name: rng.standard_normal(s.shape).astype(s.numpy_dtype) for s in compiled.signature.inputs}
        session = onnxruntime_session(model, num_threads)
        ours, theirs = compiled.run(inputs)[0], np.asarray(session.run(None, inputs)[0])
        calls = {"xrelay": lambda: compiled.run(inputs), "onnxruntime": lambda: session.run(None, inputs)}
        timings = measure(calls, repeat)
    except Exception as error:  # the table goes on: a benchmark is no test
        return {"name": name, "error": f"{type(error).__name__}: {error}".splitlines()[0]}
    return {
        "name": name,
        "compile": seconds,
        "xrelay": timings["xrelay"].median,
        "onnxruntime": timings["onnxruntime"].median,
        "difference": relative_difference(ours, theirs),
        "kernels": compiled.metadata.kernels,
        "arena_bytes": compiled.metadata.arena_bytes,
    }


def relative_difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest difference, relative to the largest number."""
    largest = np.abs(theirs).max(initial=0.0) or 1.0
    return float(np.abs(ours.astype(np.float64) - theirs).max(initial=0.0) / largest)


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    if "error" in row:
        return row["name"], "–", "–", "–", "–", "–", row["error"]
    times = (duration(row[engine]) for engine in ("xrelay", "onnxruntime"))
    ratio = f"{row['xrelay'] / row['onnxruntime']:.2f}×"
    facts = f"{row['kernels']} kernels, arena {size(row['arena_bytes'])}"
    return row["name"], *times, ratio, f"{row['difference']:.1e}", f"{row['compile']:.2f} s", facts


def main() -> int:
    parser = argparse.ArgumentParser(description="xrelay beside onnxruntime")
    parser.add_argument("--num-threads", type=int, default=1, metavar="N", help="threads of both (default: 1)")
    parser.add_argument("--repeat", type=int, metavar="N", help="calls to measure (default: about a second's worth)")
    parser.add_argument("--only", default="", metavar="TEXT", help="models whose name contains this")
    parser.add_argument("--json", metavar="FILE", help="write the numbers here too")
    args = parser.parse_args()

    rows = []
    for name, model in chain(operator_models(), light_models()):
        if args.only in name:
            rows.append(bench(name, model, args.num_threads, args.repeat))
            print(f"{name}: done", file=sys.stderr)
    columns = ("model", "xrelay", "onnxruntime", "ratio", "difference", "compiled in", "")
    print_table(f"medians, {args.num_threads} thread(s)", columns, map(cells, rows))
    ratios = [row["xrelay"] / row["onnxruntime"] for row in rows if "error" not in row]
    if ratios:
        mean = float(np.exp(np.mean(np.log(ratios))))
        console().print(f"geometric mean of the ratios: {mean:.2f}× (below 1 xrelay is faster)", markup=False)
    if args.json:
        Path(args.json).write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
