"""Progress of the training: a bar on a terminal or in a notebook, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TextIO

from ipcae.training.phases import Phase
from ipcae.training.progress.callbacks import EpochReport
from ipcae.training.progress.notebook_bar import NotebookBar, in_notebook
from ipcae.training.progress.terminal_bar import TerminalBar, unwrapped

_LINE_SECONDS = 1.0


class ProgressLine:
    """A callback that shows the phase, the epoch, the validation loss and the time left.

    On a terminal, a progress bar is redrawn, if rich is installed; in a notebook, a bar below the
    cell is updated. Elsewhere, a line is printed after every tenth of the epochs, but at most one
    per second, and after the last. An error while printing ends the display, not the training.

    Parameters
    ----------
    stream : file, optional
        By default a notebook or, outside notebooks, ``sys.stderr``.
    """

    only_shows = True  # the progress of some of the runs is that of all

    def __init__(self, stream: TextIO | None = None):
        self.stream = unwrapped(sys.stderr if stream is None else stream)
        self._phase: Phase | None = None
        self._timer = _Timer()
        self._bar: TerminalBar | NotebookBar | None = None
        if stream is None and in_notebook():
            self._bar = NotebookBar()
        self._failed = self.stream is None
        self._part_began = 0.0
        self._printed = time.perf_counter()

    def __call__(self, report: EpochReport) -> None:
        """Show the state after an epoch."""
        self._attempt(self._show, report)

    def preparing(self, work: str) -> None:
        """Show that work which has no epochs has started."""
        self._attempt(self._show_work, work)

    def advanced(self, work: str, done: int, total: int) -> None:
        """Show how much of that work is done, and how long the rest will take."""
        if total > 1:
            self._attempt(self._show_part, work, done, total)

    def prepared(self, work: str, seconds: float) -> None:
        """Show how long that work took."""
        self._attempt(self._show_seconds, work, seconds)
        self._timer = _Timer()

    def _attempt(self, action: Callable[..., None], *arguments: Any) -> None:
        if self._failed:
            return
        try:
            action(*arguments)
        except Exception:
            self._failed = True
            if self._bar is not None:
                with suppress(Exception):
                    self._bar.erase()

    def _show(self, report: EpochReport) -> None:
        if self._phase not in (None, report.phase):
            self._timer = _Timer()
        self._phase = report.phase
        self._timer.update(report)
        parts = describe(report, self._timer)
        bar = self._find_bar()
        done = report.epoch + 1
        if bar is not None:
            bar.draw(str(report.phase), done, report.max_epochs, "  ".join(parts), last=report.last)
        elif report.last or self._is_due(done, report.max_epochs):
            self._print("  ".join([f"{report.phase:<11}", *parts]))

    def _show_work(self, work: str) -> None:
        if bar := self._find_bar():
            bar.begin(work)

    def _show_part(self, work: str, done: int, total: int) -> None:
        if done == 1:
            self._part_began = time.perf_counter()
        parts = [f"{done}/{total}"]
        if done > 1:
            spent = time.perf_counter() - self._part_began
            parts.append(f"{_clock(spent / (done - 1) * (total - done))} left")
        if bar := self._find_bar():
            bar.draw(work, done, total, "  ".join(parts))
        elif self._is_due(done, total):
            self._print("  ".join([f"{work:<11}", *parts]))

    def _show_seconds(self, work: str, seconds: float) -> None:
        if self._bar is not None:
            self._bar.end(work, f"{seconds:.1f} s")
        else:
            self._print(f"{work}: {seconds:.1f} s")

    def _is_due(self, done: int, total: int) -> bool:
        """Return whether another tenth is done, and the last line is not of this second."""
        tenth = 10 * (done - 1) // total < 10 * done // total
        return tenth and time.perf_counter() - self._printed >= _LINE_SECONDS

    def _print(self, line: str) -> None:
        self._printed = time.perf_counter()
        self.stream.write(f"{line}\n")
        self.stream.flush()

    def _find_bar(self) -> TerminalBar | NotebookBar | None:
        if self._bar is None and self.stream.isatty():
            with suppress(ImportError):
                bar = TerminalBar(self.stream)
                self._bar = bar if bar.usable else None
        return self._bar


class _Timer:
    """Measures how long a phase has taken, and estimates how long it will take."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.elapsed = 0.0
        self.left: float | None = None
        self._first: tuple[int, float] | None = None

    def update(self, report: EpochReport) -> None:
        """Estimate the time left. A resumed training does not begin with epoch 0."""
        now = time.perf_counter()
        self.elapsed = now - self.began
        if self._first is None:
            self._first = report.epoch, now
            return
        first_epoch, first_time = self._first
        seconds_per_epoch = (now - first_time) / max(report.epoch - first_epoch, 1)
        self.left = seconds_per_epoch * (report.max_epochs - report.epoch - 1)


def describe(report: EpochReport, timer: _Timer) -> list[str]:
    """Return the epoch, the metrics and the time, as short texts."""
    metrics = report.metrics
    parts = [f"{report.epoch + 1}/{report.max_epochs}"]
    if "validation_loss" in metrics:
        parts.append(f"loss {metrics['validation_loss']:.4g}")
    if "unique_percentage" in metrics:
        parts.append(f"unique {metrics['unique_percentage']:.0f} %")
    if "open_features" in metrics:
        parts.append(f"{metrics['open_features']:.0f} features open")
    if report.last:
        parts.append(f"{_clock(timer.elapsed)} elapsed")
    elif timer.left is not None:
        parts.append(f"{_clock(timer.left)} left")
    return parts


def _clock(seconds: float) -> str:
    """Write seconds as minutes and seconds.

    >>> _clock(75.2), _clock(7300)
    ('1:15', '2:01:40')
    """
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02d}"
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
