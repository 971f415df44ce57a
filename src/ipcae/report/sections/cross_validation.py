"""The scores of a cross-validation, of numbers of features and of methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import Markup

from ipcae.evaluation.folds import split_scores, standard_errors
from ipcae.report.charts.line_chart import Line, LineChart
from ipcae.report.templates import render
from ipcae.tasks import METRICS, Task
from ipcae.tasks.metrics import write_score
from ipcae.text import count, duration

PREFIX = "mean_test_"


def draw_cross_validation(results: Mapping[str, Any], chosen: int, score: str) -> Markup:
    """Return a chart and a table of every score by the number of features.

    ``results`` are the ``cv_results_`` of a :class:`ipcae.SelectorCV`, ``chosen`` is the number of
    features that it chose, ``score`` is the name of a score that has none.
    """
    scores = [name.removeprefix(PREFIX) for name in results if name.startswith(PREFIX)]
    sizes = [int(n) for n in results["n_features"]]
    charts, labels, columns, n_folds = [], [], [], 0
    for name in scores:
        mean = np.asarray(results[f"{PREFIX}{name}"], dtype=np.float64)
        values = split_scores(results, name)
        n_folds, error = len(values), standard_errors(values)
        metric = score if name == "score" else name  # a single score is called "score"
        labels.append(metric_label(metric))
        charts.append(_chart(metric, sizes, mean, error, chosen))
        pairs = zip(mean.tolist(), error.tolist(), strict=True)
        columns.append([write_score(metric, *pair) for pair in pairs])
    header = ["features", *labels]
    if "method" in results:  # the best of several
        header.append("best method")
        columns.append([str(name) for name in results["method"]])
    rows = [
        (f"{size:,}{' (chosen)' if size == chosen else ''}", *cells)
        for size, *cells in zip(sizes, *columns, strict=True)
    ]
    return render(
        "cross_validation",
        charts=charts,
        header=header,
        rows=rows,
        n_folds=n_folds,
    )


def _chart(
    name: str, sizes: list[int], mean: np.ndarray, error: np.ndarray, chosen: int
) -> LineChart:
    factor, unit = METRICS[name].on_axis if name in METRICS else (1.0, "")
    mean, error = factor * mean, factor * error
    points = dict(zip(map(float, sizes), mean.tolist(), strict=True))
    ends = zip((mean - error).tolist(), (mean + error).tolist(), strict=True)
    intervals = dict(zip(map(float, sizes), ends, strict=True))
    return LineChart(
        f"{metric_label(name)}{unit}",
        "number of features",
        [Line("mean over folds", points, "first", dots=True, intervals=intervals)],
        log_x=max(sizes) > 10 * min(sizes),
        ticks=[float(size) for size in sizes],
        marks=[(float(chosen), "chosen")],
        hints={float(n): count(n, "feature") for n in sizes},
    )


def metric_label(name: str) -> str:
    """Return the label of a metric or of a scikit-learn score.

    >>> metric_label("roc_auc"), metric_label("neg_log_loss")
    ('ROC AUC', 'neg log loss')
    """
    return METRICS[name].label if name in METRICS else name.replace("_", " ")


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
