"""The NeuroFS protocol (Atashgahi et al., TMLR 2023): five data sets, five seeds.

The columns are scaled to 0–1 over training and test rows together, which is the protocol's choice.
The seeds of a selector of this package are the runs of one fit. With ``development``, the training
rows are split again, those of people by person, and every split is a fit of its own.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from comparison import judges, sources
from comparison.cells import Cell, Row, timed
from comparison.methods import checked, fitted, selection_of
from comparison.rivals import RIVALS

N_SEEDS = 5


def problems() -> dict[str, tuple[int, ...]]:
    """Return the numbers of features to select, by table."""
    return dict.fromkeys(("mnist", "fashion_mnist", "isolet", "coil20", "har"), (25, 50, 75, 100))


def measure(cell: Cell, development: bool) -> Row:
    """Select on the training rows; the value is the accuracy of an SVM on the test rows."""
    X, X_test, y, y_test = sources.large(cell.problem)
    if development:
        X, X_test, y, y_test = _split_again(X, y, sources.people(cell.problem), cell.split)
    low = np.minimum(X.min(0), X_test.min(0)).astype(np.float64)
    width = np.maximum(X.max(0), X_test.max(0)).astype(np.float64) - low
    X, X_test = ((part - low) / np.where(width > 0, width, 1) for part in (X, X_test))
    if development or cell.method in RIVALS:
        chosen, seconds = timed(selection_of(cell.method), X, y, cell.selected, cell.split)
    else:
        chosen, seconds = _run_of_a_fit(cell, X, y)
    chosen = checked(chosen, cell.selected, cell.method)
    found = judges.scores(
        judges.neurofs_classifiers(cell.split), X[:, chosen], y, X_test[:, chosen], y_test
    )
    return judges.as_row(found, seconds) | {"value": f"{found['svm']:.2f}"}


def _split_again(X: NDArray, y: NDArray, people: NDArray | None, seed: int) -> sources.Arrays:
    """Hold out a fifth of the rows, or a fifth of the people."""
    if people is None:
        return tuple(train_test_split(X, y, test_size=0.2, stratify=y, random_state=seed))
    rows, held_out = next(
        GroupShuffleSplit(1, test_size=0.2, random_state=seed).split(X, y, people)
    )
    return X[rows], X[held_out], y[rows], y[held_out]


def _run_of_a_fit(cell: Cell, X: NDArray, y: NDArray) -> tuple[NDArray, float]:
    """Return the columns of one seed, and the seconds per seed."""
    name = f"ipcae-suite-{cell.problem}-{cell.method}-{cell.selected}"
    folder = Path(tempfile.gettempdir()) / f"{name}-{os.getppid()}"
    try:
        folder.mkdir()
    except FileExistsError:  # another process fits, or has fitted, all seeds
        while not (folder / "runs.npz").exists():
            time.sleep(0.5)
    else:
        selector, seconds = timed(
            lambda: fitted(cell.method, "classification", X, y, cell.selected, 0, n_runs=N_SEEDS)
        )
        runs = np.stack([selection.features for selection in selector.selections_])
        np.savez(folder / "part.npz", runs=runs, seconds=seconds / N_SEEDS)
        (folder / "part.npz").rename(folder / "runs.npz")
    with np.load(folder / "runs.npz") as saved:
        return saved["runs"][cell.split], float(saved["seconds"])
