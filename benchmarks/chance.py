"""How often is noise called better than chance, and how often is a planted signal found?

    python benchmarks/chance.py --part noise --tables 300   # rows in benchmarks/chance_noise.csv
    python benchmarks/chance.py --part power --tables 20    # rows in benchmarks/chance_power.csv
    python benchmarks/chance.py --write                     # the tables of docs/chance.md

"five folds" is the verdict with five folds and no repetitions. ``--most-values 20000`` leaves out
tables of noise with more rows times columns, which take most of the time. A run adds the rows that
are missing, so that it can be stopped and started again. ``--jobs`` is the number of processes,
each with one thread. ``--ways BorutaPy`` needs the package ``Boruta``; it takes ten times as long
as the others, so fewer tables are measured.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy.stats import binomtest

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))  # for its neighbors, wherever this is run from

from benchmarks.missing_rows import Row, measure_missing, read_rows  # noqa: E402

CLASSES = ("anova", "random-forest", "l1-logistic", "ip-cae", "lassonet", "stg")
NUMBERS = ("lasso", "random-forest", "ip-cae", "lassonet")
NO_TARGET = ("pfa", "pivoted-qr", "ip-cae")
FIRST_TASKS = ("balanced", "imbalanced", "several", "regression", "reconstruction")
N_FIRST, N_ALL = 56, 200
EPOCHS = 40
LEVEL = 0.05


# Tables of noise.


def noise_case(seed: int) -> Row:
    """Return the shape, the task and the method of a table of noise.

    "default" is the method that is chosen by the shape of the table. It, "auto" and classes of few
    rows are among the tables from seed ``N_FIRST`` on; those before were measured without them.
    From seed ``N_ALL`` on, all tables have the default method.
    """
    random = np.random.default_rng([1, seed])
    tasks = FIRST_TASKS if seed < N_FIRST else (*FIRST_TASKS, "few rows per class")
    task = tasks[seed % len(tasks)]
    number = seed // len(tasks)
    methods = {"regression": NUMBERS, "reconstruction": NO_TARGET}.get(task, CLASSES)
    method = methods[number % len(methods)]
    if seed >= N_FIRST:
        method = (
            "default" if number % 3 == 0 else methods[(number - number // 3 - 1) % len(methods)]
        )
        method = "auto" if number % 12 == 1 else method
    if seed >= N_ALL:
        method = "default"
    most = 300 if task == "reconstruction" or method == "auto" else 2000
    columns = int(np.exp(random.uniform(np.log(5), np.log(most))))
    rows = int(np.exp(random.uniform(np.log(30), np.log(500))))
    classes = {"several": int(random.integers(3, 6)), "balanced": 2, "imbalanced": 2}.get(task, 0)
    if task == "few rows per class":
        rows = int(random.integers(30, 61))
        classes = rows // int(random.integers(5, 9))
    return {
        "seed": seed,
        "task": task,
        "rows": rows,
        "columns": columns,
        "classes": classes,
        "method": method,
        "k": min(int(random.integers(2, 21)), columns),
        # Correlated columns, except for reconstruction, where noise means independent columns.
        "correlated": int(task != "reconstruction" and random.random() < 0.5),
    }


def noise_table(case: Row) -> tuple[np.ndarray, np.ndarray | None]:
    """Return a table whose target, or whose columns, are independent of the (other) columns."""
    random = np.random.default_rng([2, case["seed"]])
    n_rows, n_columns = case["rows"], case["columns"]
    X = random.normal(size=(n_rows, n_columns))
    if case["correlated"]:
        X += random.normal(size=(n_rows, 5)) @ random.normal(size=(5, n_columns)) / 2
    if case["task"] == "reconstruction":
        return X, None
    if case["task"] == "regression":
        return X, random.normal(size=n_rows)
    share = np.full(case["classes"], 1 / case["classes"])
    if case["task"] == "imbalanced":
        share = np.array([0.15, 0.85])
    counts = np.maximum((share * n_rows).round().astype(int), 4)
    y = np.repeat(np.arange(len(counts)), counts)
    y = np.resize(y, n_rows)
    random.shuffle(y)
    return X, y


def noise_row(case: Row) -> Row:
    """Test one table of noise."""
    start = time.perf_counter()
    X, y = noise_table(case)
    p_value = verdict(X, y, case["method"], case["k"], case["task"] == "regression")
    return {**case, "p_value": p_value, "seconds": round(time.perf_counter() - start, 2)}


# Tables with planted features.

PLANTED: dict[str, Row] = {
    "10 of 5,000, 100 rows, 15 : 85": {"rows": 100, "rare": 15, "columns": 5000, "planted": 10},
    "10 of 500, 200 rows, 100 : 100": {"rows": 200, "rare": 100, "columns": 500, "planted": 10},
    "3 of 50, 60 rows, 30 : 30": {"rows": 60, "rare": 30, "columns": 50, "planted": 3},
}
SHIFTS = {
    "10 of 5,000, 100 rows, 15 : 85": (0.0, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0),
    "10 of 500, 200 rows, 100 : 100": (0.0, 0.2, 0.3, 0.4, 0.5, 0.75),
    "3 of 50, 60 rows, 30 : 30": (0.0, 0.25, 0.5, 0.75, 1.0),
}


METHODS = ("default", "anova", "ip-cae")
WAYS = (
    *(f"verdict, {method}" for method in METHODS),
    *(f"five folds, {method}" for method in METHODS),
    *("Boruta-like", "Stabl-like"),
)


def planted_table(name: str, shift: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a table in which the rarer class is shifted in a few columns."""
    random, sizes = np.random.default_rng([3, seed]), PLANTED[name]
    X = random.normal(size=(sizes["rows"], sizes["columns"]))
    y = (np.arange(sizes["rows"]) < sizes["rare"]).astype(int)
    X[: sizes["rare"], : sizes["planted"]] += shift
    return X, y


