"""Would other rows lead to the same features?"""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from ipcae.feature_table import feature_names
from ipcae.report.templates import render
from ipcae.text import listed, percent

MOST_FEATURES = 40


def draw_stability(stability: Any, selector: Any) -> Markup:
    """Return how often every feature is selected in subsamples of the rows.

    Parameters
    ----------
    stability : StabilitySelection
        Fitted to the same columns as the selector.
    selector : selector
        The selector that the report is about.
    """
    names, selected = feature_names(selector), selector.get_support()
    frequency = np.asarray(stability.frequency_, dtype=np.float64)
    order = np.lexsort((-frequency, ~selected))
    shown = [i for i in order if selected[i] or frequency[i] > 0][:MOST_FEATURES]
    rows = [
        (names[i], percent(float(frequency[i])), "selected" if selected[i] else "") for i in shown
    ]
    clusters = [" and ".join(names[i] for i in cluster) for cluster in stability.clusters_]
    return render(
        "stability",
        rows=rows,
        index=str(stability.stability_),
        n_subsamples=len(stability.selected_),
        clusters=listed(clusters, 5) if clusters else "",
    )
