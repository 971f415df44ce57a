"""The function that the tasks register their details with."""

from __future__ import annotations

from functools import singledispatch

from markupsafe import Markup

from ipcae.report.findings import Findings, Measured
from ipcae.tasks import Task


@singledispatch
def draw_details(task: Task, measured: Measured, findings: Findings) -> Markup:
    """Return what the predictions of a task look like; nothing for an unknown task."""
    return Markup("")
