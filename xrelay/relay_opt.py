"""`relay-opt`: reads any level of the IR or a model, applies passes, writes any level below.

    relay-opt model.onnx -p relay-simplify-inference,relay-fuse-ops --elide-constants
    relay-opt model.onnx -p graph-phase,tensor-phase,loop-phase,llvm-phase -t asm
    relay-opt kernel.mlir -t llvm

It is xDSL's driver with our formats, and with one message instead of a traceback for a mistake in the input.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible, parse_pipeline, parse_spec
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError
from xdsl.xdsl_opt_main import xDSLOptMain

from xrelay import __version__
from xrelay.errors import XRelayError

_SHORT_TARGETS = ("llvm", "asm", "obj")
"""Written without the prefix that they carry in xdsl-opt, where `llvm` is xDSL's own translation."""


_PHASE = "-phase"
"""`graph-phase` and so on: all the passes of a phase of the compiler, by one name."""


@dataclass(frozen=True)
class PhaseOptions(ArgSpecConvertible):
    """`loop-phase{opt-level=1 target="llvm -mcpu=znver4"}`"""

    name = "phase"

    opt_level: int | None = None
    target: str = "llvm"


class RelayOptMain(xDSLOptMain):
    version_format = f"relay-opt {__version__}, built on xdsl {{xdsl_version}}"

    def __init__(self, args: Sequence[str] | None = None):
        super().__init__("Reads, transforms and writes any level of xrelay's IR.", args)
        if parse_spec(self.args.target).name in _SHORT_TARGETS:
            self.args.target = f"xrelay-{self.args.target}"

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument(
            "--elide-constants", action="store_true", help="leave the bytes of large constants out of the text"
        )

    def register_all_targets(self) -> None:
        super().register_all_targets()

        def get_object():
            from xrelay.formats import ObjectTarget

            return ObjectTarget

        self.available_targets["xrelay-obj"] = get_object
        for name in _SHORT_TARGETS:
            self.available_targets[name] = self.available_targets[f"xrelay-{name}"]

    def setup_pipeline(self) -> None:
        try:
            self.args.passes = ",".join(_expand_phases(parse_pipeline(self.args.passes)))
            self._check_names()
            super().setup_pipeline()
        except ValueError as error:  # an option that the pass does not have
            raise DiagnosticException(f"-p {self.args.passes}: {error}") from error

    def _check_names(self) -> None:
        for spec in parse_pipeline(self.args.passes):
            if spec.name not in self.available_passes:
                close = difflib.get_close_matches(spec.name, self.available_passes, n=3)
                hint = f"; did you mean {' or '.join(close)}?" if close else ""
                raise DiagnosticException(f"there is no pass {spec.name}{hint}")

    def prepare_input(self) -> tuple[list[tuple[IO[bytes], int]], str]:
        try:
            return super().prepare_input()
        except ValueError as error:
            raise DiagnosticException(f"{error}; readable are: {', '.join(self.available_frontends)}") from error

    def parse_chunk(self, chunk: IO[bytes], file_extension: str, start_offset: int = 0) -> ModuleOp | None:
        with _as_diagnostics():
            return super().parse_chunk(chunk, file_extension, start_offset)

    def apply_passes(self, prog: ModuleOp) -> None:
        with _as_diagnostics():
            super().apply_passes(prog)

    def output_resulting_program(self, prog: ModuleOp) -> str:
        if self.args.elide_constants and parse_spec(self.args.target).name == "mlir":
            from xrelay.formats import ElidedTarget

            self.available_targets["mlir"] = lambda: ElidedTarget
        with _as_diagnostics():
            return super().output_resulting_program(prog)

    def prepare_output(self) -> IO[str]:
        if self.args.target.startswith("xrelay-obj"):
            if self.args.output_file is None:
                raise DiagnosticException("object code is binary: give it a file by -o")
            return open(self.args.output_file, "w", encoding="latin-1", newline="")
        return super().prepare_output()


def _expand_phases(specs: Iterable[ArgSpec]) -> Iterator[str]:
    """The passes as text, with those of a phase of the compiler in the place of its name."""
    for spec in specs:
        if not spec.name.endswith(_PHASE):
            yield str(spec)
            continue
        from xrelay.lowering.pipelines import MAX_OPT_LEVEL, PHASES

        phases = {f"{phase.name}{_PHASE}": phase for phase in PHASES}
        if spec.name not in phases:
            raise DiagnosticException(f"there is no phase {spec.name}; the phases are {', '.join(phases)}")
        options = PhaseOptions.from_spec(ArgSpec("phase", spec.parameters))
        level = MAX_OPT_LEVEL if options.opt_level is None else options.opt_level
        yield from map(str, phases[spec.name].passes(level, options.target))


@contextmanager
def _as_diagnostics() -> Iterator[None]:
    """Turn our errors into xDSL's, which `--verify-diagnostics` prints."""
    try:
        yield
    except XRelayError as error:
        raise DiagnosticException(str(error)) from error


def _where(error: BaseException) -> str:
    """The operation that xDSL marked in the module it attaches to the error as a note."""
    for note in getattr(error, "__notes__", ()):
        lines = note.splitlines()
        for line, marker in pairwise(lines):
            if marker.lstrip().startswith("^^^"):
                return f"\n  in {line.strip()}"
    return ""


def main(args: Sequence[str] | None = None) -> None:
    """The command. Exits with 1 and one message for a mistake in the input or the options."""
    try:
        RelayOptMain(args).run()
    except BrokenPipeError:
        from xrelay.commands.tables import forget_stdout

        forget_stdout()
        sys.exit(1)
    except (ArgSpecParseError, DiagnosticException, OSError, ParseError) as error:
        sys.exit(f"relay-opt: {error}{_where(error)}")


if __name__ == "__main__":
    main()
