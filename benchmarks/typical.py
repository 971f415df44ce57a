"""Compare time and accuracy of the defaults with common alternatives on typical tables.

    python benchmarks/typical.py [--limit 60] [--minutes 5] [--tables NAME ...] [--methods NAME ...]
    python benchmarks/typical.py --again ipcae     # measure some methods again
    python benchmarks/typical.py --page     # write the table of docs/speed.md from the rows

K = 10 columns of five tables: 150 × 13 (wine), 100 × 5,000, 2,600 × 1,000 counts, 10,000 × 60
(generated, with columns that are known to matter) and 60,000 × 784 (MNIST; needs ``IPCAE_DATA``).
A quarter of the rows is held out. Every method runs in its own process with the same cores,
and is stopped after the limit, which also counts as a result. The time is that of the
selection, without imports; that of ``ipcae select`` is the whole command, with verdict and report,
on all rows. The accuracy is that of the same forest on the selected columns of the held-out rows.
RFECV chooses the number of columns itself.

Cells that are in the file are not measured again, so that a measurement can be interrupted.
Other packages are used if they are installed (``benchmarks/comparison/rivals``).
"""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from comparison.rivals import rival
from rows import ROOT, new_parser, parse, write
from sklearn.datasets import load_wine, make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_selection import RFECV
from sklearn.model_selection import train_test_split

from ipcae import ClassificationSelector
from ipcae.data import load

K = 10
LOADING = 20  # seconds that a process may take to import packages and read its table
CORES = len(os.sched_getaffinity(0))
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


COMMAND = "ipcae select"
TESTS = ["tests/estimators/test_classification.py", "tests/cli/test_select.py"]
PAGE = ROOT / "docs" / "speed.md"
SECTION, NEXT = "## Typical tables", "## Cross-validation"
ABOUT = """Seconds to select 10 columns with the defaults and with common alternatives, on the same
cores, and the held-out accuracy of the same random forest on the selected columns
(`python benchmarks/typical.py`, rows in [typical.csv](../benchmarks/typical.csv)). Bold marks the
Pareto front: no other method is at least as accurate in less time with as many columns or fewer.
`rfecv` chooses the number of columns itself. The rows of `stg-package`, `boruta` and `mrmr` are
from earlier runs. A fit of this package also trains a decoder for predictions, which takes
most of the time on the smallest table. The last row is the whole command, including verdict and
report. Empty cells were not measured.
""".splitlines()


