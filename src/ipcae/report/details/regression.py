"""Predicted vs. true values of a regressor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from ipcae.arrays import Floats
from ipcae.report.charts.axes import FRAME, Axis, axis_over
from ipcae.report.details.dispatch import draw_details
from ipcae.report.findings import Findings, Measured
from ipcae.report.templates import render
from ipcae.tasks import Regression

MOST_POINTS, MOST_TARGETS = 600, 4


@dataclass(frozen=True)
class Scatter:
    """The content of ``scatter.html.j2``: points in pixels, on two axes with the same range."""

    title: str
    x: Axis
    y: Axis
    points: Sequence[tuple[float, float]]

    @classmethod
    def of(cls, title: str, true: Floats, predicted: Floats) -> Scatter:
        """Return the chart of all finite points."""
        pairs = np.stack([true, predicted], 1)
        pairs = pairs[np.isfinite(pairs).all(1)]
        values = pairs.flatten().tolist()
        x = axis_over(values, FRAME.left, FRAME.right)
        y = axis_over(values, FRAME.bottom, FRAME.top)
        return cls(title, x, y, [(x.place(t), y.place(p)) for t, p in pairs.tolist()])


@draw_details.register
def _(task: Regression, measured: Measured, findings: Findings) -> Markup:
    evaluation = measured.evaluation
    true = evaluation.targets.double().numpy()
    predicted = task.predictions(evaluation.outputs).reshape(true.shape)
    n_rows, n_targets = true.shape
    shown = np.sort(np.random.default_rng(0).permutation(n_rows)[:MOST_POINTS])
    charts = [
        Scatter.of(
            "Predicted vs. true values" + (f", target {i}" if n_targets > 1 else ""),
            true[shown, i],
            predicted[shown, i],
        )
        for i in range(min(n_targets, MOST_TARGETS))
    ]
    return render("scatter", charts=charts, n_points=len(shown), n_rows=n_rows, n_targets=n_targets)
