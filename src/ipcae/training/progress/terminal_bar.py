"""A progress bar at the bottom of a terminal, which other output does not disturb."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from threading import RLock
from typing import Any, TextIO

_BAR_WIDTH, _TEXT_WIDTH = 24, 68
_REFRESH_SECONDS = 0.1


class TerminalBar:
    """A progress bar at the bottom of a terminal, drawn with rich.

    The bar is drawn only when an epoch ends: no thread runs in between and the cursor is not
    hidden. It is erased as soon as something else is written to standard output or standard error,
    such as a warning or a traceback, so nothing needs to be cleaned up if the training fails.
    Without rich, creating a bar raises an ImportError.
    """

    def __init__(self, stream: TextIO):
        from rich.console import Console

        self._console = Console(file=stream, force_terminal=True, highlight=False)
        self.usable = not self._console.is_dumb_terminal
        self._progress: Any = None
        self._next_draw = 0.0

    def draw(self, title: str, done: int, total: int, details: str, *, last: bool = False) -> None:
        """Draw the bar, at most every tenth of a second; the last one is left on the terminal."""
        now = time.perf_counter()
        if now < self._next_draw and not last:
            return
        self._next_draw = now + _REFRESH_SECONDS
        with _LOCK:
            started = self._progress is not None
            progress = self._progress = self._progress or self._new_progress()
            (task,) = progress.task_ids
            progress.update(task, description=title, completed=done, total=total, details=details)
            if started:
                progress.refresh()
            else:
                for stream in _STANDARD_STREAMS:
                    stream.watch(self)
                progress.start()
                self._console.show_cursor(True)
            if last:
                self._stop()

    def begin(self, title: str) -> None:
        """Draw an empty bar for work without epochs."""
        self.draw(f"{title} …", 0, 1, "")

    def end(self, title: str, result: str) -> None:
        """Print the result of this work in the place of the bar."""
        self.erase()
        self._console.file.write(f"{title}: {result}\n")
        self._console.file.flush()

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
        self._bar: TerminalBar | None = None

    def watch(self, bar: TerminalBar) -> None:
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


def unwrapped(stream: Any) -> Any:
    """Return the stream that is behind a replaced one."""
    return stream._stream if isinstance(stream, _StandardStream) else stream


_STANDARD_STREAMS = (_StandardStream("stdout"), _StandardStream("stderr"))
_LOCK = RLock()
"""Held while a bar is drawn or erased: two trainings may share a terminal."""
