"""The ranking as a table that can be sorted, filtered and copied in the browser."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice

from markupsafe import Markup

from ipcae.evaluation import RowStability
from ipcae.feature_table import Feature, FeatureTable
from ipcae.report.templates import render
from ipcae.text import decimals_for, fixed, percent

MOST_ROWS = 300
"""Maximum number of features in the table, unless more than 200 are selected."""


@dataclass(frozen=True)
class Cell:
    """A number: its text, its sort key ("" if missing) and the length of its bar."""

    text: str
    value: str
    bar: float


@dataclass(frozen=True)
class Row:
    """A row of the table: a feature and its numbers."""

    feature: Feature
    cells: tuple[Cell, ...]


def draw_table(
    features: FeatureTable, rows_name: str = "validation", stability: RowStability | None = None
) -> Markup:
    """Return the table with its filter and buttons.

    ``rows_name`` describes the rows that the importance was computed on.
    """
    n_shown = max(MOST_ROWS, min(features.n_selected + 100, 2000))
    shown = list(islice(features, n_shown))
    importance = [f.importance for f in shown if math.isfinite(f.importance)]
    decimals, largest = decimals_for(importance), max(importance, default=0.0)
    rows = [_row(feature, features.n_others, decimals, largest, stability) for feature in shown]
    return render(
        "feature_table",
        rows=rows,
        n_features=len(features),
        n_others=features.n_others,
        measure=features.measure,
        rows_name=rows_name,
        stability=stability,
    )


def _row(
    feature: Feature, n_others: int, decimals: int, largest: float, stability: RowStability | None
) -> Row:
    importance = feature.importance
    known = math.isfinite(importance)
    bar = max(importance / largest, 0.0) if known and largest > 0 else 0.0
    error, text = feature.importance_error, fixed(importance, decimals)
    if known and math.isfinite(error):
        text += f" ± {fixed(error, decimals)}"
    cells = [
        Cell(text, f"{importance:.6g}" if known else "", bar),
        _fraction(feature.probability, fixed(feature.probability, 2)),
    ]
    if n_others:
        agreeing = f"{round(feature.other_seeds * n_others)} of {n_others}"
        cells.append(_fraction(feature.other_seeds, agreeing))
    if stability is not None:
        frequency = float(stability.frequency[feature.index])
        cells.append(_fraction(frequency, percent(frequency, column=True)))
    return Row(feature, tuple(cells))


def _fraction(value: float, text: str) -> Cell:
    return Cell(text, f"{value:.6g}", value)
