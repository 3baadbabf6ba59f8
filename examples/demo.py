"""Compile a real network, let it read a line of text, and compare with onnxruntime: `make demo`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import ocr_model
import onnx
import onnxruntime
from rich.console import Console

import xrelay
from xrelay.commands.progress import watch
from xrelay.commands.tables import duration, print_table
from xrelay.commands.timing import measure

TEXT = "relay to machine code 2049"
HEIGHT, WIDTH = 48, 320

console = Console(highlight=False)


def draw(text: str) -> np.ndarray:
    """The text in black on white as the reader wants it: (1, 3, 48, 320) float32 in [-1, 1]."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("L", (WIDTH, HEIGHT), 255)
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=24)
    left, top, right, bottom = pen.textbbox((0, 0), text, font=font)
    pen.text(((WIDTH - left - right) / 2, (HEIGHT - top - bottom) / 2), text, fill=0, font=font)
    gray = np.asarray(image, np.float32) / 127.5 - 1
    return np.broadcast_to(gray, (1, 3, HEIGHT, WIDTH)).copy()


def alphabet(path: Path) -> list[str]:
    """The characters by class: none first (CTC's blank), those in the model's metadata, a space."""
    metadata = {entry.key: entry.value for entry in onnx.load(str(path)).metadata_props}
    return ["", *metadata["character"].splitlines(), " "]


def read(probabilities: np.ndarray, characters: list[str]) -> str:
    """CTC decoding of (1, positions, classes): the best class a position, repetitions and blanks dropped."""
    best = probabilities[0].argmax(axis=-1)
    kept = [k for i, k in enumerate(best) if i == 0 or k != best[i - 1]]
    return "".join(characters[k] for k in kept)


def compare(path: Path, inputs: dict[str, np.ndarray], describe: Callable[[np.ndarray], str]) -> bool:
    """Compile the model, run it beside onnxruntime, print both; whether the results agree."""
    with watch(f"compiling {path.name}") as phases:
        model = xrelay.compile(path, shapes={name: x.shape for name, x in inputs.items()}, progress=phases)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    ours, theirs = model.run(inputs)[0], np.asarray(session.run(None, inputs)[0])
    calls = {"xrelay": lambda: model.run(inputs), "onnxruntime": lambda: session.run(None, inputs)}
    timings = measure(calls, repeat=20)
    seconds = phases.seconds
    print_table("compilation", ("phase", "time"), [(phase, duration(t)) for phase, t in seconds.items()])
    print_table(
        path.name,
        ("engine", "result", "median", "min", "p95"),
        [
            (name, describe(result), *(duration(t) for t in (time.median, time.minimum, time.p95)))
            for (name, time), result in zip(timings.items(), (ours, theirs), strict=True)
        ],
    )
    agree = np.allclose(ours, theirs, rtol=1e-3, atol=1e-4) and describe(ours) == describe(theirs)
    difference = float(np.abs(ours - theirs).max())
    console.print(f"largest difference {difference:.2g}: the results {'agree' if agree else 'DIFFER'}")
    return agree


def read_a_line(path: Path) -> bool:
    characters = alphabet(path)
    console.print(f"drawn: {TEXT!r}")
    return compare(path, {"x": draw(TEXT)}, lambda y: repr(read(y, characters)))


def run_a_light_model() -> bool:
    """A network of the onnx wheel, whose weights are all alike: nothing to read, but a real graph to compile."""
    path = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / "light_squeezenet.onnx"
    (spec,) = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).get_inputs()
    x = np.random.default_rng(0).standard_normal(spec.shape).astype(np.float32)
    return compare(path, {spec.name: x}, lambda y: f"best class {int(y.argmax())}")


def main() -> int:
    try:
        path = ocr_model.fetch()
    except OSError as error:
        console.print(f"{error}\nThe demo takes a model of the onnx package instead.", markup=False)
        return 0 if run_a_light_model() else 1
    return 0 if read_a_line(path) else 1


if __name__ == "__main__":
    sys.exit(main())
