"""Dispatch of the details by task."""

from __future__ import annotations

from functools import singledispatch

from markupsafe import Markup

from ipcae.report.findings import Findings, Measured
from ipcae.tasks import Task


@singledispatch
def draw_details(task: Task, measured: Measured, findings: Findings) -> Markup:
    """Return details of the predictions of a task; empty for an unknown task."""
    return Markup("")
