"""Counts: cells of two single-cell data sets and the words of a newsgroup."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

from comparison import judges, sources
from comparison.cells import Cell, Row, timed
from comparison.methods import checked, selection_of
from comparison.parts.small import TEST, split_again


def problems() -> dict[str, tuple[int, ...]]:
    """Return the numbers of features to select, by table."""
    return dict.fromkeys(("pbmc3k", "worm_neuron", "PCMAC"), (20, 50))


def measure(cell: Cell, development: bool) -> Row:
    """Select on 70 % of the rows, and judge the columns on the others by four classifiers."""
    small = cell.problem in sources.small_names()
    X, y = (sources.small_table if small else sources.cells_of)(cell.problem)
    X, X_test, y, y_test = train_test_split(
        X, y, test_size=TEST, stratify=y, random_state=cell.split
    )
    if development:
        X, X_test, y, y_test = split_again(X, y, cell.split)
    chosen, seconds = timed(selection_of(cell.method), X, y, cell.selected, cell.split)
    chosen = checked(chosen, cell.selected, cell.method)
    X, X_test = np.asarray(X[:, chosen]), np.asarray(X_test[:, chosen])
    found = judges.scores(judges.classifiers(cell.split), X, y, X_test, y_test)
    return judges.as_row(found, seconds)
