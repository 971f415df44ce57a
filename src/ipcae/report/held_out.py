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
    rows = [
        (METRICS[name].label, METRICS[name].write(value), METRICS[name].write(baseline))
        for (name, value), baseline in zip(
            evaluation.metrics.items(), evaluation.baseline.values(), strict=True
        )
    ]
    details = draw_details(evaluation.task, measured, findings)
    return render("held_out", measured=measured, rows=rows, details=details)
