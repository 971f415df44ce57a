"""A progress line on the terminal: loss, unique percentage, time left."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from ipcae.training.callbacks import EpochReport

_WIDTH = 12


class ProgressLine:
    """Redraw one line per epoch on a terminal; elsewhere print a line every tenth of the way."""

    def __init__(self, stream: TextIO | None = None):
        self.stream = stream or sys.stderr
        self.began = time.perf_counter()

    def __call__(self, report: EpochReport) -> None:
        """Show the state after an epoch."""
        if report.epoch == 0:
            self.began = time.perf_counter()
        done = report.epoch + 1
        terminal = self.stream.isatty()
        tenths = [10 * n // report.max_epochs for n in (done - 1, done)]
        if not (terminal or report.last or tenths[0] < tenths[1]):
            return
        text = self.line(report, time.perf_counter() - self.began)
        self.stream.write(f"\r\x1b[2K{text}" if terminal else text + "\n")
        if terminal and report.last:
            self.stream.write("\n")
        self.stream.flush()

    def preparing(self, work: str) -> None:
        """Say that something comes before the training."""
        if self.stream.isatty():
            self.stream.write(f"\r\x1b[2K{work} …")
            self.stream.flush()

    def prepared(self, work: str, seconds: float) -> None:
        """Say that it is done."""
        start = "\r\x1b[2K" if self.stream.isatty() else ""
        self.stream.write(f"{start}{work}: {seconds:.1f} s, once\n")
        self.stream.flush()

    def line(self, report: EpochReport, elapsed: float) -> str:
        """Compose the line."""
        done = report.epoch + 1
        metrics = report.metrics
        filled = _WIDTH * done // report.max_epochs
        parts = [
            f"{report.phase:<11} {'━' * filled}{'╌' * (_WIDTH - filled)}"
            f" {done}/{report.max_epochs}",
            f"loss {metrics['validation_loss']:.4g}",
        ]
        if "unique_percentage" in metrics:
            parts.append(f"unique {metrics['unique_percentage']:.0f} %")
        if "open_features" in metrics:
            parts.append(f"{metrics['open_features']:.0f} features open")
        left = 0 if report.last else elapsed / done * (report.max_epochs - done)
        parts.append(f"{_clock(elapsed)} elapsed" if left == 0 else f"{_clock(left)} left")
        return "  ".join(parts)


def _clock(seconds: float) -> str:
    """Write seconds as minutes and seconds.

    >>> _clock(75.2)
    '1:15'
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
