"""What fraction of the features that ``select_with_fdr`` selects are false, and how many are found?

    python benchmarks/false_discoveries.py [--tables 40] [--jobs 1]  # adds missing rows
    python benchmarks/false_discoveries.py --write                   # the table of docs/chance.md

A table has planted features that determine its target, in random columns and with random signs. A
row of ``false_discoveries.csv`` is one table: how many features are selected at each rate, and how
many of them are false. The false discovery rate is the mean, over the tables, of the fraction of
the selected features that are false.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))  # for its neighbor, wherever this is run from

from benchmarks.missing_rows import Row, measure_missing, read_rows  # noqa: E402

ROWS = HERE / "false_discoveries.csv"
RATES = (0.1, 0.2)
N_SUBSAMPLES = 30

# Neighboring columns have the given correlation; it decreases with their distance.
TABLES: dict[str, Row] = {
    "300 rows, 60 columns, 15 planted": {"rows": 300, "columns": 60, "planted": 15},
    "the same, correlation 0.5": {"rows": 300, "columns": 60, "planted": 15, "rho": 0.5},
    "the same, correlation 0.8": {"rows": 300, "columns": 60, "planted": 15, "rho": 0.8},
    "the same, 0.8, categories and gaps": {
        **{"rows": 300, "columns": 60, "planted": 15, "rho": 0.8, "mixed": True}
    },
    "300 rows, 60 columns, none planted": {"rows": 300, "columns": 60, "planted": 0},
    "400 rows, 100 columns, two classes, 20 planted": {
        **{"rows": 400, "columns": 100, "planted": 20, "classes": True, "rho": 0.3}
    },
    "200 rows, 1,000 columns, 15 planted": {"rows": 200, "columns": 1000, "planted": 15},
    "200 rows, 1,000 columns, correlation 0.5": {
        "rows": 200,
        "columns": 1000,
        "planted": 15,
        "rho": 0.5,
    },
}
METHODS = ("lasso", "anova", "default")


def planted_table(name: str, seed: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return the columns, the target, and which columns are planted.

    Of "mixed" tables, every tenth column is one of quartiles, and others have gaps.
    """
    sizes, random = TABLES[name], np.random.default_rng([4, seed])
    n_rows, n_columns, rho = sizes["rows"], sizes["columns"], sizes.get("rho", 0.0)
    X = random.normal(size=(n_rows, n_columns))
    for column in range(1, n_columns):
        X[:, column] = rho * X[:, column - 1] + (1 - rho**2) ** 0.5 * X[:, column]
    planted = random.choice(n_columns, sizes["planted"], replace=False)
    effects = 0.6 * random.choice([-1.0, 1.0], sizes["planted"])
    y = X[:, planted] @ effects + random.normal(size=n_rows)
    if sizes.get("classes"):
        y = (y > np.median(y)).astype(int)
    if sizes.get("mixed"):
        X[random.random(X.shape) < 0.03] = np.nan
        frame = pd.DataFrame(X).add_prefix("number ")
        for column in frame.columns[::10]:
            quartile = pd.qcut(frame[column], 4, labels=["lowest", "low", "high", "highest"])
            frame[column] = quartile.astype(object).where(quartile.notna(), "low")
        return frame, y, np.isin(np.arange(n_columns), planted)
    return X, y, np.isin(np.arange(n_columns), planted)


def measure(case: Row) -> Row:
    """Select features from one table at every rate; the subsamples are the same."""
    import torch

    from ipcae import ClassificationSelector, RegressionSelector, select_with_fdr
    from ipcae.estimators.false_discoveries import knockoff_threshold

    torch.set_num_threads(1)
    start = time.perf_counter()
    X, y, planted = planted_table(case["table"], case["seed"])
    sizes = TABLES[case["table"]]
    kind = ClassificationSelector if sizes.get("classes") else RegressionSelector
    method = {"default": None, "lasso": "l1-logistic" if sizes.get("classes") else "lasso"}
    selector = kind(
        2 * (sizes["planted"] or 15),
        method=method.get(case["method"], case["method"]),
        missing="impute",
        max_epochs=40,
        device="cpu",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = select_with_fdr(
            selector, X, y, n_subsamples=N_SUBSAMPLES, random_state=case["seed"]
        )
    row = {**case, "decoys": found.decoys}
    for rate in RATES:
        chosen = found.statistic >= knockoff_threshold(found.statistic, rate)[0]
        row[f"selected_{rate}"] = int(chosen.sum())
        row[f"false_{rate}"] = int((chosen & ~planted).sum())
    return {**row, "seconds": round(time.perf_counter() - start, 2)}


def run(n_tables: int, methods: list[str], names: list[str], jobs: int) -> None:
    """Measure the tables that the file does not contain, and append their rows."""
    cases = [
        {"table": name, "method": method, "seed": seed}
        for seed in range(n_tables)
        for name in names
        for method in methods
    ]
    measure_missing(ROWS, ("table", "method", "seed"), cases, measure, jobs)


def markdown() -> str:
    """Return the false discovery rate and the power of every kind of table and method."""
    rows = read_rows(ROWS)
    heads = " | ".join(f"FDR at {rate:g} | power" for rate in RATES)
    lines = [f"| tables | decoys | method | number | {heads} |", "|---" * 8 + "|"]
    for name, sizes in TABLES.items():
        for method in METHODS:
            here = [row for row in rows if (row["table"], row["method"]) == (name, method)]
            if not here:
                continue
            cells = []
            for rate in RATES:
                selected, false = (
                    np.array([float(row[f"{kind}_{rate}"]) for row in here])
                    for kind in ("selected", "false")
                )
                shares = false / np.maximum(selected, 1)
                half = 1.96 * shares.std(ddof=min(len(here) - 1, 1)) / len(here) ** 0.5
                power = (selected - false).mean() / max(sizes["planted"], 1)
                cells += [
                    f"{100 * shares.mean():.0f} ± {100 * half:.0f} %",
                    f"{100 * power:.0f} %" if sizes["planted"] else "–",
                ]
            kinds = ", ".join(sorted({row["decoys"] for row in here}))
            lines.append(f"| {name} | {kinds} | {method} | {len(here)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def with_table(page: str) -> str:
    """Return docs/chance.md with the table of the rows that were measured."""
    start, end = "<!-- false discoveries -->\n", "<!-- end of false discoveries -->"
    before, rest = page.split(start)
    return f"{before}{start}{markdown()}\n{rest[rest.index(end) :]}"


def main() -> None:
    """Measure, or write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=40, help="tables per kind and method")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--kinds", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="update docs/chance.md")
    arguments = parser.parse_args()
    if arguments.write:
        page = HERE.parent / "docs" / "chance.md"
        page.write_text(with_table(page.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        run(arguments.tables, arguments.methods, arguments.kinds, arguments.jobs)


if __name__ == "__main__":
    main()
