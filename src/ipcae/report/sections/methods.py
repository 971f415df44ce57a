"""The methods that ``method="auto"`` compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import Markup

from ipcae.report.sections.cross_validation import metric_label
from ipcae.report.templates import render
from ipcae.tasks import Task
from ipcae.tasks.metrics import write_score
from ipcae.text import duration


def draw_methods(comparison: Mapping[str, Any], task: Task, score: str | None = None) -> Markup:
    """Return a table of the methods of ``comparison_`` of a selector, best first.

    ``score`` is the name of the score; by default the main one of the task.
    """
    scores = np.asarray(comparison["mean_test_score"], dtype=np.float64)
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
    # Of several labels, the rows with all of them correct are counted.
    main = str(comparison["score"][0]) if "score" in comparison else task.selector_score
    name_of_score = score or main
    rows, skipped = [], []
    for i in order.tolist():
        name = str(comparison["method"][i])
        if not comparison["compared"][i]:
            skipped.append(name)
            continue
        error, seconds = float(comparison["standard_error"][i]), float(comparison["seconds"][i])
        value = write_score(name_of_score, float(scores[i]), error)
        rows.append(
            (f"{name} (used)" if comparison["chosen"][i] else name, value, duration(seconds))
        )
    label = metric_label(name_of_score)
    return render("methods", rows=rows, label=label, skipped=", ".join(skipped))
