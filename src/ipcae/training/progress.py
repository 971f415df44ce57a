"""Progress of the training on standard error: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import RLock
from typing import Any, TextIO

from ipcae.training.callbacks import EpochReport
from ipcae.training.phases import Phase

_BAR_WIDTH, _TEXT_WIDTH = 24, 68
_REFRESH_SECONDS = 0.1


class ProgressLine:
    """A callback that shows the phase, the epoch, the validation loss and the time left.

    On a terminal, a progress bar is redrawn, if rich is installed. Elsewhere, a line is printed
    after every tenth of the epochs. An error while printing ends the display, not the training.

    Parameters
    ----------
    stream : file, default=sys.stderr
    """

    only_shows = True  # the progress of some of the runs is that of all

    def __init__(self, stream: TextIO | None = None):
        self.stream = _unwrapped(sys.stderr if stream is None else stream)
        self._phase: Phase | None = None
        self._timer = _Timer()
        self._bar: _Bar | None = None
        self._failed = self.stream is None
        self._part_began = 0.0

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
        bar = self._bar_on_terminal()
        done = report.epoch + 1
        if bar is not None:
            bar.draw(report.phase, done, report.max_epochs, "  ".join(parts), last=report.last)
        elif report.last or 10 * report.epoch // report.max_epochs < 10 * done // report.max_epochs:
            self._print("  ".join([f"{report.phase:<11}", *parts]))

    def _show_work(self, work: str) -> None:
        if bar := self._bar_on_terminal():
            bar.draw(f"{work} …", 0, 1, "")

    def _show_part(self, work: str, done: int, total: int) -> None:
        if done == 1:
            self._part_began = time.perf_counter()
        parts = [f"{done}/{total}"]
        if done > 1:
            spent = time.perf_counter() - self._part_began
            parts.append(f"{_clock(spent / (done - 1) * (total - done))} left")
        if bar := self._bar_on_terminal():
            bar.draw(work, done, total, "  ".join(parts))
        elif 10 * (done - 1) // total < 10 * done // total:
            self._print("  ".join([f"{work:<11}", *parts]))

    def _show_seconds(self, work: str, seconds: float) -> None:
        if self._bar is not None:
            self._bar.erase()
        self._print(f"{work}: {seconds:.1f} s, once")

    def _print(self, line: str) -> None:
        self.stream.write(f"{line}\n")
        self.stream.flush()

    def _bar_on_terminal(self) -> _Bar | None:
        if self._bar is None and self.stream.isatty():
            with suppress(ImportError):
                bar = _Bar(self.stream)
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


class _Bar:
    """A progress bar at the bottom of a terminal, drawn with rich.

    The bar is drawn only when an epoch ends: no thread runs in between and the cursor is not
    hidden. It is erased as soon as something else is written to standard output or standard error,
    such as a warning or a traceback, so nothing needs to be cleaned up if the training fails.

    Raises
    ------
    ImportError
        If rich is not installed.
    """

    def __init__(self, stream: TextIO):
        from rich.console import Console

        self._console = Console(file=stream, force_terminal=True, highlight=False)
        self.usable = not self._console.is_dumb_terminal
        self._progress: Any = None
        self._next_draw = 0.0

    def draw(
        self, title: Phase | str, done: int, total: int, details: str, *, last: bool = False
    ) -> None:
        """Draw the bar, at most every tenth of a second; the last one is left on the terminal."""
        now = time.perf_counter()
        if now < self._next_draw and not last:
            return
        self._next_draw = now + _REFRESH_SECONDS
        with _LOCK:
            started = self._progress is not None
            progress = self._progress = self._progress or self._new_progress()
            (task,) = progress.task_ids
            progress.update(
                task, description=str(title), completed=done, total=total, details=details
            )
            if started:
                progress.refresh()
            else:
                for stream in _STANDARD_STREAMS:
                    stream.watch(self)
                progress.start()
                self._console.show_cursor(True)
            if last:
                self._stop()

    def erase(self) -> None:
        """Remove the bar; the next epoch draws it again."""
        with _LOCK:
            if self._progress is not None:
                self._progress.live.transient = True
                self._stop()

    def _new_progress(self) -> Any:
        from rich.progress import BarColumn, Progress, TextColumn

        progress = Progress(
            TextColumn("{task.description:<11}", markup=False),
            BarColumn(max(4, min(_BAR_WIDTH, self._console.width - _TEXT_WIDTH))),
            TextColumn("{task.fields[details]}", markup=False),
            console=self._console,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        progress.add_task("", details="")
        return progress

    def _stop(self) -> None:
        progress, self._progress = self._progress, None
        for stream in _STANDARD_STREAMS:
            stream.release()
        progress.stop()


class _StandardStream:
    """Replaces ``sys.stdout`` or ``sys.stderr`` while a bar is shown, to erase it before a write.

    There is one object for each stream and it is never freed, because ``print`` in CPython does
    not own a reference to the stream that it writes to.
    """

    def __init__(self, name: str):
        self._name = name
        self._stream: Any = None
        self._bar: _Bar | None = None

    def watch(self, bar: _Bar) -> None:
        """Replace the stream if it is a terminal; the bar of another training is erased."""
        if self._bar is not None and self._bar is not bar:
            self._bar.erase()
        stream = getattr(sys, self._name)
        if stream is not self:
            if stream is None or not stream.isatty():
                return
            self._stream = stream
            setattr(sys, self._name, self)
        self._bar = bar

    def release(self) -> None:
        """Put the stream back, unless it was replaced in the meantime."""
        self._bar = None
        if getattr(sys, self._name) is self:
            setattr(sys, self._name, self._stream)

    def write(self, text: str) -> int:
        """Erase the bar, then write."""
        self._erase_bar()
        return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Erase the bar, then write."""
        self._erase_bar()
        self._stream.writelines(lines)

    def _erase_bar(self) -> None:
        if self._bar is not None:
            with suppress(Exception):
                self._bar.erase()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _unwrapped(stream: Any) -> Any:
    """Return the stream that is behind a replaced one."""
    return stream._stream if isinstance(stream, _StandardStream) else stream


_STANDARD_STREAMS = (_StandardStream("stdout"), _StandardStream("stderr"))
_LOCK = RLock()
"""Held while a bar is drawn or erased: two trainings may share a terminal."""
