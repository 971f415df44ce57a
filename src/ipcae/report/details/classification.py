"""The confusion matrix of a classifier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from ipcae.report.details.dispatch import draw_details
from ipcae.report.findings import Findings, Measured
from ipcae.report.templates import render
from ipcae.tasks import Classification
from ipcae.text import percent

MOST_CLASSES = 20


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
        return percent(self.right / self.total) if self.total else "–"


@draw_details.register
def _(task: Classification, measured: Measured, findings: Findings) -> Markup:
    predicted = measured.evaluation.outputs.argmax(-1).numpy()
    targets = measured.evaluation.targets.numpy()
    counts = confusion_matrix(targets, predicted, labels=range(task.n_outputs))
    shown = most_confused(counts, MOST_CLASSES)
    names = [str(name) for name in task.classes.tolist()]
    rows = [
        Row(names[i], counts[i, shown].tolist(), int(counts[i, i]), int(counts[i].sum()))
        for i in shown
    ]
    wrong = int(counts.sum() - counts.trace())
    return render("confusion_matrix", rows=rows, n_classes=len(names), n_wrong=wrong)


def most_confused(counts: NDArray[np.int64], most: int) -> list[int]:
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
