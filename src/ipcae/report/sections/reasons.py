"""A reason for every selected feature: what it predicts, and what could replace it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from ipcae.evaluation import Importance
from ipcae.feature_table import feature_names
from ipcae.report.comparison import Comparison
from ipcae.report.findings import Findings, Measured
from ipcae.report.templates import render
from ipcae.tasks import METRICS, Task
from ipcae.text import fixed, shortened

MOST_FEATURES, MOST_NAMED = 30, 3
CERTAIN = 2.0
"""A feature matters for a class if the loss of its rows increases by this many standard errors."""
LARGE = 0.5
"""A feature matters for an output that changes by at least this part of its deviation."""


@dataclass(frozen=True)
class Reason:
    """One row of the table."""

    feature: str
    matters_for: str
    replaced_by: str
    lost: str


def draw_reasons(findings: Findings, measured: Measured) -> Markup:
    """Return the table of reasons."""
    task, names = measured.evaluation.task, feature_names(findings.selector)
    selected = [feature for feature in findings.features if feature.selected][:MOST_FEATURES]
    reasons = [
        Reason(
            feature.name,
            matters_for(task, measured.importance, feature.index, names),
            _replacement(measured, feature.name),
            _lost(measured, feature.index),
        )
        for feature in selected
    ]
    comparison = measured.comparison
    return render(
        "reasons",
        reasons=reasons,
        label=task.score_label,
        trained=isinstance(comparison, Comparison) and bool(comparison.without),
        some_untrained=any(reason.lost == "–" for reason in reasons),
        replaced=measured.correlations is not None,
        n_selected=findings.features.n_selected,
        by_class=bool(task.groups(measured.importance.targets)),
    )


def matters_for(task: Task, importance: Importance, index: int, names: list[str]) -> str:
    """Name the classes, or the outputs, for which a feature matters, most first."""
    place = int(np.flatnonzero(importance.features == index)[0])
    groups = task.groups(importance.targets)
    if groups:
        found = _classes(importance.increases[:, place], groups)
    elif importance.influence.shape[1] > 1:
        found = _outputs(importance.influence[place], _output_names(task, names), names[index])
    else:
        mean, error = importance.mean[place], importance.error[place]
        return "the target" if mean > CERTAIN * error else "–"
    shown = ", ".join(shortened(name, 24) for name in found[:MOST_NAMED])
    if len(found) > MOST_NAMED:
        shown += f" and {len(found) - MOST_NAMED} more"
    return shown or "–"


def _classes(increases: np.ndarray, groups: dict[str, np.ndarray]) -> list[str]:
    certain = {}
    for name, rows in groups.items():
        values = increases[rows]
        if len(values) > 1:
            mean, error = values.mean(), values.std(ddof=1) / np.sqrt(len(values))
            if mean > CERTAIN * error and mean > 0:
                certain[name] = mean
    return sorted(certain, key=lambda name: -certain[name])


def _outputs(influence: np.ndarray, outputs: list[str], own: str) -> list[str]:
    order = np.argsort(-influence, kind="stable")
    found = [outputs[i] for i in order if influence[i] >= LARGE and outputs[i] != own]
    return list(dict.fromkeys(found))


def _output_names(task: Task, names: list[str]) -> list[str]:
    if task.head.restores_columns:
        return names * max(task.n_outputs // len(names), 1)  # several outputs per column
    return [f"output {i}" for i in range(task.n_outputs)]


def _replacement(measured: Measured, name: str) -> str:
    found = measured.correlations
    if found is None or name not in found.selected:
        return "–"
    closest = found.closest[found.selected.index(name)]
    if not closest:
        return "–"
    other, value = closest[0]
    return f"{shortened(other, 24)} ({fixed(value, 2)})"


def _lost(measured: Measured, index: int) -> str:
    comparison, task = measured.comparison, measured.evaluation.task
    if not isinstance(comparison, Comparison) or index not in comparison.without:
        return "–"
    sign = 1 if METRICS[task.score].higher_is_better else -1
    full = comparison.scores[comparison.n_selected]
    return task.write_score(sign * (full - comparison.without[index]))
