"""When may a selection stop once it has settled, and how are its decoders finished?

    python benchmarks/settled.py --data FOLDER ... [--seeds 3] [--minutes 5] [--part medium many]
    python benchmarks/settled.py --summary     # print the means of benchmarks/settled.csv

Classes only, whose decoders are trained again after the selection. Development rows: generated
tables, and training rows of the paper's data sets, a quarter of which is left out to score (of
har, those of a quarter of its people if ``har-people.npz`` is there). A row is one fit: the
score of its decoder and of a forest on its columns on these rows, epochs, seconds and columns. The
part "medium" varies the epochs that a settled selection is trained for; the part "many", with
45,000 rows, also the end of the training. ``FOLDER`` has ``mnist.npz`` and others with arrays
``X_train`` and ``y_train``. Rows that are in the file are not measured again.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from missing_rows import read_rows
from rows import new_parser, parse, write
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split

from ipcae import ClassificationSelector
from ipcae.training import settling

Table = tuple[np.ndarray, np.ndarray]


class Recipe(NamedTuple):
    """Epochs with a settled selection (0: as many as the loss improves), and other arguments."""

    settled: int = 0
    max_epochs: Any = "auto"
    fine_tune: Any = True
    refit: bool = True


class Case(NamedTuple):
    """A table, its number of rows (0: all), and the number of columns to select."""

    table: str
    n_rows: int
    n_selected: int


MEDIUM = [
    *(Recipe(settled) for settled in (0, 3, 5)),
    *(Recipe(settled, n_epochs, 40) for settled in (0, 3) for n_epochs in (100, 60)),
]
MANY = [
    *(Recipe(settled) for settled in (0, 3, 5)),
    Recipe(refit=False),
    Recipe(fine_tune=10),
    Recipe(fine_tune=10, refit=False),
    Recipe(3, refit=False),
    Recipe(max_epochs=30, fine_tune=20, refit=False),
    Recipe(max_epochs=20, fine_tune=20, refit=False),
]
GENERATED = "independent", "redundant", "interactions", "counts"
CELLS: dict[str, tuple[list[Case], list[Recipe]]] = {
    "medium": (
        [
            *(Case(name, 10_000, 10) for name in GENERATED[:2]),
            Case("interactions", 4_000, 10),
            Case("counts", 2_600, 10),
            *(Case(name, 10_000, k) for name in ("mnist", "fashion_mnist") for k in (10, 30)),
            *(Case(name, 0, 20) for name in ("isolet", "har")),
            Case("digits", 0, 10),
        ],
        MEDIUM,
    ),
    "many": (
        [
            *(Case(name, 60_000, k) for k in (10, 50) for name in ("mnist", "fashion_mnist")),
            Case("independent", 60_000, 10),
        ],
        MANY,
    ),
}


def _classes(n_rows: int, seed: int, informative: int, redundant: int = 0) -> Table:
    X, y = make_classification(
        n_rows,
        60,
        n_informative=informative,
        n_redundant=redundant,
        n_classes=3,
        random_state=100 + seed,
    )
    return X.astype(np.float32), y


def _interactions(n_rows: int, seed: int) -> Table:
    random = np.random.default_rng(100 + seed)
    X = random.normal(size=(n_rows, 40)).astype(np.float32)
    signal = X[:, 0] * X[:, 1] + X[:, 2] + np.abs(X[:, 3]) + X[:, 4] * (X[:, 5] > 0)
    return X, np.digitize(signal + 0.5 * random.normal(size=n_rows), [0, 1.5])


def _counts(n_rows: int, seed: int) -> Table:
    random = np.random.default_rng(100 + seed)
    kinds = random.integers(8, size=n_rows)
    rates = np.exp(random.normal(-1, 1, size=(1, 1000))) * np.ones((8, 1))
    rates[:, :40] *= np.exp(random.normal(0, 0.8, size=(8, 40)))
    depth = np.exp(random.normal(0, 0.3, size=(n_rows, 1)))
    return random.poisson(rates[kinds] * depth).astype(np.float32), kinds


MADE: dict[str, Callable[[int, int], Table]] = {
    "independent": lambda n, seed: _classes(n, seed, 12),
    "redundant": lambda n, seed: _classes(n, seed, 8, 20),
    "interactions": _interactions,
    "counts": _counts,
    "digits": lambda n, seed: load_digits(return_X_y=True),
}


def _path(table: str, folders: list[Path]) -> Path | None:
    paths = [folder / f"{table}.npz" for folder in folders]
    return next((path for path in paths if path.exists()), None)


def rows_of(case: Case, seed: int, folders: list[Path]) -> list[np.ndarray]:
    """Return X to fit, X to score, y to fit, y to score."""
    groups = None
    if case.table in MADE:
        X, y = MADE[case.table](case.n_rows, seed)
    else:
        path = _path(case.table, folders)
        assert path is not None
        with np.load(path) as arrays:
            X, y = arrays["X_train"].astype(np.float32), arrays["y_train"]
        people = path.with_name(f"{case.table}-people.npz")
        if people.exists():
            with np.load(people) as arrays:
                groups = next(iter(arrays.values()))[: len(X)]
    if groups is not None:
        left_out = np.isin(groups, np.unique(groups)[seed % 4 :: 4])
        return [X[~left_out], X[left_out], y[~left_out], y[left_out]]
    if case.n_rows and case.n_rows < len(X):
        X, _, y, _ = train_test_split(X, y, train_size=case.n_rows, stratify=y, random_state=seed)
    return train_test_split(X, y, test_size=0.25, stratify=y, random_state=seed)


def measure(parts: list[np.ndarray], case: Case, seed: int, recipe: Recipe) -> dict[str, Any]:
    """Fit with a recipe and score the rows that are left out."""
    X, left_out, y, answers = parts
    arguments = recipe._asdict()
    settling.SETTLED_EPOCHS = arguments.pop("settled") or None
    selector = ClassificationSelector(case.n_selected, random_state=seed, **arguments)
    start = time.perf_counter(), time.process_time()
    selector.fit(X, y)
    seconds = time.perf_counter() - start[0], time.process_time() - start[1]
    columns = selector.get_support(indices=True)
    phase = np.asarray(selector.history_["phase"])
    epochs = np.asarray(selector.history_["epoch"])[phase == "selecting"]
    return {
        "method": selector.method_,
        "epochs": int(epochs.max()) + 1 if len(epochs) else 0,
        "score": f"{selector.score(left_out, answers):.4f}",
        "forest": f"{_forest(X[:, columns], y, left_out[:, columns], answers):.4f}",
        "seconds": f"{seconds[0]:.2f}",
        "cpu_seconds": f"{seconds[1]:.2f}",
        "columns": " ".join(map(str, columns)),
    }


def _forest(X: np.ndarray, y: np.ndarray, left_out: np.ndarray, answers: np.ndarray) -> float:
    forest = ExtraTreesClassifier(100, n_jobs=-1, random_state=0).fit(X, y)
    return float(forest.score(left_out, answers))


def summary(path: Path) -> None:
    """Print, for every case, the means of the first recipe and the differences of the others."""
    found: dict[str, dict[Recipe, dict[str, dict]]] = defaultdict(lambda: defaultdict(dict))
    for row in read_rows(path):
        case = f"{row['table']}, {row['rows']} rows, K = {row['selected']}"
        key = row["max_epochs"], row["fine_tune"], row["refit"]
        found[case][Recipe(int(row["settled"]), *key)][row["seed"]] = row
    for case, recipes in found.items():
        print(case)
        default = next(iter(recipes.values()))
        for recipe, rows in recipes.items():
            print("   ", *recipe, f"({len(rows)} seeds)", end=" ")
            for name in ("score", "forest"):
                pairs = [(float(r[name]), float(default[s][name])) for s, r in rows.items()]
                ours, before = 100 * np.array(pairs).T
                print(f"{name} {ours.mean():.2f} ({(ours - before).mean():+.2f})", end="  ")
            for name in ("epochs", "seconds"):
                print(f"{name} {np.mean([float(r[name]) for r in rows.values()]):.1f}", end="  ")
            same = [r["columns"] == default[s]["columns"] for s, r in rows.items()]
            print(f"same columns {sum(same)} of {len(same)}")


def columns_of(case: Case, seed: int, recipe: Recipe) -> dict[str, object]:
    """Return the columns that tell which fit a row is."""
    table, n_rows, n_selected = case
    fit = {"table": table, "rows": n_rows, "selected": n_selected, "seed": seed}
    return fit | recipe._asdict()


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "settled.csv")
    parser.add_argument("--data", nargs="+", type=Path, default=[], help="folders of .npz files")
    parser.add_argument("--part", nargs="+", default=list(CELLS), choices=list(CELLS))
    parser.add_argument("--tables", nargs="+", help="only these")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--minutes", type=float, help="begin no fit after this time")
    parser.add_argument("--summary", action="store_true")
    options = parse(parser, ["tests/estimators/test_stopping.py"])
    path, start = Path(options.out), time.perf_counter()
    if options.summary:
        summary(path)
        return
    warnings.simplefilter("ignore")
    known = [{**row} for row in read_rows(path)]
    cells = [(seed, *CELLS[part]) for seed in range(options.seeds) for part in options.part]
    for seed, cases, recipes in cells:
        for case in cases:
            if options.tables and case.table not in options.tables:
                continue
            wanted = {recipe: columns_of(case, seed, recipe) for recipe in recipes}
            missing = [r for r, fit in wanted.items() if not any(_is(fit, row) for row in known)]
            if case.table not in MADE and not _path(case.table, options.data):
                print(f"{case.table}.npz is not in the folders")
                continue
            parts = rows_of(case, seed, options.data) if missing else []
            for recipe in missing:
                if options.minutes and time.perf_counter() - start > 60 * options.minutes:
                    return
                row = wanted[recipe] | measure(parts, case, seed, recipe)
                print(*row.values(), flush=True)
                write(path, [row])


def _is(fit: dict[str, object], row: dict[str, str]) -> bool:
    return all(row.get(name) == str(value) for name, value in fit.items())


if __name__ == "__main__":
    main()
