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
from collections.abc import Callable
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from missing_rows import measure_missing, read_rows
from numpy.typing import NDArray
from real_tables_summary import LIST, tables
from rows import commit, new_parser
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import (
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV, RidgeCV
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import train_test_split

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.data import read_table
from ipcae.errors import InputError

FOLDER = Path()
MOST_ROWS, MOST_SELECTED, MOST_LEVELS, FEWEST_OF_A_CLASS = 2000, 25, 30, 8
PACKAGE = ("default", "group-lasso", "elimination")


class Split(NamedTuple):
    """Rows to select from and to judge on, as a table and as numbers.

    ``owners`` has the column of the table that each number comes from.
    """

    classes: bool
    tables: tuple[pd.DataFrame, pd.DataFrame]
    targets: tuple[NDArray, NDArray]
    numbers: tuple[NDArray, NDArray]
    owners: NDArray


def split_of(folder: Path, listed: dict[str, str], seed: int) -> Split:
    """Return a split of a table."""
    table = read_table(folder / f"{listed['table']}.csv")
    table = table.dropna(subset=[listed["target"]])
    if classes := listed["predicts"] == "classes":
        sizes = table[listed["target"]].value_counts()
        table = table[table[listed["target"]].isin(sizes.index[sizes >= FEWEST_OF_A_CLASS])]
    dropped = [*listed["dropped"].split("|"), listed["target"]]
    X = table.loc[:, [not any(fnmatch(c, d) for d in dropped) for c in table]]
    X = X.loc[:, X.nunique() > 1]
    y = table[listed["target"]].to_numpy()
    y = np.unique(y.astype(str), return_inverse=True)[1] if classes else y.astype(float)
    if len(X) > MOST_ROWS:
        keep = np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]
        X, y = X.iloc[keep], y[keep]
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, random_state=seed, stratify=y if classes else None
    )
    inputs, owners = as_numbers(X_train, X_test)
    return Split(classes, (X_train, X_test), (y_train, y_test), inputs, owners)


def as_numbers(X: pd.DataFrame, X_new: pd.DataFrame) -> tuple[tuple[NDArray, NDArray], NDArray]:
    """Return standardized numbers, one per level of a category, and their columns."""
    parts: list[list[NDArray]] = [[], []]
    owners: list[int] = []
    for number, name in enumerate(X):
        if pd.api.types.is_numeric_dtype(X[name]):
            middle = X[name].astype(float).median()
            each = [t[[name]].astype(float).fillna(middle).to_numpy() for t in (X, X_new)]
        else:
            levels = X[name].astype(str).value_counts().index[:MOST_LEVELS].to_numpy()
            each = [t[name].astype(str).to_numpy()[:, None] == levels for t in (X, X_new)]
        for part, values in zip(parts, each, strict=True):
            part.append(values.astype(float))
        owners += [number] * each[0].shape[1]
    train, test = (np.nan_to_num(np.hstack(part)) for part in parts)
    middle, scale = train.mean(0), np.maximum(train.std(0), 1e-9)
    inputs = tuple(np.clip((part - middle) / scale, -20, 20) for part in (train, test))
    return inputs, np.array(owners)  # type: ignore[return-value]


def of_columns(scores: NDArray, owners: NDArray, how: Any = np.maximum) -> NDArray:
    """Return the score of every column of the table from those of its inputs."""
    return how.reduceat(np.nan_to_num(scores), np.flatnonzero(np.diff(owners, prepend=-1)))


def forest(split: Split, inputs: NDArray) -> NDArray:
    """Return the importances of a random forest."""
    kind = RandomForestClassifier if split.classes else RandomForestRegressor
    return kind(100, min_samples_leaf=2, random_state=0).fit(inputs, split.targets[0])


def forest_scores(split: Split) -> NDArray:
    """Return the importances of the columns in a random forest."""
    found = forest(split, split.numbers[0]).feature_importances_
    return of_columns(found, split.owners, np.add)


def rfe_scores(split: Split) -> NDArray:
    """Return the order in which columns are eliminated by a forest, a fifth of them at a time."""
    n_columns = split.tables[0].shape[1]
    scores, left = np.zeros(n_columns), np.arange(n_columns)
    step = 1
    while len(left) > 3:
        inside = np.isin(split.owners, left)
        found = forest(split, split.numbers[0][:, inside]).feature_importances_
        order = left[np.argsort(of_columns(found, split.owners[inside], np.add))]
        gone = order[: min(max(1, len(left) // 5), len(left) - 3)]
        scores[gone] = step + np.arange(len(gone)) / len(gone)
        left, step = np.setdiff1d(left, gone), step + 1
    scores[left] = step
    return scores


def f_scores(split: Split) -> NDArray:
    """Return the F values."""
    test = f_classif if split.classes else f_regression
    return of_columns(test(split.numbers[0], split.targets[0])[0], split.owners)


def information(split: Split) -> NDArray:
    """Return the mutual information with the target."""
    estimate = mutual_info_classif if split.classes else mutual_info_regression
    binary = np.array([len(np.unique(column)) <= 2 for column in split.numbers[0].T])
    found = estimate(
        *(split.numbers[0], split.targets[0]), discrete_features=binary, random_state=0
    )
    return of_columns(found, split.owners)


def l1_scores(split: Split) -> NDArray:
    """Return the sizes of the coefficients of a cross-validated l1-penalized model."""
    X, y = split.numbers[0], split.targets[0]
    if not split.classes:
        return of_columns(np.abs(LassoCV(cv=3, alphas=30).fit(X, y).coef_), split.owners)
    model = LogisticRegressionCV(
        Cs=[0.02, 0.1, 0.5], cv=3, penalty="l1", solver="liblinear", max_iter=200
    )
    if len(np.unique(y)) > 2:
        from sklearn.multiclass import OneVsRestClassifier

        models = OneVsRestClassifier(model).fit(X, y).estimators_
        size = np.max([np.abs(one.coef_[0]) for one in models], axis=0)
    else:
        size = np.abs(model.fit(X, y).coef_[0])
    return of_columns(size, split.owners)


RIVALS: dict[str, Callable[[Split], NDArray]] = {
    "F-test": f_scores,
    "mutual-information": information,
    "random-forest": forest_scores,
    "l1": l1_scores,
    "forest-rfe": rfe_scores,
}


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


@lru_cache(maxsize=2)
def known_split(folder: Path, table: str, seed: int) -> Split:
    """Return a split of a listed table."""
    (listed,) = (each for each in read_rows(LIST) if each["table"] == table)
    return split_of(folder, listed, seed)


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
    parser = new_parser(__doc__, "real_tables.csv")
    parser.add_argument("folder", nargs="?", type=Path, help="the folder of CSV files")
    parser.add_argument("--half", choices=["development", "confirmation", "both"], default="both")
    parser.add_argument("--tables", nargs="+", help="only these tables")
    parser.add_argument("--methods", nargs="+", default=[*PACKAGE, *RIVALS])
    parser.add_argument("--K", nargs="+", default=["quarter", "3"], choices=["quarter", "3"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    path = Path(options.out)
    if options.show:
        for name, lines in tables(path).items():
            print(f"\n{name}\n", *lines, sep="\n")
        return
    FOLDER = options.folder
    cases = [
        {"table": each["table"], "seed": seed, "K": label, "method": method}
        for seed in options.seeds
        for each in read_rows(LIST)
        for label in options.K
        for method in options.methods
        if options.half in (each["half"], "both")
        and (not options.tables or each["table"] in options.tables)
    ]
    measure_missing(path, ("table", "seed", "K", "method"), cases, measure, options.jobs)


if __name__ == "__main__":
    main()
