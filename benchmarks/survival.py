"""Compare selectors for survival analysis with Coxnet at the same number of features.

    python benchmarks/survival.py [--splits 10] [--methods default coxnet ip-cae]
        [--datasets gbsg2] [--data FOLDER] [--out benchmarks/survival.csv] [--untested]

Data sets are those of scikit-survival, with categories as zeros and ones. 30 % of the rows are test
rows, stratified by event. Coxnet (l1_ratio 0.9) uses the smallest penalty with at most K nonzero
coefficients. "default" is what SurvivalSelector does without a method. A row is one fit, with the
concordance index on the test rows. Existing rows are skipped.
The table of docs/how-to/survival.md is written from the rows.
With --data, the tables are stored in a folder, and read from it on a machine without
scikit-survival.
"""

from __future__ import annotations

import csv
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from rows import new_parser, parse, write
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from survival_page import PAGE, ROWS, with_table

from ipcae import SurvivalSelector
from ipcae.errors import TrainingWarning
from ipcae.survival import concordance
from ipcae.tasks.censored import times_and_events

TESTS = ["tests/survival/test_against_sksurv.py", "tests/survival/test_cox_loss.py"]
NAMES = ("breast_cancer", "gbsg2", "whas500", "veterans_lung_cancer")
SIZES = (5, 10, 20)
KEYS = ("dataset", "features", "selected", "split", "method")


def load(name: str, folder: str | None) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns as numbers, and times and events."""
    stored = None if folder is None else Path(folder, f"{name}.npz")
    if stored is not None and stored.exists():
        data = np.load(stored)
        return pd.DataFrame(data["X"]), data["y"]
    from sksurv import datasets

    X, y = getattr(datasets, f"load_{name}")()
    X, y = pd.get_dummies(X, drop_first=True).astype(np.float64), times_and_events(y)
    if stored is not None:
        np.savez_compressed(stored, X=X.to_numpy(), y=y)
    return X, y


def coxnet(X: np.ndarray, y: np.ndarray, n_selected: int) -> np.ndarray:
    """Return the coefficients of the smallest penalty with at most K features."""
    from sksurv.linear_model import CoxnetSurvivalAnalysis
    from sksurv.util import Surv

    y = Surv.from_arrays(y[:, 1] > 0, y[:, 0])
    path = CoxnetSurvivalAnalysis(l1_ratio=0.9, alpha_min_ratio=1e-3, n_alphas=200).fit(X, y)
    sizes = np.count_nonzero(path.coef_, axis=0)
    return path.coef_[:, np.flatnonzero(sizes <= n_selected)[-1]]


def measure(
    name: str, n_selected: int, split: int, method: str, folder: str | None
) -> dict[str, object]:
    """Fit one method on one split."""
    X, y = load(name, folder)
    train, test = train_test_split(
        np.arange(len(y)), test_size=0.3, random_state=split, stratify=y[:, 1]
    )
    scaler = StandardScaler().fit(X.iloc[train])
    Z_train, Z_test = (scaler.transform(X.iloc[rows]) for rows in (train, test))
    start = time.perf_counter()
    if method == "coxnet":
        coefficients = coxnet(Z_train, y[train], n_selected)
        risk, n_used = Z_test @ coefficients, np.count_nonzero(coefficients)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingWarning)  # constant columns
            named = None if method == "default" else method
            selector = SurvivalSelector(n_selected, method=named, random_state=split)
            selector.fit(X.iloc[train], y[train])
        risk, n_used = selector.predict(X.iloc[test]), n_selected
    seconds = time.perf_counter() - start
    times, events = y[test].T
    return {
        "dataset": name,
        "features": X.shape[1],
        "selected": n_selected,
        "split": split,
        "method": method,
        "used": n_used,
        "concordance": f"{concordance(times, events > 0, risk):.4f}",
        "seconds": f"{seconds:.2f}",
    }


def done(path: Path) -> set[tuple[str, ...]]:
    """Return the keys of the rows that are there."""
    if not path.exists():
        return set()
    with path.open(newline="") as file:
        return {tuple(row[key] for key in KEYS) for row in csv.DictReader(file)}


def main() -> None:
    """Measure what is missing, print the means, and write the table of the page."""
    parser = new_parser(__doc__, "survival.csv")
    parser.add_argument("--data", help="a folder with the tables, written if it is empty")
    parser.add_argument("--datasets", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--methods", nargs="+", default=["coxnet", "default"])
    options = parse(parser, TESTS)
    path = Path(options.out)
    known = done(path)
    widths = {name: load(name, options.data)[0].shape[1] for name in options.datasets}
    for method, split, name, k in product(options.methods, range(options.splits), widths, SIZES):
        key = (name, str(widths[name]), str(k), str(split), method)
        if k < widths[name] and key not in known:
            write(path, [measure(name, k, split, method, options.data)])
    table = pd.read_csv(path)
    if path.samefile(ROWS):
        PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")
    print(table.groupby(["dataset", "selected", "method"])["concordance"].agg(["mean", "std"]))


if __name__ == "__main__":
    main()
