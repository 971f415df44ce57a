"""A chart and a table of the score by number of features."""

from __future__ import annotations

from markupsafe import Markup

from ipcae.report.charts.line_chart import Line, LineChart
from ipcae.report.comparison import Comparison
from ipcae.report.templates import render
from ipcae.tasks import METRICS, Task
from ipcae.text import count


def draw_comparison(comparison: Comparison, task: Task, *, split: bool) -> Markup:
    """Return the chart, the table and a description of the training.

    ``split`` is whether the training rows were split off the given ones.
    """
    return render(
        "comparison",
        comparison=comparison,
        task=task,
        split=split,
        chart=_chart(comparison, task),
        rows=_rows(comparison, task),
    )


def _chart(comparison: Comparison, task: Task) -> LineChart:
    selected, scores = comparison.n_selected, comparison.scores
    factor, unit = METRICS[task.score].on_axis
    lines = [
        Line(
            "top-ranked features",
            {n: factor * s for n, s in scores.items()},
            "first",
            dots=True,
            intervals={n: (factor * a, factor * b) for n, (a, b) in comparison.intervals.items()},
        )
    ]
    if comparison.random:
        mean = sum(comparison.random) / len(comparison.random)
        lines.append(Line("random features (mean)", {selected: factor * mean}, "third"))
    return LineChart(
        f"{task.score_label}{unit}",
        "number of features",
        lines,
        log_x=True,
        ticks=_ticks(scores, selected),
        marks=[(selected, "selected")],
        hints={n: count(int(n), "feature") for n in scores},
    )


def _rows(comparison: Comparison, task: Task) -> list[tuple[str, str, str, str]]:
    """Return a name, a number of features, a score and its interval for every decoder."""
    selected, write = f"{comparison.n_selected:,}", task.write_score
    rows = [
        (_name(n, comparison), f"{n:,}", write(score), _interval(n, comparison, task))
        for n, score in comparison.scores.items()
    ]
    rows.append(("selected, own decoder", selected, write(comparison.own), ""))
    if draws := comparison.random:
        scores = METRICS[task.score].write_interval((min(draws), max(draws)))
        rows.append((f"random, {len(draws)} draws", selected, scores, ""))
    rows.append((f"baseline: {task.baseline_name}", "0", write(comparison.baseline), ""))
    return rows


def _interval(n: int, comparison: Comparison, task: Task) -> str:
    if n not in comparison.intervals:
        return ""
    return METRICS[task.score].write_interval(comparison.intervals[n])


def _name(n: int, comparison: Comparison) -> str:
    if n == comparison.n_features:
        return "all"
    if n == comparison.n_selected:
        return "selected"
    return "top-ranked" if n < comparison.n_selected else "selected and next-ranked"


def _ticks(scores: dict[int, float], selected: int) -> list[float]:
    """Return the ticks, without those that would overlap others."""
    ticks: list[float] = []
    for n in sorted(scores, key=lambda n: (n not in (selected, 1, max(scores)), n)):
        if all(max(n, t) / min(n, t) > (max(scores)) ** 0.09 for t in ticks):
            ticks.append(float(n))
    return sorted(ticks)
