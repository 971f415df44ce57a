"""The protocol of NeuroFS (Atashgahi et al., TMLR 2023): five data sets, five seeds.

The columns are scaled to 0–1 over training and test rows together, which is the protocol's choice.
"""

from __future__ import annotations

import numpy as np

from comparison import judges, sources
from comparison.cells import Cell, Row, timed
from comparison.methods import checked, selection_of


def problems() -> list[str]:
    """Return the names of the data sets."""
    return ["mnist", "fashion_mnist", "isolet", "coil20", "har"]


def sizes(problem: str) -> tuple[int, ...]:
    """Return the numbers of features to select."""
    return 25, 50, 75, 100


def measure(cell: Cell, development: bool) -> Row:
    """Select on the training rows; the value is the accuracy of an SVM on the test rows."""
    if development:
        raise ValueError("The NeuroFS protocol has no development rows: use --part rows.")
    X, X_test, y, y_test = sources.large(cell.problem)
    low = np.minimum(X.min(0), X_test.min(0)).astype(np.float64)
    width = np.maximum(X.max(0), X_test.max(0)).astype(np.float64) - low
    X, X_test = ((part - low) / np.where(width > 0, width, 1) for part in (X, X_test))
    chosen, seconds = timed(selection_of(cell.method), X, y, cell.selected, cell.split)
    chosen = checked(chosen, cell.selected, cell.method)
    found = judges.scores(
        judges.neurofs_classifiers(cell.split), X[:, chosen], y, X_test[:, chosen], y_test
    )
    return judges.as_row(found, seconds) | {"value": f"{found['svm']:.2f}"}
