"""How training went: loss, unique percentage and temperature, epoch by epoch."""

from __future__ import annotations

import math

import numpy as np

from ipcae.report.line_chart import Line, LineChart
from ipcae.report.markup import Html, join
from ipcae.training.history import Columns

_MOST_RUNS = 20


def draw_curves(history: Columns, best: int, best_epoch: int) -> Html:
    """Return three charts; the best run stands out, and a ring marks the epoch that it keeps."""
    runs = np.unique(history["run"]).tolist()
    n_runs = len(runs)
    others = [run for run in runs if run != best][:_MOST_RUNS]
    loss = _curve(history, "validation_loss", best)
    unique = _curve(history, "unique_percentage", best)
    temperature = _curve(history, "temperature", best)
    name = "validation" if n_runs == 1 else f"validation, run {best}"
    kept = best_epoch + 1.0
    tuned = max(unique, default=0.0)
    charts = [
        LineChart(
            "Loss",
            "epoch",
            [
                *_other_lines(history, "validation_loss", others),
                Line("training", _curve(history, "train_loss", best), "second"),
                Line(name, loss, "first"),
            ],
            log_y=True,
            remark=(tuned + 0.5, "fine-tuning →") if 0 < tuned < max(loss, default=0) else None,
            rings=[(kept, loss[kept])] if math.isfinite(loss.get(kept, math.nan)) else [],
        )
    ]
    if unique:
        charts.append(
            LineChart(
                "Unique: how many choices differ",
                "epoch",
                [
                    *_other_lines(history, "unique_percentage", others),
                    Line("unique %" if n_runs == 1 else f"unique %, run {best}", unique, "first"),
                ],
                limits=(0, 104),
                rings=[(kept, unique[kept])] if kept in unique else [],
            )
        )
    if temperature:
        charts.append(
            LineChart(
                "Temperature: lower is firmer",
                "epoch",
                [Line("temperature", temperature, "third")],
                log_y=True,
            )
        )
    return Html(f'<div class="charts">{join(*(chart.draw() for chart in charts))}</div>')


def _other_lines(history: Columns, metric: str, runs: list[int]) -> list[Line]:
    return [Line("other runs", _curve(history, metric, run), "pale", listed=False) for run in runs]


def _curve(history: Columns, metric: str, run: int) -> dict[float, float]:
    wanted = (history["metric"] == metric) & (history["run"] == run)
    # Epochs count from 1 for people.
    epochs = (history["epoch"][wanted] + 1.0).tolist()
    return dict(zip(epochs, history["value"][wanted].tolist(), strict=True))
