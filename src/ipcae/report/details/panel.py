"""The confusion matrix of a panel that classifies and reconstructs."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from ipcae.report.details.dispatch import draw_details
from ipcae.report.findings import Findings, Measured
from ipcae.tasks import Panel


@draw_details.register
def _(task: Panel, measured: Measured, findings: Findings) -> Markup:
    evaluation = measured.evaluation
    of_classes = replace(
        evaluation,
        task=task.classification,
        outputs=task.logits(evaluation.outputs),
        targets=task.ranking_targets(evaluation.targets),
    )
    return draw_details(task.classification, replace(measured, evaluation=of_classes), findings)
