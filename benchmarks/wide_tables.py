"""Compare the default on small and wide real tables with what people use instead.

    python benchmarks/wide_tables.py FOLDER [--half development] [--jobs 2]
    python benchmarks/wide_tables.py --show

``wide_tables_list.csv`` names tables of R and Python packages: expressions of genes, spectra, time
series, counts of bacteria and words, descriptors of molecules. ``wide_tables_files.py`` writes them
into FOLDER. The halves were drawn at random before anything was measured. At most 2,000 rows are
used, 70 % of them for selection.

A selection of K columns, at most a quarter of them, is judged on the other rows by the models of
``suite.py``: the mean accuracy or R² of four models in percent. ``own`` is the score of the
default's own decoder; it is measured in the first split.
"""

from __future__ import annotations

import time
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from comparison.judges import classifiers, regressors, scores
from missing_rows import measure_missing, read_rows
from numpy.typing import NDArray
from real_tables_rivals import RIVALS as RIVALS_OF_INPUTS
from real_tables_split import MOST_ROWS, Split, as_numbers
from real_tables_summary import WIDE_LIST, tables, wide
from rows import commit
from sklearn.model_selection import train_test_split
from table_halves import KEY, cases_of, parse_halves
from wide_tables_rivals import linear_rfe, mrmr

from ipcae import ClassificationSelector, RegressionSelector

FOLDER = Path()
FEWEST_OF_A_CLASS = 5
PACKAGE = ("default", "group-lasso", "elimination")
JUDGES = "svm", "neighbors", "linear", "trees"
RIVALS = {**RIVALS_OF_INPUTS, "rfe": linear_rfe, "mrmr": mrmr}
del RIVALS["forest-rfe"]


@lru_cache(maxsize=1)
def split_of(name: str, seed: int) -> Split:
    """Return a split of a listed table."""
    (listed,) = (each for each in read_rows(WIDE_LIST) if each["table"] == name)
    classes = listed["predicts"] == "classes"
    table = pd.read_parquet(FOLDER / f"{name}.parquet").dropna(subset="response")
    if classes:
        sizes = table["response"].value_counts()
        table = table[table["response"].isin(sizes.index[sizes >= FEWEST_OF_A_CLASS])]
    if len(table) > MOST_ROWS:
        table = table.iloc[np.random.default_rng(0).permutation(len(table))[:MOST_ROWS]]
    y = table["response"].to_numpy()
    y = np.unique(y.astype(str), return_inverse=True)[1] if classes else y.astype(float)
    X = table.drop(columns="response")
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, random_state=seed, stratify=y if classes else None
    )
    if (X.dtypes.map(pd.api.types.is_numeric_dtype)).all() and not X.isna().any(axis=None):
        train, test = X_train.to_numpy(float), X_test.to_numpy(float)
        middle, scale = train.mean(0), np.maximum(train.std(0), 1e-9)
        inputs = (train - middle) / scale, np.clip((test - middle) / scale, -20, 20)
        owners = np.arange(X.shape[1])
    else:
        inputs, owners = as_numbers(X_train, X_test)
    return Split(classes, (X_train, X_test), (y_train, y_test), inputs, owners)


@lru_cache(maxsize=8)
def ranked(table: str, seed: int, method: str) -> NDArray:
    """Return the scores of a rival, the same for all K."""
    return RIVALS[method](split_of(table, seed))


def judged(split: Split, columns: NDArray, seed: int) -> list[float]:
    """Return the scores of the judges on the columns."""
    inside = np.isin(split.owners, columns)
    train, test = (part[:, inside] for part in split.numbers)
    judges = (classifiers if split.classes else regressors)(seed)
    found = scores(judges, train, split.targets[0], test, split.targets[1])
    names = {"svr": "svm", "knn": "neighbors", "logistic": "linear", "ridge": "linear"}
    named = {names.get(name, name): score for name, score in found.items()}
    return [named[name] for name in JUDGES]


def selected(split: Split, method: str, n_selected: int, seed: int) -> tuple[NDArray, dict]:
    """Return the columns that the package selects, and what else is known about the fit."""
    kind = ClassificationSelector if split.classes else RegressionSelector
    missing = "impute" if split.tables[0].isna().any(axis=None) else "error"
    ranking = method != "default" or (
        seed > 0 and (not split.classes or len(split.targets[0]) < 300)
    )  # the columns do not depend on the decoder
    faster = {"max_epochs": 1} if ranking else {}
    given = None if method == "default" else method
    selector = kind(n_selected, method=given, missing=missing, random_state=seed, **faster)
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(split.tables[0], split.targets[0])
    more = {"seconds": f"{time.process_time() - start:.1f}"}
    columns = selector.get_support(indices=True)
    if method == "default":
        more["warnings"] = " ".join(sorted({each.category.__name__ for each in caught}))
        more["used"] = str(selector.method_)
        if not ranking:
            own = selector.score(split.tables[1], split.targets[1])
            more["own"] = f"{100 * own:.2f}"
    return columns, more


def n_selected_of(label: str, n_columns: int) -> int:
    """Return the number of columns to select."""
    return min(int(label), max(n_columns // 4, 2))


def measure(case: dict[str, Any]) -> dict[str, Any]:
    """Return the row of one selection."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    table, seed, method = case["table"], case["seed"], case["method"]
    split = split_of(table, seed)
    n_rows, n_columns = split.tables[0].shape
    n_selected = n_selected_of(case["K"], n_columns)
    start, more = time.process_time(), dict[str, str]()
    try:
        if method in RIVALS:
            columns = np.argsort(-ranked(table, seed, method), kind="stable")[:n_selected]
            more["seconds"] = f"{time.process_time() - start:.1f}"
        else:
            columns, more = selected(split, method, n_selected, seed)
        found = judged(split, columns, seed)
    except Exception as error:  # a row of its own: a crash is a result
        columns, more, found = np.array([], int), {"error": repr(error)[:300]}, [np.nan] * 4
    return {
        **case,
        "rows": n_rows,
        "columns": n_columns,
        "selected": n_selected,
        "predicts": "classes" if split.classes else "numbers",
        **{name: f"{score:.2f}" for name, score in zip(JUDGES, found, strict=True)},
        **{name: more.get(name, "") for name in ("own", "used", "seconds", "warnings", "error")},
        "features": " ".join(map(str, sorted(columns))),
        "commit": commit(),
    }


def main() -> None:
    """Measure the cases that are missing in the file, or show the results."""
    global FOLDER
    options = parse_halves(__doc__, "wide_tables.csv", (*PACKAGE, *RIVALS), ("5", "25"))
    path = Path(options.out)
    if options.show:
        for name, lines in tables(wide(path), "wide").items():
            print(f"\n{name}\n", *lines, sep="\n")
        return
    FOLDER = options.folder
    measure_missing(path, KEY, cases_of(options, WIDE_LIST), measure, options.jobs)


if __name__ == "__main__":
    main()
