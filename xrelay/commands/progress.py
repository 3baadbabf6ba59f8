"""The phases of a compilation: shown while they run, timed for afterwards."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Phases:
    """A progress callback `(phase, done, total)` that adds up the seconds of each phase.

    It is called when a phase begins, and with done == total when the last one has ended.
    """

    def __init__(self, bar: Progress | None = None, title: str = ""):
        self.seconds: dict[str, float] = {}
        self._bar = bar
        self._task = bar.add_task(title, total=None) if bar else None
        self._phase: str | None = None
        self._since = time.perf_counter()

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase != self._phase:
            self.finish()
            self._phase = phase if done < total else None
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=phase, completed=done, total=total)

    def finish(self) -> None:
        """Close the running phase."""
        now = time.perf_counter()
        if self._phase is not None:
            self.seconds[self._phase] = self.seconds.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = None, now


@contextmanager
def watch(title: str) -> Iterator[Phases]:
    """Phases with a bar on stderr if that is a terminal, silent otherwise."""
    if not sys.stderr.isatty():
        phases = Phases()
        yield phases
        phases.finish()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        phases = Phases(bar, title)
        yield phases
        phases.finish()
