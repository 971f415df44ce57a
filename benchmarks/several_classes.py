"""More than two classes: is backward elimination by the logistic loss better than the group lasso?

    python benchmarks/several_classes.py --measure [--tables isolet signals] [--seeds 2] [--jobs 2]
    python benchmarks/several_classes.py            # show the differences

``several_classes.csv`` has one row per table, number of rows, seed and K: the mean accuracy of four
classifiers on new rows for the columns of the default, of the default as it was before, with the
group lasso in the place of ``logistic-backward``, and of three rankings. The tables are those of
``medium_tables.py`` with more than two classes, with fewer or more rows, and other seeds. Test rows
of the data sets are not used.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

import medium_tables
import numpy as np
import torch
from comparison import judges, sources
from comparison.methods import DEFAULT, fitted
from missing_rows import read_rows
from numpy.typing import NDArray
from rows import new_parser, require_tests, write

from ipcae.selectors import GroupLasso
from ipcae.selectors.classical import adaptive

Row = dict[str, str]
TESTS = ["tests/selectors/classical/test_logistic_backward.py"]
KEY = "table", "rows", "seed", "selected"
BEFORE = "before"
RANKINGS = "group-lasso", "backward", "logistic-backward"
REAL = "isolet", "coil20", "har", "mnist", "fashion_mnist", "mice_protein", "pbmc3k", "digits"
GENERATED = (
    *("answers", "clusters", "codes", "crowd", "four-classes", "many-classes", "molecules"),
    *(
        "outliers",
        "ratings",
        "ratios",
        "rings",
        "signals",
        "spectra",
        "thresholds",
        "unequal",
        "xor",
    ),
)
N_ROWS = 80, 200, 400, 1000, 3000
FEW = 300
FIRST_SEED = 1000


def columns_of(method: str, X: NDArray, y: NDArray, k: int, seed: int) -> NDArray:
    """Return the columns that a method selects."""
    if method != BEFORE:
        own = {} if method != DEFAULT else {"device": "cpu"}
        return fitted(method, "classification", X, y, k, seed, **own).get_support(indices=True)
    with patch.object(adaptive, "LogisticBackward", GroupLasso):
        return columns_of(DEFAULT, X, y, k, seed)


def measured(folder: Path, name: str, n_rows: int, seed: int) -> list[Row]:
    """Return a row per number of features."""
    torch.set_num_threads(1)
    sources.folder = folder
    X, y, X_new, y_new = medium_tables.table_of(name, n_rows, seed)
    rows = []
    for k in (5, 15, 50):
        row = dict(zip(KEY, map(str, (name, len(X), seed, k)), strict=True))
        for method in (DEFAULT, BEFORE, *RANKINGS) if k <= X.shape[1] / 2 else ():
            start = time.process_time()
            columns = np.sort(columns_of(method, X, y, k, seed))
            row[f"{method} seconds"] = f"{time.process_time() - start:.1f}"
            models = judges.classifiers(seed)
            values = judges.scores(models, X[:, columns], y, X_new[:, columns], y_new)
            row[method] = f"{np.mean(list(values.values())):.2f}"
        if DEFAULT in row:
            rows.append(row)
    return rows


def groups_of(rows: list[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of real and generated tables, with few rows and with more."""
    for kind, names in {"real": REAL, "generated": GENERATED}.items():
        for size, few in {"fewer than 300 rows": True, "300 or more": False}.items():
            some = [
                row for row in rows if row["table"] in names and (int(row["rows"]) < FEW) == few
            ]
            if some:
                yield f"{kind}, {size}", some


def show(rows: list[Row]) -> None:
    """Print the difference from the default before, with its standard error over the tables."""
    methods = DEFAULT, *RANKINGS
    print("| | K | tables | before | " + " | ".join(methods) + " |")
    print("|---|---:|---:|---:|" + "---:|" * len(methods))
    for title, some in groups_of(rows):
        for k in ("5", "15", "50"):
            found = defaultdict(list)
            for row in some:
                if row["selected"] == k:
                    values = [float(row[name]) for name in (BEFORE, *methods)]
                    found[row["table"], row["rows"]].append(values)
            if len(found) < 2:
                continue
            means = np.array([np.mean(each, 0) for each in found.values()])
            gain = means[:, 1:] - means[:, :1]
            error = gain.std(0, ddof=1) / np.sqrt(len(gain))
            cells = " | ".join(
                f"{a:+.1f} ± {b:.1f}" for a, b in zip(gain.mean(0), error, strict=True)
            )
            print(f"| {title} | {k} | {len(means)} | {means[:, 0].mean():.1f} | {cells} |")


def main() -> None:
    """Measure the rows that are not there yet, or show the differences."""
    parser = new_parser(__doc__, "several_classes.csv")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--tables", nargs="+", default=[*REAL, *GENERATED])
    parser.add_argument("--rows", nargs="+", type=int, default=N_ROWS)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--seeds", type=int, default=2, help="number of seeds")
    parser.add_argument("--data", type=Path, default=sources.folder)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    out = Path(options.out)
    if options.measure:
        if not options.untested:
            require_tests(*TESTS)
        seeds = range(options.first_seed, options.first_seed + options.seeds)
        done = {tuple(row[name] for name in KEY) for row in read_rows(out)}
        cases = [
            (name, n_rows, seed)
            for seed, n_rows, name in product(seeds, options.rows, options.tables)
            if (name, str(n_rows), str(seed), "5") not in done
        ]
        with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
            futures = [pool.submit(measured, options.data, *case) for case in cases]
            for future in as_completed(futures):
                rows = future.result()
                write(out, rows)
                for row in rows:
                    print(*(row[name] for name in (*KEY, DEFAULT, BEFORE)), flush=True)
    show(read_rows(out))


if __name__ == "__main__":
    main()
