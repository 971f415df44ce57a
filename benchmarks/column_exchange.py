"""Compare ways to select columns that reconstruct the others, by held-out variance explained.

    python benchmarks/column_exchange.py [--out benchmarks/column_exchange.csv]
    python benchmarks/column_exchange.py --fits        # complete fits, with IP-CAE

Rows are drawn from the training rows of the paper's data sets, from two data sets of scikit-learn,
and from ``shared/data/small`` if it is there; up to 1,500 other training rows are reconstructed.
Without ``--fits``, this is done by a ridge regression on the columns that ``column-subset`` selects
without and with exchanges; with ``--fits``, by the decoder of a complete fit. Test rows are not
used.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rows import new_parser, parse, write
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from ipcae import ReconstructionSelector
from ipcae.selectors import ColumnSubset
from ipcae.selectors.classical import Examples
from paper.protocol import DATASETS
from paper.splits import load_rows

TESTS = ["tests/selectors/classical/test_column_subset.py"]
METHODS = {"added": ColumnSubset(exchanges=False), "exchanged": ColumnSubset()}
SMALL = ("colon", "lung_small", "leukemia", "GLIOMA", "orlraws10P")
MOST_HELD_OUT = 1500
Table = NDArray[np.float64]


def tables(splits: str | None) -> Iterator[tuple[str, Table]]:
    """Yield the names and rows of the tables."""
    for name in DATASETS:
        yield name, load_rows(name, splits).X_train.astype(np.float64)
    for name, load in {"digits": load_digits, "breast_cancer": load_breast_cancer}.items():
        yield name, StandardScaler().fit_transform(load(return_X_y=True)[0])
    folder = Path(os.environ.get("IPCAE_DATA", "../shared/data")) / "small"
    for name in SMALL if folder.is_dir() else ():
        yield name, np.load(folder / f"{name}.npz")["X"].astype(np.float64)


def problems(
    table: Table, sizes: tuple[int, ...], counts: tuple[int, ...], seeds: range
) -> Iterator[tuple[int, int, int, Table, Table]]:
    """Yield numbers of rows and of columns, a seed, and rows to fit and to reconstruct."""
    for n_rows in sizes:
        for seed in seeds if n_rows <= 0.75 * len(table) else ():
            order = np.random.default_rng(seed).permutation(len(table))
            fitted, others = table[order[:n_rows]], table[order[n_rows:][:MOST_HELD_OUT]]
            varying = fitted.std(0) > 0
            for k in counts:
                if 2 * k < min(n_rows, varying.sum()):
                    yield n_rows, k, seed, fitted[:, varying], others[:, varying]


def explained(fitted: Table, others: Table, reconstructed: Table) -> float:
    """Return the percentage of the other rows' variance around the mean that is explained."""
    center = fitted.mean(0)
    return 100 * (1 - np.square(others - reconstructed).sum() / np.square(others - center).sum())


def by_ridge(fitted: Table, others: Table, k: int, method: ColumnSubset) -> tuple[float, float]:
    """Return the variance that a ridge regression explains, and the seconds of the selection."""
    began = time.process_time()
    examples = Examples(fitted, fitted[:, :0], discrete=False)
    columns = np.argsort(-method.scores(examples, k, 0), kind="stable")[:k]
    seconds = time.process_time() - began
    penalty = 1e-3 * fitted[:, columns].var(0).mean() * len(fitted)
    model = Ridge(penalty).fit(fitted[:, columns], fitted)
    return explained(fitted, others, model.predict(others[:, columns])), seconds


def by_fit(fitted: Table, others: Table, k: int, method: object) -> tuple[float, float]:
    """Return the variance that the decoder of a fit explains, and the seconds of the fit."""
    began = time.process_time()
    selector = ReconstructionSelector(k, method=method, random_state=0, device="cpu").fit(fitted)
    seconds = time.process_time() - began
    return explained(fitted, others, selector.reconstruct(others)), seconds


def main() -> None:
    """Measure all tables, and append a row for every selection."""
    parser = new_parser(__doc__, "column_exchange.csv")
    parser.add_argument("--splits", help="a folder written by `python -m paper pack FOLDER`")
    parser.add_argument("--fits", action="store_true", help="complete fits instead of regressions")
    parser.add_argument("--tables", nargs="+", help="only these tables")
    parser.add_argument("--rows", nargs="+", type=int, help="only these numbers of rows")
    parser.add_argument("--methods", nargs="+", help="only these methods")
    parser.add_argument("--seeds", type=int, default=2)
    options = parse(parser, TESTS)
    sizes = tuple(options.rows or ((800, 1600, 3200) if options.fits else (60, 150, 500, 1200)))
    counts = (50,) if options.fits else (5, 15, 50)
    measure = by_fit if options.fits else by_ridge
    methods = METHODS | ({"ip-cae": "ip-cae"} if options.fits else {})
    for name, table in tables(options.splits):
        if options.tables and name not in options.tables:
            continue
        for n_rows, k, seed, fitted, others in problems(table, sizes, counts, range(options.seeds)):
            for method in options.methods or methods:
                value, seconds = measure(fitted, others, k, methods[method])
                row = {"judge": measure.__name__, "table": name, "rows": n_rows, "k": k}
                row |= {"seed": seed, "method": method, "explained": f"{value:.2f}"}
                write(Path(options.out), [row | {"seconds": f"{seconds:.2f}"}])
                print(*row.values(), f"{seconds:.2f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
