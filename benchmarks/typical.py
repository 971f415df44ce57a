"""Time and accuracy of the defaults on typical tables, beside what people use instead.

    python benchmarks/typical.py [--limit 300] [--tables NAME ...] [--methods NAME ...]

K = 10 columns of five tables: 150 × 13 (wine), 100 × 5,000, 2,600 × 1,000 counts, 10,000 × 60
(generated, with columns that are known to matter) and 60,000 × 784 (MNIST; needs ``IPCAE_DATA``).
A quarter of the rows is held out. Every method runs in a process of its own with the same cores,
and is ended after the limit, which is a result, too. The accuracy is that of the same forest on the
selected columns of the held-out rows. RFECV chooses the number of columns itself.

Other packages are used if they are installed (``benchmarks/comparison/rivals``).
"""

from __future__ import annotations

import multiprocessing
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from comparison.rivals import rival
from rows import new_parser, parse, write
from sklearn.datasets import load_wine, make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_selection import RFECV
from sklearn.model_selection import train_test_split

from ipcae import ClassificationSelector
from ipcae.data import load

K = 10
Table = tuple[np.ndarray, np.ndarray]
Selection = Callable[[np.ndarray, np.ndarray], np.ndarray]


def counts() -> Table:
    """Return 2,600 × 1,000 counts of eight kinds of cells, 40 columns of which differ."""
    random = np.random.default_rng(0)
    kinds = random.integers(8, size=2600)
    rates = np.exp(random.normal(-1, 1, size=(1, 1000))) * np.ones((8, 1))
    rates[:, :40] *= np.exp(random.normal(0, 0.8, size=(8, 40)))
    depth = np.exp(random.normal(0, 0.3, size=(2600, 1)))
    return random.poisson(rates[kinds] * depth).astype(np.float32), kinds


def generated(n_rows: int, n_columns: int, n_informative: int) -> Table:
    """Return columns of which some determine three classes."""
    X, y = make_classification(
        n_rows, n_columns, n_informative=n_informative, n_redundant=0, n_classes=3, random_state=0
    )
    return X.astype(np.float32), y


def mnist() -> Table:
    """Return the training images of MNIST."""
    table = load("mnist")
    return np.asarray(table.X[:60_000], dtype=np.float32), np.asarray(table.y[:60_000])


TABLES: dict[str, Callable[[], Table]] = {
    "150 x 13": lambda: load_wine(return_X_y=True),
    "100 x 5000": lambda: generated(100, 5000, 10),
    "2600 x 1000 counts": counts,
    "10000 x 60": lambda: generated(10_000, 60, 12),
    "60000 x 784": mnist,
}


def ours(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Select with the defaults of this package."""
    selector = ClassificationSelector(K, random_state=0, device="cpu").fit(X, y)
    return selector.get_support(indices=True)


def rfecv(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Select with RFECV and a forest of all cores, a fifth of the columns at a time."""
    forest = RandomForestClassifier(n_jobs=-1, random_state=0)
    search = RFECV(forest, step=0.2, min_features_to_select=K, cv=3).fit(X, y)
    return search.get_support(indices=True)


def package(name: str) -> Selection:
    """Return the selection of another package, with the settings of the comparison."""

    def select(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.asarray(rival(name).select(X, y, K, 0))

    return select


METHODS: dict[str, Selection] = {
    "ipcae": ours,
    "rfecv": rfecv,
    **{name: package(name) for name in ("lassonet-package", "stg-package", "boruta", "mrmr")},
}


def _work(method: str, X: np.ndarray, y: np.ndarray, results: Any) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.perf_counter()
            selected = METHODS[method](X, y)
            results.put((time.perf_counter() - start, np.asarray(selected)))
    except Exception as error:  # a package is missing, or refuses a table
        results.put((f"{type(error).__name__}: {error}".splitlines()[0][:80], None))


def measured(method: str, X: np.ndarray, y: np.ndarray, limit: float) -> tuple[Any, Any]:
    """Return the seconds of a method, or why there are none, and the selected columns."""
    results = multiprocessing.get_context("fork").Queue()
    process = multiprocessing.get_context("fork").Process(
        target=_work, args=(method, X, y, results), daemon=False
    )
    process.start()
    try:
        return results.get(timeout=limit + 10)
    except Exception:  # queue.Empty
        return f"more than {limit:g}", None
    finally:
        process.kill()
        process.join()


def accuracy(selected: np.ndarray, train: Table, test: Table) -> float:
    """Return the accuracy of a forest on the selected columns."""
    forest = ExtraTreesClassifier(200, n_jobs=-1, random_state=0)
    forest.fit(train[0][:, selected], train[1])
    return float(forest.score(test[0][:, selected], test[1]))


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "typical.csv")
    parser.add_argument("--limit", type=float, default=300, help="seconds for every method")
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    arguments = parse(parser, ["tests/estimators/test_classification.py"])
    for name in arguments.tables:
        X, y = TABLES[name]()
        parts = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
        train, test = (parts[0], parts[2]), (parts[1], parts[3])
        for method in arguments.methods:
            seconds, selected = measured(method, *train, arguments.limit)
            row = {"table": name, "method": method, "limit": arguments.limit}
            if selected is None:
                row |= {"seconds": seconds, "columns": "", "accuracy": ""}
            else:
                found = accuracy(selected, train, test)
                row |= {"seconds": round(seconds, 2), "columns": len(selected)}
                row |= {"accuracy": round(found, 4)}
            print(row, flush=True)
            write(Path(arguments.out), [row])


if __name__ == "__main__":
    main()