def power_row(case: Row) -> Row:
    """Look for a signal in one table in one way; ``found`` is whether any is reported."""
    from benchmarks.references import boruta_like, boruta_py, stabl_like

    start = time.perf_counter()
    X, y = planted_table(case["table"], case["shift"], case["seed"])
    k = PLANTED[case["table"]]["planted"]
    ways: dict[str, Callable[[], tuple[bool, float]]] = {
        "Boruta-like": lambda: boruta_like(X, y, case["seed"]),
        "BorutaPy": lambda: boruta_py(X, y, case["seed"]),
        "Stabl-like": lambda: stabl_like(X, y, case["seed"]),
    }
    if case["way"] in ways:
        found, value = ways[case["way"]]()
    else:
        folds, method = case["way"].split(", ")
        once = {"cv": 5, "n_repeats": 1} if folds == "five folds" else {}
        value = verdict(X, y, method, k, False, **once)
        found = value <= LEVEL
    seconds = round(time.perf_counter() - start, 2)
    return {**case, "found": int(found), "value": round(float(value), 5), "seconds": seconds}


def power_cases(n_tables: int, ways: Sequence[str]) -> Iterator[Row]:
    """Return all cases, the first tables of each setting first."""
    for seed in range(n_tables):
        for name in PLANTED:
            for shift in SHIFTS[name]:
                for way in ways:
                    yield {"table": name, "shift": shift, "way": way, "seed": seed}


# Both.


def verdict(
    X: np.ndarray, y: np.ndarray | None, method: str, k: int, regression: bool, **folds: int
) -> float:
    """Return the p-value of the verdict of ``ipcae select``."""
    import torch

    from ipcae import (
        ClassificationSelector,
        ReconstructionSelector,
        RegressionSelector,
        chance_test,
    )

    torch.set_num_threads(1)
    kinds = {True: RegressionSelector, False: ClassificationSelector}
    kind = ReconstructionSelector if y is None else kinds[regression]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = kind(
            k,
            method=None if method == "default" else method,
            max_epochs=EPOCHS,
            random_state=0,
            device="cpu",
        )
        return chance_test(selector, X, y, **folds).p_value


def with_tables(page: str) -> str:
    """Return docs/chance.md with the tables of the rows that were measured."""
    for name, table in (("noise", noise_markdown()), ("power", power_markdown())):
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, rest = page.split(start)
        page = f"{before}{start}{table}\n{rest[rest.index(end) :]}"
    return page


def noise_markdown() -> str:
    """Return the rates at which noise is called better than chance."""
    rows = read_rows(HERE / "chance_noise.csv")
    lines = [
        "| tables of noise | number | called better than chance | interval |",
        "|---|---|---|---|",
    ]
    groups = [("all", rows)]
    for column in ("task", "method"):
        names = list(dict.fromkeys(row[column] for row in rows))
        groups += [(name, [row for row in rows if row[column] == name]) for name in names]
    for name, group in groups if rows else ():
        called = sum(float(row["p_value"]) <= LEVEL for row in group)
        low, high = binomtest(called, len(group)).proportion_ci()
        rate = f"{called} ({100 * called / len(group):.1f} %)"
        lines.append(f"| {name} | {len(group)} | {rate} | {100 * low:.0f} to {100 * high:.0f} % |")
    return "\n".join(lines)


def power_markdown() -> str:
    """Return the rates at which something is found, by the size of the shift."""
    rows = read_rows(HERE / "chance_power.csv")
    if not rows:
        return "Not measured yet."
    parts = []
    for name in dict.fromkeys(row["table"] for row in rows):
        here = [row for row in rows if row["table"] == name]
        shifts = sorted({float(row["shift"]) for row in here})
        heads = " | ".join(f"{shift:g}" for shift in shifts)
        lines = [
            f"| {name}; shift | tables | {heads} |",
            "|---" * (len(shifts) + 2) + "|",
        ]
        measured = {row["way"] for row in here}
        for way in (each for each in (*WAYS, "BorutaPy") if each in measured):
            cells = []
            for shift in shifts:
                found = [
                    int(row["found"])
                    for row in here
                    if row["way"] == way and float(row["shift"]) == shift
                ]
                cells.append(f"{100 * np.mean(found):.0f} %" if found else "–")
            n_tables = len({row["seed"] for row in here if row["way"] == way})
            lines.append(f"| {way} | {n_tables} | {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("noise", "power"), action="append", default=[])
    parser.add_argument("--tables", type=int, default=200, help="tables per part and setting")
    parser.add_argument("--ways", nargs="+", default=WAYS, choices=(*WAYS, "BorutaPy"))
    parser.add_argument("--most-values", type=float, default=np.inf, help="of tables of noise")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder for the new rows, instead of benchmarks")
    parser.add_argument("--write", action="store_true", help="update docs/chance.md")
    arguments = parser.parse_args()
    if "noise" in arguments.part:
        every = [noise_case(seed) for seed in range(arguments.tables)]
        cases = [each for each in every if each["rows"] * each["columns"] <= arguments.most_values]
        path, key = HERE / "chance_noise.csv", ("seed",)
        measure_missing(path, key, cases, noise_row, arguments.jobs, arguments.out)
    if "power" in arguments.part:
        path, key = HERE / "chance_power.csv", ("table", "shift", "way", "seed")
        cases = list(power_cases(arguments.tables, arguments.ways))
        measure_missing(path, key, cases, power_row, arguments.jobs, arguments.out)
    if arguments.write:
        page = HERE.parent / "docs" / "chance.md"
        page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
