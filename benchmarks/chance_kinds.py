"""How often is noise of every kind called better than chance by the default method?

    python benchmarks/chance_kinds.py --tables 100   # rows in benchmarks/chance_kinds.csv
    python benchmarks/chance_kinds.py --write        # the table of docs/chance.md

The target, or for reconstruction every column, is independent of the (other) columns. A run adds
the rows that are missing, so that it can be stopped and started again.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from scipy.stats import binomtest

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))  # for its neighbors, wherever this is run from

from benchmarks.missing_rows import Row, measure_missing, read_rows  # noqa: E402

EPOCHS, EPOCHS_OF_MANY_ROWS = 40, 5
LEVEL = 0.05
Random = np.random.Generator


@dataclass(frozen=True, eq=False)
class Noise:
    """A table of noise, and what is predicted."""

    task: str
    X: Any
    y: Any = None
    groups: Any = None


def _sizes(random: Random, rows: tuple[int, int], columns: tuple[int, int]) -> tuple[int, int]:
    """Draw the numbers of rows and columns."""
    n_rows, n_columns = (
        int(np.exp(random.uniform(np.log(least), np.log(most)))) for least, most in (rows, columns)
    )
    return n_rows, n_columns


def _columns(random: Random, n_rows: int, n_columns: int) -> np.ndarray:
    """Draw columns that share five factors."""
    factors = random.normal(size=(n_rows, 5)) @ random.normal(size=(5, n_columns))
    return random.normal(size=(n_rows, n_columns)) + factors / 2


def _classes(random: Random, n_rows: int, shares: Any) -> np.ndarray:
    """Draw classes, each of which has at least four rows."""
    y = random.choice(len(shares), n_rows, p=shares)
    first = np.repeat(np.arange(len(shares)), 4)
    y[: len(first)] = first
    return random.permutation(y)


def few_rows_many_columns(random: Random) -> Noise:
    """Draw 40 to 100 rows of two classes."""
    shape = _sizes(random, (40, 100), (500, 3000))
    return Noise("classification", _columns(random, *shape), _classes(random, shape[0], [0.5, 0.5]))


def few_columns(random: Random) -> Noise:
    """Draw two classes and hardly any columns to select from."""
    shape = _sizes(random, (40, 250), (2, 6))
    return Noise("classification", _columns(random, *shape), _classes(random, shape[0], [0.5, 0.5]))


def rare_class(random: Random) -> Noise:
    """Draw a class of 5 to 15 % and another."""
    shape, rare = _sizes(random, (100, 280), (5, 200)), random.uniform(0.05, 0.15)
    y = _classes(random, shape[0], [rare, 1 - rare])
    return Noise("classification", _columns(random, *shape), y)


def many_classes(random: Random) -> Noise:
    """Draw 8 to 15 classes."""
    shape, n_classes = _sizes(random, (120, 280), (5, 100)), int(random.integers(8, 16))
    y = _classes(random, shape[0], np.full(n_classes, 1 / n_classes))
    return Noise("classification", _columns(random, *shape), y)


def heavy_tails(random: Random) -> Noise:
    """Draw a target without variance, and columns with outliers."""
    shape = _sizes(random, (40, 300), (5, 300))
    X = _columns(random, *shape) * np.exp(random.normal(size=shape))
    return Noise("regression", X, random.standard_t(1.5, size=shape[0]))


def _categories(random: Random, n_rows: int, n_columns: int) -> pd.DataFrame:
    """Draw columns of 2 to 60 unequally frequent levels, and as many columns of numbers."""
    table = {}
    for number in range(n_columns):
        levels = int(np.exp(random.uniform(np.log(2), np.log(60))))
        codes = random.choice(levels, n_rows, p=random.dirichlet(np.ones(levels)))
        table[f"category {number}"] = [f"level {code}" for code in codes]
        table[f"number {number}"] = random.normal(size=n_rows)
    return pd.DataFrame(table)


def categories_and_classes(random: Random) -> Noise:
    """Draw two classes and columns of categories."""
    shape = _sizes(random, (60, 250), (3, 12))
    y = _classes(random, shape[0], [0.4, 0.6])
    return Noise("classification", _categories(random, *shape), y)


def categories_and_numbers(random: Random) -> Noise:
    """Draw numbers and columns of categories."""
    shape = _sizes(random, (60, 400), (3, 12))
    return Noise("regression", _categories(random, *shape), random.normal(size=shape[0]))


def missing_values(random: Random) -> Noise:
    """Draw two classes and columns whose larger values are missing at times."""
    shape = _sizes(random, (60, 250), (5, 100))
    X = _columns(random, *shape)
    X[(random.random(shape) < random.uniform(0, 0.6, size=shape[1])) & (X > -1)] = np.nan
    return Noise("classification", X, _classes(random, shape[0], [0.5, 0.5]))


def _of_groups(random: Random) -> tuple[np.ndarray, np.ndarray]:
    """Draw several rows of every group, which resemble each other."""
    n_groups, n_columns = _sizes(random, (12, 50), (5, 200))
    groups = np.repeat(np.arange(n_groups), random.integers(2, 9, size=n_groups))
    X = _columns(random, n_groups, n_columns)[groups]
    return X + random.normal(size=X.shape) / 2, groups


def groups_and_classes(random: Random) -> Noise:
    """Draw a class for every group."""
    X, groups = _of_groups(random)
    y = random.permutation(np.arange(groups.max() + 1) % 2)[groups]
    return Noise("classification", X, y, groups)


def groups_and_numbers(random: Random) -> Noise:
    """Draw numbers that are similar within a group."""
    X, groups = _of_groups(random)
    y = random.normal(size=groups.max() + 1)[groups] + random.normal(size=len(groups)) / 3
    return Noise("regression", X, y, groups)


def groups_not_given(random: Random) -> Noise:
    """Draw a class for every group, but do not tell the groups."""
    known = groups_and_classes(random)
    return Noise(known.task, known.X, known.y)


def repeated_rows(random: Random) -> Noise:
    """Draw two classes, and repeat rows with their class."""
    shape = _sizes(random, (60, 200), (5, 100))
    X, y = _columns(random, *shape), _classes(random, shape[0], [0.5, 0.5])
    rows = np.r_[np.arange(shape[0]), random.choice(shape[0], shape[0] // 5)]
    rows = random.permutation(rows)
    return Noise("classification", X[rows], y[rows])


def survival_times(random: Random) -> Noise:
    """Draw times, some of them censored."""
    shape = _sizes(random, (50, 300), (5, 200))
    time_, censored = random.exponential(size=(2, shape[0])) * [[1.0], [random.uniform(0.5, 3)]]
    y = np.column_stack([np.minimum(time_, censored), time_ <= censored])
    return Noise("survival", _columns(random, *shape), y)


def several_labels(random: Random) -> Noise:
    """Draw 2 to 5 labels."""
    shape = _sizes(random, (60, 280), (5, 100))
    shares = random.uniform(0.1, 0.6, size=int(random.integers(2, 6)))
    y = (random.random((shape[0], len(shares))) < shares).astype(int)
    return Noise("classification", _columns(random, *shape), y)


def no_target(random: Random) -> Noise:
    """Draw independent columns."""
    shape = _sizes(random, (40, 300), (6, 100))
    return Noise("reconstruction", random.normal(size=shape))


def more_rows(random: Random) -> Noise:
    """Draw enough rows for a network to select by."""
    shape = _sizes(random, (300, 600), (5, 60))
    return Noise("classification", _columns(random, *shape), _classes(random, shape[0], [0.3, 0.7]))


def tall_and_classes(random: Random) -> Noise:
    """Draw many rows of two classes and few columns."""
    shape = _sizes(random, (5000, 7000), (5, 25))
    return Noise("classification", _columns(random, *shape), _classes(random, shape[0], [0.2, 0.8]))


def tall_and_numbers(random: Random) -> Noise:
    """Draw many rows and few columns."""
    shape = _sizes(random, (5000, 7000), (5, 25))
    return Noise("regression", _columns(random, *shape), random.standard_t(3, size=shape[0]))


KINDS: dict[str, Callable[[Random], Noise]] = {
    "few rows, many columns": few_rows_many_columns,
    "2 to 6 columns": few_columns,
    "a class of 5 to 15 %": rare_class,
    "8 to 15 classes": many_classes,
    "a number with heavy tails": heavy_tails,
    "categories of up to 60 levels; two classes": categories_and_classes,
    "categories of up to 60 levels; a number": categories_and_numbers,
    "missing values": missing_values,
    "groups of rows, given; two classes": groups_and_classes,
    "groups of rows, given; a number": groups_and_numbers,
    "survival times": survival_times,
    "2 to 5 labels": several_labels,
    "no target": no_target,
    "300 to 600 rows": more_rows,
    "5,000 to 7,000 rows; two classes": tall_and_classes,
    "5,000 to 7,000 rows; a number": tall_and_numbers,
    "groups of rows, not given": groups_not_given,
    "a sixth of the rows repeated": repeated_rows,
}
"""The last two break the assumption that rows are independent."""

FEWER = ("300 to 600 rows", "5,000 to 7,000 rows; two classes", "5,000 to 7,000 rows; a number")
"""Kinds that take about ten seconds each: a third as many tables are measured."""


def kind_row(case: Row) -> Row:
    """Test one table of noise."""
    import torch

    from ipcae import chance_test
    from ipcae.estimators import SELECTORS

    torch.set_num_threads(1)
    start = time.perf_counter()
    random = np.random.default_rng([4, case["seed"], list(KINDS).index(case["kind"])])
    noise = KINDS[case["kind"]](random)
    n_rows, n_columns = noise.X.shape
    k = int(min(random.integers(1, 11), n_columns - 1))
    epochs = EPOCHS_OF_MANY_ROWS if n_rows >= 5000 else EPOCHS
    selector = SELECTORS[noise.task](
        k, missing="impute", max_epochs=epochs, random_state=0, device="cpu"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        test = chance_test(selector, noise.X, noise.y, groups=noise.groups)
    return {
        **case,
        "rows": n_rows,
        "columns": n_columns,
        "k": k,
        "p_value": round(test.p_value, 6),
        "score": round(test.score, 4),
        "baseline": round(test.baseline, 4),
        "seconds": round(time.perf_counter() - start, 2),
    }


def cases(n_tables: int) -> list[Row]:
    """Return all cases, the first tables of each kind first."""
    return [
        {"kind": kind, "seed": seed}
        for seed in range(n_tables)
        for kind in KINDS
        if kind not in FEWER or seed % 3 == 0
    ]


def with_kinds(page: str) -> str:
    """Return docs/chance.md with the table of the rows that were measured."""
    start, end = "<!-- kinds -->\n", "<!-- end of kinds -->"
    before, rest = page.split(start)
    return f"{before}{start}{kinds_markdown()}\n{rest[rest.index(end) :]}"


def kinds_markdown() -> str:
    """Return the rates at which noise of every kind is called better than chance."""
    rows = read_rows(HERE / "chance_kinds.csv")
    lines = [
        "| noise | tables | called better than chance | interval |",
        "|---|---|---|---|",
    ]
    for kind in KINDS:
        p_values = [float(row["p_value"]) for row in rows if row["kind"] == kind]
        if p_values:
            called = sum(p <= LEVEL for p in p_values)
            low, high = binomtest(called, len(p_values)).proportion_ci()
            rate = f"{called} ({100 * called / len(p_values):.1f} %)"
            interval = f"{100 * low:.0f} to {100 * high:.0f} %"
            lines.append(f"| {kind} | {len(p_values)} | {rate} | {interval} |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is missing, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=0, help="tables of every kind")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="update docs/chance.md")
    arguments = parser.parse_args()
    if arguments.tables:
        path, key = HERE / "chance_kinds.csv", ("kind", "seed")
        measure_missing(path, key, cases(arguments.tables), kind_row, arguments.jobs)
    if arguments.write:
        page = HERE.parent / "docs" / "chance.md"
        page.write_text(with_kinds(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
