"""Tables for the page, from the rows of ``real_tables.py``."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from scipy.stats import rankdata

Row = dict[str, Any]
FLOOR = {"classes": 50.0, "numbers": 0.0}


def show(rows: list[Row], halves: dict[str, str]) -> None:
    """Print, for both halves and kinds of targets, every method against the default."""
    for half in dict.fromkeys(halves.values()):
        own = [row for row in rows if halves[row["table"]] == half and not row["error"]]
        for kind in ("classes", "numbers"):
            for label in ("3", "quarter"):
                part = [r for r in own if r["predicts"] == kind and r["K"] == label]
                if part:
                    print(f"\n{half}, {kind}, K = {label}")
                    _against_the_default(part)
        _decoders(own)


def score(row: Row) -> float:
    """Return the mean of the judges."""
    return float(np.mean([float(row[judge]) for judge in ("linear", "trees", "boosted")]))


def _by_table(rows: list[Row]) -> dict[str, dict[str, list[float]]]:
    """Return the scores of every table and method, on the splits that all methods have."""
    cells: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        cells[row["table"], row["seed"]][row["method"]] = score(row)
    methods = max(map(len, cells.values()))
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (table, _), scores in cells.items():
        for method, value in scores.items() if len(scores) == methods else ():
            found[table][method].append(value)
    return found


def _against_the_default(rows: list[Row]) -> None:
    tables = _by_table(rows)
    methods = [*next(iter(tables.values()))]
    means = np.array([[np.mean(tables[t][m]) for m in methods] for t in tables])
    ranks = np.mean([rankdata(-each) for each in means.round(6)], axis=0)
    first = methods.index("default")
    gaps = means - means.max(axis=1, keepdims=True)
    behind = means[:, [first]] - means
    names = [*tables]
    print(f"{len(tables)} tables\n")
    print("| method | mean rank | mean | minus default | better, worse by 1 | worst gap |")
    print("|---|---:|---:|---:|---:|---|")
    for number in np.argsort(ranks):
        each = -behind[:, number]
        error = each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
        worst = int(np.argmin(gaps[:, number]))
        minus = "" if number == first else f"{each.mean():+.2f} ± {error:.2f}"
        counts = "" if number == first else f"{(each > 1).sum()}, {(each < -1).sum()}"
        print(
            f"| {methods[number]} | {ranks[number]:.2f} | {means[:, number].mean():.1f} | {minus} "
            f"| {counts} | {gaps[worst, number]:.1f} ({names[worst]}) |"
        )


def _decoders(rows: list[Row]) -> None:
    """Print how far the default's own decoder is from the judges on the same columns."""
    print(
        "\n| decoder of the default | minus the mean judge | minus the best | median CPU seconds |"
    )
    print("|---|---:|---:|---:|")
    for kind in ("classes", "numbers"):
        part = [r for r in rows if r["predicts"] == kind and r["method"] == "default" and r["own"]]
        tables = sorted({row["table"] for row in part})
        judges = {
            table: [
                [float(row[j]) for j in ("linear", "trees", "boosted", "own", "seconds")]
                for row in part
                if row["table"] == table
            ]
            for table in tables
        }
        values = np.array([np.mean(judges[table], axis=0) for table in tables])
        if len(values):
            mean = values[:, 3] - values[:, :3].mean(1)
            best = values[:, 3] - values[:, :3].max(1)
            each = (f"{x.mean():+.2f} ± {x.std(ddof=1) / len(x) ** 0.5:.2f}" for x in (mean, best))
            print(f"| {kind} |", " | ".join(each), f"| {np.median(values[:, 4]):.1f} |")
