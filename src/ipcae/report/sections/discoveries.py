"""The section about features that are selected more often than their decoys."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from ipcae.evaluation import FdrSelection
from ipcae.feature_table import feature_names
from ipcae.report.templates import render
from ipcae.text import fixed

MOST_FEATURES = 100


def draw_discoveries(discoveries: FdrSelection, selector: Any) -> Markup:
    """Return the features with their advantage over their decoys, those that pass first."""
    names, selected = feature_names(selector), selector.get_support()
    order = np.argsort(-discoveries.statistic, kind="stable")
    shown = [i for i in order if selected[i] or discoveries.statistic[i] > 0][:MOST_FEATURES]
    rows = [
        (
            names[i],
            fixed(float(discoveries.statistic[i]), 2),
            "passes" if discoveries.support[i] else "",
            bool(selected[i]),
        )
        for i in shown
    ]
    return render(
        "discoveries",
        discoveries=discoveries,
        rows=rows,
        n_selected=int(selected.sum()),
        n_both=int((selected & discoveries.support).sum()),
    )
