"""Evaluate linear rankings on rows of other groups and with different numbers of rows.

    python benchmarks/backward.py [--part groups rows] [--problems har isolet] [--splits 4]
    python benchmarks/backward.py --show

The paper's test rows are not used. ``groups``: a quarter of the people, speakers or mice is held
out. ``rows``: the given number of rows is drawn at random, and up to 1,500 others are held out.
The value is the accuracy in percent of an SVM, ``SVC()``, on the selected columns of the held-out
rows; K = 50, or 10 for mice_protein. Columns are scaled to 0–1. ``all`` is the SVM on all columns.
"""

from __future__ import annotations

import csv
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rows import new_parser, require_tests, write
from sklearn.model_selection import GroupShuffleSplit
from sklearn.svm import SVC

from ipcae.data import load
from ipcae.data.split import PREPARATIONS
from ipcae.selectors import METHODS, effective_rows
from ipcae.selectors.classical import Examples

TESTS = ["tests/selectors/classical/test_backward.py"]
GROUPED = "har", "isolet", "mice_protein"
PROBLEMS = *GROUPED, "mnist"
RANKINGS = "group-lasso", "elimination", "backward"
ALL = "all"
NUMBERS = 100, 400, 1600, 3200
MOST_JUDGED = 1500


class Sample(NamedTuple):
    """A table, and who or what every row was measured on, if that is known."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    groups: NDArray[np.int64] | None


def sample_of(problem: str) -> Sample:
    """Return the rows that may be used, scaled to 0–1."""
    table = load(problem)
    X, y = np.asarray(table.X, dtype=np.float64), np.unique(table.y, return_inverse=True)[1]
    X = np.where(np.isnan(X), np.nanmean(X, 0), X)
    groups = table.groups
    if problem == "isolet":  # every speaker says the alphabet in order
        groups = np.cumsum(np.r_[0, np.diff(y) < 0])
    _, train, validation, _ = PREPARATIONS[problem](table, "class")
    rows = np.sort(np.concatenate([train, validation]))
    X, y, groups = X[rows], y[rows], None if groups is None else np.asarray(groups)[rows]
    low, width = X.min(0), np.ptp(X, 0)
    return Sample((X - low) / np.where(width > 0, width, 1), y, groups)


def splits_of(
    part: str, sample: Sample, n_splits: int
) -> Iterator[tuple[int, int, NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the number of rows, that of the split, and the rows of both parts."""
    for split in range(n_splits):
        if part == "groups" and sample.groups is not None:
            splitter = GroupShuffleSplit(1, test_size=0.25, random_state=split)
            train, left_out = next(splitter.split(sample.X, sample.y, sample.groups))
            yield len(train), split, train, left_out
        for number in NUMBERS if part == "rows" else ():
            order = np.random.default_rng(split).permutation(len(sample.X))
            if number <= len(order) * 0.8:
                yield number, split, order[:number], order[number:][:MOST_JUDGED]


def measure(sample: Sample, method: str, n_selected: int, train, left_out) -> dict[str, str]:
    """Rank the columns on the training rows; judge the best on the others."""
    X, y = sample.X[train], sample.y[train]
    start, chosen = time.perf_counter(), np.arange(X.shape[1])
    if method != ALL:
        examples = Examples(X, y[:, None].astype(np.float64), discrete=True)
        scores = METHODS[method].scores(examples, n_selected, 0)
        chosen = np.argsort(-scores, kind="stable")[:n_selected]
    seconds = time.perf_counter() - start
    judge = SVC().fit(X[:, chosen], y)
    value = 100 * judge.score(sample.X[left_out][:, chosen], sample.y[left_out])
    return {"value": f"{value:.2f}", "seconds": f"{seconds:.1f}"}


def show(path: Path) -> None:
    """Print the means over the splits as a table in Markdown."""
    found: dict[tuple[str, ...], list[float]] = defaultdict(list)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            number = row["rows"] if row["part"] == "rows" else row["effective"]
            key = row["part"], row["problem"], number if row["part"] == "rows" else ""
            found[*key, row["method"]].append(float(row["value"]))
    methods = list(dict.fromkeys(key[3] for key in found))
    print("| | " + " | ".join(methods) + " |\n|---|" + "---:|" * len(methods))
    for key in dict.fromkeys(key[:3] for key in found):
        cells = [found.get((*key, method), []) for method in methods]
        shown = [f"{np.mean(cell):.1f}" if cell else "" for cell in cells]
        print(f"| {' '.join(key).strip()} ({len(max(cells, key=len))}) | {' | '.join(shown)} |")


def main() -> None:
    """Measure what was asked for and append the rows, or show them."""
    parser = new_parser(__doc__, "backward.csv")
    parser.add_argument("--part", nargs="+", default=["groups", "rows"], choices=["groups", "rows"])
    parser.add_argument("--problems", nargs="+", default=PROBLEMS, choices=PROBLEMS)
    parser.add_argument("--methods", nargs="+", default=RANKINGS, choices=(*RANKINGS, ALL))
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        return show(Path(options.out))
    if not options.untested:
        require_tests(*TESTS)
    for problem in options.problems:
        sample, n_selected = sample_of(problem), 10 if problem == "mice_protein" else 50
        for part in options.part:
            for number, split, train, left_out in splits_of(part, sample, options.splits):
                key = {"part": part, "problem": problem, "rows": number, "split": split}
                key["effective"] = ""
                if part == "groups":
                    key["effective"] = effective_rows(sample.X[train], sample.groups[train])
                for method in options.methods:
                    row = measure(sample, method, n_selected, train, left_out)
                    write(Path(options.out), [key | {"method": method} | row])
                    print(*key.values(), method, row["value"], row["seconds"], flush=True)
    return None


if __name__ == "__main__":
    main()
