"""Predicted classes and labels: the confusion matrix, the calibration, the labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup
from sklearn.metrics import confusion_matrix

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.report.charts.line_chart import Line, LineChart
from ipcae.report.details.dispatch import draw_details
from ipcae.report.findings import Findings, Measured
from ipcae.report.templates import render
from ipcae.tasks import Classification, Multilabel, Panel
from ipcae.tasks.classification import calibration
from ipcae.text import count, percent

MOST_CLASSES, MOST_LINES, MOST_LABELS = 30, 15, 100


@dataclass(frozen=True)
class Row:
    """One true class: the number of its rows predicted as each shown class."""

    name: str
    cells: list[int]
    right: int
    total: int

    @property
    def elsewhere(self) -> int:
        """The number of rows predicted as a class that is not shown."""
        return self.total - sum(self.cells)

    @property
    def recall(self) -> str:
        """The percentage of rows that are predicted correctly."""
        return percent(self.right / self.total, column=True) if self.total else "–"


@draw_details.register
def _(task: Classification, measured: Measured, findings: Findings) -> Markup:
    outputs = measured.evaluation.outputs
    predicted = outputs.argmax(-1).numpy()
    targets = measured.evaluation.targets.numpy()
    counts = confusion_matrix(targets, predicted, labels=range(task.n_outputs))
    names = [str(name) for name in task.classes.tolist()]
    curve = _calibration_chart(task.probabilities(outputs).max(1), predicted == targets)
    if len(names) > MOST_CLASSES:
        return render("confusions", **_confusions(counts, names), chart=curve)
    shown = most_confused(counts, MOST_CLASSES)
    rows = [
        Row(names[i], counts[i, shown].tolist(), int(counts[i, i]), int(counts[i].sum()))
        for i in shown
    ]
    wrong = int(counts.sum() - counts.trace())
    return render("confusion_matrix", rows=rows, n_classes=len(names), n_wrong=wrong, chart=curve)


def _confusions(counts: Integers, names: list[str]) -> dict[str, Any]:
    """Return the most frequent errors, and the classes with the lowest recall."""
    totals, right = counts.sum(1), counts.diagonal()
    errors = counts - np.diag(right)
    true, predicted = errors.nonzero()
    order = np.lexsort((-errors[true, predicted] / totals[true], -errors[true, predicted]))
    present = np.flatnonzero(totals)
    recall = right[present] / totals[present]
    worst = np.lexsort((-totals[present], recall))[:MOST_LINES]
    return {
        "pairs": [
            (
                names[true[i]],
                names[predicted[i]],
                f"{errors[true[i], predicted[i]]} of {totals[true[i]]}",
            )
            for i in order[:MOST_LINES]
        ],
        "worst": [
            (names[present[i]], f"{right[present[i]]} of {totals[present[i]]}") for i in worst
        ],
        "n_classes": len(names),
        "n_absent": len(names) - len(present),
        "n_perfect": int((recall == 1).sum()),
    }


def _calibration_chart(confidence: Floats, correct: Booleans) -> LineChart:
    curve = calibration(confidence, correct)
    predicted, observed = (100 * curve[name] for name in ("predicted", "observed"))
    low = min(10 * math.floor(min(predicted.min(), observed.min()) / 10), 90)
    points = dict(zip(predicted.tolist(), observed.tolist(), strict=True))
    rows = dict(zip(predicted.tolist(), curve["rows"].tolist(), strict=True))
    exact = {float(low): float(low), 100.0: 100.0}
    return LineChart(
        "Correct predictions (%)",
        "probability of the predicted class (%)",
        [
            Line("perfect calibration", exact, "pale", listed=False),
            Line("this decoder", points, "first", dots=True),
        ],
        limits=(low, 100),
        hints={x: f"{count(n, 'row')} at {x:.0f}\u00a0%" for x, n in rows.items()},
    )


def most_confused(counts: Integers, most: int) -> list[int]:
    """Return the classes of the most frequent confusions, then the most common classes.

    >>> most_confused(np.array([[9, 0, 0], [0, 2, 1], [0, 2, 1]]), 2)
    [1, 2]
    """
    if len(counts) <= most:
        return list(range(len(counts)))
    errors = counts - np.diag(counts.diagonal())
    per_class = errors.sum(0) + errors.sum(1)
    between = np.triu(errors + errors.T)
    first, second = between.nonzero()
    order = np.lexsort((-(per_class[first] + per_class[second]), -between[first, second]))
    confused = np.stack([first[order], second[order]], 1).flatten().tolist()
    common = np.argsort(-counts.sum(1), kind="stable").tolist()
    return sorted(list(dict.fromkeys([*confused, *common]))[:most])


@draw_details.register
def _(task: Multilabel, measured: Measured, findings: Findings) -> Markup:
    """Return how often every label is given and predicted correctly."""
    true = measured.evaluation.targets > 0.5
    correct = ((measured.evaluation.outputs > 0) == true).double().mean(0).tolist()
    frequency = true.double().mean(0).tolist()
    rows = [
        (f"label\u00a0{i}", *(percent(each[i], column=True) for each in (frequency, correct)))
        for i in range(min(task.n_outputs, MOST_LABELS))
    ]
    return render("labels", rows=rows, n_labels=task.n_outputs)


@draw_details.register
def _(task: Panel, measured: Measured, findings: Findings) -> Markup:
    """Return the confusion matrix of a panel that classifies and reconstructs."""
    evaluation = measured.evaluation
    of_classes = replace(
        evaluation,
        task=task.classification,
        outputs=task.logits(evaluation.outputs),
        targets=task.ranking_targets(evaluation.targets),
    )
    return draw_details(task.classification, replace(measured, evaluation=of_classes), findings)
