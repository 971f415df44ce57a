"""Columns for new people: 50 columns of har by several methods, evaluated on held-out people.

    python benchmarks/people_columns.py [--known FOLDER] [--methods backward] [--deals 16 17 18]
    python benchmarks/people_columns.py --show

The people of the training rows are divided into four folds, once for every number in ``--deals``.
Columns are selected on three of them. The values are the accuracies in percent of classifiers on
the people of the fourth, means over the runs; test rows are not used. ``all`` is all columns, and
``all people`` are the columns of ``backward`` for the people of all folds: no method that does not
know the new people can be expected to select better ones.
"""

from __future__ import annotations

import csv
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from cells import load_known
from numpy.typing import NDArray
from rows import new_parser, write
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ipcae import ClassificationSelector
from ipcae.selectors import METHODS, Backward, Shortlist

K, N_FOLDS = 50, 4
ALL, ALL_PEOPLE = "all", "all people"
OTHERS = {
    "backward, then ip-cae among 2 K": Shortlist(Backward(), factor=2),
    "backward, then ip-cae among 3 K": Shortlist(Backward()),
    "backward, then ip-cae among 5 K": Shortlist(Backward(), factor=5),
}
NAMES = "backward", "ip-cae", "shortlist", "lassonet", *OTHERS
JUDGES = {
    "svm": SVC(),
    "svm10": SVC(C=10),
    "lda": LinearDiscriminantAnalysis(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=200)),
}


def columns_of(method: str, X: Any, y: Any, people: Any, n_runs: int, **own: Any) -> list[NDArray]:
    """Return the columns that every run selects; those of a ranking are the same in all runs."""
    if method == ALL:
        return [np.arange(X.shape[1])]
    chosen = Backward() if method == ALL_PEOPLE else OTHERS.get(method, METHODS.get(method))
    selector = ClassificationSelector(
        K, method=chosen, n_runs=n_runs, random_state=0, fine_tune=False, **own
    )
    selector.fit(X, y, groups=people)
    found = {tuple(sorted(one.features)) for one in selector.selections_}
    return [np.array(columns) for columns in sorted(found)]


def measure(options: Any, cell: tuple[int, int, str]) -> dict[str, object]:
    """Select on three folds of people; return the accuracies on the fourth."""
    deal, fold, method = cell
    known = load_known("har", options.known)
    people = np.random.default_rng(deal).permutation(np.unique(known.groups))
    new = np.isin(known.groups, people[fold::N_FOLDS])
    X, y, groups = known.X[~new], known.y[~new], known.groups[~new]
    start = time.perf_counter()
    own = {"max_epochs": options.epochs} if options.epochs else {}
    seen = (known.X, known.y, known.groups) if method == ALL_PEOPLE else (X, y, groups)
    found = columns_of(method, *seen, options.runs, device=options.device, **own)
    row: dict[str, object] = {"method": method, "deal": deal, "fold": fold}
    row["seconds"] = f"{time.perf_counter() - start:.1f}"
    for name, judge in JUDGES.items():
        scores = [judge.fit(X[:, c], y).score(known.X[new][:, c], known.y[new]) for c in found]
        row[name] = f"{100 * np.mean(scores):.2f}"
    return row


def show(path: Path) -> None:
    """Print the mean over the folds, and the difference to ``backward`` with its standard error."""
    found: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(dict)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            found[row["method"]][row["deal"], row["fold"]] = [float(row[name]) for name in JUDGES]
    print(f"| method | folds | {' | '.join(JUDGES)} |")
    for method, values in found.items():
        common = sorted(values.keys() & found["backward"].keys())
        own, other = (
            np.array([rows[key] for key in common]) for rows in (values, found["backward"])
        )
        gain = own - other
        error = gain.std(0, ddof=1) / np.sqrt(len(gain))
        cells = (
            f"{a:.2f} ({b:+.2f} ± {c:.2f})"
            for a, b, c in zip(own.mean(0), gain.mean(0), error, strict=True)
        )
        print(f"| {method} | {len(common)} | {' | '.join(cells)} |")


def main() -> None:
    """Measure what was asked for and append the rows, or show them."""
    parser = new_parser(__doc__, "people_columns.csv")
    every = [ALL, ALL_PEOPLE, *NAMES]
    parser.add_argument("--methods", nargs="+", default=every, choices=every)
    parser.add_argument("--deals", nargs="+", type=int, default=[16, 17, 18])
    parser.add_argument("--folds", nargs="+", type=int, default=[*range(N_FOLDS)])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--epochs", type=int, help="max_epochs, for a trial")
    parser.add_argument("--known", help="a folder written by cells.py --pack")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        return show(Path(options.out))
    cells = list(product(options.deals, options.folds, options.methods))
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        for row in pool.map(partial(measure, options), cells):
            write(Path(options.out), [row])
            print(*row.values(), flush=True)
    return None


if __name__ == "__main__":
    main()
