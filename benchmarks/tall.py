"""Compare the default on tables with many rows and few columns with what people use instead.

    python benchmarks/tall.py [--tables interaction sensors] [--seeds 1000 1001] [--rows 6000]
    python benchmarks/tall.py --show

The tables (:data:`tall_tables.TABLES`) are generated with seeds of their own. Columns are judged on
4,000 new rows by boosted trees and by extremely randomized trees, both fitted to 6,000 of the rows
that they were selected from: by accuracy, ROC AUC for two classes of which one is rare, or R², in
percent. ``own`` is the same for the selector's own decoder. ``before`` is the default without
boosted trees, ``trees`` a fit with ``method="boosted-elimination"`` (without a network that
selects), ``all`` the default with all columns as candidates of the network, and ``truth`` the
columns that the table was made with.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from missing_rows import read_rows
from numpy.typing import NDArray
from rows import new_parser, write
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.metrics import roc_auc_score
from tall_tables import TABLES, Tall

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.selectors import METHODS, Shortlist, recommendation
from ipcae.selectors.classical.examples import Examples
from ipcae.selectors.classical.models import boosting
from ipcae.selectors.classical.statistics.outliers import without_far_outliers

NEW_ROWS, JUDGED_ROWS, RANKED_ROWS = 4000, 6000, 20_000
RARE = 0.2
SELECTORS = {
    "default": {},
    "before": {},
    "trees": {"method": "boosted-elimination"},
    "all": {"method": Shortlist(factor=1000)},
}
RIVALS = (
    "boosted-elimination",
    "random-forest",
    "mutual-information",
    "anova",
    "group-lasso",
    "backward",
)


def as_numbers(X: Any) -> NDArray:
    """Return a table with categories as codes."""
    if isinstance(X, np.ndarray):
        return X
    columns = [column.to_numpy() for _, column in X.items()]
    return np.column_stack(
        [
            c if c.dtype.kind == "f" else np.unique(c.astype(str), return_inverse=True)[1]
            for c in columns
        ]
    ).astype(float)


def judged(table: Tall, X: NDArray, y: NDArray, X_new: NDArray, y_new: NDArray) -> list[float]:
    """Return the scores of boosted and of extremely randomized trees, in percent."""
    if table.classes:
        models = [HistGradientBoostingClassifier(max_iter=80, random_state=0)]
        models.append(ExtraTreesClassifier(60, min_samples_leaf=3, random_state=0))
        rare = np.bincount(y).min() < RARE * len(y) and y.max() == 1
        found = []
        for model in models:
            model.fit(X, y)
            value = roc_auc_score(y_new, model.predict_proba(X_new)[:, 1]) if rare else None
            found.append(model.score(X_new, y_new) if value is None else value)
    else:
        each = [
            HistGradientBoostingRegressor(max_iter=80, random_state=0).fit(X, one).score(X_new, new)
            for one, new in zip(np.atleast_2d(y.T), np.atleast_2d(y_new.T), strict=True)
        ]
        forest = ExtraTreesRegressor(60, min_samples_leaf=3, random_state=0)
        found = [float(np.mean(each)), forest.fit(X, y).score(X_new, y_new)]
    return [max(100 * float(value), -100.0) for value in found]


def ranked(method: str, table: Tall, X: NDArray, y: NDArray, seed: int) -> NDArray:
    """Return the best columns of a ranking, on up to 20,000 rows."""
    inputs = without_far_outliers(X[:RANKED_ROWS].astype(float))
    inputs = (inputs - inputs.mean(0)) / np.maximum(inputs.std(0), 1e-12)
    targets = y[:RANKED_ROWS].reshape(len(inputs), -1).astype(float)
    examples = Examples(inputs, targets, discrete=table.classes)
    scores = METHODS[method].scores(examples, table.selected, seed)
    return np.argsort(-scores, kind="stable")[: table.selected]


def measure(name: str, seed: int, n_rows: int, method: str) -> list[dict[str, object]]:
    """Return a row, or none if a method has nothing to say about a table."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    table = TABLES[name]
    try:
        X, y, truth = table.make(seed, n_rows + NEW_ROWS)
    except ModuleNotFoundError:
        return []
    if method == "truth" and not truth:
        return []
    numbers = as_numbers(X)
    of = X if isinstance(X, np.ndarray) else X.iloc
    start, own, used = time.process_time(), "", method
    if method == "truth":
        columns = np.array([min(one) for one in truth])
    elif method in SELECTORS:
        with ExitStack() as patches:
            if method == "before":
                patches.enter_context(patch.object(recommendation, "FEW_COLUMNS", 0))
                patches.enter_context(patch.object(boosting, "MOST_COLUMNS", 0))
            kind = ClassificationSelector if table.classes else RegressionSelector
            selector = kind(
                table.selected, random_state=seed, device="cpu", **SELECTORS[method]
            ).fit(of[:n_rows], y[:n_rows])
        columns, used = selector.get_support(indices=True), selector.method_
        own = f"{100 * selector.score(of[n_rows:], y[n_rows:]):.2f}"
    else:
        columns = ranked(method, table, numbers[:n_rows], y[:n_rows], seed)
    seconds = time.process_time() - start
    boosted, forest = judged(
        table,
        *(numbers[: min(n_rows, JUDGED_ROWS), columns], y[: min(n_rows, JUDGED_ROWS)]),
        *(numbers[n_rows:, columns], y[n_rows:]),
    )
    found = np.mean([bool(one & {*map(int, columns)}) for one in truth]) if truth else None
    return [
        {
            "table": name,
            "seed": seed,
            "rows": n_rows,
            "columns": numbers.shape[1],
            "selected": table.selected,
            "method": method,
            "used": used if isinstance(used, str) else type(used).__name__.lower(),
            "boosted": f"{boosted:.2f}",
            "forest": f"{forest:.2f}",
            "own": own,
            "found": "" if found is None else f"{found:.2f}",
            "seconds": f"{seconds:.1f}",
            "features": " ".join(map(str, sorted(columns))),
        }
    ]


