"""Compare selectors for survival analysis with Coxnet at the same number of features.

    python benchmarks/survival.py [--splits 10] [--methods ip-cae cox-score coxnet]
        [--out benchmarks/survival.csv] [--untested]

Data sets are those of scikit-survival, with categories as zeros and ones. 30 % of the rows are test
rows, stratified by event. Coxnet (l1_ratio 0.9) uses the smallest penalty with at most K nonzero
coefficients. A row is one fit: the concordance index on the test rows of the method's own
prediction, and of an unpenalized Cox model refitted on its features. Existing rows are skipped.
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
from sksurv import datasets
from sksurv.linear_model import CoxnetSurvivalAnalysis, CoxPHSurvivalAnalysis

from ipcae import SurvivalSelector
from ipcae.errors import TrainingWarning
from ipcae.survival import concordance
from ipcae.tasks.censored import times_and_events

TESTS = ["tests/survival/test_against_sksurv.py", "tests/survival/test_cox_loss.py"]
NAMES = ("breast_cancer", "gbsg2", "whas500", "veterans_lung_cancer")
SIZES = (5, 10, 20)
KEYS = ("dataset", "features", "selected", "split", "method")


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns as numbers, and the structured target."""
    X, y = getattr(datasets, f"load_{name}")()
    return pd.get_dummies(X, drop_first=True).astype(np.float64), y


def coxnet(X: pd.DataFrame, y: np.ndarray, n_selected: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients of the smallest penalty with at most K features, and those."""
    path = CoxnetSurvivalAnalysis(l1_ratio=0.9, alpha_min_ratio=1e-3, n_alphas=200).fit(X, y)
    sizes = np.count_nonzero(path.coef_, axis=0)
    coefficients = path.coef_[:, np.flatnonzero(sizes <= n_selected)[-1]]
    return coefficients, np.flatnonzero(coefficients)


def refitted(train, test, y_train, features: np.ndarray) -> np.ndarray:
    """Return the risks of a Cox model of these features; a tiny ridge keeps it solvable."""
    model = CoxPHSurvivalAnalysis(alpha=1e-3, ties="efron").fit(train[:, features], y_train)
    return model.predict(test[:, features])


def measure(name: str, n_selected: int, split: int, method: str) -> dict[str, object]:
    """Fit one method on one split."""
    X, y = load(name)
    event = times_and_events(y)[:, 1]
    train, test = train_test_split(
        np.arange(len(y)), test_size=0.3, random_state=split, stratify=event
    )
    scaler = StandardScaler().fit(X.iloc[train])
    Z_train, Z_test = (scaler.transform(X.iloc[rows]) for rows in (train, test))
    start = time.perf_counter()
    if method == "coxnet":
        coefficients, features = coxnet(Z_train, y[train], n_selected)
        risk = Z_test @ coefficients
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingWarning)  # constant columns
            selector = SurvivalSelector(n_selected, method=method, random_state=split)
            selector.fit(X.iloc[train], y[train])
        risk, features = selector.predict(X.iloc[test]), selector.get_support(indices=True)
    seconds = time.perf_counter() - start
    times, events = times_and_events(y[test]).T
    again = refitted(Z_train, Z_test, y[train], features)
    return {
        "dataset": name,
        "features": X.shape[1],
        "selected": n_selected,
        "split": split,
        "method": method,
        "used": len(features),
        "concordance": f"{concordance(times, events > 0, risk):.4f}",
        "refitted": f"{concordance(times, events > 0, again):.4f}",
        "seconds": f"{seconds:.2f}",
    }


def done(path: Path) -> set[tuple[str, ...]]:
    """Return the keys of the rows that are there."""
    if not path.exists():
        return set()
    with path.open(newline="") as file:
        return {tuple(row[key] for key in KEYS) for row in csv.DictReader(file)}


def main() -> None:
    """Measure what is missing, then print the means."""
    parser = new_parser(__doc__, "survival.csv")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--methods", nargs="+", default=["coxnet", "cox-score", "ip-cae"])
    options = parse(parser, TESTS)
    path = Path(options.out)
    known = done(path)
    widths = {name: load(name)[0].shape[1] for name in NAMES}
    for method, split, name, k in product(options.methods, range(options.splits), NAMES, SIZES):
        key = (name, str(widths[name]), str(k), str(split), method)
        if k < widths[name] and key not in known:
            write(path, [measure(name, k, split, method)])
    table = pd.read_csv(path)
    print(table.groupby(["dataset", "selected", "method"])[["concordance", "refitted"]].mean())


if __name__ == "__main__":
    main()
