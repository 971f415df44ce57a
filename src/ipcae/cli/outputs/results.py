"""The result files of a selection."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import safetensors  # noqa: F401  If it is missing, fail before the training.

from ipcae.cli.experiment import Experiment
from ipcae.cli.experiment_result import Result
from ipcae.cli.messages import Messages
from ipcae.cli.names import as_cell, as_line
from ipcae.cli.outputs.folder import write_file
from ipcae.cli.outputs.json_text import to_json
from ipcae.cli.outputs.report import REPORT, report_page
from ipcae.evaluation import FdrSelection, RowStability
from ipcae.feature_table import FeatureTable, feature_names
from ipcae.files import to_bytes
from ipcae.grids import Grid

if find_spec("matplotlib") is None:  # it is imported after the training
    raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib")

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
STABILITY = "stability.png"
"""Written only if it is asked for."""


def expected_bytes(experiment: Experiment) -> int:
    """Return an upper estimate of the size of the result files."""
    table = experiment.table
    n_features = table.X.shape[1]
    history_rows = 2 * experiment.n_epochs * experiment.n_runs * 7
    n_outputs = n_features
    if table.y is not None:
        n_outputs = len(np.unique(table.y)) if table.task.task.discrete else 1
    # Most of the model is the decoders, one per run.
    n_selected = experiment.n_selected
    decoder = 512 * (n_selected + 512 + n_outputs) + n_selected * n_outputs
    model = 4 * experiment.n_runs * (decoder + n_features)
    return 10**6 + 120 * n_features + 60 * history_rows + model


def write_results(
    folder: Path,
    result: Result,
    settings: dict[str, Any],
    messages: Messages,
    grid: Grid | None,
    before_report: Callable[[], None] | None = None,
) -> list[str]:
    """Write the files of :data:`RESULT_FILES` and return the names of those written.

    ``before_report`` is called once the others are written, because plots and report, whose
    decoders are trained, take longest. If one of them fails, a warning is printed.
    """
    selector, history = result.selector, result.selector.history_
    selected = result.features.names[: result.features.n_selected]
    contents: dict[str, bytes | str] = {
        "model.safetensors": to_bytes(selector),
        "selected.txt": "".join(f"{as_line(name)}\n" for name in selected),
        "ranking.csv": _ranking_csv(result.features, result.stability, result.discoveries),
        "metrics.json": to_json(metrics_of(result)),
        "settings.json": to_json(settings),
        "history.csv": csv_text(history, zip(*history.values(), strict=True)),
    }
    for name, content in contents.items():
        write_file(folder / name, content)
    if before_report is not None:
        before_report()

    def page() -> str:
        return report_page(
            selector,
            result.experiment,
            {**settings, "warnings": messages.warnings},
            grid,
            result.chance,
        )

    optional: dict[str, Callable[[], bytes | str]] = {
        "training.png": lambda: _png("plot_training", history, selector.best_run_),
        "selection.png": lambda: _png("plot_selection", result.features),
        REPORT: page,
    }
    if (stability := result.stability) is not None:
        names = feature_names(selector)
        optional = {STABILITY: lambda: _png("plot_stability", stability, names), **optional}
    else:  # of an earlier selection
        (folder / STABILITY).unlink(missing_ok=True)
    made = [name for name, make in optional.items() if _write(folder / name, make, messages)]
    return [name for name in (*RESULT_FILES, STABILITY) if name in contents or name in made]


def _png(function: str, *arguments: Any) -> bytes:
    """Draw a figure with a function of :mod:`ipcae.plots`, which imports matplotlib."""
    from ipcae import plots

    return plots.png_bytes(getattr(plots, function)(*arguments))


def _write(path: Path, make: Callable[[], bytes | str], messages: Messages) -> bool:
    """Make and write a file, or warn; return whether it was written."""
    try:
        write_file(path, make())
    except (Exception, KeyboardInterrupt) as error:
        # A file of an earlier selection would not match the other results.
        with suppress(OSError):
            path.unlink(missing_ok=True)
        said = "{} could not be created ({}); the other results are written."
        if isinstance(error, KeyboardInterrupt):
            messages.warn_of_interruption(said.format(path.name, "interrupted"))
        else:
            messages.warn(said.format(path.name, f"{type(error).__name__}: {error}"))
        return False
    return True


def metrics_of(result: Result) -> dict[str, Any]:
    """Return the content of metrics.json."""
    experiment, selector = result.experiment, result.selector
    evaluation = result.evaluation
    return {
        "task": evaluation.task.name,
        "target": experiment.table.target,
        "training_rows": len(experiment.train),
        "held_out_rows": len(experiment.test),
        "chance": None if result.chance is None else result.chance.summary(),
        "stability": None
        if result.stability is None
        else result.stability.summary(feature_names(selector)),
        "false_discoveries": None if result.discoveries is None else result.discoveries.summary(),
        "score": evaluation.task.score,
        "held_out": evaluation.metrics,
        "intervals": evaluation.intervals,
        "reference": {"prediction": evaluation.task.baseline_name, **evaluation.baseline},
        **({"held_out_by_batch": by_batch} if (by_batch := result.by_batch) else {}),
        "features": experiment.table.X.shape[1],
        "selected": result.features.n_selected,
        **_costs(selector),
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
        **evaluation.task.breakdown(evaluation.outputs, evaluation.targets),
        "cautions": evaluation.cautions,
        "likely_leaks": result.checks.leaks,
        "computed_from": result.checks.parts,
        "identical_columns": result.checks.duplicates,
        "cross_validation": result.cross_validation,
        "interrupted": result.interrupted,
        "warnings": result.warnings,
    }


def _costs(selector: Any) -> dict[str, Any]:
    constraints = selector.constraints_
    if not constraints.costs:
        return {}
    paid = constraints.cost(selector.selection_.features)
    return {"cost": paid, "budget": constraints.budget}


def _ranking_csv(
    features: FeatureTable,
    stability: RowStability | None = None,
    discoveries: FdrSelection | None = None,
) -> str:
    columns = [
        *("rank", "feature", "selected", "importance", "importance_error", features.measure),
        "other_seeds",
    ]
    more: list[Any] = []
    if stability is not None:
        columns.append("subsamples")
        more.append([_cell(value) for value in stability.frequency])
    if discoveries is not None:
        columns.append("discovery")
        more.append(discoveries.support.tolist())
    rows = (
        (
            feature.rank,
            as_cell(feature.name),
            feature.selected,
            *(_cell(v) for v in (feature.importance, feature.importance_error)),
            _cell(feature.probability),
            _cell(feature.other_seeds),
            *(values[feature.index] for values in more),
        )
        for feature in features
    )
    return csv_text(columns, rows)


def _cell(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.6g}"


def csv_text(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return the content of a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
