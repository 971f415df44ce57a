"""Which network selects best from many rows of more than 200 columns, most of them correlated?

    python benchmarks/correlated.py [--tables linear mnist ...] [--seeds 4 5] [--methods subset ...]
    python benchmarks/correlated.py --show          # the tables of docs/experiments/large-tables.md

``correlated.csv`` has one row per table (``correlated_tables.py``), seed, method and run. The
columns are judged on 2,500 new rows by a support vector machine, extra trees and logistic
regression that learned from 4,000 rows: areas under the ROC curve for two classes, otherwise
accuracies, in percent. ``found`` counts the selected columns among the ``planted`` ones. With
``--given``, a fifth of the rows is passed as validation rows, so that no decoder is refitted.
"""

from __future__ import annotations

import csv
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from correlated_tables import TABLES, made
from numpy.typing import NDArray
from rows import new_parser, parse, write
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ipcae import ClassificationSelector
from ipcae.selectors import Concrete, Shortlist, Subset

METHODS: dict[str, dict[str, Any]] = {
    "ip-cae": {"method": "ip-cae"},
    "subset": {"method": "subset"},
    "subset, 100 epochs": {"method": "subset", "max_epochs": 100},
    "shortlist of ip-cae": {"method": Shortlist(method=Concrete())},
    "shortlist of subset": {"method": Shortlist(method=Subset())},
    "adaptive": {"method": "adaptive"},
}
JUDGES = "svm", "trees", "logistic"


def judged(X: NDArray, y: NDArray, X_new: NDArray, y_new: NDArray) -> list[float]:
    """Return the scores of the judges, trained on the selected columns."""
    scaler = StandardScaler().fit(X)
    X, X_new = scaler.transform(X), scaler.transform(X_new)
    trees = ExtraTreesClassifier(60, random_state=0, min_samples_leaf=2)
    judges = [judge.fit(X, y) for judge in (SVC(), trees, LogisticRegression(max_iter=100))]
    if len(np.unique(y)) > 2:
        return [100 * judge.score(X_new, y_new) for judge in judges]
    svm, trees, logistic = judges
    values = (
        svm.decision_function(X_new),
        trees.predict_proba(X_new)[:, 1],
        logistic.decision_function(X_new),
    )
    return [100 * roc_auc_score(y_new, each) for each in values]


def measured(
    name: str, seed: int, methods: list[str], n_runs: int, given: bool
) -> Iterator[dict[str, Any]]:
    """Yield the rows of all methods and runs."""
    X, y, X_new, y_new, truth = made(name, seed)
    validation = {}
    if given:
        X, X_val, y, y_val = train_test_split(X, y, test_size=0.2, stratify=y, random_state=seed)
        validation = {"X_val": X_val, "y_val": y_val}
    for method in methods:
        selector = ClassificationSelector(
            TABLES[name].selected, n_runs=n_runs, random_state=seed, **METHODS[method]
        )
        began = time.perf_counter()
        selector.fit(X, y, **validation)
        seconds = time.perf_counter() - began
        for run, selection in enumerate(selector.selections_):
            columns = np.sort(selection.features)
            scores = judged(X[:4000, columns], y[:4000], X_new[:, columns], y_new)
            yield {
                "table": name,
                "seed": seed,
                "method": method,
                "validation": "given" if given else "held out",
                "run": run,
                "selected": len(columns),
                "planted": len(truth),
                "found": len(np.intersect1d(columns, truth)),
                **{judge: f"{score:.2f}" for judge, score in zip(JUDGES, scores, strict=True)},
                "decoder": f"{100 * selector.with_run(run).score(X_new, y_new):.2f}",
                "seconds": f"{seconds:.1f}",
            }


def show(path: Path) -> None:
    """Print, by table and method, the mean score of the judges and the columns found."""
    cells: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            score = float(np.mean([float(row[judge]) for judge in JUDGES]))
            cells[row["table"], row["method"]].append((score, float(row["found"])))
    names = list(METHODS)
    print("| table | " + " | ".join(names) + " |\n|---|" + "---:|" * len(names))
    for table in TABLES:
        means = [np.mean(cells[table, name] or [(np.nan, np.nan)], axis=0) for name in names]
        known = "planted" in table or not table.startswith(("mnist", "fashion", "isolet", "har"))
        texts = [
            f"{score:.1f} ({found:.1f})" if known else f"{score:.1f}" for score, found in means
        ]
        print(
            f"| {table} | "
            + " | ".join(t.replace("nan (nan)", "").replace("nan", "") for t in texts)
            + " |"
        )


def main() -> None:
    """Measure, or show what was measured."""
    parser = new_parser(__doc__, "correlated.csv")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[2, 3, 4])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--given", action="store_true", help="pass the validation rows")
    parser.add_argument("--show", action="store_true", help="show the rows that there are")
    options = parse(parser, ["tests/selectors/test_subset.py"])
    if options.show:
        show(Path(options.out))
        return
    for seed in options.seeds:
        for name in options.tables:
            for row in measured(name, seed, options.methods, options.runs, options.given):
                write(Path(options.out), [row])
                print(*row.values(), flush=True)


if __name__ == "__main__":
    main()
