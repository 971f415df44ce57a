"""The files that a selection leaves behind."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import safetensors  # noqa: F401  If it is missing, that is said before the training.

from ipcae.cli.experiment import Experiment, Result
from ipcae.cli.held_out import GUESSES
from ipcae.cli.outputs import write_file
from ipcae.cli.report import REPORT, page_of
from ipcae.cli.settings import plain
from ipcae.cli.task import CLASSIFICATION
from ipcae.files import to_bytes
from ipcae.grids import Grid
from ipcae.plots import plot_selection, plot_training, png_bytes

RESULT_FILES = (
    "selected.txt",
    "ranking.csv",
    "metrics.json",
    "settings.json",
    "history.csv",
    "training.png",
    "selection.png",
    "model.safetensors",
    REPORT,
)


def expected_bytes(experiment: Experiment) -> int:
    """Estimate, generously, how much the files of a selection take."""
    options, problem = experiment.options, experiment.problem
    n_features = problem.X.shape[1]
    history_rows = 2 * options.epochs * options.runs * 7
    n_outputs = n_features
    if problem.y is not None:
        n_outputs = len(np.unique(problem.y)) if problem.task.name == CLASSIFICATION else 1
    # The decoder of every run is the larger part of the model.
    model = 4 * options.runs * (512 * (experiment.n_selected + n_outputs) + n_features)
    return 10**6 + 120 * n_features + 60 * history_rows + model


def write_results(
    folder: Path, result: Result, settings: dict[str, Any], grid: Grid | None = None
) -> None:
    """Write the files of :data:`RESULT_FILES`; the report draws the selection on the grid."""
    ranking, selector = result.ranking, result.selector
    selected = ranking.names[: ranking.n_selected]
    history = selector.history_
    figures = {
        "training.png": plot_training(history, selector.best_run_),
        "selection.png": plot_selection(ranking),
    }
    contents: dict[str, bytes | str] = {
        "selected.txt": "".join(f"{name}\n" for name in selected),
        "ranking.csv": _ranking_csv(result),
        "metrics.json": _json(metrics_of(result)),
        "settings.json": _json(settings),
        "history.csv": _csv(history, zip(*history.values(), strict=True)),
        **{name: png_bytes(figure) for name, figure in figures.items()},
        "model.safetensors": to_bytes(selector),
    }
    for name, content in contents.items():
        write_file(folder / name, content)
    # The report trains decoders to compare with; what was found is safe by then.
    write_file(folder / REPORT, page_of(selector, result.experiment, settings, grid))


def metrics_of(result: Result) -> dict[str, Any]:
    """Return the content of metrics.json."""
    experiment, selector = result.experiment, result.selector
    task = experiment.problem.task.name
    return {
        "task": task,
        "target": experiment.problem.target,
        "training_rows": len(experiment.train),
        "held_out_rows": len(experiment.test),
        "held_out": result.held_out,
        "reference": {"prediction": GUESSES[task], **result.reference},
        "features": experiment.problem.X.shape[1],
        "selected": result.ranking.n_selected,
        "unique_percentage": selector.selection_.unique_percentage,
        "best_run": selector.best_run_,
        "runs": [
            {
                "run": run,
                "seed": selector.run_seeds_[run],
                "status": status,
                "best_epoch": selector.best_epoch_[run] + 1,
                "validation_loss": selector.validation_loss_[run],
                "unique_percentage": selector.selections_[run].unique_percentage,
            }
            for run, status in enumerate(selector.run_status_)
        ],
        "interrupted": result.interrupted,
        "warnings": result.warnings,
    }


def _ranking_csv(result: Result) -> str:
    ranking = result.ranking
    columns = ("rank", "feature", "selected", "importance", "probability", "agreement")
    rows = zip(
        range(1, len(ranking.names) + 1),
        ranking.names,
        ranking.selected.tolist(),
        ("" if np.isnan(value) else f"{value:.6g}" for value in ranking.importance),
        (f"{value:.6g}" for value in ranking.probability),
        (f"{value:.6g}" for value in ranking.agreement),
        strict=True,
    )
    return _csv(columns, rows)


def _csv(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def _json(value: dict[str, Any]) -> str:
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
