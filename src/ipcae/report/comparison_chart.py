"""A chart and a table of what fewer, more, all and random features are worth."""

from __future__ import annotations

from ipcae.report.comparison import Comparison
from ipcae.report.line_chart import Line, LineChart
from ipcae.report.markup import Html, join, paragraph, table
from ipcae.tasks import METRICS, Task
from ipcae.text import count, duration


def draw_comparison(comparison: Comparison, task: Task, split: str) -> Html:
    """Return the chart, the table and how the numbers came about."""
    selected, scores = comparison.n_selected, comparison.scores
    unit = 100.0 if METRICS[task.score].style == "percent" else 1.0
    n_features = max(scores)
    lines = [
        Line("first by rank", {n: unit * s for n, s in scores.items()}, "first", dots=True),
        Line("the selector itself", {selected: unit * comparison.own}, "second", dots=True),
    ]
    if comparison.random:
        mean = sum(comparison.random) / len(comparison.random)
        lines.append(Line("random features", {selected: unit * mean}, "third", dots=True))
    chart = LineChart(
        f"{task.score_label}{' (%)' if unit > 1 else ''}, held-out rows",
        "features",
        lines,
        log_x=True,
        x_ticks=_ticks(scores, selected),
        remark=(selected, "K") if selected > 1 else None,
        hints={n: count(int(n), "feature") for n in scores},
    )
    rows = [
        (_words(n, selected, n_features), f"{n:,}", task.write_score(value))
        for n, value in scores.items()
    ]
    rows.append(("the selector itself", f"{selected:,}", task.write_score(comparison.own)))
    if comparison.random:
        low, high = (task.write_score(f(comparison.random)) for f in (min, max))
        worth = f"{low} to {high}"
        rows.append((f"{len(comparison.random)} random draws", f"{selected:,}", worth))
    rows.append((f"always {task.baseline_name}", "0", task.write_score(comparison.guess)))
    how = (
        "All but the selector itself and the guess are new decoders, built as the selector's "
        f"own and trained on {count(comparison.n_training, 'row')} for at most "
        f"{count(comparison.n_epochs, 'epoch')}, a fifth of those rows choosing the best epoch. "
        f"All are measured on {count(comparison.n_held_out, 'row')} that no new decoder saw. "
        f"{split} Rows and epochs are bounded; this took {duration(comparison.seconds)}. "
        "Features after the selected ones are ranked by agreement and probability only, so "
        "more of them need not be the best more. One training each: small differences are chance."
    )
    numbers = table(("features", "number", task.score_label), rows, "Score by number of features")
    return join(
        Html('<div class="beside">'), chart.draw(), numbers, Html("</div>"), paragraph(how, "note")
    )


def _words(n: int, selected: int, n_features: int) -> str:
    if n == n_features:
        return "all"
    if n == selected:
        return "the selected, trained alike"
    return "the first by rank" if n < selected else "the selected and the next by rank"


def _ticks(scores: dict[int, float], selected: int) -> list[float]:
    """Leave out numbers that would touch their neighbors."""
    kept: list[float] = []
    for n in sorted(scores, key=lambda n: (n not in (selected, 1, max(scores)), n)):
        if all(max(n, k) / min(n, k) > (max(scores)) ** 0.09 for k in kept):
            kept.append(float(n))
    return sorted(kept)
