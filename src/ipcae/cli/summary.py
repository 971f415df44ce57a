"""What was asked and found, for a person at a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ipcae.cli.experiment import Experiment, Result
from ipcae.feature_table import FeatureTable
from ipcae.tasks import METRICS
from ipcae.text import duration, printable

MOST_FEATURES = 20


def asked(experiment: Experiment) -> str:
    """Say what the table is, what the task is and why."""
    problem, options = experiment.problem, experiment.options
    hint = f" ({problem.task.hint})" if problem.task.hint else ""
    runs = "1 run" if options.runs == 1 else f"{options.runs} runs"
    place, reason = printable(problem.place), printable(problem.task.reason)
    return (
        f"{place}: {len(problem.X)} rows, {problem.X.shape[1]} columns to choose from.\n"
        f"Task: {problem.task.name}, because {reason}{hint}.\n"
        f"Selecting {experiment.n_selected} with {options.method} in {runs} of {options.epochs} "
        f"epochs; {len(experiment.test)} rows are held out."
    )


def found(result: Result) -> str:
    """Say which features were selected, and what they are worth on the held-out rows."""
    selector, features = result.selector, result.features
    state = "Interrupted; the best state so far selects" if result.interrupted else "Selected"
    unique = selector.selection_.unique_percentage
    collisions = (
        f". Before collisions were resolved, {unique:.0f} % of the choices were unique."
        if unique < 100
        else ", without a collision."
    )
    sentence = (
        f"{state} {features.n_selected} of {len(features)} columns in "
        f"{duration(selector.fit_seconds_)}{collisions}"
    )
    return f"\n{sentence}\n\n{_features(features)}\n\n{_metrics(result)}"


def _features(features: FeatureTable) -> str:
    n_shown = min(features.n_selected, MOST_FEATURES)
    rows = [
        [
            str(feature.rank),
            printable(feature.name),
            f"{feature.importance:.4g}",
            f"{feature.probability:.2f}",
            f"{feature.agreement * features.n_runs:.0f} of {features.n_runs}",
        ]
        for feature in islice(features, n_shown)
    ]
    header = ["rank", "column", "importance", "probability", "agreement"]
    text = table(header, rows, left={1})
    rest = features.n_selected - n_shown
    return f"{text}\n  … {rest} more in ranking.csv" if rest else text


def _metrics(result: Result) -> str:
    evaluation = result.evaluation
    rows = [
        [METRICS[name].label, f"{value:.4g}", f"{evaluation.baseline[name]:.4g}"]
        for name, value in evaluation.metrics.items()
    ]
    header = [f"on {len(result.experiment.test)} held-out rows", "selected", "baseline*"]
    baseline = evaluation.task.baseline_name
    return f"{table(header, rows, left={0})}\n  * always {baseline} of the training rows"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: set[int]) -> str:
    """Align the cells of a table; the columns in ``left`` to the left.

    >>> print(table(["name", "n"], [["a", "10"]], left={0}))
      name   n
      a     10
    """
    widths = [max(map(len, cells)) for cells in zip(header, *rows, strict=True)]
    lines = []
    for row in (header, *rows):
        cells = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(f"  {'  '.join(cells)}".rstrip())
    return "\n".join(lines)
