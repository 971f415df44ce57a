"""The same table with more and more rows: which method is best at which size?

Rows are drawn from the training rows of large data sets, and judged on others of them. Test rows
are not used, so that the default may be chosen here.
"""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

from comparison import judges, sources
from comparison.cells import Cell, Row, timed
from comparison.methods import checked, selection_of

NAMES = "coil20", "isolet", "har", "mice_protein", "mnist"
N_ROWS = 100, 200, 400, 800, 1600, 3200
MOST_TEST_ROWS = 1500


def problems() -> dict[str, tuple[int, ...]]:
    """Return the numbers of features to select, by names such as "isolet:200", for 200 rows."""
    most = {"coil20": 800, "mice_protein": 400}
    return {
        f"{name}:{n}": (10,) if name == "mice_protein" else (50,)
        for n in N_ROWS
        for name in NAMES
        if n <= most.get(name, n)
    }


def drawn(problem: str, seed: int):
    """Return X, X_test, y, y_test for a number of rows."""
    name, n_rows = problem.split(":")
    X, _, y, _ = sources.large(name)
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64)
    n_test = min(MOST_TEST_ROWS, len(X) - int(n_rows))
    return train_test_split(
        X, y, train_size=int(n_rows), test_size=n_test, stratify=y, random_state=seed
    )


def measure(cell: Cell, development: bool) -> Row:
    """Judge the selected columns by four classifiers."""
    X, X_test, y, y_test = drawn(cell.problem, cell.split)
    chosen, seconds = timed(selection_of(cell.method), X, y, cell.selected, cell.split)
    chosen = checked(chosen, cell.selected, cell.method)
    found = judges.scores(
        judges.classifiers(cell.split), X[:, chosen], y, X_test[:, chosen], y_test
    )
    return judges.as_row(found, seconds)
