"""How many epochs do tables of many rows need?

    python benchmarks/many_rows.py --data FOLDER [--runs 3] [--minutes 4]
    python benchmarks/many_rows.py --summary    # print the rows of benchmarks/many_rows.csv

A fifth of the 60,000 training images of MNIST and Fashion-MNIST is left out (test images are never
used), and the rest, or a sample of it, is fitted with fewer and fewer epochs; so are 60,000
generated rows with 60 columns. A row is one fit: the score of its decoder and of a forest on its
columns on the rows that were left out, its seconds and epochs. ``FOLDER`` has ``mnist.npz`` and
``fashion_mnist.npz`` with arrays ``X_train`` and ``y_train``. Rows that are in the file are not
measured again.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from missing_rows import read_rows
from rows import new_parser, parse, write
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split

from ipcae import ClassificationSelector, Mlp, ReconstructionSelector

N_ROWS = 60_000


OTHER: dict[str, dict[str, Any]] = {
    "": {},
    "no mixup": {"decoder": Mlp((512, 512), dropout=0.3, noise=0.2)},
    "dropout 0.1": {"decoder": Mlp((512, 512), dropout=0.1, noise=0.2)},
    "dropout 0.1, noise 0.05": {"decoder": Mlp((512, 512), dropout=0.1, noise=0.05)},
    "cosine": {"schedule": "cosine"},
    "cosine, dropout 0.1": {
        "schedule": "cosine",
        "decoder": Mlp((512, 512), dropout=0.1, noise=0.2),
    },
    "learning rate 0.002": {"learning_rate": 0.002},
    "batches of 64": {"batch_size": 64},
}
"""Settings that differ from the defaults."""


class Recipe(NamedTuple):
    """The epochs of both phases, whether the decoders are refitted on all rows, and more."""

    max_epochs: int
    fine_tune: int
    refit: bool = True
    other: str = ""


class Case(NamedTuple):
    """What is fitted, to how many rows."""

    table: str
    task: str
    n_selected: int
    n_rows: int = 48_000


DEFAULT = Recipe(200, 40)
FEWER = [Recipe(epochs, epochs // 5) for epochs in (100, 50, 25, 12)]
STEPS = [Recipe(40, 8), Recipe(40, 20, False), Recipe(40, 40, False), Recipe(40, 20)]
"""12,000 steps of 128 rows, as a table of 9,600 rows takes in 200 epochs."""

IMAGES = "mnist", "fashion_mnist"
OTHERS = [Recipe(40, 20, True, name) for name in list(OTHER)[1:6]]
NO_CLASSES = [Recipe(40, 20, True, name) for name in ("cosine", "learning rate 0.002")]
ENDINGS = [Recipe(40, *ending, "dropout 0.1") for ending in ((20, False), (10, True), (10, False))]
"""With the decoder of the defaults: without refitting, and with half of the fine-tuning."""

CELLS: list[tuple[Case, list[Recipe]]] = [
    *((Case(name, "classes", k), ENDINGS) for k in (10, 50) for name in IMAGES),
    *((Case(name, "classes", 10), [DEFAULT, *STEPS]) for name in IMAGES),
    *((Case(name, "classes", 50), [DEFAULT, *STEPS[:3]]) for name in IMAGES),
    *((Case(name, "classes", k), OTHERS) for k in (10, 50) for name in IMAGES),
    *((Case(name, "reconstruction", 50), NO_CLASSES) for name in IMAGES),
    *(
        (
            Case(name, "classes", 10, 20_000),
            [DEFAULT, Recipe(96, 19), Recipe(96, 40, False), Recipe(96, 20, True, "dropout 0.1")],
        )
        for name in IMAGES
    ),
    *((Case(name, "reconstruction", 50), [*STEPS[:3], DEFAULT]) for name in IMAGES),
    (Case("generated", "classes", 10), [DEFAULT, *STEPS]),
    *((Case(name, "classes", 10), FEWER) for name in (*IMAGES, "generated")),
]


def table_of(name: str, folders: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    """Return the training images, or generated columns of which 12 determine three classes."""
    if name == "generated":
        X, y = make_classification(
            N_ROWS, 60, n_informative=12, n_redundant=0, n_classes=3, random_state=0
        )
        return X.astype(np.float32), y
    path = next(path for folder in folders if (path := folder / f"{name}.npz").exists())
    with np.load(path) as arrays:
        return arrays["X_train"][:N_ROWS].astype(np.float32), arrays["y_train"][:N_ROWS]


def measure(X: np.ndarray, y: np.ndarray, case: Case, recipe: Recipe, n_runs: int) -> dict:
    """Fit with a recipe and score the rows that are left out."""
    X, left_out, y, answers = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    if case.n_rows < len(X):
        X, _, y, _ = train_test_split(X, y, train_size=case.n_rows, stratify=y, random_state=0)
    task = case.task
    kind = ClassificationSelector if task == "classes" else ReconstructionSelector
    settings = {**recipe._asdict(), **OTHER[recipe.other]}
    del settings["other"]
    selector = kind(case.n_selected, n_runs=n_runs, random_state=0, **settings)
    start = time.perf_counter()
    selector.fit(X, y if task == "classes" else None)
    seconds = time.perf_counter() - start
    score = selector.score(left_out, answers if task == "classes" else None)
    forest = ""
    if task == "classes":
        columns = selector.get_support(indices=True)
        trees = ExtraTreesClassifier(50, n_jobs=-1, random_state=0).fit(X[:, columns], y)
        forest = f"{trees.score(left_out[:, columns], answers):.4f}"
    phase = np.asarray(selector.history_["phase"])
    selecting = np.asarray(selector.history_["epoch"])[phase == "selecting"]
    return {
        "method": selector.method_,
        "score": f"{score:.4f}",
        "validation_loss": f"{np.mean(selector.validation_loss_):.5f}",
        "forest": forest,
        "seconds": f"{seconds:.2f}",
        "epochs_taken": int(selecting.max()) + 1 if len(selecting) else 0,
        "columns": " ".join(map(str, selector.get_support(indices=True))),
    }


def summary(path: Path) -> None:
    """Print the results of every case."""
    found = defaultdict(list)
    for row in read_rows(path):
        found[row["table"], row["task"], row["selected"], row["rows"]].append(row)
    shown = (
        "max_epochs",
        "fine_tune",
        "refit",
        "other",
        "epochs_taken",
        "score",
        "forest",
        "seconds",
    )
    for case, rows in found.items():
        print(*case)
        for row in rows:
            print("   ", *(f"{row[name]:>8}" for name in shown))


def columns_of(case: Case, recipe: Recipe) -> dict[str, object]:
    """Return the columns that tell which fit a row is."""
    table, task, n_selected, n_rows = case
    fit = {"table": table, "task": task, "selected": n_selected, "rows": n_rows}
    return fit | recipe._asdict()


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "many_rows.csv")
    parser.add_argument("--data", nargs="+", type=Path, default=[], help="folders of .npz files")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--known", type=Path, help="a file with rows that need not be measured")
    parser.add_argument("--minutes", type=float, help="begin no fit after this time")
    parser.add_argument("--summary", action="store_true")
    options = parse(parser, ["tests/estimators/training/test_stopping.py"])
    path, start = Path(options.out), time.perf_counter()
    if options.summary:
        summary(path)
        return
    warnings.simplefilter("ignore")
    known = [*read_rows(path), *(read_rows(options.known) if options.known else [])]
    for case, recipes in CELLS:
        wanted = {recipe: columns_of(case, recipe) for recipe in recipes}
        missing = [recipe for recipe, fit in wanted.items() if not any(_is(fit, r) for r in known)]
        X, y = table_of(case.table, options.data) if missing else (None, None)
        for recipe in missing:
            if options.minutes and time.perf_counter() - start > 60 * options.minutes:
                return
            row = wanted[recipe] | {"runs": options.runs}
            row |= measure(X, y, case, recipe, options.runs)
            print(*row.values(), flush=True)
            write(path, [row])


def _is(fit: dict[str, object], row: dict[str, str]) -> bool:
    return all((row.get(name) or "") == str(value) for name, value in fit.items())


if __name__ == "__main__":
    main()
