"""Are class probabilities calibrated, with and without a temperature?

    python benchmarks/calibration.py [--splits 4] [--minutes 5]
    python benchmarks/calibration.py --summary    # print the means of benchmarks/calibration.csv

A row is one fit with the defaults on 70 % of a table: the log loss, the Brier score and the
accuracy of its decoder on the other rows, without and with a temperature, and of a logistic
regression on the same columns. ``form`` is a generated questionnaire, with which the method was
developed; the others are tables of scikit-learn and generated ones. Rows that are in the file are
not measured again.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from pathlib import Path
from unittest.mock import patch

import numpy as np
from missing_rows import read_rows
from rows import new_parser, parse, write
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ipcae import ClassificationSelector
from ipcae.training.choices import calibration

N_SELECTED = 8
FIGURES = "log_loss", "brier", "accuracy"


def form() -> tuple[np.ndarray, np.ndarray]:
    """Return 24 answers from 1 to 5 of 240 people; three traits determine answers and class."""
    rng = np.random.default_rng(0)
    traits = rng.normal(size=(240, 3))
    answers = 1.2 * traits[:, np.arange(24) % 3] + rng.normal(size=(240, 24))
    leans = traits[:, 0] + 0.5 * traits[:, 1] + 0.3 * rng.normal(size=240)
    return np.digitize(answers, [-1.5, -0.5, 0.5, 1.5]) + 1.0, (leans > 0).astype(int)


def generated(n_rows: int, n_columns: int, **settings) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of ``make_classification``."""
    return datasets.make_classification(n_rows, n_columns, random_state=0, **settings)


def few(n_rows: int, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return some rows of a table."""
    rows = np.random.default_rng(0).permutation(len(y))[:n_rows]
    return X[rows], y[rows]


TABLES = {
    "form": form,
    "wine": lambda: datasets.load_wine(return_X_y=True),
    "breast cancer, 200 rows": lambda: few(200, *datasets.load_breast_cancer(return_X_y=True)),
    "digits, 300 rows": lambda: few(300, *datasets.load_digits(return_X_y=True)),
    "200 x 500": lambda: generated(200, 500, n_informative=10, class_sep=0.7),
    "250 x 40": lambda: generated(250, 40, n_informative=8, n_classes=3, flip_y=0.1),
    "120 x 30": lambda: generated(120, 30, n_informative=10, flip_y=0.2),
    "breast cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "600 x 40": lambda: generated(600, 40, n_informative=8, n_classes=3, flip_y=0.1),
}


def figures(answers: np.ndarray, probabilities: np.ndarray) -> list[str]:
    """Return log loss, Brier score and accuracy."""
    right = probabilities.argmax(1) == answers
    brier = brier_score_loss(answers, probabilities, scale_by_half=False)
    return [f"{value:.4f}" for value in (log_loss(answers, probabilities), brier, right.mean())]


def measure(X: np.ndarray, y: np.ndarray, split: int) -> list[dict]:
    """Fit without and with a temperature, and a logistic regression on the same columns."""
    splitter = StratifiedShuffleSplit(1, test_size=0.3, random_state=split)
    train, test = next(splitter.split(X, y))
    names, rows = ("decoder", *FIGURES, "seconds"), []
    for decoder, limit in (("end of training", 0), ("temperature", calibration.FEW_ROWS)):
        selector = ClassificationSelector(N_SELECTED, random_state=0)
        start = time.perf_counter()
        with patch.object(calibration, "FEW_ROWS", limit):
            selector.fit(X[train], y[train])
        seconds = f"{time.perf_counter() - start:.2f}"
        found = figures(y[test], selector.predict_proba(X[test]))
        rows.append(dict(zip(names, (decoder, *found, seconds), strict=True)))
    columns = selector.get_support(indices=True)
    simple = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    simple.fit(X[np.ix_(train, columns)], y[train])
    found = figures(y[test], simple.predict_proba(X[np.ix_(test, columns)]))
    rows.append(dict(zip(names, ("logistic regression", *found, ""), strict=True)))
    return rows


def summary(path: Path) -> None:
    """Print the means of every table."""
    found = defaultdict(list)
    for row in read_rows(path):
        found[row["table"], row["decoder"]].append([float(row[name]) for name in FIGURES])
    print(f"{'table':<24} {'decoder':<20} {'  '.join(f'{name:>8}' for name in FIGURES)}")
    for (table, decoder), values in found.items():
        means = "  ".join(f"{mean:8.3f}" for mean in np.mean(values, axis=0))
        print(f"{table:<24} {decoder:<20} {means}")


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "calibration.csv")
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--minutes", type=float, help="begin no fit after this time")
    parser.add_argument("--summary", action="store_true")
    options = parse(parser, ["tests/training/choices/test_calibration.py"])
    path, start = Path(options.out), time.perf_counter()
    if options.summary:
        summary(path)
        return
    warnings.simplefilter("ignore")
    done = {(row["table"], row["split"]) for row in read_rows(path)}
    for split in range(options.splits):
        for table, load in TABLES.items():
            if options.minutes and time.perf_counter() - start > 60 * options.minutes:
                return
            if (table, str(split)) not in done:
                rows = measure(*load(), split)
                write(path, [{"table": table, "split": split, **row} for row in rows])
                print(
                    table, split, *[(row["decoder"], row["log_loss"]) for row in rows], flush=True
                )


if __name__ == "__main__":
    main()
