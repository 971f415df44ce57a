"""Measure what ``ipcae select`` chooses, how long it takes, and its verdict on noise.

    python benchmarks/number_search.py [-k auto] [--kinds xor linear] [--seeds 0 1] [--noise 100]
    python benchmarks/number_search.py -k 5 --against /path/to/another/checkout/src

Every table is written to a file for ``ipcae select``. Rows of the file are the chosen number, the
informative columns among the selected ones, the score of the model on 4,000 new rows (ROC AUC for
two classes, else accuracy or R²; of breast cancer, on the held-out rows), the p-value and the CPU
seconds of the command. ``--against`` runs another version of the package as well, after this one,
on every table. ``--noise`` also measures the p-values of
the same search for this number of tables of noise, trained for 40 epochs; the command's first steps
are left out.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rows import new_parser, parse, write
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.metrics import roc_auc_score

from ipcae import ClassificationSelector, RegressionSelector, SelectorCV, load

N_NEW = 4000
Arrays = tuple[NDArray[Any], NDArray[Any]]
# Rows, columns, and how many columns are informative: the first ones.
SIZES = {
    "xor": (600, 40, 4),
    "linear": (400, 30, 5),
    "rare class": (200, 20, 5),
    "three classes": (200, 13, 4),
    "many classes": (1000, 60, 8),
    "many rows": (2000, 50, 8),
    "numbers": (800, 30, 5),
    "breast cancer": (569, 30, 0),
    "noise": (300, 20, 0),
    "tall": (26_000, 60, 8),  # only if asked for
}
CLUSTERS: dict[str, dict[str, Any]] = {
    "rare class": {"n_redundant": 2, "weights": [0.9, 0.1], "class_sep": 1.5},
    "three classes": {"n_redundant": 0, "n_classes": 3},
    "many classes": {"n_redundant": 6, "n_classes": 3},
    "many rows": {"n_redundant": 8, "n_classes": 3},
    "tall": {"n_redundant": 8},
}


def table(kind: str, seed: int) -> Arrays:
    """Return the rows of a table, and then 4,000 new ones, if it was generated."""
    if kind == "breast cancer":
        return load_breast_cancer(return_X_y=True)
    n_rows, n_columns, n_informative = SIZES[kind]
    n_rows, random = n_rows + N_NEW, np.random.default_rng(seed)
    if kind in CLUSTERS:
        options = CLUSTERS[kind] | {"n_informative": n_informative, "shuffle": False}
        X, y = make_classification(n_rows, n_columns, random_state=seed, **options)
    else:
        X = random.normal(size=(n_rows, n_columns))
        y = _target(kind, X, random)
    order = np.random.default_rng(9).permutation(n_rows)
    return X[order], y[order]


def _target(kind: str, X: NDArray[Any], random: np.random.Generator) -> NDArray[Any]:
    if kind == "xor":
        return (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0).astype(int)
    if kind == "linear":
        effect = X[:, :5] @ np.array([1, 0.8, 0.6, 0.5, 0.4])
        return (effect + random.normal(size=len(X)) > 0).astype(int)
    if kind == "numbers":
        effect = X[:, 0] + 0.7 * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3] * X[:, 4]
        return effect + 0.5 * random.normal(size=len(X))
    return random.integers(0, 2, len(X))


def main() -> None:
    """Measure the command for every kind of table and seed, and then the noise."""
    parser = new_parser(__doc__, "number_search.csv")
    parser.add_argument("-k", default="auto")
    parser.add_argument("--against", default="", help="the src folder of another version")
    parser.add_argument("--kinds", nargs="*", default=list(SIZES)[:-1])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--noise", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the first seed of the noise")
    options = parse(parser, ["tests/estimators/many_fits/test_number_search.py"])
    for kind in options.kinds:
        for seed in options.seeds:
            for source in filter(None, ("this", options.against)):
                _record(options.out, _measured(kind, seed, options.k, source))
    for seed in range(options.first, options.first + options.noise):
        _record(options.out, _of_noise(seed))


def _record(out: str, row: dict[str, object]) -> None:
    print(row, flush=True)
    write(Path(out), [row])


def _measured(kind: str, seed: int, k: str, source: str) -> dict[str, object]:
    """Run the command with this version of the package, or that of another folder."""
    n_rows, n_columns, n_informative = SIZES[kind]
    X, y = table(kind, seed)
    names = [f"c{column}" for column in range(n_columns)]
    y = y if kind == "numbers" else np.array([f"k{label}" for label in y])
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "table.csv", Path(folder) / "out"
        pd.DataFrame(X[:n_rows], columns=names).assign(y=y[:n_rows]).to_csv(file, index=False)
        command = [sys.executable, "-m", "ipcae", "select", file, "--target", "y", "-k", k]
        path = {} if source == "this" else {"PYTHONPATH": source}
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([*command, "--quiet", "--out", out], check=True, env=os.environ | path)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        metrics = json.loads((out / "metrics.json").read_text(encoding="utf-8"))
        selected = (out / "selected.txt").read_text(encoding="utf-8").split()
        model = load(out / "model.safetensors")
    new = pd.DataFrame(X[n_rows:], columns=names)
    score = metrics["held_out"][metrics["score"]]
    if len(new):
        score = model.score(new, y[n_rows:])
    if len(new) and len(np.unique(y)) == 2:
        score = roc_auc_score(y[n_rows:], model.predict_proba(new)[:, 1])
    return {
        "table": kind,
        "seed": seed,
        "k": k,
        "version": "this" if source == "this" else "before",
        "selected": " ".join(sorted(selected)),
        "chosen": len(selected),
        "informative": len(set(selected) & set(names[:n_informative])),
        "score": f"{score:.4f}",
        "p_value": f"{metrics['chance']['p_value']:.4f}",
        "cpu": f"{seconds:.1f}",
    }


def _of_noise(seed: int) -> dict[str, object]:
    """Search in 4/5 of a table of noise, and return the verdict on all rows."""
    from ipcae.estimators.chance_of_folds import chance_of_folds
    from ipcae.evaluation.folds import Data

    random = np.random.default_rng(seed)
    n_rows, n_columns = int(random.integers(50, 300)), int(random.integers(12, 60))
    numbers = bool(random.integers(2))
    X = random.normal(size=(n_rows, n_columns))
    X += random.integers(2) * random.normal(size=(n_rows, 1))
    y = random.normal(size=n_rows) if numbers else random.integers(0, 2, n_rows)
    selector = (RegressionSelector if numbers else ClassificationSelector)(
        max_epochs=40, random_state=seed
    )
    test, train = (Data(X, y).take(part) for part in np.split(np.arange(n_rows), [n_rows // 5]))
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = SelectorCV(selector).fit(train.X, train.y)
        found = chance_of_folds(search, train, (search.selector_, test))
    return {
        "table": f"noise, {'numbers' if numbers else 'two classes'}",
        "seed": seed,
        "chosen": search.n_features_,
        "p_value": "" if found is None else f"{found.p_value:.4f}",
        "cpu": f"{time.process_time() - start:.1f}",
    }


if __name__ == "__main__":
    main()
