"""The ranking as a table that a browser can sort, filter and copy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice

from ipcae.feature_table import Feature, FeatureTable
from ipcae.report.markup import Html, escape
from ipcae.text import decimals_for, fixed

_COLUMNS = (
    ("rank", "Rank", "number", ""),
    ("feature", "Feature", "text", ""),
    ("importance", "Importance", "number", "rise of the validation loss when it is shuffled"),
    ("probability", "Probability", "number", "that the best run draws it"),
    ("agreement", "Agreement", "number", "runs that selected it"),
)


MOST_ROWS = 300
"""If there are more features, the table holds this many, or the selected and a hundred more."""


def shown_features(features: FeatureTable) -> list[Feature]:
    """Return as many features as a page should hold, the selected ones first."""
    n_shown = max(MOST_ROWS, min(features.n_selected + 100, 2000))
    return list(islice(features, n_shown))


def draw_table(features: Sequence[Feature], n_features: int, n_runs: int) -> Html:
    """Return the table with its filter and its buttons."""
    n_selected = sum(feature.selected for feature in features)
    decimals = decimals_for(feature.importance for feature in features)
    largest = max((f.importance for f in features if math.isfinite(f.importance)), default=0.0)
    head = "".join(
        f'<th scope="col" class="{kind}" data-key="{key}" aria-sort="'
        f'{"ascending" if key == "rank" else "none"}"><button type="button"'
        f'{f""" title="{hint}" """ if hint else ""}>{label}<span aria-hidden="true"></span>'
        "</button></th>"
        for key, label, kind, hint in _COLUMNS
    )
    body = "".join(_row(feature, n_runs, decimals, largest) for feature in features)
    left_out = (
        f" The first {len(features):,} of {n_features:,} features are in this table."
        if len(features) < n_features
        else ""
    )
    others = (
        '<label class="check"><input type="checkbox" id="others"> Unselected features too</label>'
        if n_selected < len(features)
        else ""
    )
    return Html(
        '<div class="tools"><label>Filter <input type="search" id="filter" autocomplete="off" '
        f'spellcheck="false" placeholder="part of a name"></label>{others}'
        '<button type="button" id="copy">Copy as CSV</button>'
        '<span id="status" role="status" aria-live="polite"></span></div>'
        '<div class="box tall" tabindex="0" role="region" aria-label="Ranked features">'
        '<table id="ranking"><caption class="unseen">Features by rank. The buttons of the '
        f"header sort.</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        '<p class="note"><b>Importance</b>: by how much the validation loss rises when the '
        "column is shuffled; unselected features have none. <b>Probability</b>: how likely it is "
        "that a node of the best run draws the feature. <b>Agreement</b>: how many runs selected "
        f"it.{left_out}</p>"
    )


def _row(feature: Feature, n_runs: int, decimals: int, largest: float) -> str:
    importance = feature.importance
    known = math.isfinite(importance)
    bar = max(importance / largest, 0) if known and largest > 0 else 0.0
    agreeing = round(feature.agreement * n_runs)
    return (
        f'<tr class="{"selected" if feature.selected else "other"}">'
        f'<td data-value="{feature.rank}">{feature.rank}</td>'
        f'<th scope="row">{escape(feature.name)}</th>'
        f'<td data-value="{f"{importance:.6g}" if known else ""}" style="--bar:{bar:.3f}">'
        f"{fixed(importance, decimals)}</td>"
        f'<td data-value="{feature.probability:.6g}" style="--bar:{feature.probability:.3f}">'
        f"{fixed(feature.probability, 2)}</td>"
        f'<td data-value="{feature.agreement:.6g}" style="--bar:{feature.agreement:.3f}">'
        f"{agreeing} of {n_runs}</td></tr>"
    )
