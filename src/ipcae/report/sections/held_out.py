"""Metrics of the selector on the given rows."""

from __future__ import annotations

from markupsafe import Markup

from ipcae.report.details import draw_details
from ipcae.report.findings import Findings, Measured
from ipcae.report.templates import render
from ipcae.tasks import METRICS


def draw_held_out(findings: Findings, measured: Measured) -> Markup:
    """Return the metrics and the details of the task."""
    evaluation = measured.evaluation
    rows = []
    for name, value in evaluation.metrics.items():
        metric, interval = METRICS[name], evaluation.intervals.get(name)
        between = metric.write_interval(interval) if interval else "–"
        baseline = metric.write(evaluation.baseline[name])
        rows.append((metric.label, metric.write(value), between, baseline))
    details = draw_details(evaluation.task, measured, findings)
    return render("held_out", measured=measured, rows=rows, details=details)