def work(table: str, method: str) -> None:
    """Measure one cell in this process, and print the seconds and the columns."""
    X, y = TABLES[table]()
    if method == COMMAND:
        print(json.dumps({"seconds": _command_seconds(X, y)}))
        return
    train, test = _split(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        selected = np.asarray(METHODS[method](*train))
        seconds = time.perf_counter() - start
    found = {"columns": len(selected), "accuracy": round(accuracy(selected, train, test), 4)}
    print(json.dumps({"seconds": seconds} | found))


def _split(X: np.ndarray, y: np.ndarray) -> tuple[Table, Table]:
    parts = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
    return (parts[0], parts[2]), (parts[1], parts[3])


def _command_seconds(X: np.ndarray, y: np.ndarray) -> float:
    """Return the duration of the whole command on a .csv file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])]).assign(y=y).to_csv(
            path, index=False
        )
        command = [sys.executable, "-m", "ipcae", "select", str(path), "--target", "y"]
        command += ["-k", str(K), "--out", str(Path(folder) / "out"), "--quiet"]
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - start


def measured(table: str, method: str, limit: float) -> dict[str, Any]:
    """Measure one cell in a process of its own; say why if there is no result."""
    command = [sys.executable, __file__, "--untested", "--one", table, method]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # its own processes are ended with it
    ) as process:
        try:
            out, errors = process.communicate(timeout=limit + LOADING)
        except subprocess.TimeoutExpired:
            return {"seconds": f"more than {limit:g}"}
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        last = (errors.strip().splitlines() or ["ended"])[-1]
        return {"seconds": "failed", "error": last[:100]}
    found = json.loads(out.splitlines()[-1])
    if found["seconds"] > limit:
        return {"seconds": f"more than {limit:g}"}
    return found | {"seconds": round(found["seconds"], 2)}


def accuracy(selected: np.ndarray, train: Table, test: Table) -> float:
    """Return the accuracy of a forest on the selected columns."""
    forest = ExtraTreesClassifier(200, n_jobs=-1, random_state=0)
    forest.fit(train[0][:, selected], train[1])
    return float(forest.score(test[0][:, selected], test[1]))


def read(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    """Return the newest row of every table and method."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(row["table"], row["method"]): row for row in csv.DictReader(file)}


def on_front(rows: list[dict[str, str]], row: dict[str, str]) -> bool:
    """Return whether no other method is as accurate in less time.

    >>> slow, fast = ({"seconds": s, "accuracy": "0.9"} for s in ("2", "1"))
    >>> on_front([slow, fast], slow), on_front([slow, fast], fast)
    (False, True)
    """
    return not any(
        float(other["accuracy"]) >= float(row["accuracy"])
        and float(other["seconds"]) < float(row["seconds"])
        and _columns(other) <= _columns(row)
        for other in rows
        if other["accuracy"]
    )


def _columns(row: dict[str, str]) -> int:
    return int(row.get("columns") or K)


def lines(cells: dict[tuple[str, str], dict[str, str]]) -> list[str]:
    """Return the table of the page, and where the defaults are not on the Pareto front."""
    tables = [name for name in TABLES if any(table == name for table, _ in cells)]
    names = [name for name in (*METHODS, COMMAND) if any(method == name for _, method in cells)]
    text = [f"| | {' | '.join(tables)} |", f"|---|{'---|' * len(tables)}"]
    behind = []
    for method in names:
        shown = []
        for table in tables:
            row = cells.get((table, method), {"seconds": "", "accuracy": ""})
            cell = row["seconds"]
            others = [other for (name, _), other in cells.items() if name == table]
            if row["accuracy"]:
                front = on_front(others, row)
                cell = f"{float(cell):.1f} s, {float(row['accuracy']):.1%}".replace("%", " %")
                if _columns(row) != K:
                    cell += f", {_columns(row)} columns"
                cell = f"**{cell}**" if front else cell
                if method == "ipcae" and not front:
                    behind.append(table)
            elif re.fullmatch(r"[\d.]+", cell):
                cell = f"{float(cell):.1f} s"
            elif cell.startswith("more"):
                cell += " s"
                if method == "ipcae" and any(other["accuracy"] for other in others):
                    behind.append(table)
            shown.append(cell)
        text.append(f"| {method} | {' | '.join(shown)} |")
    missing = [name for name in TABLES if name not in tables]
    missing += [name for name in METHODS if name not in names]
    unknown = [f"Not measured: {', '.join(missing)}.", ""] if missing else []
    away = f"are not on the Pareto front of {' and '.join(behind)}"
    are = away if behind else "are always on the Pareto front"
    return [*text, "", *unknown, f"The defaults of this package {are}."]


def write_page(path: Path) -> None:
    """Write the section of docs/speed.md, in place of an earlier one or before the last section."""
    text = PAGE.read_text()
    if SECTION not in text:
        text = text.replace(NEXT, f"{SECTION}\n\n{NEXT}")
    before, rest = text.split(SECTION)
    section = "\n".join([SECTION, "", *ABOUT, "", *lines(read(path)), "", ""])
    PAGE.write_text(before + section + rest[rest.index(NEXT) :])


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "typical.csv")
    parser.add_argument("--limit", type=float, default=60, help="seconds for every method")
    parser.add_argument("--minutes", type=float, help="begin no method after this time")
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    every = [*METHODS, COMMAND]
    parser.add_argument("--methods", nargs="+", default=every, choices=every)
    parser.add_argument("--again", nargs="+", default=[], choices=every, help="even if in the file")
    parser.add_argument("--one", nargs=2, metavar=("TABLE", "METHOD"), help="measure here")
    parser.add_argument("--page", action="store_true", help="write docs/speed.md")
    options = parse(parser, TESTS)
    if options.one:
        work(*options.one)
        return
    path, start = Path(options.out), time.perf_counter()
    cells = [] if options.page else [(t, m) for t in options.tables for m in options.methods]
    cells.sort(key=lambda cell: cell[1] not in options.again)  # these first
    done = read(path)
    for table, method in cells:
        too_large = method == COMMAND and not table.startswith("150")
        again = method in options.again
        if ((table, method) in done and not again) or too_large:
            continue
        if options.minutes and time.perf_counter() - start > 60 * options.minutes:
            print("The time is up; the same command measures the rest.")
            break
        row = {"table": table, "method": method, "limit": options.limit, "cores": CORES}
        found = measured(table, method, options.limit)
        row |= {"columns": "", "accuracy": "", "error": ""} | found
        print(row, flush=True)
        write(path, [row])
    if options.page:
        write_page(path)


if __name__ == "__main__":
    main()
