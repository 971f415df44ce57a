"""The section about selections from subsamples of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from ipcae.evaluation import RowStability
from ipcae.feature_table import feature_names
from ipcae.report.templates import render
from ipcae.text import listed, number, percent

MOST_FEATURES, MOST_CLUSTERS = 300, 20


@dataclass(frozen=True)
class Row:
    """A feature: how often it is selected from subsamples, and what that makes it."""

    name: str
    text: str
    share: float
    notes: str
    selected: bool


def draw_stability(stability: RowStability, selector: Any) -> Markup:
    """Return how often every feature of the selector is selected from subsamples of the rows."""
    names, selected = feature_names(selector), selector.get_support()
    member = np.isin(np.arange(len(names)), stability.consensus)
    frequency, same = stability.frequency, bool((member == selected).all())
    order = np.lexsort((~selected, -frequency))
    known = [i for i in order if selected[i] or member[i] or frequency[i] > 0]
    rows = [
        Row(
            names[i],
            percent(float(frequency[i]), column=True),
            float(frequency[i]),
            _notes(bool(stability.stable[i]), bool(member[i] and not same)),
            bool(selected[i]),
        )
        for i in known[:MOST_FEATURES]
    ]
    return render(
        "stability",
        stability=stability,
        rows=rows,
        n_known=len(known),
        n_selected_stable=int((selected & stability.stable).sum()),
        n_selected=int(selected.sum()),
        same=same,
        clusters=_clusters(stability, names, selected),
    )


def _notes(stable: bool, in_consensus: bool) -> str:
    notes = (("stable", stable), ("consensus", in_consensus))
    return ", ".join(note for note, holds in notes if holds)


def _clusters(
    stability: RowStability, names: list[str], selected: np.ndarray
) -> list[tuple[str, str, str]]:
    """Return the members of every cluster, the sum of their frequencies and who is selected."""
    rows = []
    for cluster in stability.clusters[:MOST_CLUSTERS]:
        members = sorted(cluster, key=lambda i: -stability.frequency[i])
        total = float(stability.frequency[members].sum())
        chosen = [names[i] for i in members if selected[i]]
        listed_names = listed([names[i] for i in members], 8)
        rows.append((listed_names, number(total, 3), listed(chosen, 8) if chosen else "none"))
    return rows
