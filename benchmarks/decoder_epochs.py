"""How many epochs do decoders of classes need before their fine-tuning?

    python benchmarks/decoder_epochs.py [--tables NAME ...] [--seeds 1] [--epochs 200 60 30]
    python benchmarks/decoder_epochs.py --summary     # print the rows

New decoders on columns that a ranking selects are trained for up to 200 epochs, until the
validation loss no longer falls, and then again for 40 epochs on all rows with a decaying learning
rate. Fewer epochs before that would take less time. Development rows: generated tables, and the
digits of scikit-learn, a quarter of which is left out to score. A row is one fit with a single run:
its score on these rows, the score of a forest on its columns, the epochs it took, and the seconds
of CPU time. Rows that are in the file are not measured again.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from missing_rows import read_rows
from rows import new_parser, parse, write
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split

from ipcae import ClassificationSelector

K = 10
FINE_TUNE = 40
Table = tuple[np.ndarray, np.ndarray]


def _classes(n_rows: int, seed: int) -> Table:
    X, y = make_classification(
        n_rows, 60, n_informative=12, n_redundant=0, n_classes=3, random_state=100 + seed
    )
    return X.astype(np.float32), y


TABLES: dict[str, tuple[str, Callable[[int], Table]]] = {
    "10000 x 60": ("boosted-elimination", lambda seed: _classes(10_000, seed)),
    "2000 x 60": ("anova", lambda seed: _classes(2_000, seed)),
    "digits": ("anova", lambda seed: load_digits(return_X_y=True)),
}
"""A ranking and a table, given a seed."""


def measure(name: str, seed: int, n_epochs: int) -> dict[str, Any]:
    """Fit with so many epochs and score the rows that are left out."""
    method, table = TABLES[name]
    X, y = table(seed)
    X, left_out, y, answers = train_test_split(X, y, test_size=0.25, stratify=y, random_state=seed)
    selector = ClassificationSelector(
        K,
        method=method,
        max_epochs=n_epochs,
        fine_tune=FINE_TUNE,
        random_state=seed,
        device="cpu",
    )
    start = time.process_time()
    selector.fit(X, y)
    seconds = time.process_time() - start
    columns = selector.get_support(indices=True)
    forest = ExtraTreesClassifier(100, random_state=0).fit(X[:, columns], y)
    phases, epochs = (np.asarray(selector.history_[key]) for key in ("phase", "epoch"))
    return {
        "method": method,
        "epochs_taken": epochs[phases == "decoding"].max() + 1,
        "score": f"{selector.score(left_out, answers):.4f}",
        "forest": f"{forest.score(left_out[:, columns], answers):.4f}",
        "rows_left_out": len(left_out),
        "cpu_seconds": f"{seconds:.1f}",
        "columns": " ".join(map(str, columns)),
    }


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "decoder_epochs.csv")
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--epochs", nargs="+", type=int, default=[200, 60, 30])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--summary", action="store_true")
    options = parse(parser, ["tests/estimators/training/test_stopping.py"])
    path, shown = Path(options.out), ("table", "seed", "epochs", "epochs_taken", "score", "forest")
    if options.summary:
        for row in read_rows(path):
            print(*(f"{row[name]:>12}" for name in (*shown, "cpu_seconds")))
        return
    warnings.simplefilter("ignore")
    done = {(row["table"], row["seed"], row["epochs"]) for row in read_rows(path)}
    for seed in range(options.seeds):
        for name in options.tables:
            for n_epochs in options.epochs:
                if (name, str(seed), str(n_epochs)) not in done:
                    row = {"table": name, "seed": seed, "epochs": n_epochs}
                    row |= measure(name, seed, n_epochs)
                    print(*row.values(), flush=True)
                    write(path, [row])


if __name__ == "__main__":
    main()
