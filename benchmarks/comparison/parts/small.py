"""Small and wide tables: ten stratified splits, 70 % of the rows for training.

With ``development``, the training rows of a split are split again: methods are chosen there.
"""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

from comparison import judges, sources
from comparison.cells import Cell, Row, timed
from comparison.methods import checked, selection_of

TEST = 0.3


def problems() -> dict[str, tuple[int, ...]]:
    """Return the numbers of features to select, by table."""
    return dict.fromkeys(sources.small_names(), (10, 25, 50))


def measure(cell: Cell, development: bool) -> Row:
    """Select on the training rows, and judge the columns on the others by four classifiers."""
    X, y = sources.small_table(cell.problem)
    X, X_test, y, y_test = train_test_split(
        X, y, test_size=TEST, stratify=y, random_state=cell.split
    )
    if development:
        X, X_test, y, y_test = split_again(X, y, cell.split)
    chosen, seconds = timed(selection_of(cell.method), X, y, cell.selected, cell.split)
    chosen = checked(chosen, cell.selected, cell.method)
    found = judges.scores(
        judges.classifiers(cell.split), X[:, chosen], y, X_test[:, chosen], y_test
    )
    return judges.as_row(found, seconds)


def split_again(X, y, seed):
    """Split training rows for development; classes of a single row are left out."""
    classes, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[counts >= 2])
    X, y = X[kept], np.unique(y[kept], return_inverse=True)[1]
    strata = y if TEST * len(y) >= len(classes) else None
    return train_test_split(X, y, test_size=TEST, stratify=strata, random_state=100 + seed)
