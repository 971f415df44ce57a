"""Tables for the page, from the rows of ``real_tables.py`` and ``wide_tables.py``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from missing_rows import read_rows
from numpy.typing import NDArray
from scipy.stats import rankdata

Row = dict[str, Any]
LIST = Path(__file__).with_name("real_tables_list.csv")
WIDE_LIST = Path(__file__).with_name("wide_tables_list.csv")
ROWS, WIDE_ROWS = (LIST.with_name(f"{name}_tables.csv") for name in ("real", "wide"))
HALVES = "development", "confirmation"
TASKS = {"classes": "classification", "numbers": "regression"}
"""The tasks by what is predicted, as the rows name it."""


class Measured(NamedTuple):
    """What was measured: rows, the half of every table, values of K and the names of the judges."""

    rows: list[Row]
    halves: dict[str, str]
    labels: tuple[str, ...]
    judges: tuple[str, ...]


def measured(path: Path, listed: Path, labels: tuple[str, ...], *judges: str) -> Measured:
    """Read the rows, and the list of their tables."""
    halves = {each["table"]: each["half"] for each in read_rows(listed)}
    return Measured(read_rows(path), halves, labels, judges)


def real(path: Path = ROWS) -> Measured:
    """Return what ``real_tables.py`` has measured."""
    return measured(path, LIST, ("quarter", "3"), "linear", "trees", "boosted")


def wide(path: Path = WIDE_ROWS) -> Measured:
    """Return what ``wide_tables.py`` has measured."""
    return measured(path, WIDE_LIST, ("25", "5"), "svm", "neighbors", "linear", "trees")


def tables(found: Measured, name: str) -> dict[str, list[str]]:
    """Return the lines of all tables: methods by kind of target and K, and decoders."""
    made = {
        f"{name}-{kind}-{label}": compared(found, kind, label)
        for kind in TASKS
        for label in found.labels
    }
    return made | {f"{name}-decoders": decoders(found)}


def compared(measured: Measured, kind: str, label: str) -> list[str]:
    """Return the lines of a table: the methods on both halves."""
    found = {}
    for half in HALVES:
        found[half] = means_of(part(measured, half, kind, label), measured.judges)
    sizes = [f"{len(found[half][2])} tables for {half}" for half in HALVES]
    named = ["development: mean", "development: minus default"]
    named += [f"confirmation: {head}" for head in ("mean", "minus default", "mean rank")]
    lines = [" and ".join(sizes) + ".", "", "| | " + " | ".join(named) + " |"]
    lines.append("|---|" + "---:|" * len(named))
    places = {half: {m: n for n, m in enumerate(found[half][1])} for half in HALVES}
    ranks = {half: _ranks(found[half][0]) for half in HALVES}
    for method in sorted(places[HALVES[1]], key=lambda m: ranks[HALVES[1]][places[HALVES[1]][m]]):
        cells = [
            _cells(found[half][0], places[half][method], places[half]["default"])
            for half in HALVES
            if method in places[half]
        ]
        rank = f"{ranks[HALVES[1]][places[HALVES[1]][method]]:.1f}"
        shown = [*(cell for each in cells for cell in each), rank]
        lines.append(f"| {method} | " + " | ".join(shown) + " |")
    return lines


def confirmed(measured: Measured, name: str) -> Iterator[str]:
    """Return lines of the summary, from the confirmation half."""
    for kind, task in TASKS.items():
        for label in measured.labels:
            means, methods, _ = means_of(part(measured, HALVES[1], kind, label), measured.judges)
            default, overall = methods.index("default"), means.mean(axis=0)
            best = max(set(range(len(methods))) - {default}, key=overall.__getitem__)
            gains = means[:, default] - means[:, best]
            yield (
                f"| {name}, {task} | {'D / 4' if label == 'quarter' else label} | {len(gains)} "
                f"| {overall[default]:.1f} | {methods[best]} | {overall[best]:.1f} "
                f"| {gains.mean():+.1f} ± {_error(gains):.1f} |"
            )


def part(measured: Measured, half: str, kind: str, label: str) -> list[Row]:
    """Return the rows of a half for a kind of target and K, without those of an earlier default."""
    return [
        row
        for row in measured.rows
        if (measured.halves[row["table"]], row["predicts"], row["K"]) == (half, kind, label)
        and row["method"] != "before"
    ]


def means_of(rows: list[Row], judges: tuple[str, ...]) -> tuple[NDArray, list[str], list[str]]:
    """Return the mean score of the judges by table and method, and the names of both.

    Only splits that were measured for all methods count.
    """
    cells: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        score = float(np.mean([float(row[judge]) for judge in judges]))
        if np.isfinite(score):
            cells[row["table"], row["seed"]][row["method"]] = score
    methods = sorted({method for each in cells.values() for method in each})
    by_table: dict[str, list[list[float]]] = defaultdict(list)
    for (table, _), scores in cells.items():
        if len(scores) == len(methods):
            by_table[table].append([scores[method] for method in methods])
    return np.array([np.mean(each, axis=0) for each in by_table.values()]), methods, [*by_table]


def _ranks(means: NDArray) -> NDArray:
    return np.mean([rankdata(-each) for each in means.round(6)], axis=0)


def _cells(means: NDArray, method: int, default: int) -> list[str]:
    gains = means[:, method] - means[:, default]
    minus = "" if method == default else f"{gains.mean():+.1f} ± {_error(gains):.1f}"
    return [f"{means[:, method].mean():.1f}", minus]


def _error(values: NDArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def decoders(found: Measured) -> list[str]:
    """Return how far the default's own decoder is from the judges on the same columns."""
    lines = ["| | tables | minus the mean model | minus the best model | median CPU seconds |"]
    lines.append("|---|---:|---:|---:|---:|")
    for half in HALVES:
        for kind, task in TASKS.items():
            by_table: dict[str, list[list[float]]] = defaultdict(list)
            for row in found.rows:
                own = row["method"] == "default" and row["own"]
                if own and (found.halves[row["table"]], row["predicts"]) == (half, kind):
                    cells = [float(row[name]) for name in ("own", "seconds", *found.judges)]
                    by_table[row["table"]].append(cells)
            values = np.array([np.mean(each, axis=0) for each in by_table.values()])
            mean, best = (values[:, 0] - f(values[:, 2:], axis=1) for f in (np.mean, np.max))
            each = [f"{x.mean():+.1f} ± {_error(x):.1f}" for x in (mean, best)]
            seconds = f"{np.median(values[:, 1]):.1f}"
            lines.append(f"| {half}, {task} | {len(values)} | {each[0]} | {each[1]} | {seconds} |")
    return lines
