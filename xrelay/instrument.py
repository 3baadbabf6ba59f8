"""Instruments watch passes run: `with PassContext(instruments=[PassTimingInstrument()]): …`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from xrelay.dialects.relay import Relay

if TYPE_CHECKING:
    from xrelay.transform import PassInfo


class PassInstrument:
    """Base class; override what is of interest."""

    def enter_pass_ctx(self) -> None:
        """The context is entered."""

    def exit_pass_ctx(self) -> None:
        """The context is left."""

    def should_run(self, mod: ModuleOp, info: PassInfo) -> bool:
        """Whether the pass may run; one instrument that says no is enough."""
        return True

    def run_before_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        """The pass is about to run on this module, which it may change."""

    def run_after_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        """The pass has made this module."""


@dataclass
class _Timing:
    name: str
    start: float
    seconds: float = 0.0
    inner: list[_Timing] = field(default_factory=list)


class PassTimingInstrument(PassInstrument):
    """Measures every pass. `render()` tells, as long as the context is open and after it, what was measured."""

    def __init__(self) -> None:
        self._root = _Timing("", 0.0)
        self._open = [self._root]

    def enter_pass_ctx(self) -> None:
        self._root = _Timing("", 0.0)
        self._open = [self._root]

    def run_before_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        timing = _Timing(info.name, time.perf_counter())
        self._open[-1].inner.append(timing)
        self._open.append(timing)

    def run_after_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        timing = self._open.pop()
        timing.seconds = time.perf_counter() - timing.start

    def render(self) -> str:
        """A line a pass, indented by nesting: its name, its time, its share of the pass around it."""
        total = sum(timing.seconds for timing in self._root.inner)
        return "\n".join(_lines(self._root.inner, total, 0))


def _lines(timings: list[_Timing], total: float, depth: int) -> list[str]:
    lines = []
    for timing in timings:
        share = f"{100 * timing.seconds / total:.1f}%" if total else "-"
        lines.append(f"{'  ' * depth}{timing.name}: {1e3 * timing.seconds:.2f}ms ({share})")
        lines += _lines(timing.inner, timing.seconds, depth + 1)
    return lines


class PrintBeforeAll(PassInstrument):
    """Prints the module before every pass."""

    def run_before_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        print(f"// before {info.name}\n{module_text(mod)}")


class PrintAfterAll(PassInstrument):
    """Prints the module after every pass."""

    def run_after_pass(self, mod: ModuleOp, info: PassInfo) -> None:
        print(f"// after {info.name}\n{module_text(mod)}")


def module_text(mod: ModuleOp, show_meta_data: bool = False) -> str:
    """The module as text; the bytes of large constants are written with `show_meta_data` only."""
    stream = StringIO()
    printer = Printer(stream)
    printer.print_op(mod)
    if show_meta_data:
        printer.print_metadata([Relay])
    return stream.getvalue()
