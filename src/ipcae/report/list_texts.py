"""The evaluation of a list of features as table rows, for the terminal and the report."""

from __future__ import annotations

import numpy as np

from ipcae.evaluation import ListEvaluation, ListScore
from ipcae.tasks import METRICS
from ipcae.text import fixed


def list_rows(result: ListEvaluation, most: int) -> list[tuple[str, ...]]:
    """Return the name and up to ``most`` metrics of every list, the main metric first."""
    return [
        (_name(score), *(_value(score, name) for name in result.metric_names[:most]))
        for score in result.scores
    ]


def _name(score: ListScore) -> str:
    values = next(iter(score.metrics.values()))
    return f"{score.name}, {len(values)} lists" if values.ndim > 1 else score.name


def _value(score: ListScore, name: str) -> str:
    metric, values = METRICS[name], score.metrics[name]
    if values.ndim > 1:
        means = np.nanmean(values, axis=1)
        low, high = float(means.min()), float(means.max())
        return f"{metric.write(score.mean(name))} ({metric.write_interval((low, high))})"
    return metric.write_error(score.mean(name), score.error(name))


def without_rows(result: ListEvaluation) -> list[tuple[str, str, str, str]]:
    """Return a row for every feature: what is lost without it, and what is similar to it."""
    metric = METRICS[result.metric]
    return [
        (
            each.name,
            metric.write_error(each.loss, each.error),
            "redundant" if each.redundant else "",
            "" if each.closest is None else f"{each.closest} ({fixed(each.correlation, 2)})",
        )
        for each in result.without
    ]
