"""A live page with the curves of a training in progress."""

from __future__ import annotations

import time
from threading import Lock
from typing import Any

import numpy as np

from ipcae.report.charts.curves import draw_curves
from ipcae.report.templates import render
from ipcae.text import duration, number
from ipcae.training import EpochReport, History
from ipcae.training.states.history import HistoryColumns


def live_html(title: str) -> str:
    """Return the page, which polls ``state?seen=…`` of its server."""
    return str(render("live", title=title))


class LiveCurves:
    """A callback that collects the curves for the live page.

    >>> curves = LiveCurves()
    >>> per_run = {"train_loss": [0.5], "validation_loss": [0.6]}
    >>> means = {name: values[0] for name, values in per_run.items()}
    >>> curves(EpochReport(0, 10, means, 1, runs=(0,), per_run=per_run))
    >>> curves.state()["done"]
    0.1
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._history = History()
        self._before = 0  # epochs of earlier phases
        self._version = 0
        self._sentence = "Waiting for the first epoch."
        self._done = 0.0
        self._finished = False
        self._began = time.perf_counter()

    def __call__(self, report: EpochReport) -> None:
        """Add an epoch."""
        with self._lock:
            if report.epoch == 0:
                self._before, self._began = self._history.n_epochs, time.perf_counter()
            for name, values in report.per_run.items():
                self._history.add(
                    self._before + report.epoch, report.phase, name, report.runs, values
                )
            self._version += 1
            self._done = (report.epoch + 1) / report.max_epochs
            self._sentence = self._words(report)

    def say(self, sentence: str, *, finished: bool = False) -> None:
        """Show a sentence; with ``finished``, the page stops polling."""
        with self._lock:
            self._sentence, self._finished, self._done = sentence, finished, 1.0
            self._version += 1

    def state(self, seen: int = 0) -> dict[str, Any]:
        """Return the state, with the charts if they changed since version ``seen``."""
        with self._lock:
            state = {
                "version": self._version,
                "sentence": self._sentence,
                "done": self._done,
                "finished": self._finished,
            }
            history = self._history.columns()
        if state["version"] != seen and len(history["epoch"]):
            state["charts"] = str(draw_curves(history, *_best(history)))
        return state

    def _words(self, report: EpochReport) -> str:
        done, metrics = report.epoch + 1, report.metrics
        parts = [
            f"{report.phase.capitalize()}: epoch {done} of {report.max_epochs}",
            f"validation loss {number(metrics['validation_loss'])}",
        ]
        if "unique_percentage" in metrics:
            parts.append(f"{metrics['unique_percentage']:.0f} % unique features")
        if not report.last:
            each = (time.perf_counter() - self._began) / done
            parts.append(f"about {duration(each * (report.max_epochs - done))} left")
        return ", ".join(parts) + "."


def _best(history: HistoryColumns) -> tuple[int, int]:
    """Return the run with the lowest validation loss in the first phase, and its epoch."""
    selecting = history["phase"] == history["phase"][0]
    wanted = (history["metric"] == "validation_loss") & selecting
    lowest = int(np.nanargmin(np.where(wanted, history["value"], np.inf)))
    return int(history["run"][lowest]), int(history["epoch"][lowest])
