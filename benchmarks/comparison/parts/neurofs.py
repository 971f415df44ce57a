"""The protocol of NeuroFS (Atashgahi et al., TMLR 2023): five data sets, five seeds.

The columns are scaled to 0–1 over training and test rows together, which is the protocol's choice.
The seeds of a selector of this package are the runs of one fit.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comparison import judges, sources
from comparison.cells import Cell, Row, timed
from comparison.methods import checked, fitted, selection_of
from comparison.rivals import RIVALS

N_SEEDS = 5


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
    chosen, seconds = _selected(cell, X, y)
    chosen = checked(chosen, cell.selected, cell.method)
    found = judges.scores(
        judges.neurofs_classifiers(cell.split), X[:, chosen], y, X_test[:, chosen], y_test
    )
    return judges.as_row(found, seconds) | {"value": f"{found['svm']:.2f}"}


def _selected(cell: Cell, X: NDArray, y: NDArray) -> tuple[NDArray, float]:
    """Return the columns of one seed, and the seconds per seed."""
    if cell.method in RIVALS:
        return timed(selection_of(cell.method), X, y, cell.selected, cell.split)
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
