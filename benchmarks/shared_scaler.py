"""Measure the effect of sharing the scaling of the columns among the folds of a cross-validation.

    python benchmarks/shared_scaler.py [--out benchmarks/shared_scaler.csv]

The same folds, numbers of features and seeds are trained together, scaled by the rows of all folds,
and fold by fold, scaled by the training rows of the fold only. Rows of the file are the mean scores
on the test rows, their difference and its standard error over repetitions with other folds and
seeds.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import KFold, StratifiedKFold

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.estimators.many_fits.cross_validation import CrossValidation
from ipcae.estimators.many_fits.scoring import Scorer

COUNTS, N_FOLDS, N_REPEATS = [2, 5], 5, 6
SETTINGS: dict[str, Any] = {"max_epochs": 40, "n_runs": 2, "decoder": (64,), "learning_rate": 3e-3}
TABLES = {
    "wine": (load_wine, ClassificationSelector(**SETTINGS), StratifiedKFold),
    "diabetes": (load_diabetes, RegressionSelector(**SETTINGS), KFold),
}
OUT = Path(__file__).with_suffix(".csv")


def scores(selector: Any, X: Any, y: Any, folds: Any) -> dict[str, Any]:
    """Return the results of a cross-validation of these folds."""
    plan = CrossValidation.plan(
        clone(selector), X, y, counts=COUNTS, cv=folds, scorer=Scorer.of(selector, None)
    )
    return plan.results(plan.fit()[0], {})


def main() -> None:
    """Compare the scores and write the rows."""
    rows = []
    for name, (load, selector, splitter) in TABLES.items():
        X, y = load(return_X_y=True)
        shared, own = (np.zeros((N_REPEATS, len(COUNTS))) for _ in range(2))
        for seed in range(N_REPEATS):
            selector.set_params(random_state=seed)
            folds = list(splitter(N_FOLDS, shuffle=True, random_state=seed).split(X, y))
            shared[seed] = scores(selector, X, y, folds)["mean_test_score"]
            alone = [scores(selector, X, y, [fold])["mean_test_score"] for fold in folds]
            own[seed] = np.mean(alone, axis=0)
        for k, count in enumerate(COUNTS):
            difference = shared[:, k] - own[:, k]
            error = difference.std(ddof=1) / N_REPEATS**0.5
            values = shared[:, k].mean(), own[:, k].mean(), difference.mean(), error
            rows.append((name, count, *(f"{value:.4f}" for value in values)))
            print(*rows[-1], flush=True)
    with OUT.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("table", "features", "shared", "own", "difference", "standard_error"))
        writer.writerows(rows)


if __name__ == "__main__":
    main()
