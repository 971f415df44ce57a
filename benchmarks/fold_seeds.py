"""Measure whether one seed per fold is enough to choose the number of columns.

    python benchmarks/fold_seeds.py [--rows 200] [--epochs auto] [--seeds 4]

``ipcae select -k auto`` compares numbers of columns by cross-validation, and then selects the
chosen number in five runs. Every fold is trained with five seeds. Rows of the file are, for
generated tables with known informative columns, the number that is chosen if every fold has the
best of all five seeds, or of one, two or three of them, with the score of the final selection of
that number on 2,000 new rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rows import new_parser, parse, write
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.metrics import get_scorer

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.estimators.many_fits.cross_validation import CrossValidation, choose
from ipcae.estimators.many_fits.scoring import Scorer
from ipcae.estimators.many_fits.variants import fit_variants

N_NEW, N_RUNS = 2000, 5
Arrays = tuple[NDArray[Any], NDArray[Any]]


def rare_class(n_rows: int, seed: int) -> Arrays:
    """Two classes, one of them with a tenth of the rows; 5 of 20 columns are informative."""
    informative = {"n_informative": 5, "n_redundant": 2, "weights": [0.9, 0.1], "class_sep": 1.5}
    return make_classification(n_rows, 20, random_state=seed, **informative)


def three_classes(n_rows: int, seed: int) -> Arrays:
    """Three classes; 4 of 13 columns are informative."""
    informative = {"n_informative": 4, "n_redundant": 0, "n_classes": 3}
    return make_classification(n_rows, 13, random_state=seed, **informative)


def numbers(n_rows: int, seed: int) -> Arrays:
    """A number; 6 of 30 columns are informative."""
    X, y = make_regression(n_rows, 30, n_informative=6, noise=20.0, random_state=seed)
    return X, y


KINDS: dict[str, tuple[Callable[[int, int], Arrays], type, str]] = {
    "rare class": (rare_class, ClassificationSelector, "roc_auc"),
    "three classes": (three_classes, ClassificationSelector, "accuracy"),
    "numbers": (numbers, RegressionSelector, "r2"),
}


def main() -> None:
    """Compare both for every kind of table and seed."""
    parser = new_parser(__doc__, "fold_seeds.csv")
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--epochs", default="auto")
    parser.add_argument("--seeds", type=int, nargs="+", default=range(4))
    parser.add_argument("--kinds", nargs="+", default=list(KINDS))
    options = parse(parser, ["tests/estimators/many_fits/test_selector_cv.py"])
    warnings.simplefilter("ignore")
    epochs = options.epochs if options.epochs == "auto" else int(options.epochs)
    for kind in options.kinds:
        for seed in options.seeds:
            rows = _compare(kind, options.rows, epochs, seed)
            print(*rows, sep="\n", flush=True)
            write(Path(options.out), rows)


def _compare(kind: str, n_rows: int, epochs: Any, seed: int) -> list[dict[str, object]]:
    make, selector_class, scoring = KINDS[kind]
    X, y = make(n_rows + N_NEW, seed)
    selector = selector_class(n_runs=N_RUNS, max_epochs=epochs, random_state=seed)
    start = time.process_time()
    plan = CrossValidation.plan(
        selector, X[:n_rows], y[:n_rows], counts="auto", cv=5, scorer=Scorer.of(selector, scoring)
    )
    fitted = fit_variants(plan.selector, plan.table, plan.variants, plan.order_seed)
    seconds = time.process_time() - start
    shape = len(plan.counts), len(plan.folds), N_RUNS
    losses = np.reshape([each._best_loss for each in fitted], shape)
    runs = np.reshape(np.array(fitted, dtype=object), shape)
    new_scores: dict[int, float] = {}  # by the number of columns
    rows = []
    subsets = [(n, first) for n in (1, 2, 3) for first in range(N_RUNS)]
    for n_seeds, first in [*subsets, (N_RUNS, 0)]:
        used = (first + np.arange(n_seeds)) % N_RUNS
        best = used[losses[..., used].argmin(2)][..., None]
        results = plan.results(np.take_along_axis(runs, best, 2)[..., 0].tolist(), {})
        count = plan.counts[choose(results, "score", "one-standard-error")]
        if count not in new_scores:
            final = clone(selector).set_params(n_features_to_select=count)
            final.fit(X[:n_rows], y[:n_rows])
            new_scores[count] = get_scorer(scoring)(final, X[n_rows:], y[n_rows:])
        row = {"table": kind, "rows": n_rows, "epochs": epochs, "seed": seed, "seeds": n_seeds}
        score = f"{new_scores[count]:.4f}"
        rows.append(row | {"chosen": count, "score": score, "cpu_of_five": f"{seconds:.0f}"})
    return rows


if __name__ == "__main__":
    main()
