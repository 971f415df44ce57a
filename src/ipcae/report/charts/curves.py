"""Training curves: loss, unique features and temperature."""

from __future__ import annotations

import math

import numpy as np
from markupsafe import Markup

from ipcae.report.charts.line_chart import Line, LineChart
from ipcae.report.templates import render
from ipcae.training.states.history import HistoryColumns

_MOST_RUNS = 20


def draw_curves(history: HistoryColumns, best: int, best_epoch: int) -> Markup:
    """Return the charts, with the best run highlighted and a ring at the epoch of its selection."""
    runs = np.unique(history["run"]).tolist()
    others = [run for run in runs if run != best][:_MOST_RUNS]
    suffix = "" if len(runs) == 1 else f", run {best}"

    def lines(metric: str, name: str) -> list[Line]:
        pale = [
            Line("other runs", _curve(history, metric, r), "pale", listed=False) for r in others
        ]
        return [*pale, Line(name + suffix, _curve(history, metric, best), "first")]

    loss, unique = lines("validation_loss", "validation"), lines("unique_percentage", "unique")
    temperature = _curve(history, "temperature", best)
    training = Line("training", _curve(history, "train_loss", best), "second")
    marks = phase_starts(history)
    charts = [
        LineChart(
            "Loss",
            "epoch",
            [*loss[:-1], training, loss[-1]],
            log_y=True,
            marks=marks,
            rings=_rings(loss[-1], best_epoch),
        ),
        LineChart(
            "Unique features (%)",
            "epoch",
            unique,
            limits=(0, 104),
            rings=_rings(unique[-1], best_epoch),
        ),
        LineChart("Temperature", "epoch", [Line("temperature", temperature, "third")], log_y=True),
    ]
    return render("charts", charts=[chart for chart in charts if chart.lines[-1].points])


def phase_starts(history: HistoryColumns) -> list[tuple[float, str]]:
    """Return the starts and names of all phases except for the first."""
    phases = list(dict.fromkeys(history["phase"].tolist()))[1:]
    # Epochs are counted from 1 here; a phase starts between two of them.
    return [(history["epoch"][history["phase"] == p].min() + 0.5, p) for p in phases]


def _rings(line: Line, best_epoch: int) -> list[tuple[float, float]]:
    epoch = best_epoch + 1.0
    value = line.points.get(epoch, math.nan)
    return [(epoch, value)] if math.isfinite(value) else []


def _curve(history: HistoryColumns, metric: str, run: int) -> dict[float, float]:
    """Return the values by epoch, with NaN after an epoch at which a run stopped early."""
    wanted = (history["metric"] == metric) & (history["run"] == run)
    epochs = (history["epoch"][wanted] + 1.0).tolist()
    points = dict(zip(epochs, history["value"][wanted].tolist(), strict=True))
    stops = {epoch + 1: math.nan for epoch in epochs if epoch + 1 not in points}
    stops.pop(max(epochs, default=0) + 1, None)
    return points | stops
