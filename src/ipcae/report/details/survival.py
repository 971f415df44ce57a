"""Kaplan-Meier curves of rows with low, medium and high predicted risk."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from ipcae.arrays import Floats, Integers
from ipcae.report.charts.line_chart import Line, LineChart
from ipcae.report.details.dispatch import draw_details
from ipcae.report.findings import Findings, Measured
from ipcae.report.templates import render
from ipcae.survival import StepFunction, kaplan_meier
from ipcae.tasks import Survival
from ipcae.text import number

MOST_STEPS = 150
_GROUPS = {"low risk": "first", "medium risk": "third", "high risk": "second"}


@draw_details.register
def _(task: Survival, measured: Measured, findings: Findings) -> Markup:
    time, event = measured.evaluation.targets.numpy().T
    members = risk_groups(task.predictions(measured.evaluation.outputs))
    times = np.unique(time[event > 0])
    times = times[np.linspace(0, len(times) - 1, min(len(times), MOST_STEPS)).astype(int)]
    lines, rows = [], []
    for group, (name, css) in enumerate(_GROUPS.items()):
        own = members == group
        if not own.any():
            continue
        curve = kaplan_meier(time[own], event[own] > 0)
        lines.append(Line(f"{name} ({own.sum()})", _steps(curve, times), css))
        rows.append((name, f"{own.sum():,}", f"{int(event[own].sum()):,}", _median(curve)))
    chart = LineChart(
        "Rows without an event (%)", "time", lines, limits=(0, 104), whole_numbers=False
    )
    return render("survival", charts=[chart], rows=rows)


def risk_groups(risk: Floats) -> Integers:
    """Return 0, 1 or 2 for the lowest, middle and highest third of the risks.

    >>> risk_groups(np.array([0.1, 5.0, -2.0]))
    array([1, 2, 0])
    """
    return np.searchsorted(np.quantile(risk, [1 / 3, 2 / 3]), risk)


def _steps(curve: StepFunction, times: Floats) -> dict[float, float]:
    """Return the points of a step function in percent, two for every step."""
    values = 100 * curve.at(times)
    points = {0.0: 100.0}
    for time, before, after in zip(times, [100.0, *values[:-1]], values, strict=True):
        points[float(np.nextafter(time, 0))] = float(before)
        points[float(time)] = float(after)
    return points


def _median(curve: StepFunction) -> str:
    """Return the first time at which at most half of the rows have no event."""
    reached = np.flatnonzero(curve.values <= 0.5)
    return number(float(curve.times[reached[0]])) if len(reached) else "not reached"
