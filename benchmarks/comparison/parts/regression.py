"""Predict columns of a table from the others, on few and on many rows.

"GLIOMA" predicts one column, "GLIOMA*5" five at once; "isolet:200" has 200 rows. Only training
rows of the large data sets are used.
"""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

from comparison import judges, sources
from comparison.cells import Cell, Row, timed
from comparison.methods import checked, selection_of
from comparison.parts import rows_needed

SMALL = "GLIOMA", "lung_small", "orlraws10P", "warpAR10P", "lymphoma"
LARGE = [f"{name}:{n}" for n in (100, 200, 400, 800, 1600, 3200) for name in ("isolet", "har")]
LARGE += [f"mice_protein:{n}" for n in (100, 200, 400)]


def problems() -> dict[str, tuple[int, ...]]:
    """Return the numbers of features to select, by table."""
    return dict.fromkeys((*SMALL, *(f"{name}*5" for name in SMALL), *LARGE), (10,))


def measure(cell: Cell, development: bool) -> Row:
    """Judge the selected columns by four regressors, averaged over the targets."""
    name, _, count = cell.problem.partition("*")
    if ":" in name:
        X, X_test, _, _ = rows_needed.drawn(name, cell.split)
    else:
        X, _ = sources.small_table(name)
        X, X_test = train_test_split(X, test_size=0.3, random_state=cell.split)
        if development:
            X, X_test = train_test_split(X, test_size=0.3, random_state=100 + cell.split)
    varying = np.flatnonzero(X.std(0) > 0.2 * np.median(X.std(0)))
    targets = np.random.default_rng(cell.split).choice(varying, int(count or 1), replace=False)
    y, y_test = X[:, targets], X_test[:, targets]
    X, X_test = (np.delete(part, targets, axis=1) for part in (X, X_test))
    select = selection_of(cell.method, "regression")
    chosen, seconds = timed(select, X, y if count else y[:, 0], cell.selected, cell.split)
    chosen = checked(chosen, cell.selected, cell.method)
    each = [
        judges.scores(
            judges.regressors(cell.split), X[:, chosen], y[:, t], X_test[:, chosen], y_test[:, t]
        )
        for t in range(y.shape[1])
    ]
    return judges.as_row({j: float(np.mean([e[j] for e in each])) for j in each[0]}, seconds)
