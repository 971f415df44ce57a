"""What was asked and found, for a person at a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from ipcae.cli.experiment import Experiment, Result
from ipcae.cli.held_out import GUESSES
from ipcae.plots import Ranking
from ipcae.printable import printable

MOST_FEATURES = 20

_METRIC_NAMES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "log_loss": "log loss",
    "r2": "R²",
    "mean_absolute_error": "mean absolute error",
    "root_mean_squared_error": "root mean squared error",
    "error": "mean ‖x − x̂‖ / D, scaled columns",
}


def asked(experiment: Experiment) -> str:
    """Say what the table is, what the task is and why."""
    problem, options = experiment.problem, experiment.options
    change = {
        "classification": " (--task regression if they are amounts)",
        "regression": " (--task classification if they are classes)",
    }
    # Only where the numbers could be either is it worth a hint.
    hint = change.get(problem.task.name, "") if "whole numbers" in problem.task.reason else ""
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
    selector, ranking = result.selector, result.ranking
    state = "Interrupted; the best state so far selects" if result.interrupted else "Selected"
    unique = selector.selection_.unique_percentage
    collisions = (
        f". Before collisions were resolved, {unique:.0f} % of the choices were unique."
        if unique < 100
        else ", without a collision."
    )
    sentence = (
        f"{state} {ranking.n_selected} of {len(ranking.names)} columns in "
        f"{duration(selector.fit_seconds_)}{collisions}"
    )
    return f"\n{sentence}\n\n{_features(ranking)}\n\n{_metrics(result)}"


def _features(ranking: Ranking) -> str:
    n_shown = min(ranking.n_selected, MOST_FEATURES)
    rows = [
        [
            str(i + 1),
            printable(ranking.names[i]),
            f"{ranking.importance[i]:.4g}",
            f"{ranking.probability[i]:.2f}",
            f"{ranking.agreement[i] * ranking.n_runs:.0f} of {ranking.n_runs}",
        ]
        for i in range(n_shown)
    ]
    header = ["rank", "column", "importance", "probability", "agreement"]
    text = table(header, rows, left={1})
    rest = ranking.n_selected - n_shown
    return f"{text}\n  … {rest} more in ranking.csv" if rest else text


def _metrics(result: Result) -> str:
    experiment = result.experiment
    rows = [
        [_METRIC_NAMES[name], f"{value:.4g}", f"{result.reference[name]:.4g}"]
        for name, value in result.held_out.items()
    ]
    header = [f"on {len(experiment.test)} held-out rows", "selected", "guess*"]
    guess = GUESSES[experiment.problem.task.name]
    return f"{table(header, rows, left={0})}\n  * always {guess} of the training rows"


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


def duration(seconds: float) -> str:
    """Write seconds as people say them.

    >>> duration(7.3), duration(150), duration(7500)
    ('7.3 s', '2 min 30 s', '2 h 5 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