def show(path: Path, n_rows: int, seeds: list[int]) -> None:
    """Print the mean of the two judges, and the difference of every method from the default."""
    values: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    seconds: dict[str, list[float]] = defaultdict(list)
    for row in read_rows(path):
        if int(row["rows"]) == n_rows and int(row["seed"]) in seeds:
            both = (float(row["boosted"]) + float(row["forest"])) / 2
            values[row["method"]][row["table"], row["seed"]] = both
            seconds[row["method"]].append(float(row["seconds"]))
    methods = [*SELECTORS, *RIVALS, "truth"]
    print("| table |", " | ".join(methods), "|")
    print("|---|" + "---:|" * len(methods))
    for table in TABLES:
        cells = [[v for (name, _), v in values[m].items() if name == table] for m in methods]
        if any(cells):
            print(f"| {table} |", " | ".join(f"{np.mean(c):.1f}" if c else "" for c in cells), "|")
    print("\n| method | minus default | tables better, worse by 1 | worst | CPU seconds |")
    print("|---|---:|---:|---|---:|")
    for method in methods:
        gains: dict[str, list[float]] = defaultdict(list)
        for cell, value in values[method].items():
            if cell in values["default"]:
                gains[cell[0]].append(value - values["default"][cell])
        mean = {table: float(np.mean(each)) for table, each in gains.items()}
        each = np.array([*mean.values()])
        if not len(each):
            continue
        error = each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
        worst = min(mean, key=mean.__getitem__)
        print(
            f"| {method} | {each.mean():+.2f} ± {error:.2f} | {(each > 1).sum()}, "
            f"{(each < -1).sum()} of {len(each)} | {worst} {mean[worst]:+.1f} "
            f"| {np.mean(seconds[method]):.1f} |"
        )


def _before(end: float, *cell: Any) -> list[dict[str, object]]:
    return measure(*cell) if time.time() < end else []


def main() -> None:
    """Measure what was asked for and append the rows, or show them."""
    parser = new_parser(__doc__, "tall.csv")
    parser.add_argument("--tables", nargs="+", default=[*TABLES], choices=TABLES)
    parser.add_argument("--methods", nargs="+", default=[*SELECTORS, *RIVALS, "truth"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1000, 1001])
    parser.add_argument("--rows", type=int, nargs="+", default=[6000])
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--minutes", type=float, default=60, help="begin nothing after this time")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    path = Path(options.out)
    if options.show:
        for n_rows in options.rows:
            show(path, n_rows, options.seeds)
        return
    done = {(r["table"], r["seed"], r["rows"], r["method"]) for r in read_rows(path)}
    cells = [
        (table, seed, rows, method)
        for rows in options.rows
        for seed in options.seeds
        for method in options.methods
        for table in options.tables
        if (table, str(seed), str(rows), method) not in done
    ]
    end = time.time() + 60 * options.minutes
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        for future in as_completed([pool.submit(_before, end, *cell) for cell in cells]):
            found = future.result()
            if found:
                write(path, found)
                print(*found[0].values(), flush=True)


if __name__ == "__main__":
    main()
