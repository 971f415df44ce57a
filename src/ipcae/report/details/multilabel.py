"""The labels of a multilabel classifier."""

from __future__ import annotations

from markupsafe import Markup

from ipcae.report.details.dispatch import draw_details
from ipcae.report.findings import Findings, Measured
from ipcae.report.templates import render
from ipcae.tasks import Multilabel
from ipcae.text import percent

MOST_LABELS = 100


@draw_details.register
def _(task: Multilabel, measured: Measured, findings: Findings) -> Markup:
    true = measured.evaluation.targets > 0.5
    correct = ((measured.evaluation.outputs > 0) == true).double().mean(0).tolist()
    frequency = true.double().mean(0).tolist()
    rows = [
        (f"label\u00a0{i}", *(percent(each[i], column=True) for each in (frequency, correct)))
        for i in range(min(task.n_outputs, MOST_LABELS))
    ]
    return render("labels", rows=rows, n_labels=task.n_outputs)
