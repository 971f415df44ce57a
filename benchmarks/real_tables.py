"""Compare the default on real tables with what people use instead.

    python benchmarks/real_tables.py FOLDER [--half development] [--jobs 2]
    python benchmarks/real_tables.py --show

``real_tables_list.csv`` names tables of R packages, as in the collection Rdatasets, with the
documented response and the columns that are dropped: identifiers, and what is known only together
with the response. FOLDER contains them as files such as ``MASS-Boston.csv``. The halves were drawn
at random before anything was measured. At most 2,000 rows are used, 70 % of them for selection.

K is a quarter of the columns, at most 25, and 3. A selection is judged on the other rows by a
linear model, extremely randomized trees and boosted trees, all with the same inputs: numbers with
medians for missing values, and one column per category. The score is the mean area under the ROC
curve (one class against the rest) or R², at least 0, in percent. The rivals rank these inputs; a
column gets the largest score of its inputs, or the sum for a forest. ``own`` is the score of the
default's own decoder.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from missing_rows import measure_missing
from numpy.typing import NDArray
from real_tables_rivals import RIVALS
from real_tables_split import Split, known_split
from real_tables_summary import LIST, real, tables
from rows import commit
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import r2_score, roc_auc_score
from table_halves import KEY, cases_of, parse_halves

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.errors import InputError

FOLDER = Path()
MOST_SELECTED = 25
PACKAGE = ("default", "group-lasso", "elimination")


@lru_cache(maxsize=8)
def ranked(folder: Path, table: str, seed: int, method: str) -> NDArray:
    """Return the scores of a rival, the same for all K."""
    return RIVALS[method](known_split(folder, table, seed))


def judges(classes: bool) -> list[Any]:
    """Return the models that judge a selection."""
    if classes:
        return [
            LogisticRegression(max_iter=500),
            ExtraTreesClassifier(100, min_samples_leaf=3, random_state=0),
            HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=15, random_state=0),
        ]
    return [
        RidgeCV(np.logspace(-2, 3, 11)),
        ExtraTreesRegressor(100, min_samples_leaf=3, random_state=0),
        HistGradientBoostingRegressor(max_iter=60, max_leaf_nodes=15, random_state=0),
    ]


def score_of(split: Split, model: Any, rows: Any) -> float:
    """Return the area under the ROC curve or R² of a fitted model, in percent."""
    y = split.targets[1]
    if not split.classes:
        return 100 * max(r2_score(y, model.predict(rows)), 0.0)
    found = model.predict_proba(rows)
    each = [
        roc_auc_score(y == label, found[:, position])
        for position, label in enumerate(model.classes_)
        if 0 < np.sum(y == label) < len(y)
    ]
    return 100 * float(np.mean(each))


def judged(split: Split, columns: NDArray) -> list[float]:
    """Return the scores of the judges on the columns."""
    inside = np.isin(split.owners, columns)
    train, test = (part[:, inside] for part in split.numbers)
    models = (clone(judge).fit(train, split.targets[0]) for judge in judges(split.classes))
    return [score_of(split, model, test) for model in models]


@lru_cache(maxsize=16)
def selected(table: str, seed: int, method: str, n_selected: int) -> tuple[NDArray, dict]:
    """Return the columns that a method selects, and what else is known about the fit."""
    split = known_split(FOLDER, table, seed)
    if method in RIVALS:
        scores = ranked(FOLDER, table, seed, method)
        return np.argsort(-scores, kind="stable")[:n_selected], {}
    kind = ClassificationSelector if split.classes else RegressionSelector
    missing = "impute" if split.tables[0].isna().any(axis=None) else "error"
    faster = {} if method == "default" else {"max_epochs": 1}
    given = None if method == "default" else method
    selector = kind(n_selected, method=given, missing=missing, random_state=seed, **faster)
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(split.tables[0], split.targets[0])
    seconds = f"{time.process_time() - start:.1f}"
    names = selector.get_feature_names_out()
    columns = np.flatnonzero(split.tables[0].columns.isin(names))
    if method != "default":
        return columns, {"seconds": seconds}
    kinds = Counter(each.category.__name__ for each in caught)
    try:
        own, error = f"{score_of(split, selector, split.tables[1]):.2f}", ""
    except InputError as reason:  # the columns can still be judged
        own, error = "", str(reason)
    used = (
        selector.method_ if isinstance(selector.method_, str) else type(selector.method_).__name__
    )
    told = " ".join(sorted(kinds))
    more = {"own": own, "used": used, "seconds": seconds, "warnings": told, "error": error}
    return columns, more


def n_selected_of(label: str, n_columns: int) -> int:
    """Return the number of columns to select."""
    return 3 if label == "3" else min(max(2, round(n_columns / 4)), MOST_SELECTED)


def measure(case: dict[str, Any]) -> dict[str, Any]:
    """Return the row of one selection."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    table, seed, method = case["table"], case["seed"], case["method"]
    split = known_split(FOLDER, table, seed)
    n_rows, n_columns = split.tables[0].shape
    n_selected = n_selected_of(case["K"], n_columns)
    start = time.process_time()
    try:
        columns, more = selected(table, seed, method, n_selected)
        more.setdefault("seconds", f"{time.process_time() - start:.1f}")
        scores = judged(split, columns)
    except Exception as error:  # a row of its own: a crash is a result
        columns, more, scores = np.array([], int), {"error": repr(error)[:300]}, [np.nan] * 3
    return {
        **case,
        "rows": n_rows,
        "columns": n_columns,
        "predicts": "classes" if split.classes else "numbers",
        "selected": n_selected,
        "linear": f"{scores[0]:.2f}",
        "trees": f"{scores[1]:.2f}",
        "boosted": f"{scores[2]:.2f}",
        "own": more.get("own", ""),
        "used": more.get("used", ""),
        "seconds": more.get("seconds", ""),
        "warnings": more.get("warnings", ""),
        "error": more.get("error", ""),
        "features": " ".join(map(str, sorted(columns))),
        "commit": commit(),
    }


def main() -> None:
    """Measure the cases that are missing in the file, or show the results."""
    global FOLDER
    options = parse_halves(__doc__, "real_tables.csv", (*PACKAGE, *RIVALS), ("quarter", "3"))
    path = Path(options.out)
    if options.show:
        for name, lines in tables(real(path), "real").items():
            print(f"\n{name}\n", *lines, sep="\n")
        return
    FOLDER = options.folder
    measure_missing(path, KEY, cases_of(options, LIST), measure, options.jobs)


if __name__ == "__main__":
    main()
