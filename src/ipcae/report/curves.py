"""How training went: loss, unique percentage and temperature, epoch by epoch."""

from __future__ import annotations

import math
from typing import Any

from ipcae.report.line_chart import Line, LineChart
from ipcae.report.markup import Html, join

_MOST_RUNS = 20


def draw_curves(selector: Any) -> Html:
    """Return three charts; the best run stands out."""
    best = selector.best_run_
    n_runs = len(selector.selections_)
    others = [run for run in range(n_runs) if run != best][:_MOST_RUNS]
    loss = _curve(selector, "validation_loss", best)
    unique = _curve(selector, "unique_percentage", best)
    temperature = _curve(selector, "temperature", best)
    name = "validation" if n_runs == 1 else f"validation, run {best}"
    kept = selector.best_epoch_[best] + 1.0
    tuned = max(unique, default=0.0)
    charts = [
        LineChart(
            "Loss",
            "epoch",
            [
                *_other_lines(selector, "validation_loss", others),
                Line("training", _curve(selector, "train_loss", best), "second"),
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
                "Unique percentage: how many of the choices differ",
                "epoch",
                [
                    *_other_lines(selector, "unique_percentage", others),
                    Line("unique %" if n_runs == 1 else f"unique %, run {best}", unique, "first"),
                ],
                limits=(0, 104),
                rings=[(kept, unique[kept])] if kept in unique else [],
            )
        )
    if temperature:
        charts.append(
            LineChart(
                "Temperature: the lower, the firmer the choices",
                "epoch",
                [Line("temperature", temperature, "third")],
                log_y=True,
            )
        )
    return Html(f'<div class="charts">{join(*(chart.draw() for chart in charts))}</div>')


def _other_lines(selector: Any, metric: str, runs: list[int]) -> list[Line]:
    return [Line("other runs", _curve(selector, metric, run), "pale", listed=False) for run in runs]


def _curve(selector: Any, metric: str, run: int) -> dict[float, float]:
    history = selector.history_
    wanted = (history["metric"] == metric) & (history["run"] == run)
    # Epochs count from 1 for people.
    epochs = (history["epoch"][wanted] + 1.0).tolist()
    return dict(zip(epochs, history["value"][wanted].tolist(), strict=True))
